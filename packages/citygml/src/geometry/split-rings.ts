/** Rings that touch themselves in a vertex, as rings that do not. */
import type { Position } from 'geojson';
import { signedArea } from './feature-shape.ts';

/** Exterior ring first, then holes; rings are closed. */
export type Rings = Position[][];

/**
 * The polygons that rings bound, none of which runs through one vertex twice, as a valid polygon must not (OGC
 * 06-103r4, section 6.1.11). A ring that does is split there: rings that run counter-clockwise are polygons, the others
 * are holes of what lies around them.
 */
export function splitRings(boundaries: readonly Position[][]): Rings[] {
  const rings = boundaries.flatMap(splitRing);
  const areas = new Map(rings.map((ring) => [ring, areaOf(ring)]));
  const exteriors = rings
    .filter((ring) => areas.get(ring)! > 0)
    .sort((a, b) => areas.get(a)! - areas.get(b)!);
  const polygons = new Map(exteriors.map((ring): [Position[], Rings] => [ring, [ring]]));
  for (const hole of rings) {
    if (areas.get(hole)! >= 0) continue;
    const exterior = exteriors.find((ring) => areas.get(ring)! > -areas.get(hole)! && contains(ring, hole));
    if (exterior !== undefined) polygons.get(exterior)!.push(hole);
  }
  return [...polygons.values()];
}

/** A closed ring, split at each vertex that it runs through twice. */
function splitRing(ring: Position[]): Position[][] {
  const done: Position[][] = [];
  const open: Position[] = [];
  const places = new Map<string, number>();
  for (const position of ring) {
    const key = position.join();
    const at = places.get(key);
    if (at === undefined) {
      places.set(key, open.length);
      open.push(position);
      continue;
    }
    const loop = open.splice(at + 1);
    for (const point of loop) places.delete(point.join());
    if (loop.length >= 2) done.push([position, ...loop, position]);
  }
  return done;
}

/** True when the middle of the first edge of a ring lies inside another. */
function contains(ring: readonly Position[], [a, b]: readonly Position[]): boolean {
  const [x, y] = [(a![0]! + b![0]!) / 2, (a![1]! + b![1]!) / 2];
  let inside = false;
  for (let i = 1; i < ring.length; i++) {
    const [px, py] = ring[i - 1] as [number, number];
    const [qx, qy] = ring[i] as [number, number];
    if (py > y !== qy > y && x < px + ((y - py) / (qy - py)) * (qx - px)) inside = !inside;
  }
  return inside;
}

/** Area in square degrees, relative to the first position; positive counter-clockwise. */
function areaOf(ring: readonly Position[]): number {
  const [west, south] = ring[0] as [number, number];
  return signedArea(Float64Array.from(ring.flatMap(([lng, lat]) => [lng! - west, lat! - south])));
}
