/**
 * Leaves out geometry that no place can have: one wrong number would make a tile as high as the sky, or tiles all over
 * the country. Limits are far beyond what honest data has (44 packages, 2026-11-24: 27 km outside of the mesh, 47 km
 * wide, 0.2 km for buildings).
 */
import {
  type LodGeometry,
  type Positions,
  parseGmlName,
  type Surface,
  surfacesOf,
  type XmlElement,
} from '@citymodel/citygml';
import { type Bounds, meshBounds, touchesGrid } from '@citymodel/geo';
import type { GmlFacts } from '../part-maker.ts';

/** Metres above and below 0: the deepest sea has 11 km. */
const MAX_HEIGHT = 12_000;
/** Kilometres from west to east, or south to north, of a feature. */
const MAX_WIDTH = 50;
/** Kilometres outside of the mesh of the file: of districts and waters, and of what stands in one place. */
const MAX_OUTSIDE = 50;
const MAX_OUTSIDE_STANDING = 10;
const STANDING = new Set(['bldg', 'frn', 'veg', 'ubld']);
/**
 * Positions and holes of a polygon that is cut into triangles: of rings that cross, many more would take minutes. Real
 * data has 257 and 16.
 */
const MAX_POSITIONS = 10_000;
const MAX_HOLES = 1_000;
/**
 * Positions of a polygon that may be the same as others of it: a ring that runs around a thousand times is cut in the
 * cube of them.
 */
const MAX_REPEATED = 500;
/** Of a degree of latitude, and of longitude at the equator. */
const KILOMETRES = 111.2;

/** Why geometry is left out. */
export type Implausible =
  | 'HEIGHT_IMPLAUSIBLE'
  | 'GEOMETRY_FAR_OFF'
  | 'FEATURE_TOO_WIDE'
  | 'POLYGON_TOO_LARGE';

/** Told the polygons, lines and points that are left out, or 1 for a whole feature. */
export type OnImplausible = (code: Implausible, count: number) => void;

/** What is left of the geometry of a feature. */
export interface PlausibleGeometry {
  geometries: LodGeometry[];
  /** Polygons that are left out, and why. */
  left: Map<XmlElement, Implausible>;
}

/** Looks at the geometry of features of one file. */
export class Plausibility {
  readonly #around: Bounds | null;
  /** The name is not as the specification has it: its digits may be a coordinate of another country. */
  readonly #mayBeAbroad: boolean;
  readonly #isSpatial: boolean;

  /** `isSpatial`: whether polygons become triangles at their heights; in vector tiles they do not. */
  constructor({ path, type, mesh }: Pick<GmlFacts, 'path' | 'type' | 'mesh'>, isSpatial: boolean) {
    this.#isSpatial = isSpatial;
    this.#mayBeAbroad = !parseGmlName(path).conforms;
    this.#around =
      mesh === null
        ? null
        : widened(meshBounds(mesh), STANDING.has(type) ? MAX_OUTSIDE_STANDING : MAX_OUTSIDE);
  }

  /**
   * The shape of a feature (role `body`) without what is implausible; nothing of a feature that is too wide. Other
   * geometry stays as it is.
   */
  filter(geometries: readonly LodGeometry[], onImplausible: OnImplausible): PlausibleGeometry {
    // Nearly all features are, and need no copy.
    if (this.#isFine(geometries)) return { geometries: [...geometries], left: new Map() };
    const counts: Record<Implausible, number> = {
      HEIGHT_IMPLAUSIBLE: 0,
      GEOMETRY_FAR_OFF: 0,
      FEATURE_TOO_WIDE: 0,
      POLYGON_TOO_LARGE: 0,
    };
    const left = new Map<XmlElement, Implausible>();
    const box = emptyBox();
    /** Null for a polygon that may stay. */
    const seen = new Map<XmlElement, Implausible | null>();
    const isKept = ({ element, rings }: Surface): boolean => {
      let code = seen.get(element);
      if (code === undefined) {
        code = this.#isSpatial && isLarge(rings) ? 'POLYGON_TOO_LARGE' : this.#reason(rings, box);
        seen.set(element, code);
        if (code !== null) {
          left.set(element, code);
          counts[code]++;
        }
      }
      return code === null;
    };
    const isLineKept = (positions: Positions): boolean => {
      const code = this.#reason([positions], box);
      if (code !== null) counts[code]++;
      return code === null;
    };
    const kept = geometries.map((geometry) => {
      if (geometry.role !== 'body') return geometry;
      const solids = geometry.solids
        .map((shells) => shells.map((shell) => shell.filter(isKept)).filter((shell) => shell.length > 0))
        .filter((shells) => shells.length > 0);
      const [lines, points] = [geometry.lines.filter(isLineKept), geometry.points.filter(isLineKept)];
      return { ...geometry, solids, surfaces: geometry.surfaces.filter(isKept), lines, points };
    });
    const isWide = widthOf(box) > MAX_WIDTH;
    if (isWide) counts.FEATURE_TOO_WIDE = 1;
    for (const code of Object.keys(counts) as Implausible[]) {
      if (counts[code] > 0) onImplausible(code, counts[code]);
    }
    if (!isWide) return { geometries: kept.filter((geometry) => !isEmpty(geometry)), left };
    for (const geometry of kept) {
      if (geometry.role === 'body')
        for (const { element } of surfacesOf(geometry)) left.set(element, 'FEATURE_TOO_WIDE');
    }
    return { geometries: kept.filter(({ role }) => role !== 'body'), left };
  }

  /** True when nothing of the shape is implausible. */
  #isFine(geometries: readonly LodGeometry[]): boolean {
    const box = emptyBox();
    const look = (positions: Positions): boolean => {
      for (let i = 0; i < positions.length; i += 3) {
        const lng = positions[i]!;
        const lat = positions[i + 1]!;
        if (this.#isSpatial && !(Math.abs(positions[i + 2]!) <= MAX_HEIGHT)) return false;
        if (!(Math.abs(lng) <= 180 && Math.abs(lat) <= 90)) return false;
        widen(box, lng, lat);
      }
      return true;
    };
    const lookAt = ({ rings }: Surface) => !(this.#isSpatial && isLarge(rings)) && rings.every(look);
    const isFine = geometries.every(
      ({ role, solids, surfaces, lines, points }) =>
        role !== 'body' ||
        (solids.every((shells) => shells.every((shell) => shell.every(lookAt))) &&
          surfaces.every(lookAt) &&
          lines.every(look) &&
          points.every(look)),
    );
    return isFine && this.#isAround(box) && !isTooWide(box);
  }

  /** Whether a box lies where its file should. */
  #isAround(box: Bounds): boolean {
    if (this.#around === null || isWithin(box, this.#around)) return true;
    return this.#mayBeAbroad && !touchesGrid(box);
  }

  /** Why positions are implausible; null, and `box` grows, when they are not. */
  #reason(lines: readonly Positions[], box: Bounds): Implausible | null {
    const own = emptyBox();
    for (const positions of lines) {
      for (let i = 0; i < positions.length; i += 3) {
        const lng = positions[i]!;
        const lat = positions[i + 1]!;
        if (this.#isSpatial && !(Math.abs(positions[i + 2]!) <= MAX_HEIGHT)) return 'HEIGHT_IMPLAUSIBLE';
        // A template may be put where there is no earth.
        if (!(Math.abs(lng) <= 180 && Math.abs(lat) <= 90)) return 'GEOMETRY_FAR_OFF';
        widen(own, lng, lat);
      }
    }
    if (!this.#isAround(own)) return 'GEOMETRY_FAR_OFF';
    widen(box, own.west, own.south);
    widen(box, own.east, own.north);
    return null;
  }
}

/** Whether a feature with this box is wider than any. */
export function isTooWide(box: Bounds): boolean {
  return widthOf(box) > MAX_WIDTH;
}

function isLarge(rings: readonly Positions[]): boolean {
  if (rings.length - 1 > MAX_HOLES) return true;
  let positions = 0;
  for (const { length } of rings) positions += length / 3;
  if (positions <= MAX_REPEATED) return false;
  return positions > MAX_POSITIONS || positions - differentIn(rings) > MAX_REPEATED;
}

function differentIn(rings: readonly Positions[]): number {
  const different = new Set<string>();
  for (const ring of rings) {
    for (let i = 0; i < ring.length; i += 3) different.add(ring.subarray(i, i + 3).join());
  }
  return different.size;
}

function emptyBox(): Bounds {
  return { west: Infinity, south: Infinity, east: -Infinity, north: -Infinity };
}

function widen(box: Bounds, lng: number, lat: number): void {
  if (lng < box.west) box.west = lng;
  if (lng > box.east) box.east = lng;
  if (lat < box.south) box.south = lat;
  if (lat > box.north) box.north = lat;
}

/** Kilometres; the less when nothing is in the box. */
function widthOf({ west, south, east, north }: Bounds): number {
  return Math.max((east - west) * parallelAt((south + north) / 2), (north - south) * KILOMETRES);
}

/** Kilometres of a degree of longitude. */
function parallelAt(lat: number): number {
  return KILOMETRES * Math.cos((lat * Math.PI) / 180);
}

function widened({ west, south, east, north }: Bounds, kilometres: number): Bounds {
  const lat = kilometres / KILOMETRES;
  const lng = kilometres / parallelAt(north);
  return { west: west - lng, south: south - lat, east: east + lng, north: north + lat };
}

function isWithin(inner: Bounds, outer: Bounds): boolean {
  return (
    inner.west >= outer.west &&
    inner.east <= outer.east &&
    inner.south >= outer.south &&
    inner.north <= outer.north
  );
}

function isEmpty(geometry: LodGeometry): boolean {
  return surfacesOf(geometry).length + geometry.lines.length + geometry.points.length === 0;
}
