/** Pairs of boxes that meet. */
import Flatbush from 'flatbush';

/** West, south, east, north in metres. */
export type Box = readonly [west: number, south: number, east: number, north: number];

/** Numbers of boxes that meet in more than their borders, the smaller number first. */
export function* boxPairs(boxes: readonly Box[]): Generator<[a: number, b: number], void, void> {
  if (boxes.length < 2) return;
  const tree = new Flatbush(boxes.length);
  for (const box of boxes) tree.add(...box);
  tree.finish();
  for (let a = 0; a < boxes.length; a++) {
    const found = tree.search(...boxes[a]!, (b) => b > a);
    for (const b of found.sort((one, other) => one - other)) {
      const [one, other] = [boxes[a]!, boxes[b]!];
      if (one[0] < other[2] && other[0] < one[2] && one[1] < other[3] && other[1] < one[3]) yield [a, b];
    }
  }
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
