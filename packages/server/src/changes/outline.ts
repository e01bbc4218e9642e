/** The footprint of a feature as one geometry of GeoJSON (RFC 7946), out of the union of its polygons. */
import { type LocalPlane, type PlaneRing, ringArea } from './local-plane.ts';

type Ring = Array<[lng: number, lat: number]>;

/** Degrees; exteriors run counter-clockwise, holes clockwise, and rings are closed (section 3.1.6). */
export type Outline =
  | { type: 'Polygon'; coordinates: Ring[] }
  | { type: 'MultiPolygon'; coordinates: Ring[][] };

/** Corners of one outline; a difference with more has none, so that pages of many stay small. */
const MAX_CORNERS = 2_000;
/** Decimal places of a degree, some centimetres. */
const DIGITS = 7;

/** Of rings in metres of a plane, those of holes clockwise; a single one may run either way. Null without an area. */
export function outlineOf(union: readonly PlaneRing[], plane: LocalPlane): Outline | null {
  const corners = union.reduce((sum, ring) => sum + ring.length / 2, 0);
  if (corners > MAX_CORNERS) return null;
  const [single] = union;
  if (union.length === 1)
    return single!.length < 6 ? null : { type: 'Polygon', coordinates: [closed(single!, 1, plane)] };
  const parts = union
    .filter((ring) => ringArea(ring) > 0)
    .map((exterior) => ({ exterior, holes: [] as PlaneRing[] }))
    .sort((a, b) => ringArea(a.exterior) - ringArea(b.exterior));
  for (const hole of union.filter((ring) => ringArea(ring) < 0)) {
    // Of exteriors inside each other, the hole is that of the smallest.
    parts.find(({ exterior }) => isInside(hole[0]!, hole[1]!, exterior))?.holes.push(hole);
  }
  const coordinates = parts.map(({ exterior, holes }) => [
    closed(exterior, 1, plane),
    ...holes.map((hole) => closed(hole, -1, plane)),
  ]);
  if (coordinates.length === 0) return null;
  return coordinates.length === 1
    ? { type: 'Polygon', coordinates: coordinates[0]! }
    : { type: 'MultiPolygon', coordinates };
}

/** A closed ring in degrees that turns as `turn` says: 1 counter-clockwise, -1 clockwise. */
function closed(ring: PlaneRing, turn: 1 | -1, plane: LocalPlane): Ring {
  const positions: Ring = [];
  for (let i = 0; i < ring.length; i += 2)
    positions.push([rounded(plane.lng(ring[i]!)), rounded(plane.lat(ring[i + 1]!))]);
  if (ringArea(ring) * turn < 0) positions.reverse();
  positions.push([...positions[0]!]);
  return positions;
}

function rounded(degrees: number): number {
  return Number(degrees.toFixed(DIGITS));
}

/** Whether a ray from a point crosses a ring an odd number of times. */
function isInside(x: number, y: number, ring: PlaneRing): boolean {
  let inside = false;
  for (let i = 0, j = ring.length - 2; i < ring.length; j = i, i += 2) {
    const [ax, ay, bx, by] = [ring[i]!, ring[i + 1]!, ring[j]!, ring[j + 1]!];
    if (ay > y !== by > y && x < ((bx - ax) * (y - ay)) / (by - ay) + ax) inside = !inside;
  }
  return inside;
}
