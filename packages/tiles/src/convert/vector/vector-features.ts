/** Which features of a GML file become features of vector tiles, with which shape and in which layer. */
import { finish } from '@citymodel/base';
import {
  dissolve,
  type Footprint,
  footprintOf,
  type LodGeometry,
  localName,
  type Rings,
  type XmlElement,
} from '@citymodel/citygml';
import type { GmlContent, GmlFacts, MapSymbols, OutputKey } from '../part-maker.ts';
import { genericCode, nameCodeOf } from '../read/generic-code.ts';
import type { OnImplausible, Plausibility } from '../read/plausible.ts';
import { MAP_SYMBOLS, type MapSymbol } from './map-symbols.ts';

/** What a type of features gives for vector tiles. */
interface VectorType {
  /** Levels of detail that have an output of their own; null for types whose name says none. */
  lods: ReadonlyArray<number | null>;
  /** Name of the layer; null for the class of each feature. */
  layer: string | null;
  /** `class`: an output for each class of features; `code`: for each code, which is the layer too; else none. */
  sub?: 'class' | 'code';
}

const ROADS: VectorType = { lods: [0, 1, 2], layer: null };

const TYPES: Readonly<Record<string, VectorType>> = {
  // Not published elsewhere: footprints for base maps.
  bldg: { lods: [0], layer: 'bldg' },
  tran: ROADS,
  rwy: ROADS,
  trk: ROADS,
  squr: ROADS,
  wwy: ROADS,
  luse: { lods: [null], layer: 'luse' },
  lsld: { lods: [null], layer: 'lsld' },
  // Plans of i-UR 1.4 have LOD 0, later ones LOD 1.
  urf: { lods: [0, 1], layer: null, sub: 'class' },
  area: { lods: [0, 1], layer: null, sub: 'class' },
  cons: { lods: [0], layer: null },
  wtr: { lods: [0], layer: null },
  ubld: { lods: [0], layer: null },
  gen: { lods: [0, 1], layer: 'gen', sub: 'code' },
};

/** Types of 3D Tiles whose packages hold one class of features each; their map symbols follow. */
const BY_CLASS = new Set(['veg', 'unf']);

/** Stands for the class in outputs that are planned before files are read. */
const ANY_CLASS = '{class}';

/** Types without map symbols: terrain, and depths of water, whose polygons are no features of their own. */
const WITHOUT_SYMBOLS = new Set(['dem', 'fld', 'tnm', 'htd', 'ifld', 'rfld']);

/** Whether tiles are made of features of the type themselves, and not of map symbols in them alone. */
export function isVectorType(type: string): boolean {
  return Object.hasOwn(TYPES, type);
}

/** Outputs of a GML file, by its path alone; classes are not known yet. */
export function plannedOutputs(gml: Pick<GmlFacts, 'path' | 'type'>): OutputKey[] {
  const { type } = gml;
  const own = isVectorType(type) ? TYPES[type]!.lods : [];
  const sub = subsOf(type) === 'class' ? ANY_CLASS : genericCode(null, gml);
  const symbols = WITHOUT_SYMBOLS.has(type) ? [] : MAP_SYMBOLS;
  return [
    ...own.map((lod) => outputKey(type, sub, lod)),
    ...symbols.map((kind) => outputKey(type, sub, null, kind)),
  ];
}

/** How packages of a type are divided. */
function subsOf(type: string): VectorType['sub'] {
  return isVectorType(type) ? TYPES[type]!.sub : BY_CLASS.has(type) ? 'class' : undefined;
}

/** The package that a map symbol of a feature goes into. */
export function symbolKey(
  { symbols, owner }: Pick<MapSymbol, 'symbols' | 'owner'>,
  feature: XmlElement,
  gml: Pick<GmlFacts, 'path' | 'type'>,
): OutputKey {
  const isOfClass = subsOf(gml.type) === 'class';
  const sub = isOfClass ? localName(owner.name) : genericCode(nameCodeOf(feature), gml);
  return outputKey(gml.type, sub, null, symbols);
}

/** Outputs that a GML file of this content will add to. Whether generic objects are flat is not known. */
export function foreseenOutputs(
  gml: Pick<GmlFacts, 'path' | 'type'>,
  { lods, codes, symbols: symbolsIn }: GmlContent,
): OutputKey[] {
  const all = new Set([...lods.values()].flatMap((own) => [...own]));
  return plannedOutputs(gml).flatMap((key) => {
    const { lod, sub, symbols } = key;
    if (symbols !== null) {
      const names = [...symbolsIn].filter(([, own]) => own.has(symbols)).map(([name]) => name);
      if (gml.type === 'gen')
        return names.length === 0
          ? []
          : [...codes.keys()].map((code) => ({ ...key, sub: genericCode(code, gml) }));
      if (sub === ANY_CLASS) return names.map((name) => ({ ...key, sub: name }));
      return names.length === 0 ? [] : [key];
    }
    const has = (own: ReadonlySet<number>) =>
      lod === null || gml.type === 'bldg' ? own.size > 0 : own.has(lod);
    if (gml.type === 'gen') {
      return [...codes].flatMap(([code, own]) => (has(own) ? [{ ...key, sub: genericCode(code, gml) }] : []));
    }
    if (sub !== ANY_CLASS) return has(all) ? [key] : [];
    return [...lods].filter(([, own]) => has(own)).map(([name]) => ({ ...key, sub: name }));
  });
}

function outputKey(
  type: string,
  sub: string | null,
  lod: number | null,
  symbols: MapSymbols | null = null,
): OutputKey {
  return {
    kind: 'mvt',
    type,
    sub,
    scale: null,
    wardCode: null,
    lod,
    noTexture: false,
    interior: false,
    symbols,
  };
}

/** A feature of vector tiles. */
export interface VectorFeature {
  key: OutputKey;
  layer: string;
  /** The feature itself, or the part of one that is a feature of its own: a lane of a road, a plan within a plan. */
  element: XmlElement;
  /** Polygons are what the geometry covers, each place once. */
  footprint: Footprint;
}

/** Parts of roads that are features of their own. */
const LANES = new Set(['TrafficArea', 'AuxiliaryTrafficArea']);

/** The vector features of one feature with these geometries, at all levels of detail that have an output. */
export function vectorFeatures(
  feature: XmlElement,
  all: readonly LodGeometry[],
  gml: Pick<GmlFacts, 'path' | 'type'>,
  plausibility: Plausibility,
  onImplausible: OnImplausible,
): VectorFeature[] {
  if (!isVectorType(gml.type)) return [];
  const type = TYPES[gml.type]!;
  // What is inside is no part of a footprint.
  const own = all.filter(
    ({ role, interior, lod }) => role === 'body' && (interior === undefined || lod === 4),
  );
  const body = plausibility.filter(own, onImplausible).geometries;
  const found: VectorFeature[] = [];
  for (const lod of type.lods) {
    for (const [element, geometries] of byFeature(feature, body, gml.type, lod)) {
      const footprint = footprintOf(geometries);
      if (footprint === null) continue;
      const name = localName(element.name);
      const sub = type.sub === 'class' ? name : genericCode(nameCodeOf(feature), gml);
      const key = outputKey(gml.type, sub, lod);
      const layer = type.sub === 'code' && sub !== null ? `${type.layer}_${sub}` : (type.layer ?? name);
      found.push({ key, layer, element, footprint: dissolved(footprint) });
    }
  }
  return found;
}

/** Geometry at a level of detail, by the element that is the feature of the tiles. */
function byFeature(
  feature: XmlElement,
  body: readonly LodGeometry[],
  type: string,
  lod: number | null,
): Map<XmlElement, LodGeometry[]> {
  const wanted = body.filter((geometry) => isWanted(geometry, type, lod));
  const isPlan = type === 'urf' || type === 'area';
  const isLane = ({ owner }: LodGeometry) => LANES.has(localName(owner.name));
  if (isPlan) return Map.groupBy(wanted, ({ owner }) => owner);
  // At LOD 2 roads are divided into lanes: their own surface would cover these.
  const lanes = wanted.filter(isLane);
  if (lanes.length > 0 && lod === 2) return Map.groupBy(lanes, ({ owner }) => owner);
  // A road of CityGML 3.0 has its own surface of LOD 1 as the boundary of a traffic space.
  const own = wanted.filter((geometry) => !isLane(geometry));
  const shown = own.length > 0 || lod === 2 ? own : lanes;
  return shown.length === 0 ? new Map() : new Map([[feature, shown]]);
}

function isWanted(geometry: LodGeometry, type: string, lod: number | null): boolean {
  // Footprints of buildings may come from any level: `footprintOf` takes the one that stands for the feature.
  if (type === 'bldg' || lod === null) return true;
  if (geometry.lod !== lod) return false;
  return !(type === 'gen' && lod === 1) || isFlat(geometry);
}

/** True when all positions are at one height: what is flat belongs on a map. */
function isFlat({ solids, surfaces, lines, points }: LodGeometry): boolean {
  if (solids.length > 0) return false;
  let height: number | null = null;
  for (const positions of [...surfaces.flatMap(({ rings }) => rings), ...lines, ...points]) {
    for (let i = 2; i < positions.length; i += 3) {
      height ??= positions[i]!;
      if (Math.abs(positions[i]! - height) > 0.01) return false;
    }
  }
  return true;
}

/** Polygons that touch or overlap become one; where that would take too long, they stay as they are. */
function dissolved(footprint: Footprint): Footprint {
  const polygons = footprint.polygons.map((rings) => rings.map(closedRing));
  const union = finish(dissolve(polygons));
  return union === null ? footprint : { ...footprint, polygons: union.map((rings) => rings.map(openRing)) };
}

function closedRing(ring: Float64Array): Rings[number] {
  const positions: Rings[number] = [];
  for (let i = 0; i < ring.length; i += 2) positions.push([ring[i]!, ring[i + 1]!]);
  positions.push([ring[0]!, ring[1]!]);
  return positions;
}

function openRing(ring: Rings[number]): Float64Array {
  return Float64Array.from(ring.slice(0, -1).flatMap(([lng, lat]) => [lng!, lat!]));
}
