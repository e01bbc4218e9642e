/** Which package an upload is: by its name, by what it contains, and by what the operator says. */
import { type IssueSink, quoted } from '@citymodel/base';
import type { DatasetSub, PackageKind } from '@citymodel/store';
import { type Area, area, cityOfWard, prefectureOf, SPECIAL_WARDS_NAME } from '../catalogue/names/areas.ts';
import { type PackageName, packageIdentity, parsePackageName } from '../catalogue/names/package-name.ts';
import { isPlausibleAreaName } from '../catalogue/names/plausible-name.ts';
import { type PackageLayout, rootIssue } from './layout.ts';
import { PackageRefused, type Upload } from './upload.ts';

/** What stands in the place of a prefecture outside of Japan, when the operator says nothing better. */
const ABROAD = '海外';

/** What the operator may say instead of the name and the content; every key optional. */
export interface Overrides {
  name?: string;
  code?: string;
  year?: number;
  registrationYear?: number;
  provider?: string;
  revision?: string;
  spec?: string;
  license?: string;
  /** Name of the prefecture, or of what stands in its place outside of Japan. */
  pref?: string;
  city?: string;
  ward?: string;
  wardCode?: string;
  type?: string;
  lod?: number;
  texture?: boolean;
  interior?: boolean;
}

/** Who and what a package is, before its content is read. */
export interface Identity {
  name: string;
  kind: PackageKind;
  code: string;
  prefCode: string;
  cityCode: string;
  wardCode: string | null;
  provider: string;
  year: number;
  /** What the name has between revision and `_op`, which tells it from others of the year. */
  words: string | null;
  revision: string;
  identity: string;
  romanName: string;
  /** Romanised, as the name has it; null where it has none. */
  wardRomanName: string | null;
  tiles: {
    type: string | null;
    sub: DatasetSub | null;
    lod: number | null;
    lodEx: number | null;
    interior: boolean;
    noTexture: boolean;
  } | null;
  /** Fields that neither the name nor the operator gave. */
  guessed: string[];
}

/**
 * Identifies an upload by its own name, else by the innermost directory that holds the package. Throws as `identify`; a
 * package that does not begin where its name says is an issue.
 */
export function identifyUpload(
  upload: Pick<Upload, 'name'>,
  layout: PackageLayout,
  overrides: Overrides,
  issue: IssueSink,
): Identity {
  const directory = layout.root.split('/').at(-2);
  const names = directory === undefined ? [upload.name] : [upload.name, directory];
  const identity = identify(names, layout, overrides);
  const odd = rootIssue(layout, identity.name);
  if (odd !== null) issue(odd);
  return identity;
}

/**
 * Identifies a package. `names` are the candidates for its name, best first: the upload's file name, the directory
 * inside it. Throws PackageRefused when code or year cannot be known.
 */
export function identify(names: readonly string[], layout: PackageLayout, overrides: Overrides): Identity {
  const guessed: string[] = [];
  let parsed: PackageName | null = null;
  for (const candidate of overrides.name === undefined ? names : [overrides.name]) {
    parsed = parsePackageName(candidate);
    if (parsed !== null) break;
  }
  const code = overrides.code ?? parsed?.code;
  const year = overrides.year ?? parsed?.year;
  if (code === undefined || year === undefined) {
    const lacking = [
      code === undefined ? ['the municipality code'] : [],
      year === undefined ? ['the year'] : [],
    ];
    throw new PackageRefused(
      'UNKNOWN_NAME',
      `The name ${overrides.name ?? names[0]} does not follow ` +
        `{code}_{name}_{provider}_{year}_citygml_{revision}[[_{words}]_op], ` +
        `so that ${lacking.flat().join(' and ')} must be given (--code, --year); or rename it so.`,
    );
  }
  if (!/^\d{2}(\d{3})?$/.test(code)) {
    throw new PackageRefused(
      'BAD_CODE',
      `The code ${code} has neither 5 digits (municipality) nor 2 (prefecture).`,
    );
  }
  const prefCode = code.slice(0, 2);
  // Areas outside of Japan have a code that the operator chose, and said.
  if (prefectureOf(code) === undefined && overrides.code === undefined) {
    throw new PackageRefused(
      'BAD_CODE',
      `The code ${code} begins with ${prefCode}, which is not a prefecture code (01 to 47); give --code for an area ` +
        `outside of Japan.`,
    );
  }
  const city = cityOfWard(code);
  const wardCode =
    overrides.wardCode ?? parsed?.tiles?.wardCode ?? parsed?.ward?.code ?? (city === undefined ? null : code);
  const cityCode = city ?? code;
  const provider = overrides.provider ?? parsed?.provider ?? 'city';
  const revision = overrides.revision ?? parsed?.revision ?? '1';
  if (overrides.revision === undefined && parsed === null) guessed.push('revision');
  const words = parsed?.words ?? null;
  const name =
    overrides.name ?? parsed?.directory ?? directoryName(names[0]!, code, provider, year, revision);
  if (parsed === null && overrides.name === undefined) guessed.push('name');
  const tiles =
    layout.kind === 'citygml'
      ? null
      : {
          type: overrides.type ?? parsed?.tiles?.type ?? null,
          sub: parsed?.tiles?.sub ?? null,
          lod: overrides.lod ?? parsed?.tiles?.lod ?? null,
          lodEx: parsed?.tiles?.lodEx ?? null,
          interior: overrides.interior ?? parsed?.tiles?.interior ?? false,
          noTexture: parsed?.tiles?.noTexture ?? false,
        };
  return {
    name,
    kind: layout.kind,
    code,
    prefCode,
    cityCode,
    wardCode: wardCode === cityCode ? null : wardCode,
    provider,
    year,
    words,
    revision,
    // Tiles whose type nobody names are the same only under the same name.
    identity:
      tiles !== null && tiles.type === null
        ? `${layout.kind}/${name}`
        : packageIdentity({ kind: layout.kind, code, provider, year, words, wardCode, tiles }),
    romanName: parsed?.romanName ?? code,
    wardRomanName: parsed?.tiles?.wardName ?? parsed?.ward?.romanName ?? null,
    tiles,
    guessed,
  };
}

/**
 * Names of prefecture, municipality and ward for the codes: the operator's word, then the package's own code list as
 * far as it is plausible (`isPlausibleAreaName`), then the built-in table, then the romanised name (which counts as
 * guessed). The prefecture's name is the table's. `known` are the areas that the code list has and the table lacks.
 * What is not plausible is an issue.
 */
export function nameAreas(
  identity: Identity,
  authorities: ReadonlyMap<string, string>,
  overrides: Overrides,
  issue: IssueSink,
): { pref: string; city: string; ward: string | null; guessed: string[]; known: Area[] } {
  const guessed: string[] = [];
  const pref = overrides.pref ?? prefectureOf(identity.code)?.name ?? ABROAD;
  const implausible = (code: string, name: string, instead: string) =>
    issue({
      code: 'AREA_NAME_IMPLAUSIBLE',
      severity: 'warning',
      member: null,
      message: `The code list calls ${code} ${quoted(name, 60)}, which cannot be its name; ${instead}.`,
    });
  const claimed = authorities.get(identity.prefCode);
  const isPrefecture = claimed === pref || claimed === prefectureOf(identity.code)?.name;
  if (claimed !== undefined && !isPrefecture) implausible(identity.prefCode, claimed, `${pref} is used`);
  const own = (code: string, before: string): string | undefined => {
    const builtIn = area(code)?.name;
    const full = authorities.get(code);
    if (full === undefined) return builtIn;
    const bare = withoutPrefix(full, pref);
    const name = bare.startsWith(before) && bare.length > before.length ? bare.slice(before.length) : bare;
    if (isPlausibleAreaName(name, builtIn ?? null)) return name;
    implausible(code, full, builtIn === undefined ? 'it is left out' : `${builtIn} is used`);
    return builtIn;
  };
  let city = overrides.city;
  if (city === undefined) {
    if (identity.cityCode.length === 2) city = pref;
    else if (identity.cityCode === '13100') city = SPECIAL_WARDS_NAME;
    else city = own(identity.cityCode, '');
  }
  if (city === undefined) {
    city = identity.romanName;
    guessed.push('city');
  }
  let ward: string | null = null;
  if (identity.wardCode !== null) {
    ward = overrides.ward ?? own(identity.wardCode, city) ?? null;
    if (ward === null) {
      ward = identity.wardRomanName ?? identity.wardCode;
      guessed.push('ward');
    }
  }
  const further: Area[] = [];
  for (const [code, full] of authorities) {
    if (code.length !== 5 || area(code) !== undefined || !code.startsWith(identity.prefCode)) continue;
    const outer = outerCity(code, full, authorities);
    const name = own(code, outer === null ? '' : withoutPrefix(authorities.get(outer)!, pref));
    if (name === undefined) continue;
    further.push({
      code,
      name,
      kind: outer === null ? 'municipality' : 'ward',
      parent: outer ?? identity.prefCode,
    });
  }
  return { pref, city, ward, guessed, known: further };
}

/** The designated city that an area is a ward of by its full name, such as 北海道札幌市中央区; null when it is no ward. */
function outerCity(code: string, full: string, authorities: ReadonlyMap<string, string>): string | null {
  if (!full.endsWith('区')) return null;
  for (const [other, name] of authorities) {
    if (other.length === 5 && other !== code && name.endsWith('市') && full.startsWith(name)) return other;
  }
  return null;
}

function withoutPrefix(name: string, prefix: string): string {
  return name.startsWith(prefix) ? name.slice(prefix.length) : name;
}

function directoryName(
  romanName: string,
  code: string,
  provider: string,
  year: number,
  revision: string,
): string {
  const roman = romanName
    .split(/[^A-Za-z0-9]+/)
    .filter((word) => word !== '')
    .join('-')
    .toLowerCase();
  return `${code}_${roman || code}_${provider}_${year}_citygml_${revision}`;
}
