/**
 * The spatial index of FlatGeobuf: a packed R-tree (https://flatgeobuf.org, "Spatial index"). Features are its leaves
 * in the order of the file, which is that of a Hilbert curve; each node above has the box of the next 16 below. It
 * stands before the features, the root first, so that all boxes and lengths are kept until the last is known.
 */
import { type Box, unionBoxes } from './geoparquet-geometry.ts';

/** Children of a node. */
export const NODE_SIZE = 16;
/** A box in double precision, and where the feature, or the first child, begins. */
const NODE_BYTES = 4 * 8 + 8;
/** Nodes that are written together. */
const TOGETHER = 1_600;
/** Numbers of a box. */
const SIDES = 4;

export class FlatGeobufIndex {
  #boxes = new Float64Array(SIDES * 1_024);
  #lengths = new Uint32Array(1_024);
  #size = 0;
  #all: Box | null = null;

  /** Features that were added. */
  get size(): number {
    return this.#size;
  }

  /** Box of all features; null where none has a place. */
  get box(): Box | null {
    return this.#all;
  }

  /** The next feature: its box, null for one without a place, which no search finds; its length in bytes. */
  add(box: Box | null, length: number): void {
    if (this.#size === this.#lengths.length) this.#grow();
    this.#boxes.set(
      box === null ? [Infinity, Infinity, -Infinity, -Infinity] : [box.xmin, box.ymin, box.xmax, box.ymax],
      SIDES * this.#size,
    );
    if (box !== null) this.#all = unionBoxes(this.#all, box);
    this.#lengths[this.#size++] = length;
  }

  /** The index; at least one feature has been added. */
  *bytes(): Generator<Buffer, void, void> {
    const levels: Float64Array[] = [this.#boxes.subarray(0, SIDES * this.#size)];
    while (levels.at(-1)!.length > SIDES) levels.push(above(levels.at(-1)!));
    // A single feature has a root, too.
    if (levels.length === 1) levels.push(above(levels[0]!));
    let nodes = 0;
    for (let level = levels.length - 1; level > 0; level--) {
      const boxes = levels[level]!;
      nodes += boxes.length / SIDES;
      const firstBelow = nodes;
      yield* nodesOf(boxes, (number) => firstBelow + number * NODE_SIZE);
    }
    let offset = 0;
    yield* nodesOf(levels[0]!, (number) => {
      const start = offset;
      offset += this.#lengths[number]!;
      return start;
    });
  }

  #grow(): void {
    const boxes = new Float64Array(this.#boxes.length * 2);
    boxes.set(this.#boxes);
    this.#boxes = boxes;
    const lengths = new Uint32Array(this.#lengths.length * 2);
    lengths.set(this.#lengths);
    this.#lengths = lengths;
  }
}

/** Boxes of the nodes that have these as children. */
function above(below: Float64Array): Float64Array {
  const boxes = new Float64Array(SIDES * Math.ceil(below.length / SIDES / NODE_SIZE));
  for (let at = 0; at < boxes.length; at += SIDES) {
    let [west, south, east, north] = [Infinity, Infinity, -Infinity, -Infinity];
    const end = Math.min(below.length, (at + SIDES) * NODE_SIZE);
    for (let child = at * NODE_SIZE; child < end; child += SIDES) {
      west = Math.min(west, below[child]!);
      south = Math.min(south, below[child + 1]!);
      east = Math.max(east, below[child + 2]!);
      north = Math.max(north, below[child + 3]!);
    }
    boxes.set([west, south, east, north], at);
  }
  return boxes;
}

/** Nodes as bytes, in their order: little-endian. */
function* nodesOf(boxes: Float64Array, offsetOf: (number: number) => number): Generator<Buffer, void, void> {
  const count = boxes.length / SIDES;
  for (let from = 0; from < count; from += TOGETHER) {
    const to = Math.min(count, from + TOGETHER);
    const bytes = Buffer.allocUnsafe((to - from) * NODE_BYTES);
    for (let number = from, at = 0; number < to; number++, at += NODE_BYTES) {
      for (let side = 0; side < SIDES; side++) {
        bytes.writeDoubleLE(boxes[SIDES * number + side]!, at + 8 * side);
      }
      bytes.writeBigUInt64LE(BigInt(offsetOf(number)), at + 8 * SIDES);
    }
    yield bytes;
  }
}
