/** Which packages of 3D Tiles the features of a GML file go into. */
import { isInterior, localName, parseGmlName } from '@citymodel/citygml';
import { INTERIOR_LOD } from '../account/written-levels.ts';
import {
  type ConvertOptions,
  type GmlContent,
  type GmlFacts,
  type OutputKey,
  outputSuffix,
  type SourcePackage,
} from '../part-maker.ts';
import { genericCode } from '../read/generic-code.ts';
import { HIGHEST_OF_CITYGML3, isInteriorAsked } from '../read/interiors.ts';

/** Levels of detail that tiles are made of, by type; the types that have none become vector tiles. */
const LODS = new Map<string, readonly number[]>([
  ['bldg', [1, 2, 3, 4]],
  ['dem', [1, 2, 3, 4]],
  ...(['tran', 'rwy', 'trk', 'squr'] as const).map((type): [string, number[]] => [type, [3]]),
  ...(['brid', 'tun', 'cons', 'wtr', 'ubld', 'frn', 'veg', 'unf', 'gen'] as const).map(
    (type): [string, number[]] => [type, [1, 2, 3, 4]],
  ),
]);
/** Depths of water: one package for each river or area and scale, without a level of detail in its name. */
const FLOODS = new Set(['fld', 'tnm', 'htd', 'ifld', 'rfld']);
/** Terrain: its packages have no textures, since they are not read. */
const TERRAIN = 'dem';
/** Types whose packages hold one class of features each. */
const BY_CLASS = new Set(['veg', 'unf']);

/** Level of detail that depths of water have. */
export const FLOOD_LOD = 1;

export function isFlood(type: string): boolean {
  return FLOODS.has(type);
}

export function isTerrain(type: string): boolean {
  return type === TERRAIN;
}

/**
 * Levels of detail that tiles of the type are made of, those that are wanted; empty for a type without tiles, and for
 * floods.
 */
export function lodsOf(type: string, { lods }: Pick<ConvertOptions, 'lods'>): readonly number[] {
  const all = LODS.get(type) ?? [];
  return lods === null ? all : all.filter((lod) => lods.includes(lod));
}

/** Levels of detail of bodies that tiles of the type show; depths of water have one. */
export function tiledLods(type: string, options: Pick<ConvertOptions, 'lods'>): readonly number[] {
  return isFlood(type) ? [FLOOD_LOD] : lodsOf(type, options);
}

/**
 * What a file may add to, by its path: a package by class stands for all classes, and textures and wards show when it
 * is read.
 */
export function plannedOutputs(gml: GmlFacts, options: ConvertOptions): OutputKey[] {
  if (isFlood(gml.type)) return [floodKey(gml)];
  return lodsOf(gml.type, options).map((lod) => ({ ...keyOf(gml.type, lod), sub: genericCode(null, gml) }));
}

/** What a file of this content will add to. Textures are taken to be on the levels from 2 on. */
export function foreseenOutputs(
  gml: GmlFacts,
  options: ConvertOptions,
  content: GmlContent,
  source: SourcePackage,
): OutputKey[] {
  const { lods, cities, hasImages } = content;
  if (isFlood(gml.type)) return lods.size === 0 ? [] : [floodKey(gml)];
  if (isTerrain(gml.type)) {
    return lodsOf(gml.type, options).flatMap((lod) =>
      content.reliefs.has(lod) ? [keyOf(gml.type, lod)] : [],
    );
  }
  const wards = new Set(
    Array.from(cities.size === 0 ? [source.cityCode] : cities, (code) => wardOf(gml.type, source, code)),
  );
  const keys = new Map<string, OutputKey>();
  for (const [sub, own, name] of lodsBySub(gml, content)) {
    for (const kind of keysOf(gml.type, name, own, options)) {
      for (const wardCode of wards) {
        if (wardCode === undefined) continue;
        const key = { ...kind, sub, wardCode };
        keys.set(outputSuffix(key), key);
        const twin = { ...key, noTexture: true };
        if (hasImages && kind.lod! >= 2) keys.set(outputSuffix(twin), twin);
      }
    }
  }
  return [...keys.values()];
}

/** Packages that these levels of detail of one class of features add to. */
function keysOf(
  type: string,
  feature: string,
  own: ReadonlySet<number>,
  options: ConvertOptions,
): OutputKey[] {
  const isInside = isInterior(feature) && !own.has(INTERIOR_LOD);
  if (!isInside) return lodsOf(type, options).flatMap((lod) => (own.has(lod) ? [keyOf(type, lod)] : []));
  const hasBody = [...own].some((lod) => lod >= 1);
  return hasBody && (LODS.get(type) ?? []).includes(INTERIOR_LOD) && isInteriorAsked(options)
    ? [interiorKey(type)]
    : [];
}

/** Levels of detail by the part of the type that they belong to. */
function lodsBySub(
  gml: GmlFacts,
  { lods, codes }: GmlContent,
): Array<readonly [sub: string | null, lods: ReadonlySet<number>, feature: string]> {
  if (gml.type === 'gen') return [...codes].map(([code, own]) => [genericCode(code, gml), own, '']);
  return [...lods].map(([feature, own]) => [BY_CLASS.has(gml.type) ? feature : null, own, feature]);
}

/** The package of the inside of features beside that of their outside; the level of both is named. */
export function interiorKey(type: string): OutputKey {
  return { ...keyOf(type, HIGHEST_OF_CITYGML3), interior: true };
}

/** The package of a river or an area, and a scale. */
export function floodKey({ path, type }: GmlFacts): OutputKey {
  const sub = parseGmlName(path).sub;
  const scale =
    sub === null || sub.scale === null
      ? null
      : [sub.scale, sub.scaleSuffix].filter((part) => part !== null).join('-');
  const name = sub === null ? null : scale === null ? sub.name : sub.name.slice(0, -scale.length - 1);
  return { ...keyOf(type, null), sub: name || null, scale, noTexture: true };
}

export function keyOf(type: string, lod: number | null): OutputKey {
  return {
    kind: '3dtiles',
    type,
    sub: null,
    scale: null,
    wardCode: null,
    lod,
    noTexture: false,
    interior: false,
    symbols: null,
  };
}

/**
 * The part of a type that packages are of: a class of features, or the code of generic objects; null for types whose
 * packages hold all.
 */
export function subOf(
  gml: Pick<GmlFacts, 'path' | 'type'>,
  { type, nameCode }: { type: string; nameCode: string | null },
): string | null {
  return BY_CLASS.has(gml.type) ? localName(type) : genericCode(nameCode, gml);
}

/**
 * The ward that a building is in, by the code that it states: null for a city without wards. `undefined` for a building
 * of another city, which the package of that city has.
 */
export function wardOf(
  type: string,
  { cityCode: packageCode, wards }: Pick<SourcePackage, 'cityCode' | 'wards'>,
  cityCode: string,
): string | null | undefined {
  // Files of no municipality hold whatever they hold.
  if (type !== 'bldg' || packageCode === '') return null;
  if (wards.includes(cityCode)) return cityCode;
  return cityCode === packageCode ? null : undefined;
}
