/**
 * Names of rivers and scenarios for the catalogue. Names of tile packages and directories of CityGML packages
 * (`udx/fld/natl/kanogawa/`) have them romanised only. The water bodies in those directories name their map by a code
 * (`uro:description` of the risk attribute). The code list of the package translates it: 狩野川水系狩野川.
 */
import type { PackageFiles } from '@citymodel/base';
import {
  type CodeList,
  CodeLists,
  isDisasterType,
  isGmlPath,
  parseCodeList,
  parseGmlName,
} from '@citymodel/citygml';
import { partKey } from '../catalogue/names/part-names.ts';

/** Parts of one package that get a name, and characters of a name. */
const MAX_PARTS = 2_000;
const MAX_NAME = 100;
/** Bytes of a GML file and of a code list that are read for it. */
const MAX_GML = 32 << 20;
const MAX_LIST = 8 << 20;
/** Elements called `description` of one file that are looked at, and bytes of each. */
const MAX_ELEMENTS = 100;
const ELEMENT_BYTES = 4_096;

const DESCRIPTION = Buffer.from(':description');

/**
 * Names of parts by `partKey`. One file of each part is read, its smallest; a part whose file or code list cannot be
 * read, or is too large, has no name.
 */
export async function readPartNames(files: PackageFiles): Promise<Record<string, string>> {
  const smallest = new Map<string, { path: string; size: number }>();
  for (const path of files.paths()) {
    if (!isGmlPath(path) || !isDisasterType(path.split('/')[1]!)) continue;
    const { type, sub } = parseGmlName(path);
    const part = partKey(type, sub);
    if (part === null) continue;
    const size = files.size(path) ?? 0;
    const smallestYet = smallest.get(part);
    if (smallestYet === undefined ? smallest.size < MAX_PARTS : size < smallestYet.size)
      smallest.set(part, { path, size });
  }
  if (smallest.size === 0) return {};
  const lists = codeLists(files);
  const names: Record<string, string> = {};
  for (const [part, { path }] of smallest) {
    const gml = await files.read(path, MAX_GML).catch(() => null);
    const described = gml === null ? null : firstDescription(gml);
    if (described === null) continue;
    const { codeSpace, code } = described;
    // Files that refer to lists by their names of i-UR 2.0 come with lists that have the present names.
    const present = codeSpace.replace('WaterBody', '');
    const labels = await lists.labels(path, [codeSpace, present]);
    const name = (labels(codeSpace, code) ?? labels(present, code))?.normalize('NFC').slice(0, MAX_NAME);
    if (name) names[part] = name;
  }
  return names;
}

/** The first `…:description` that is a code. `gml:description` is free text and has no code space. */
function firstDescription(gml: Uint8Array): { codeSpace: string; code: string } | null {
  const text = Buffer.from(gml.buffer, gml.byteOffset, gml.byteLength);
  let at = text.indexOf(DESCRIPTION);
  for (let seen = 0; at !== -1 && seen < MAX_ELEMENTS; seen++) {
    const element = text.toString('utf8', at, at + ELEMENT_BYTES);
    const tag = /^:description\s+codeSpace\s*=\s*(?:"([^"<]+)"|'([^'<]+)')\s*>([^<]+)<\//.exec(element);
    const codeSpace = tag?.[1] ?? tag?.[2];
    const code = tag?.[3]?.trim();
    if (codeSpace && code) return { codeSpace, code };
    at = text.indexOf(DESCRIPTION, at + DESCRIPTION.length);
  }
  return null;
}

/** The code lists of the package, each read once, found in any letter case. */
function codeLists(files: PackageFiles): CodeLists {
  let paths: Map<string, string> | null = null;
  const loaded = new Map<string, Promise<CodeList | null>>();
  return new CodeLists((listPath) => {
    paths ??= new Map(
      [...files.paths()]
        .filter((path) => /^codelists\//i.test(path))
        .map((path) => [path.toLowerCase(), path]),
    );
    const path = paths.get(listPath.toLowerCase());
    if (path === undefined) return Promise.resolve(null);
    let list = loaded.get(path);
    if (list === undefined) {
      list = files.read(path, MAX_LIST).then(
        (bytes) => bytes && parseCodeList(bytes),
        () => null,
      );
      loaded.set(path, list);
    }
    return list;
  });
}
