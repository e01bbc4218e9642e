/** The floods of the island's river: bands of depth whose borders are lines of equal depth. */
import { type Point3, thirdMesh } from '../place.ts';
import { Random } from '../random.ts';
import { floodDepth, RIVER, reach, reachOfDepth, type Scale } from './flood.ts';
import { altitude, at, mm, type PlanPoint, TOWN } from './shape.ts';

export interface FloodArea {
  id: string;
  scale: Scale;
  mesh: string;
  /** Code of the depth class. */
  rank: string;
  /** At the altitude of the water's surface. */
  triangles: Point3[][];
}

/** Lower ends of the depth classes 1 to 4, metres. */
const DEPTHS = [0, 0.5, 3, 5];
/** Length of a piece along the river, metres. */
const PIECE = 16;
/** Pieces of a band across. */
const ACROSS = 2;

/** The flooded area at a scale by third mesh and depth class. */
export function floodsOf(scale: Scale, seed: number): FloodArea[] {
  const areas = new Map<string, FloodArea>();
  for (let south = TOWN.south; south < TOWN.north; south += PIECE) {
    const north = Math.min(TOWN.north, south + PIECE);
    for (const side of [-1, 1] as const) {
      const mesh = thirdMesh(...at([side * 60, (south + north) / 2]));
      for (const [i, depth] of DEPTHS.entries()) {
        const key = `${mesh}/${i + 1}`;
        const triangles = band(scale, depth, DEPTHS[i + 1], [south, north], side);
        if (triangles.length === 0) continue;
        const area = areas.get(key) ?? {
          id: `fld_${new Random(`${seed}/island/fld/${RIVER.code}/${scale}/${key}`).uuid()}`,
          ...{ scale, mesh, rank: String(i + 1), triangles: [] },
        };
        area.triangles.push(...triangles);
        areas.set(key, area);
      }
    }
  }
  return [...areas.values()].sort((a, b) => (a.mesh + a.rank < b.mesh + b.rank ? -1 : 1));
}

function band(
  scale: Scale,
  depth: number,
  deeper: number | undefined,
  span: readonly [south: number, north: number],
  side: -1 | 1,
): Point3[][] {
  const triangles: Point3[][] = [];
  const between = (y: number, part: number): PlanPoint | null => {
    const outer = depth === 0 ? reach(scale, y, side) : reachOfDepth(scale, depth, y, side);
    if (outer === null) return null;
    const inner = deeper === undefined ? 0 : (reachOfDepth(scale, deeper, y, side) ?? 0);
    return [side * (inner + (outer - inner) * part), y];
  };
  const surface = (point: PlanPoint): Point3 =>
    [...at(point), mm(altitude(point) + Math.max(0.05, floodDepth(scale, point)))] as const;
  for (let i = 0; i < ACROSS; i++) {
    const corners = [
      between(span[0], i / ACROSS),
      between(span[0], (i + 1) / ACROSS),
      between(span[1], (i + 1) / ACROSS),
      between(span[1], i / ACROSS),
    ];
    if (corners.some((corner) => corner === null)) continue;
    const [a, b, c, d] = (corners as PlanPoint[]).map(surface) as [Point3, Point3, Point3, Point3];
    triangles.push(
      ...(side > 0
        ? [
            [a, b, c],
            [a, c, d],
          ]
        : [
            [a, c, b],
            [a, d, c],
          ]),
    );
  }
  return triangles;
}
