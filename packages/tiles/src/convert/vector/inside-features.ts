/**
 * Floor plans: the rooms, storeys, units and furniture inside of a building, bridge or tunnel of CityGML 3.0, each a
 * feature of vector tiles of its own. CityGML 2.0 has them at LOD 4, whose 3D Tiles show them with the outside.
 */
import {
  footprintOf,
  isFeatureElement,
  isInside,
  isInterior,
  isInteriorSurface,
  type LodGeometry,
  localName,
  type XmlElement,
} from '@citymodel/citygml';
import { INTERIOR_LOD } from '../account/written-levels.ts';
import type { GmlContent, GmlSource, OutputKey } from '../part-maker.ts';
import { namesIn } from './text-names.ts';
import type { VectorFeature } from './vector-features.ts';

/** Types whose features have an inside (OGC 20-010, sections 7.2, 7.3, 7.13 and 7.14). */
const TYPES_WITH_INSIDE = new Set(['bldg', 'brid', 'tun', 'ubld']);

/** Level of detail that names of floor plans say: they are flat. */
export const INSIDE_LOD = 0;

export function hasInside(type: string): boolean {
  return TYPES_WITH_INSIDE.has(type);
}

/** How the namespace of CityGML 3.0, and of those that follow it, begins. */
const CITYGML3 = 'opengis.net/citygml/3.';
/** How names of elements begin, or end, that are inside. */
const INSIDE_NAMES = [
  ...['Room', 'HollowSpace', 'Storey', 'BuildingUnit', 'Furniture', ':Int', 'relationToConstruction>inside'],
  ...['CeilingSurface', 'FloorSurface', 'InteriorWallSurface'],
];

/** Whether a text of CityGML 3.0 may have an inside, of a type that has one. */
export async function mayHoldInside(gml: Pick<GmlSource, 'text' | 'type'>): Promise<boolean> {
  if (!hasInside(gml.type)) return false;
  const isEnough = (found: ReadonlySet<string>) => found.has(CITYGML3) && found.size > 1;
  return isEnough(await namesIn(gml, [CITYGML3, ...INSIDE_NAMES], isEnough));
}

/** The package of floor plans of a type. */
export function insideKey(type: string): OutputKey {
  return {
    kind: 'mvt',
    type,
    sub: null,
    scale: null,
    wardCode: null,
    lod: INSIDE_LOD,
    noTexture: false,
    interior: true,
    symbols: null,
  };
}

/** The package of floor plans that a file of this content will add to, if any. */
export function foreseenInside(type: string, { lods }: Pick<GmlContent, 'lods'>): OutputKey[] {
  const isThere = [...lods].some(([name, own]) => isInterior(name) && own.size > 0 && !own.has(INTERIOR_LOD));
  return hasInside(type) && isThere ? [insideKey(type)] : [];
}

/** A feature of a floor plan. */
export interface InsideFeature extends VectorFeature {
  /** True when it has geometry of LOD 0, which only vector tiles show. */
  isFlat: boolean;
}

/** True for a feature that has an inside, whatever its geometry. */
export function containsInside(element: XmlElement): boolean {
  return element.children.some(
    (child) => isInside(child) || (!child.name.startsWith('gml:') && containsInside(child)),
  );
}

/** What is inside of a feature with these geometries; each piece of geometry belongs to the nearest room around it. */
export function insideFeatures(
  feature: XmlElement,
  geometries: readonly LodGeometry[],
  type: string,
  plausible: (all: LodGeometry[]) => readonly LodGeometry[],
): InsideFeature[] {
  if (!hasInside(type)) return [];
  const all = geometries.filter(
    ({ role, interior, lod }) =>
      role === 'body' && interior !== undefined && lod !== null && lod >= 0 && lod < INTERIOR_LOD,
  );
  if (all.length === 0) return [];
  const inside = plausible(all);
  const placeOf = placesIn(feature);
  const byPlace = Map.groupBy(inside, ({ owner, interior }) => placeOf.get(owner) ?? interior!);
  return [...byPlace].flatMap(([element, own]) => {
    const footprint = footprintOf(own);
    if (footprint === null) return [];
    const isFlat = own.some(({ lod }) => lod === INSIDE_LOD);
    return [{ key: insideKey(type), layer: localName(element.name), element, footprint, isFlat }];
  });
}

/**
 * The nearest room, storey, unit, piece of furniture or installation around each feature inside. Surfaces that stand on
 * the building itself are in none, and stand for themselves.
 */
function placesIn(feature: XmlElement): Map<XmlElement, XmlElement> {
  const places = new Map<XmlElement, XmlElement>();
  const visit = (element: XmlElement, around: XmlElement | undefined): void => {
    const isPlace = isInside(element) && !isInteriorSurface(element.name);
    const place = isPlace ? element : around;
    if (place !== undefined && isFeatureElement(element.name)) places.set(element, place);
    for (const child of element.children) {
      if (child.children.length > 0 && !child.name.startsWith('gml:')) visit(child, place);
    }
  };
  visit(feature, undefined);
  return places;
}
