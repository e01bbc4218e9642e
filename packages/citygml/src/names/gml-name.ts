import { isMeshCode } from '@citymodel/geo';
import { type DatasetSub, datasetSub } from './dataset-sub.ts';
import { isDisasterType, isTypeCode } from './feature-types.ts';

/*
 * What the path of a GML file says:
 *
 *   udx/{type}/[{prefix}_]{mesh}_{type}[_{epsg}][_{extra}…][_op].gml
 *   udx/{type}/{natl|pref}/{river}/{mesh}_{type}_{epsg}_{l1|l2}[-{suffix}]_op.gml
 *   udx/{type}/{scenario}/…
 *
 * The directory, not the file, says the type: files of all disaster types hold the same elements.
 */

export interface GmlName {
  /** Feature-type code: the directory below `udx/`, or what the file name says where there is none. */
  type: string;
  /** Mesh code of 4 to 11 digits; null when the name has none. */
  mesh: string | null;
  /** Code of the CRS as the name says it, which need not be the file's; null when it does not. */
  epsg: number | null;
  /** River, scenario or other part below the type, from the directories and a flood's scale. */
  sub: DatasetSub | null;
  /** Remaining parts, such as `yoto` or `08`, joined by `_`; null when there are none. */
  extra: string | null;
  /** True when the file name follows the rule; a prefix before the mesh is no deviation. */
  conforms: boolean;
}

/**
 * Whether a member of a CityGML package is one of its GML files. Clients look for `/udx/` in their URLs, so that
 * another spelling of the directory is none; the extension may be in capitals.
 */
export function isGmlPath(path: string): boolean {
  return path.startsWith('udx/') && /\.gml$/i.test(path);
}

/**
 * Reads the path of a GML file, from `udx/` or below it. Never throws: what a name does not say is null, and
 * `type` is `gen` for a file that lies in no directory and names no type.
 */
export function parseGmlName(path: string): GmlName {
  const directories = path.replace(/^udx\//, '').split('/');
  const stem = directories.pop()!.replace(/\.[^.]*$/, '');
  const parts = stem.split('_');
  const folder = directories.shift();
  const at = meshPosition(parts, folder);
  const mesh = at < 0 ? null : parts[at]!;
  let rest = parts.slice(at + 1);
  const named = at >= 0 && isTypeCode(rest[0] ?? '') ? rest[0]! : null;
  const type = folder ?? named ?? 'gen';
  if (named !== null) rest = rest.slice(1);
  const epsg = /^\d{4,5}$/.test(rest[0] ?? '') ? Number(rest.shift()) : null;
  const open = /^op\d*$/.test(rest.at(-1) ?? '') ? rest.pop()! : null;
  let scale: RegExpExecArray | null = null;
  if (isDisasterType(type)) {
    const index = rest.findIndex((part) => /^l[12](-.+)?$/.test(part));
    if (index >= 0) scale = /^(l[12])(?:-(.+))?$/.exec(rest.splice(index, 1)[0]!);
  }
  const ruled = named !== null && (folder === undefined || named === folder) && epsg !== null;
  return {
    type,
    mesh,
    epsg,
    sub: datasetSub(type, directories.join('_'), (scale?.[1] as 'l1' | 'l2') ?? null, scale?.[2] ?? null),
    extra: rest.length === 0 || mesh === null ? null : rest.join('_'),
    conforms: ruled && (open === null || open === 'op'),
  };
}

/**
 * Sheets of the national base map in a plane system (Survey Regulations for Public Surveying): zone, 50 km square,
 * 1:5000 to 1:500.
 */
const SHEET = /^(?:0[1-9]|1\d)[A-T][A-H](?:\d\d(?:[1-4]|\d[A-E]|\d\d)?)?$/;

/** The sheet of the national base map that the name of a GML file begins with, `08EE752`; null for another name. */
export function mapSheetOf(path: string): string | null {
  const first = path.slice(path.lastIndexOf('/') + 1).split('_', 1)[0]!;
  return SHEET.test(first) ? first : null;
}

/**
 * Which part is the mesh code: the one before the type, else the first of six digits or more. Four digits
 * alone could as well be a CRS or a year.
 */
function meshPosition(parts: readonly string[], folder: string | undefined): number {
  const before = parts.findIndex(
    (part, i) => isMeshCode(part) && folder !== undefined && parts[i + 1] === folder,
  );
  return before >= 0 ? before : parts.findIndex((part) => part.length >= 6 && isMeshCode(part));
}
