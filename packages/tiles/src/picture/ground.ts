/** The ground under a model that has none: as low as what stands on it, and smooth between. */
import type { Surface } from './surfaces.ts';

/** Cells along a side at most, and how wide one is at least, metres: wider than the steps in a house. */
const MOST_CELLS = 64;
const CELL = 30;

/**
 * Triangles of the ground, as far as `reach` metres from the middle; null without any vertex.
 *
 * @param below how far under the lowest vertices it lies, metres
 */
export function groundUnder(surfaces: readonly Surface[], reach: number, below: number): Surface | null {
  const count = Math.min(MOST_CELLS, Math.max(2, Math.floor((2 * reach) / CELL)));
  const lowest = lowestOf(surfaces, reach, count);
  if (lowest === null) return null;
  const side = count + 1;
  const positions = new Float32Array(side * side * 3);
  for (let row = 0, at = 0; row < side; row++) {
    for (let column = 0; column < side; column++, at += 3) {
      positions[at] = (column / count - 0.5) * 2 * reach;
      positions[at + 1] = (row / count - 0.5) * 2 * reach;
      positions[at + 2] = cornerOf(lowest, count, column, row, below === 0) - below;
    }
  }
  const indices = new Uint32Array(count * count * 6);
  for (let row = 0, at = 0; row < count; row++) {
    for (let column = 0; column < count; column++, at += 6) {
      const a = row * side + column;
      indices.set([a, a + 1, a + side + 1, a, a + side + 1, a + side], at);
    }
  }
  return {
    positions,
    indices,
    uvs: null,
    colours: null,
    factor: [0, 0, 0, 1],
    texture: null,
    isPlain: false,
    isGround: true,
  };
}

/** The lowest vertex of each cell; cells without one lie between their neighbours. */
function lowestOf(surfaces: readonly Surface[], reach: number, count: number): Float32Array | null {
  const cells = new Float32Array(count * count).fill(Infinity);
  for (const { positions } of surfaces) {
    for (let i = 0; i < positions.length; i += 3) {
      const column = Math.floor((positions[i]! / (2 * reach) + 0.5) * count);
      const row = Math.floor((positions[i + 1]! / (2 * reach) + 0.5) * count);
      if (column < 0 || row < 0 || column >= count || row >= count) continue;
      const at = row * count + column;
      if (positions[i + 2]! < cells[at]!) cells[at] = positions[i + 2]!;
    }
  }
  const known = Uint8Array.from(cells, (value) => (value < Infinity ? 1 : 0));
  const first = cells.find((value) => value < Infinity);
  if (first === undefined) return null;
  let sum = 0;
  let filled = 0;
  for (const value of cells) if (value < Infinity) [sum, filled] = [sum + value, filled + 1];
  for (let i = 0; i < cells.length; i++) if (known[i] === 0) cells[i] = sum / filled;
  // What is not known becomes the mean of what is around it, until that has spread.
  for (let round = 0; round < 200; round++) {
    for (let i = 0; i < cells.length; i++) if (known[i] === 0) cells[i] = around(cells, count, i);
  }
  return cells;
}

function around(cells: Float32Array, count: number, at: number): number {
  const [column, row] = [at % count, Math.floor(at / count)];
  const one = (x: number, y: number) =>
    cells[Math.min(count - 1, Math.max(0, y)) * count + Math.min(count - 1, Math.max(0, x))]!;
  return (one(column - 1, row) + one(column + 1, row) + one(column, row - 1) + one(column, row + 1)) / 4;
}

/** The mean of the cells around a corner where houses stand, else the lowest: no road dips into the ground. */
function cornerOf(cells: Float32Array, count: number, column: number, row: number, isMean: boolean): number {
  const around: number[] = [];
  for (const y of [row - 1, row]) {
    for (const x of [column - 1, column]) {
      if (x >= 0 && y >= 0 && x < count && y < count) around.push(cells[y * count + x]!);
    }
  }
  return isMean ? around.reduce((sum, value) => sum + value, 0) / around.length : Math.min(...around);
}
