/** Pairs of boxes that meet. */
import Flatbush from 'flatbush';

/** West, south, east, north in metres. */
export type Box = readonly [west: number, south: number, east: number, north: number];

/** How much work one box may cause in any case, and what all may cause together beyond that. */
export interface PairBounds {
  /** Pairs. */
  readonly pairs: number;
  readonly sharedPairs: number;
  /** Boxes that are met on the way, among them those that have had their turn. */
  readonly visits: number;
  readonly sharedVisits: number;
}

/**
 * A building touches a handful of others, and a long wall some hundred. Where thousands lie at one place, all pairs of
 * them would take hours.
 */
const BOUNDS: PairBounds = { pairs: 16, sharedPairs: 100_000, visits: 2_000, sharedVisits: 20_000_000 };

/** Ends a search in a tree. */
class Enough extends Error {}
const ENOUGH = new Enough();

/**
 * Numbers of boxes that meet in more than their borders, the smaller number first. `onLeftOut` is told of each box
 * whose pairs are beyond the bounds: some of them are left out.
 */
export function* boxPairs(
  boxes: readonly Box[],
  onLeftOut: (box: number) => void,
  { pairs, sharedPairs, visits, sharedVisits }: PairBounds = BOUNDS,
): Generator<[a: number, b: number], void, void> {
  if (boxes.length < 2) return;
  const tree = new Flatbush(boxes.length);
  for (const box of boxes) tree.add(...box);
  tree.finish();
  for (let a = 0; a < boxes.length; a++) {
    const found: number[] = [];
    let visited = 0;
    try {
      tree.search(...boxes[a]!, (b) => {
        if (visited++ >= visits && sharedVisits-- <= 0) throw ENOUGH;
        if (b <= a || !share(boxes[a]!, boxes[b]!)) return false;
        if (found.length >= pairs && sharedPairs-- <= 0) throw ENOUGH;
        found.push(b);
        return false;
      });
    } catch (error) {
      if (error !== ENOUGH) throw error;
      onLeftOut(a);
    }
    for (const b of found.sort((one, other) => one - other)) yield [a, b];
  }
}

function share(one: Box, other: Box): boolean {
  return one[0] < other[2] && other[0] < one[2] && one[1] < other[3] && other[1] < one[3];
}

/** The box of rings of x and y by turns. */
export function boxOf(rings: readonly Float64Array[]): Box {
  let [west, south, east, north] = [Infinity, Infinity, -Infinity, -Infinity];
  for (const ring of rings) {
    for (let i = 0; i + 1 < ring.length; i += 2) {
      west = Math.min(west, ring[i]!);
      east = Math.max(east, ring[i]!);
      south = Math.min(south, ring[i + 1]!);
      north = Math.max(north, ring[i + 1]!);
    }
  }
  return [west, south, east, north];
}
