/** The area of a body as its rings tell it, beside which the area of triangles that are drawn can be checked. */
import { meridianRadius, WGS84_A, WGS84_B } from '@citymodel/geo';
import type { Body } from './bodies.ts';

const RADIANS = Math.PI / 180;
const E2 = 1 - (WGS84_B / WGS84_A) ** 2;

/** Square metres in space of all polygons, holes taken off; 0 for a body without any. */
export function areaOf({ positions, ringEnds, polygonEnds }: Body): number {
  if (positions.length === 0) return 0;
  const lat = positions[1]! * RADIANS;
  const east = (RADIANS * WGS84_A * Math.cos(lat)) / Math.sqrt(1 - E2 * Math.sin(lat) ** 2);
  const north = RADIANS * meridianRadius(lat);
  let sum = 0;
  let ring = 0;
  let from = 0;
  for (const end of polygonEnds) {
    let area = 0;
    for (const first = ring; ring < end; ring++) {
      const to = ringEnds[ring]!;
      const own = ringArea(positions, from, to, east, north);
      area += ring === first ? own : -own;
      from = to;
    }
    sum += Math.max(0, area);
  }
  return sum;
}

/** Half the length of the sum of cross products of edges; `east` and `north`: metres of a degree. */
function ringArea(positions: Float64Array, from: number, to: number, east: number, north: number): number {
  const lng = positions[3 * from]!;
  const lat = positions[3 * from + 1]!;
  const height = positions[3 * from + 2]!;
  let nx = 0;
  let ny = 0;
  let nz = 0;
  let ax = 0;
  let ay = 0;
  let az = 0;
  for (let i = from + 1; i < to; i++) {
    const bx = (positions[3 * i]! - lng) * east;
    const by = (positions[3 * i + 1]! - lat) * north;
    const bz = positions[3 * i + 2]! - height;
    nx += ay * bz - az * by;
    ny += az * bx - ax * bz;
    nz += ax * by - ay * bx;
    ax = bx;
    ay = by;
    az = bz;
  }
  return Math.hypot(nx, ny, nz) / 2;
}
