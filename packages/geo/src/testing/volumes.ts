/**
 * For tests: whether one volume lies in another, by the points of its hull, and boxes that stand somewhere on the
 * Earth.
 */
import { type BoundingVolume, boxPoint, dot, forward, type Region, span } from '../bounding-volume.ts';
import { ecefToGeodetic, geodeticToEcef, type Vec3, WGS84_B } from '../ecef.ts';

/** The matrix that takes local east, north, up metres at a point (radians, metres) to ECEF. */
export function eastNorthUp(lng: number, lat: number, height: number): number[] {
  const [sl, cl, sp, cp] = [Math.sin(lng), Math.cos(lng), Math.sin(lat), Math.cos(lat)];
  const o = geodeticToEcef(lng, lat, height);
  return [-sl, cl, 0, 0, -sp * cl, -sp * sl, cp, 0, cp * cl, cp * sl, sp, 0, o[0], o[1], o[2], 1];
}

/** True when the volume contains an ECEF point, give or take `tolerance` metres. */
export function volumeContains(volume: BoundingVolume, point: readonly number[], tolerance = 0): boolean {
  if ('sphere' in volume) {
    const [x, y, z, radius] = volume.sphere as [number, number, number, number];
    return Math.hypot(point[0]! - x, point[1]! - y, point[2]! - z) <= radius + tolerance;
  }
  if ('region' in volume) {
    const region = volume.region as Region;
    const [lng, lat, height] = ecefToGeodetic(point);
    const angle = tolerance / WGS84_B;
    const wide = angle / Math.max(Math.cos(lat), 1e-9);
    return (
      forward(region[0] - wide, lng) <= span(region) + 2 * wide + 1e-15 &&
      lat >= region[1] - angle &&
      lat <= region[3] + angle &&
      height >= region[4] - tolerance &&
      height <= region[5] + tolerance
    );
  }
  return boxContains(volume.box, point, tolerance);
}

/**
 * ECEF points on the hull of a volume (corners and middles of edges and faces), for checks whether one volume
 * lies in another.
 */
export function hullPoints(volume: BoundingVolume): Vec3[] {
  const points: Vec3[] = [];
  const steps = [-1, 0, 1];
  for (const i of steps) {
    for (const j of steps) {
      for (const k of steps) {
        if (i === 0 && j === 0 && k === 0) continue;
        points.push(hullPoint(volume, i, j, k));
      }
    }
  }
  return points;
}

function hullPoint(volume: BoundingVolume, i: number, j: number, k: number): Vec3 {
  if ('region' in volume) {
    const r = volume.region as Region;
    return geodeticToEcef(
      r[0] + (span(r) * (i + 1)) / 2,
      r[1] + ((r[3] - r[1]) * (j + 1)) / 2,
      r[4] + ((r[5] - r[4]) * (k + 1)) / 2,
    );
  }
  if ('sphere' in volume) {
    const [x, y, z, radius] = volume.sphere as [number, number, number, number];
    const scale = radius / Math.hypot(i, j, k);
    return [x + i * scale, y + j * scale, z + k * scale];
  }
  return boxPoint(volume.box, i, j, k);
}

/** Half axes below this many metres have no direction that arithmetic could keep. */
const SHORTEST_AXIS = 1e-9;

/** Solves for the coordinates of the point along the half axes by Cramer's rule; flat boxes by their normal. */
function boxContains(box: readonly number[], point: readonly number[], tolerance: number): boolean {
  const d: Vec3 = [point[0]! - box[0]!, point[1]! - box[1]!, point[2]! - box[2]!];
  const axes = [box.slice(3, 6), box.slice(6, 9), box.slice(9, 12)].map((axis) =>
    Math.hypot(...axis) < SHORTEST_AXIS ? [0, 0, 0] : axis,
  ) as [Vec3, Vec3, Vec3];
  return axes.every((axis, n) => {
    const normal = cross(axes[(n + 1) % 3]!, axes[(n + 2) % 3]!);
    const length = Math.hypot(...normal);
    if (length === 0) {
      // Two axes vanish or are parallel: measure along this one instead.
      const own = Math.hypot(...axis);
      return own === 0
        ? Math.hypot(...d) <= tolerance + diagonal(axes)
        : Math.abs(dot(d, axis)) / own <= own + tolerance;
    }
    return Math.abs(dot(d, normal)) / length <= Math.abs(dot(axis, normal)) / length + tolerance;
  });
}

const cross = (a: Vec3, b: Vec3): Vec3 => [
  a[1] * b[2] - a[2] * b[1],
  a[2] * b[0] - a[0] * b[2],
  a[0] * b[1] - a[1] * b[0],
];
const diagonal = (axes: Vec3[]) => Math.hypot(...axes.map((a) => Math.hypot(...a)));
