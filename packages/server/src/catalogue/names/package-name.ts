import { EVERY_OUTPUT_KIND, LOD_DIGIT, type OutputKind, type PackageKind } from '@citymodel/base';
import { type DatasetSub, datasetSub, isListedType, isTypeCode, mapSymbolsSub } from '@citymodel/citygml';

/*
 * What a package's name says. CityGML:
 *
 *   {code}_{romanised name}[_{provider}]_{year}_citygml[_{revision}][[_{words}]_op][_{ward}]
 *
 * Tiles, in the present order and in the one that names had until 2023:
 *
 *   {CityGML package}_{type}[_{name}]_dm_{geometric_attributes|annotations}
 *   {CityGML package}_{type}[_{name}]_{output}[_{ward}][_{scale}][_lod{N}][_interior][_no_texture]
 *   {code}_{name}_{year}_{output}[_{revision}][[_{words}]_op][_nodem]_{type}[_{name}][_{ward}][_{scale}][_lod{N}]…
 *
 * where a ward is `{5 digits}_{romanised name}` and a flood's scale `l1` or `l2`, with `-{suffix}` where there are
 * several. Words, such as `sample-takeshiba`, tell packages of one city and year apart. Without the word for the kind
 * both orders read alike, and so they are read as one. Seen besides: the ward before the type, a zone before it
 * (`ex-port-shimizuko-bldg`), and a part after the LOD (`lod3_2`); the last two name what is below the type. `nodem`
 * says how heights were measured, not what is held, and is passed over.
 */

export interface PackageName {
  /** The name without its file extension. */
  directory: string;
  kind: PackageKind;
  /** 5 digits, or 2 for a prefecture's own package. */
  code: string;
  /** E.g. `chiyoda-ku`. */
  romanName: string;
  /** `city`, `pref` and the like; null when the name has none. */
  provider: string | null;
  year: number;
  /** `1` or `1_3`; '' when the name has none, which is older than any. */
  revision: string;
  /** What stands between revision and `_op`, `sample-takeshiba`; null in nearly all names. */
  words: string | null;
  /** True when the name ends its general part with `_op` (open data). */
  open: boolean;
  /** Ward of a city whose CityGML is packed by wards, its name romanised; null for others, and for tiles. */
  ward: { code: string; romanName: string } | null;
  /** What a tile package holds; null for CityGML. */
  tiles: TileName | null;
}

export interface TileName {
  /** Feature-type code; an unknown one is kept. */
  type: string;
  sub: DatasetSub | null;
  wardCode: string | null;
  /** Romanised. */
  wardName: string | null;
  lod: number | null;
  /** Both digits of a name such as `lod33` (LOD 3.3); null otherwise. */
  lodEx: number | null;
  interior: boolean;
  noTexture: boolean;
}

const KINDS = EVERY_OUTPUT_KIND.join('|');

const GENERAL = new RegExp(
  '^(\\d{5}|\\d{2})_([^_]+)(?:_([a-z][a-z0-9-]*))?_((?:19|20)\\d{2})' +
    `_(citygml|${KINDS})(?:_(\\d{1,9}(?:_\\d{1,9}){0,9}))?` +
    '(?:(?:_([a-z][a-z0-9-]{0,59}(?:_[a-z][a-z0-9-]{0,59}){0,3}))??(_op))?(?:_(.+))?$',
  's',
);

/** What stands before and after the word for the kind, in the present order. */
const PRESENT = new RegExp(`^(.+?)_(${KINDS})(?:_(.+))?$`, 's');

/** The end of the name of a package of map symbols, and what stands before it. */
const SYMBOLS = /^(.+)_(dm_geometric_attributes|dm_annotations)$/s;

/** Words before `_op` of which none is part of what a tile package holds. */
const TILE_WORD = new RegExp(`(^|_)(${KINDS}|lod\\d{1,2})(_|$)`);

/**
 * Reads the name of a package, with or without `.zip` or `.pmtiles` at its end; null when it does not follow
 * the rules, so that an operator must say what the package is.
 *
 * @example parsePackageName('13101_chiyoda-ku_city_2023_citygml_1_op.zip')?.year // 2023
 */
export function parsePackageName(name: string): PackageName | null {
  const directory = name.replace(/\.(?:zip|pmtiles)$/i, '');
  const match = GENERAL.exec(directory);
  if (match === null) return null;
  const [, code, romanName, provider, year, firstKind, revision, words, open, rest] = match;
  if (words !== undefined && TILE_WORD.test(words)) return null;
  const general = {
    directory,
    code: code!,
    romanName: romanName!,
    provider: provider ?? null,
    year: Number(year),
    revision: revision ?? '',
    words: words ?? null,
    open: open !== undefined,
    ward: null,
  };
  if (firstKind === 'citygml') {
    if (rest === undefined) return { ...general, kind: 'citygml', tiles: null };
    const ward = /^(\d{5})_([^_]+)$/.exec(rest);
    if (ward !== null) {
      return { ...general, kind: 'citygml', ward: { code: ward[1]!, romanName: ward[2]! }, tiles: null };
    }
    const symbols = SYMBOLS.exec(rest);
    if (symbols !== null) {
      const tiles = parseSymbolsName(symbols[1]!, symbols[2]!);
      return tiles && { ...general, kind: 'mvt', tiles };
    }
    const present = PRESENT.exec(rest);
    if (present === null) return null;
    const [, first, kind, tail] = present;
    const tiles = parseTileName(tail === undefined ? first! : `${first}_${tail}`);
    return tiles && { ...general, kind: kind as OutputKind, tiles };
  }
  const tiles = rest === undefined ? null : parseTileName(rest);
  return tiles && { ...general, kind: firstKind as OutputKind, tiles };
}

/**
 * Orders revisions: `1` before `1_3` before `2` before `10`, '' before all. Negative when `a` is the older one,
 * 0 when they are the same.
 */
export function compareRevisions(a: string, b: string): number {
  const parts = (revision: string): string[] => (revision === '' ? [] : revision.split(/[_.-]/));
  const [left, right] = [parts(a), parts(b)];
  for (let i = 0; i < Math.max(left.length, right.length); i++) {
    const [x, y] = [left[i], right[i]];
    if (x === undefined || y === undefined) return x === undefined ? -1 : 1;
    const difference = Number(x) - Number(y);
    // Operators may give a revision that is no number.
    const order = Number.isNaN(difference) ? Number(x > y) - Number(x < y) : difference;
    if (order !== 0) return order;
  }
  return 0;
}

/** What tells packages apart that are not revisions of each other. */
export interface IdentityParts {
  kind: PackageKind;
  code: string;
  /** Null counts as `city`. */
  provider: string | null;
  year: number;
  words: string | null;
  wardCode: string | null;
  /** Null for CityGML; a type of null is one that is not known yet. */
  tiles:
    | (Pick<TileName, 'sub' | 'lod' | 'lodEx' | 'interior' | 'noTexture'> & { type: string | null })
    | null;
}

/**
 * The same text for every revision of one package, and for no other: `citygml/13101/city/2023`, or
 * `3dtiles/13100/city/2022/bldg/13101/lod2/no_texture`.
 */
export function packageIdentity(facts: IdentityParts): string {
  const { tiles } = facts;
  const parts = [facts.kind, facts.code, facts.provider ?? 'city', String(facts.year)];
  if (facts.words !== null) parts.push(`words-${facts.words}`);
  if (tiles !== null) {
    parts.push(tiles.type ?? 'unknown');
    if (tiles.sub !== null) parts.push(`sub-${tiles.sub.code}`);
  }
  if (facts.wardCode !== null && facts.wardCode !== facts.code) parts.push(facts.wardCode);
  if (tiles !== null) {
    if (tiles.lod !== null) parts.push(`lod${tiles.lodEx ?? tiles.lod}`);
    if (tiles.interior) parts.push('interior');
    if (tiles.noTexture) parts.push('no_texture');
  }
  return parts.join('/');
}

/** What vector tiles of map symbols hold, whose names say neither the format nor their LOD, which is 0. */
function parseSymbolsName(text: string, symbols: string): TileName | null {
  const tiles = parseTileName(text);
  return (
    tiles && { ...tiles, sub: mapSymbolsSub(tiles.type, tiles.sub?.name ?? '', symbols), lod: 0, lodEx: null }
  );
}

const LOD = new RegExp(`_lod(${LOD_DIGIT})(\\d)?(?:_([a-z0-9-]+))?$`, 'i');

/** Reads the rest of a name, without the word for the kind, from its end to its beginning. */
function parseTileName(text: string): TileName | null {
  let rest = `_${text}`;
  const take = (pattern: RegExp): RegExpExecArray | null => {
    const match = pattern.exec(rest);
    if (match !== null) rest = rest.slice(0, match.index);
    return match;
  };
  let interior = false;
  let noTexture = false;
  for (;;) {
    if (take(/_no_texture$/)) noTexture = true;
    else if (take(/_interior$/)) interior = true;
    else break;
  }
  const lod = take(LOD);
  const scale = take(/_(l[12])(?:-([A-Za-z0-9-]+))?$/);
  let ward = take(/_(\d{5})_([^_]+)$/);
  if (ward === null) {
    ward = /^(?:_nodem)?_(\d{5})_([^_]+)(?=_)/.exec(rest);
    if (ward !== null) rest = rest.slice(ward[0].length);
  }
  const parts = /^(?:_nodem)?_([^_]+)(?:_(.+))?$/.exec(rest);
  if (parts === null) return null;
  const zoned = /^(.+)-([a-z]+)$/.exec(parts[1]!);
  const zone = zoned !== null && isListedType(zoned[2]!) ? zoned[1]! : null;
  const type = zone === null ? parts[1]! : zoned![2]!;
  if (!isTypeCode(type)) return null;
  const name = [zone, parts[2], lod?.[3]].filter((part) => part != null && part !== '').join('_');
  return {
    type,
    sub: datasetSub(type, name, (scale?.[1] as 'l1' | 'l2' | undefined) ?? null, scale?.[2] ?? null),
    wardCode: ward?.[1] ?? null,
    wardName: ward?.[2] ?? null,
    lod: lod === null ? null : Number(lod[1]),
    lodEx: lod?.[2] === undefined ? null : Number(lod[1]! + lod[2]),
    interior,
    noTexture,
  };
}
