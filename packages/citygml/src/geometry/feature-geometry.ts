import type { Extent } from '@citymodel/geo';
import { isFeatureElement, propertyOf } from '../schema/property-table.ts';
import { localName, type XmlElement } from '../xml/xml-element.ts';
import { type Elsewhere, GeometryReader, isGeometry, type RepeatAllowance } from './gml-geometry.ts';
import { isInside } from './interior.ts';
import type { CoordinateDefaults, Positions } from './positions.ts';
import type { Primitives, Surface } from './surface.ts';

/** One geometry property of a feature, or of a part, boundary surface or installation of it. */
export interface LodGeometry extends Primitives {
  /** Qualified name of the property: `bldg:lod1Solid`. */
  property: string;
  /** Level of detail, -2 to 4; null where neither the property nor the feature states one. */
  lod: number | null;
  /** The feature that has the property: the one that was asked for, or one inside it. */
  owner: XmlElement;
  /**
   * `body`: the feature's shape. `aside`: where it meets the terrain, or the extent of a relief. `attribute`:
   * inside an attribute object, such as the outline of a paper map.
   */
  role: 'body' | 'aside' | 'attribute';
  /**
   * The outermost room, or other element of the inside, that it belongs to; without it the geometry is seen from
   * outside.
   */
  interior?: XmlElement;
}

/**
 * Objects of i-UR 4.0 in which a feature has shapes of its own that its class in CityGML 3.0 has no room for: surfaces
 * of LOD 1, and the hollow of a manhole.
 */
const SHAPE_HOLDERS = new Set(['uro:CityFurnitureExtendedGeometry']);

/**
 * Every geometry of a feature that has coordinates: its own, its parts', boundary surfaces' and installations', and
 * those inside attribute objects. An implicit geometry (OGC 12-019, 8.3) is the point where it stands. Features of one
 * request share `repeats`, which bounds references that multiply. `elsewhere` finds what references out of the feature
 * name.
 */
export function geometriesOf(
  feature: XmlElement,
  defaults: CoordinateDefaults,
  repeats?: RepeatAllowance,
  elsewhere?: Elsewhere,
): LodGeometry[] {
  const reader = new GeometryReader(feature, defaults, repeats, elsewhere);
  const found: LodGeometry[] = [];
  visit(feature, feature, 'body', isInside(feature) ? feature : undefined);
  return found;

  function visit(
    holder: XmlElement,
    owner: XmlElement,
    role: LodGeometry['role'],
    interior: XmlElement | undefined,
  ): void {
    for (const property of holder.children) {
      const { kind } = propertyOf(holder.name, property.name);
      if (property.name === 'gml:boundedBy' || property.name.startsWith('app:')) continue;
      const elements = geometryElements(property, kind === 'geometry');
      if (elements.length > 0) {
        const primitives = reader.read(elements);
        if (isEmpty(primitives)) continue;
        const lod = lodOf(property.name, holder);
        const one = { ...primitives, property: property.name, lod, owner, role: roleOf(property.name, role) };
        found.push(interior === undefined ? one : { ...one, interior });
        continue;
      }
      for (const child of property.children) {
        if (!/^[A-Z_]/.test(localName(child.name))) continue;
        const nested = kind === 'child' || isFeatureElement(child.name);
        const inside = interior ?? (nested && isInside(child) ? child : undefined);
        const isShape = nested || SHAPE_HOLDERS.has(child.name);
        visit(child, nested ? child : owner, isShape ? role : 'attribute', inside);
      }
    }
  }

  function geometryElements(property: XmlElement, expected: boolean): XmlElement[] {
    const href = property.attributes['xlink:href'];
    if (property.children.length === 0) {
      const target = expected && href !== undefined ? reader.resolve(href) : undefined;
      return target !== undefined && isGeometry(target) ? [target] : [];
    }
    return property.children.flatMap((child) => {
      if (isGeometry(child)) return [child];
      return child.name === 'core:ImplicitGeometry' ? referencePoint(child) : [];
    });
  }
}

/** `core:referencePoint` only: the template beside it is in a system of its own. */
function referencePoint(implicit: XmlElement): XmlElement[] {
  return implicit.children.filter((child) => child.name === 'core:referencePoint');
}

/** The lowest and best known level first: 0 to 4, then generalisations (-1, -2), then none. */
function rank(lod: number | null): number {
  if (lod === null) return 100;
  return lod >= 0 ? lod : 10 - lod;
}

/**
 * The geometry that stands for the feature in `_bbox` and in spatial queries (interface decisions, section 6):
 * every `lod1Solid` when there is one, else all that is there at the lowest level of detail. Geometry that is not
 * the feature's body counts only when there is no other. Empty when the feature has no geometry.
 */
export function standingGeometry(geometries: LodGeometry[]): LodGeometry[] {
  const solids = geometries.filter((one) => localName(one.property) === 'lod1Solid' && one.role === 'body');
  if (solids.length > 0) return solids;
  for (const role of ['body', 'aside', 'attribute'] as const) {
    const candidates = geometries.filter((one) => one.role === role);
    if (candidates.length === 0) continue;
    const lowest = candidates.reduce((least, one) => Math.min(least, rank(one.lod)), Infinity);
    return candidates.filter((one) => rank(one.lod) === lowest);
  }
  return [];
}

/** Extent of geometries in degrees and metres, null for none. Altitudes are the data's own, 0 where it has none. */
export function extentOf(geometries: LodGeometry[]): Extent | null {
  const extent = {
    west: Infinity,
    south: Infinity,
    east: -Infinity,
    north: -Infinity,
    minAlt: Infinity,
    maxAlt: -Infinity,
  };
  for (const positions of positionsOf(geometries)) {
    for (let i = 0; i < positions.length; i += 3) {
      const lng = positions[i]!;
      const lat = positions[i + 1]!;
      const alt = positions[i + 2]!;
      if (lng < extent.west) extent.west = lng;
      if (lng > extent.east) extent.east = lng;
      if (lat < extent.south) extent.south = lat;
      if (lat > extent.north) extent.north = lat;
      if (alt < extent.minAlt) extent.minAlt = alt;
      if (alt > extent.maxAlt) extent.maxAlt = alt;
    }
  }
  return extent.west === Infinity ? null : extent;
}

/** The surfaces of a geometry, those of its solids' shells included. */
export function surfacesOf(geometry: Primitives): Surface[] {
  return [...geometry.solids.flat(2), ...geometry.surfaces];
}

function* positionsOf(geometries: LodGeometry[]): Generator<Positions> {
  for (const geometry of geometries) {
    for (const surface of surfacesOf(geometry)) yield* surface.rings;
    yield* geometry.lines;
    yield* geometry.points;
  }
}

function isEmpty(one: Primitives): boolean {
  return one.solids.length + one.surfaces.length + one.lines.length + one.points.length === 0;
}

function roleOf(property: string, role: LodGeometry['role']): LodGeometry['role'] {
  return role === 'body' && /TerrainIntersection|^dem:extent$|^gml:location$/.test(property) ? 'aside' : role;
}

/** From the property's name (`lod1Solid`), else from `dem:lod` beside it, as reliefs have it. */
function lodOf(property: string, holder: XmlElement): number | null {
  const named = /^lod(-?\d)/.exec(localName(property));
  if (named !== null) return Number(named[1]);
  const stated = holder.children.find((child) => child.name === 'dem:lod')?.text.trim();
  return stated !== undefined && /^\d$/.test(stated) ? Number(stated) : null;
}
