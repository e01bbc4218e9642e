/** Which way a ring goes round, seen from above. */
import { orient2d } from 'robust-predicates';
import type { Ring } from './plane-polygon.ts';

export type Winding = 'counterclockwise' | 'clockwise' | 'none';

/**
 * The turn at the lowest of the leftmost corners, which tells it for every simple ring; `none` for a ring that is not
 * closed, or whose corner there is flat. The predicate is exact.
 */
export function windingOf(ring: Ring): Winding {
  const count = ring.length / 3 - 1;
  if (count < 3 || !isClosed(ring)) return 'none';
  let corner = 0;
  for (let i = 1; i < count; i++) {
    const [x, y] = [ring[3 * i]!, ring[3 * i + 1]!];
    const [leftX, leftY] = [ring[3 * corner]!, ring[3 * corner + 1]!];
    if (x < leftX || (x === leftX && y < leftY)) corner = i;
  }
  const before = other(ring, corner, count, -1);
  const after = other(ring, corner, count, 1);
  if (before < 0 || after < 0) return 'none';
  // The library's y grows downwards, so its sign is turned.
  const turn = -orient2d(
    ring[3 * before]!,
    ring[3 * before + 1]!,
    ring[3 * corner]!,
    ring[3 * corner + 1]!,
    ring[3 * after]!,
    ring[3 * after + 1]!,
  );
  return turn > 0 ? 'counterclockwise' : turn < 0 ? 'clockwise' : 'none';
}

/** True when the last position repeats the first in all three numbers. */
export function isClosed(ring: Ring): boolean {
  const last = ring.length - 3;
  return last > 0 && ring[0] === ring[last] && ring[1] === ring[last + 1] && ring[2] === ring[last + 2];
}

/** The next corner in a direction that lies elsewhere on the plane; -1 when there is none. */
function other(ring: Ring, from: number, count: number, step: number): number {
  for (let i = 1; i < count; i++) {
    const at = (from + step * i + i * count) % count;
    if (ring[3 * at] !== ring[3 * from] || ring[3 * at + 1] !== ring[3 * from + 1]) return at;
  }
  return -1;
}
