/** What of a feature's geometry is compared: a digest of all of it, and sizes of what stands for it. */
import {
  altitudeRange,
  extentOf,
  footprintOf,
  type LodGeometry,
  type Positions,
  type Surface,
  standingGeometry,
  surfacesOf,
} from '@citymodel/citygml';
import { unionOf } from '@citymodel/inspect';
import { LocalPlane, ringArea } from './local-plane.ts';
import { type Outline, outlineOf } from './outline.ts';

/** Whole numbers of a degree and of a metre: two positions that round to the same are the same. */
const DEGREE_UNITS = 1e8;
const METRE_UNITS = 1e3;
/** Footprints with more vertices have no area here; the published data has up to 15,260. */
const MAX_VERTICES = 16_000;

export interface ComparedShape {
  /** The same for the same edges and points at the same levels of detail, in whatever order they are written. */
  digest: string;
  /** Levels of detail, ascending. */
  lods: number[];
  /** Of the geometry that stands for the feature; sizes of two editions are compared where this is the same. */
  lod: number | null;
  /** Degrees: west, south, east, north. */
  bounds: [number, number, number, number];
  /** Degrees: longitude and latitude of the middle of the footprint's corners. */
  centre: [number, number];
  /** Metres; null where the data has no heights. */
  height: number | null;
  /** Square metres on the ground; null without an area, or for one that is too large to join. */
  area: number | null;
  /** Cubic metres; null where no solid says it. */
  volume: number | null;
  /** The footprint where it has an area: rings of longitudes and latitudes, one after the other. */
  rings: number[][];
  /** What it covers on the ground; null without an area, and where that has too many corners. */
  outline: Outline | null;
}

/** The shape of a feature by all its geometries; null when it has none. */
export function comparedShape(geometries: LodGeometry[]): ComparedShape | null {
  const standing = standingGeometry(geometries);
  const extent = extentOf(standing);
  if (extent === null) return null;
  const { west, south, east, north } = extent;
  const plane = new LocalPlane((west + east) / 2, (south + north) / 2);
  const heights = altitudeRange(
    extent,
    standing.some(({ flat }) => !flat),
    standing.some(({ solids }) => solids.length > 0),
  );
  const { polygons } = footprintOf(geometries)!;
  const vertices = polygons.flat().reduce((sum, ring) => sum + ring.length / 2, 0);
  const isMeasured = vertices <= MAX_VERTICES;
  const union = isMeasured ? unionOf(polygons.map((rings) => rings.map((ring) => plane.ring(ring)))) : [];
  const area = union.length === 0 ? null : Math.abs(union.reduce((sum, ring) => sum + ringArea(ring), 0));
  const volume = volumeOf(standing, plane);
  return {
    digest: digestOf(geometries),
    lods: [...new Set(geometries.flatMap(({ lod }) => (lod === null ? [] : [lod])))].sort((a, b) => a - b),
    lod: standing[0]?.lod ?? null,
    bounds: [west, south, east, north],
    centre: centreOf(polygons.flat(), [(west + east) / 2, (south + north) / 2]),
    height: heights === null ? null : heights.max - heights.min,
    area,
    volume,
    outline: outlineOf(union, plane),
    rings: isMeasured ? polygons.flat().map((ring) => [...ring]) : [],
  };
}

/** The middle of the corners of rings, each of which is open; `otherwise` where there are none. */
function centreOf(rings: readonly ArrayLike<number>[], otherwise: [number, number]): [number, number] {
  let [lng, lat, count] = [0, 0, 0];
  for (const ring of rings) {
    for (let i = 0; i < ring.length; i += 2) {
      lng += ring[i]! - otherwise[0];
      lat += ring[i + 1]! - otherwise[1];
      count++;
    }
  }
  return count === 0 ? otherwise : [otherwise[0] + lng / count, otherwise[1] + lat / count];
}

/** By the theorem of Gauss, over outer shells less inner ones; null where there is no solid. */
function volumeOf(geometries: readonly LodGeometry[], plane: LocalPlane): number | null {
  const solids = geometries.flatMap(({ solids }) => solids);
  if (solids.length === 0) return null;
  let sum = 0;
  for (const [outer, ...inner] of solids) {
    sum += Math.abs(shellVolume(outer ?? [], plane));
    for (const shell of inner) sum -= Math.abs(shellVolume(shell, plane));
  }
  return Math.max(0, sum);
}

function shellVolume(shell: readonly Surface[], plane: LocalPlane): number {
  let sum = 0;
  // From a corner of the shell, so that products stay small.
  const base = shell[0]?.rings[0]?.[2] ?? 0;
  for (const { rings } of shell) {
    for (const [i, ring] of rings.entries())
      sum += coneVolume(ring, plane, base, i === 0 ? 1 : turnOf(rings, i));
  }
  return sum;
}

/** Holes run the other way than their exterior; one that does not is turned. */
function turnOf(rings: readonly Positions[], hole: number): number {
  const [nx, ny, nz] = normalOf(rings[0]!);
  const [hx, hy, hz] = normalOf(rings[hole]!);
  return nx * hx + ny * hy + nz * hz > 0 ? -1 : 1;
}

/** In degrees and metres, which is enough for a direction along the same plane. */
function normalOf(ring: Positions): [number, number, number] {
  let [nx, ny, nz] = [0, 0, 0];
  for (let i = 3; i + 3 < ring.length; i += 3) {
    const [ax, ay, az] = [ring[i]! - ring[0]!, ring[i + 1]! - ring[1]!, ring[i + 2]! - ring[2]!];
    const [bx, by, bz] = [ring[i + 3]! - ring[0]!, ring[i + 4]! - ring[1]!, ring[i + 5]! - ring[2]!];
    nx += ay * bz - az * by;
    ny += az * bx - ax * bz;
    nz += ax * by - ay * bx;
  }
  return [nx, ny, nz];
}

/** Signed volume of the cone from the origin over a ring, as a fan of tetrahedra. */
function coneVolume(ring: Positions, plane: LocalPlane, base: number, sign: number): number {
  const at = (i: number) => [plane.x(ring[i]!), plane.y(ring[i + 1]!), ring[i + 2]! - base] as const;
  const [px, py, pz] = at(0);
  let sum = 0;
  for (let i = 3; i + 3 < ring.length; i += 3) {
    const [ax, ay, az] = at(i);
    const [bx, by, bz] = at(i + 3);
    sum += px * (ay * bz - az * by) + py * (az * bx - ax * bz) + pz * (ax * by - ay * bx);
  }
  return (sign * sum) / 6;
}

/** A sum over edges, which is the same in any order. */
function digestOf(geometries: readonly LodGeometry[]): string {
  let [one, other] = [0, 0];
  const count = (a: number, b: number, seed: number) => {
    one = (one + mixed(Math.imul(a, 0x9e3779b1) ^ b, seed)) | 0;
    other = (other + mixed(Math.imul(b, 0x85ebca77) ^ a, ~seed)) | 0;
  };
  for (const geometry of geometries) {
    const seed = seedOf(geometry);
    for (const { rings } of surfacesOf(geometry)) {
      for (const ring of rings) {
        for (let i = 0, j = ring.length - 3; i < ring.length; j = i, i += 3) {
          count(positionOf(ring, j), positionOf(ring, i), seed);
        }
      }
    }
    for (const line of geometry.lines) {
      for (let i = 3; i < line.length; i += 3) count(positionOf(line, i - 3), positionOf(line, i), seed + 1);
    }
    for (const points of geometry.points) {
      for (let i = 0; i < points.length; i += 3) count(positionOf(points, i), 0, seed + 2);
    }
  }
  return `${(one >>> 0).toString(16)}-${(other >>> 0).toString(16)}`;
}

function seedOf({ lod, role }: LodGeometry): number {
  return 16 * (lod ?? 9) + 4 * ['body', 'aside', 'attribute'].indexOf(role);
}

function positionOf(positions: Positions, i: number): number {
  let hash = 0;
  for (const [k, units] of [DEGREE_UNITS, DEGREE_UNITS, METRE_UNITS].entries()) {
    const value = Math.round(positions[i + k]! * units);
    hash = mixed(value | 0, hash ^ Math.floor(value / 0x1_0000_0000));
  }
  return hash;
}

function mixed(value: number, seed: number): number {
  let hash = Math.imul(value ^ seed, 0xcc9e2d51);
  hash = Math.imul(hash ^ (hash >>> 15), 0x1b873593);
  return (hash ^ (hash >>> 13)) | 0;
}
