import type { Bounds } from '@citymodel/geo';
import type { FeatureShape } from './feature-shape.ts';

/**
 * Whether a feature meets a voxel, a box or a polygon. A feature is the closed set of its areas (holes taken out, their
 * edges left in), lines and points; it meets a cell when they share a point. A cell of the spatial-ID grid includes its
 * west and north edges only, so the cells of a zoom partition the plane. A point is in exactly one cell. A footprint
 * that only touches a cell's east or south edge is not in it.
 *
 * Everything is decided by comparing products of coordinate differences, without dividing; no tolerance is used.
 */

/** Which edges belong to a box: those of a cell (west, north and the floor), or all, the ceiling too. */
export type BoxEdges = 'cell' | 'closed';

/** Altitudes in metres, from `min` to below `max`, or with `max`, as the edges are. */
export interface AltitudeRange {
  min: number;
  max: number;
}

/**
 * True when the feature meets the box and the altitudes. `altitudes` null means every altitude; a feature whose
 * data has no heights is at every altitude.
 */
export function meetsBox(
  shape: FeatureShape,
  box: Bounds,
  altitudes: AltitudeRange | null,
  edges: BoxEdges = 'cell',
): boolean {
  if (!meetsAltitudes(shape.altitudes, altitudes, edges)) return false;
  const open = edges === 'cell';
  return (
    shape.points.some((point) => inBox(point[0]!, point[1]!, box, open)) ||
    shape.lines.some((line) => lineMeetsBox(line, box, open, false)) ||
    shape.polygons.some((rings) => areaMeetsBox(rings, box, open))
  );
}

/** A polygon to search in: rings of `[lng, lat]` as in GeoJSON, closed or not, exterior first. */
export type SearchPolygon = ReadonlyArray<ReadonlyArray<readonly [number, number]>>;

/** True when the feature and the polygon (edges included) share a point, and so do their altitudes (ends included). */
export function meetsPolygon(
  shape: FeatureShape,
  polygon: SearchPolygon,
  altitudes: AltitudeRange | null,
): boolean {
  if (!meetsAltitudes(shape.altitudes, altitudes, 'closed')) return false;
  const rings = polygon.filter((ring) => ring.length > 0).map(toPairs);
  const bounds = boundsOfRings(rings);
  return (
    shape.points.some((point) => inArea(point[0]!, point[1]!, rings)) ||
    shape.lines.some((line) => lineMeetsArea(line, false, rings)) ||
    shape.polygons.some(
      (area) =>
        // Of the thousands of triangles of a relief nearly all are elsewhere.
        !area.every((ring) => missesBounds(ring, bounds)) &&
        (area.some((ring) => lineMeetsArea(ring, true, rings)) ||
          rings.some((ring) => inArea(ring[0]!, ring[1]!, area))),
    )
  );
}

/** The altitudes of a feature, which have both their ends, against those that are wanted. */
export function meetsAltitudes(
  own: FeatureShape['altitudes'],
  range: AltitudeRange | null,
  edges: BoxEdges,
): boolean {
  if (own === null || range === null) return true;
  return own.max >= range.min && (edges === 'cell' ? own.min < range.max : own.min <= range.max);
}

/** With `open` the east and the south edge do not belong to the box. */
function inBox(x: number, y: number, box: Bounds, open: boolean): boolean {
  return open
    ? x >= box.west && x < box.east && y > box.south && y <= box.north
    : x >= box.west && x <= box.east && y >= box.south && y <= box.north;
}

function areaMeetsBox(rings: Float64Array[], box: Bounds, open: boolean): boolean {
  if (rings.every((ring) => missesBounds(ring, box))) return false;
  // Where no edge meets the box, all of it is inside or all of it is outside.
  return rings.some((ring) => lineMeetsBox(ring, box, open, true)) || inArea(box.west, box.north, rings);
}

/** Cheap and on the safe side: true only when the ring lies wholly beyond one edge. */
function missesBounds(ring: Float64Array, box: Bounds): boolean {
  let west = true;
  let east = true;
  let south = true;
  let north = true;
  for (let i = 0; i < ring.length; i += 2) {
    const x = ring[i]!;
    const y = ring[i + 1]!;
    west &&= x < box.west;
    east &&= x > box.east;
    south &&= y < box.south;
    north &&= y > box.north;
  }
  return west || east || south || north;
}

function lineMeetsBox(line: Float64Array, box: Bounds, open: boolean, ring: boolean): boolean {
  const last = line.length - 2;
  for (let i = ring ? last : 0, j = ring ? 0 : 2; j <= last; i = j, j += 2) {
    if (segmentMeetsBox(line[i]!, line[i + 1]!, line[j]!, line[j + 1]!, box, open)) return true;
  }
  return last === 0 && inBox(line[0]!, line[1]!, box, open);
}

/**
 * Liang and Barsky's clipping of the segment from a to b, with edges that may not belong to the box. The
 * parameters at which the segment crosses an edge stay fractions and are compared crosswise.
 */
function segmentMeetsBox(
  ax: number,
  ay: number,
  bx: number,
  by: number,
  box: Bounds,
  open: boolean,
): boolean {
  if (inBox(ax, ay, box, open) || inBox(bx, by, box, open)) return true;
  const dx = bx - ax;
  const dy = by - ay;
  // Inside where `slope * t <= room` (or `<`, where the edge is excluded), for west, east, south, north.
  const slopes = [-dx, dx, -dy, dy];
  const rooms = [ax - box.west, box.east - ax, ay - box.south, box.north - ay];
  let fromTop = 0;
  let fromBottom = 1;
  let fromOpen = false;
  let toTop = 1;
  let toBottom = 1;
  let toOpen = false;
  for (let edge = 0; edge < 4; edge++) {
    const excluded = open && (edge === 1 || edge === 2);
    const slope = slopes[edge]!;
    const room = rooms[edge]!;
    if (slope === 0) {
      if (room < 0 || (excluded && room === 0)) return false;
    } else if (slope > 0) {
      // t up to room / slope
      const order = room * toBottom - toTop * slope;
      if (order < 0 || (order === 0 && excluded)) {
        toTop = room;
        toBottom = slope;
        toOpen = excluded;
      }
    } else {
      // t from -room / -slope on
      const order = -room * fromBottom - fromTop * -slope;
      if (order > 0 || (order === 0 && excluded)) {
        fromTop = -room;
        fromBottom = -slope;
        fromOpen = excluded;
      }
    }
  }
  const order = fromTop * toBottom - toTop * fromBottom;
  return order < 0 || (order === 0 && !fromOpen && !toOpen);
}

/** True when the point lies in the area or on an edge of it; holes are not in it, their edges are. */
function inArea(x: number, y: number, rings: Float64Array[]): boolean {
  let inside = false;
  for (const ring of rings) {
    for (let i = 0, j = ring.length - 2; i < ring.length; j = i, i += 2) {
      const ax = ring[j]!;
      const ay = ring[j + 1]!;
      const bx = ring[i]!;
      const by = ring[i + 1]!;
      const side = turn(ax, ay, bx, by, x, y);
      if (side === 0 && between(ax, bx, x) && between(ay, by, y)) return true;
      // The edge crosses the ray to the east of the point when it spans its latitude, counting its lower end.
      if (ay > y !== by > y && side > 0 === by > ay) inside = !inside;
    }
  }
  return inside;
}

function lineMeetsArea(line: Float64Array, ring: boolean, rings: Float64Array[]): boolean {
  if (line.length === 0) return false;
  if (inArea(line[0]!, line[1]!, rings)) return true;
  const last = line.length - 2;
  for (let i = ring ? last : 0, j = ring ? 0 : 2; j <= last; i = j, j += 2) {
    for (const other of rings) {
      for (let k = 0, l = other.length - 2; k < other.length; l = k, k += 2) {
        if (
          segmentsMeet(
            line[i]!,
            line[i + 1]!,
            line[j]!,
            line[j + 1]!,
            other[l]!,
            other[l + 1]!,
            other[k]!,
            other[k + 1]!,
          )
        ) {
          return true;
        }
      }
    }
  }
  return false;
}

function segmentsMeet(
  ax: number,
  ay: number,
  bx: number,
  by: number,
  cx: number,
  cy: number,
  dx: number,
  dy: number,
): boolean {
  if (Math.max(ax, bx) < Math.min(cx, dx) || Math.max(cx, dx) < Math.min(ax, bx)) return false;
  if (Math.max(ay, by) < Math.min(cy, dy) || Math.max(cy, dy) < Math.min(ay, by)) return false;
  const c = Math.sign(turn(ax, ay, bx, by, cx, cy));
  const d = Math.sign(turn(ax, ay, bx, by, dx, dy));
  const a = Math.sign(turn(cx, cy, dx, dy, ax, ay));
  const b = Math.sign(turn(cx, cy, dx, dy, bx, by));
  return c * d <= 0 && a * b <= 0;
}

/** Positive when c lies to the left of the way from a to b, 0 when on its line. */
function turn(ax: number, ay: number, bx: number, by: number, cx: number, cy: number): number {
  return (bx - ax) * (cy - ay) - (by - ay) * (cx - ax);
}

function between(a: number, b: number, value: number): boolean {
  return value >= Math.min(a, b) && value <= Math.max(a, b);
}

function boundsOfRings(rings: readonly Float64Array[]): Bounds {
  const bounds = { west: Infinity, south: Infinity, east: -Infinity, north: -Infinity };
  for (const ring of rings) {
    for (let i = 0; i < ring.length; i += 2) {
      bounds.west = Math.min(bounds.west, ring[i]!);
      bounds.east = Math.max(bounds.east, ring[i]!);
      bounds.south = Math.min(bounds.south, ring[i + 1]!);
      bounds.north = Math.max(bounds.north, ring[i + 1]!);
    }
  }
  return bounds;
}

function toPairs(ring: ReadonlyArray<readonly [number, number]>): Float64Array {
  const pairs = new Float64Array(ring.length * 2);
  ring.forEach(([lng, lat], i) => {
    pairs[2 * i] = lng;
    pairs[2 * i + 1] = lat;
  });
  return pairs;
}
