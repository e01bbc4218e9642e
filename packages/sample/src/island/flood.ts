/** How deep the river floods the town: one formula for the water of `fld` and for what buildings say of it. */
import { type PlanPoint, RIVER_HALF, TOWN } from './shape.ts';

export type Scale = 'l1' | 'l2';

/** The name of the river as metadata and code lists have it. */
export const RIVER = { code: 'rurigawa', name: '瑠璃川水系瑠璃川' } as const;

const DEEPEST: Record<Scale, number> = { l1: 2.4, l2: 5.4 };
const WIDEST: Record<Scale, number> = { l1: 105, l2: 235 };

/** Metres from the river's middle to the edge of the water at a place along it: the water spreads in bays. */
export function reach(scale: Scale, y: number, side: -1 | 1): number {
  const bays = 1 + 0.22 * Math.sin(y / 95 + (side > 0 ? 0.5 : 2.4)) + 0.1 * Math.sin(y / 41 + side);
  const upstream = Math.max(0.15, Math.min(1, (TOWN.north - y) / 300));
  return RIVER_HALF + WIDEST[scale] * bays * upstream;
}

/** Depth of the water above the ground in metres; 0 where it stays dry. */
export function floodDepth(scale: Scale, [x, y]: PlanPoint): number {
  const edge = reach(scale, y, x < 0 ? -1 : 1);
  if (y < TOWN.south || y > TOWN.north || Math.abs(x) >= edge) return 0;
  return DEEPEST[scale] * (1 - Math.abs(x) / edge);
}

/** Metres from the river's middle to where the water is as deep as this, null where it is nowhere so deep. */
export function reachOfDepth(scale: Scale, depth: number, y: number, side: -1 | 1): number | null {
  return depth >= DEEPEST[scale] ? null : reach(scale, y, side) * (1 - depth / DEEPEST[scale]);
}
