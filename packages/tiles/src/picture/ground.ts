/** The ground under a model that has none: as low as what stands on it, and smooth between. */
import type { Surface } from './surfaces.ts';

/** Cells along a side. */
const CELLS = 64;

/**
 * Triangles of the ground, as far as `reach` metres from the middle; null without any vertex.
 *
 * @param below how far under the lowest vertices it lies, metres
 */
export function groundUnder(surfaces: readonly Surface[], reach: number, below: number): Surface | null {
  const lowest = lowestOf(surfaces, reach);
  if (lowest === null) return null;
  const side = CELLS + 1;
  const positions = new Float32Array(side * side * 3);
  for (let row = 0, at = 0; row < side; row++) {
    for (let column = 0; column < side; column++, at += 3) {
      positions[at] = (column / CELLS - 0.5) * 2 * reach;
      positions[at + 1] = (row / CELLS - 0.5) * 2 * reach;
      positions[at + 2] = cornerOf(lowest, column, row) - below;
    }
  }
  const indices = new Uint32Array(CELLS * CELLS * 6);
  for (let row = 0, at = 0; row < CELLS; row++) {
    for (let column = 0; column < CELLS; column++, at += 6) {
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
  };
}

/** The lowest vertex of each cell; cells without one lie between their neighbours. */
function lowestOf(surfaces: readonly Surface[], reach: number): Float32Array | null {
  const cells = new Float32Array(CELLS * CELLS).fill(Infinity);
  for (const { positions } of surfaces) {
    for (let i = 0; i < positions.length; i += 3) {
      const column = Math.floor((positions[i]! / (2 * reach) + 0.5) * CELLS);
      const row = Math.floor((positions[i + 1]! / (2 * reach) + 0.5) * CELLS);
      if (column < 0 || row < 0 || column >= CELLS || row >= CELLS) continue;
      const at = row * CELLS + column;
      if (positions[i + 2]! < cells[at]!) cells[at] = positions[i + 2]!;
    }
  }
  const known = Uint8Array.from(cells, (value) => (value < Infinity ? 1 : 0));
  const first = cells.find((value) => value < Infinity);
  if (first === undefined) return null;
  let sum = 0;
  let count = 0;
  for (const value of cells) if (value < Infinity) [sum, count] = [sum + value, count + 1];
  for (let i = 0; i < cells.length; i++) if (known[i] === 0) cells[i] = sum / count;
  // What is not known becomes the mean of what is around it, until that has spread.
  for (let round = 0; round < 200; round++) {
    for (let i = 0; i < cells.length; i++) if (known[i] === 0) cells[i] = around(cells, i);
  }
  return cells;
}

function around(cells: Float32Array, at: number): number {
  const [column, row] = [at % CELLS, Math.floor(at / CELLS)];
  const one = (x: number, y: number) =>
    cells[Math.min(CELLS - 1, Math.max(0, y)) * CELLS + Math.min(CELLS - 1, Math.max(0, x))]!;
  return (one(column - 1, row) + one(column + 1, row) + one(column, row - 1) + one(column, row + 1)) / 4;
}

/** The lowest of the four cells around a corner: no house sinks into the ground. */
function cornerOf(cells: Float32Array, column: number, row: number): number {
  let lowest = Infinity;
  for (const y of [row - 1, row]) {
    for (const x of [column - 1, column]) {
      if (x >= 0 && y >= 0 && x < CELLS && y < CELLS) lowest = Math.min(lowest, cells[y * CELLS + x]!);
    }
  }
  return lowest;
}
