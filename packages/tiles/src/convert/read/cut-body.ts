/** Large surfaces in pieces that lie together. */
import { type Body, surfaceKeysOf } from './bodies.ts';

/** The body in pieces of `most` positions at most, but for single polygons of more; each polygon is in one of them. */
export function cutBody(body: Body, most: number): Body[] {
  const middles = middlesOf(body);
  const all = Array.from(body.polygonEnds, (_, polygon) => polygon);
  return groupsOf(all, middles, body, most).map((polygons) => pickPolygons(body, polygons));
}

/** Longitudes and latitudes of polygons. */
interface Middles {
  lng: Float64Array;
  lat: Float64Array;
}

/** Halves of as many positions each, across the longer side, until they are small enough. */
function groupsOf(polygons: number[], middles: Middles, body: Body, most: number): number[][] {
  const positions = polygons.reduce((sum, polygon) => sum + positionsIn(body, polygon), 0);
  if (positions <= most || polygons.length === 1) return [polygons];
  const { lng, lat } = middles;
  const latitude = (lat[polygons[0]!]! * Math.PI) / 180;
  const along = spread(lng, polygons) * Math.cos(latitude) > spread(lat, polygons) ? lng : lat;
  const sorted = polygons.toSorted((a, b) => along[a]! - along[b]! || a - b);
  let [cut, taken] = [0, 0];
  do taken += positionsIn(body, sorted[cut++]!);
  while (cut < sorted.length - 1 && taken < positions / 2);
  const halves = [sorted.slice(0, cut), sorted.slice(cut)];
  return halves.flatMap((half) => groupsOf(half, middles, body, most));
}

function spread(values: Float64Array, polygons: readonly number[]): number {
  let [least, highest] = [Infinity, -Infinity];
  for (const polygon of polygons) {
    least = Math.min(least, values[polygon]!);
    highest = Math.max(highest, values[polygon]!);
  }
  return highest - least;
}

function middlesOf(body: Body): Middles {
  const count = body.polygonEnds.length;
  const [lng, lat] = [new Float64Array(count), new Float64Array(count)];
  for (let polygon = 0; polygon < count; polygon++) {
    const [from, to] = rangeOf(body, polygon);
    for (let i = from; i < to; i++) {
      lng[polygon]! += body.positions[3 * i]! / (to - from);
      lat[polygon]! += body.positions[3 * i + 1]! / (to - from);
    }
  }
  return { lng, lat };
}

function positionsIn(body: Body, polygon: number): number {
  const [from, to] = rangeOf(body, polygon);
  return to - from;
}

function rangeOf({ ringEnds, polygonEnds }: Body, polygon: number): [from: number, to: number] {
  const first = polygonEnds[polygon - 1] ?? 0;
  return [ringEnds[first - 1] ?? 0, ringEnds[polygonEnds[polygon]! - 1]!];
}

/** A body of some polygons of another, with all that appearances name them by. */
function pickPolygons(body: Body, polygons: readonly number[]): Body {
  const positions: number[] = [];
  const [ringEnds, polygonEnds, twoSided]: [number[], number[], number[]] = [[], [], []];
  const [ringKeys, ringWritten, surfaceKeys]: [number[], number[], number[]] = [[], [], []];
  const written: number[] = [];
  for (const polygon of polygons) {
    for (let ring = body.polygonEnds[polygon - 1] ?? 0; ring < body.polygonEnds[polygon]!; ring++) {
      for (let i = body.ringEnds[ring - 1] ?? 0; i < body.ringEnds[ring]!; i++) {
        positions.push(body.positions[3 * i]!, body.positions[3 * i + 1]!, body.positions[3 * i + 2]!);
        if (body.written !== null) written.push(body.written[i]!);
      }
      ringEnds.push(positions.length / 3);
      ringKeys.push(body.ringKeys[ring]!);
      ringWritten.push(body.ringWritten[ring]!);
    }
    polygonEnds.push(ringEnds.length);
    twoSided.push(body.twoSided[polygon]!);
    surfaceKeys.push(...surfaceKeysOf(body, polygon));
  }
  return {
    positions: Float64Array.from(positions),
    ringEnds: Uint32Array.from(ringEnds),
    polygonEnds: Uint32Array.from(polygonEnds),
    twoSided: Uint8Array.from(twoSided),
    ringKeys: Float64Array.from(ringKeys),
    ringWritten: Uint32Array.from(ringWritten),
    written: body.written === null ? null : Uint32Array.from(written),
    surfaceKeys: Float64Array.from(surfaceKeys),
  };
}
