/** Numbers for points in space, the same for points that are nearer than a tolerance. */
import { SOLID_CORNER } from './tolerances.ts';

/** Tolerances in a cell of the grid: several, so that most points have all that is near in their own cell. */
const CELL = 4;

/** Points go to the first one that is near. */
export class CornerIds {
  /** Coordinates of the corners by number, three each. */
  readonly positions: number[] = [];
  readonly #cells = new Map<number, number[]>();
  readonly #tolerance: number;

  constructor(tolerance = SOLID_CORNER) {
    this.#tolerance = tolerance;
  }

  idOf(x: number, y: number, z: number): number {
    const near = this.#tolerance;
    const cell = CELL * near;
    const [west, east] = [Math.floor((x - near) / cell), Math.floor((x + near) / cell)];
    const [south, north] = [Math.floor((y - near) / cell), Math.floor((y + near) / cell)];
    const [low, high] = [Math.floor((z - near) / cell), Math.floor((z + near) / cell)];
    for (let cx = west; cx <= east; cx++) {
      for (let cy = south; cy <= north; cy++) {
        for (let cz = low; cz <= high; cz++) {
          const id = this.#nearIn(keyOf(cx, cy, cz), x, y, z);
          if (id >= 0) return id;
        }
      }
    }
    const id = this.positions.length / 3;
    this.positions.push(x, y, z);
    const key = keyOf(Math.floor(x / cell), Math.floor(y / cell), Math.floor(z / cell));
    const there = this.#cells.get(key);
    if (there === undefined) this.#cells.set(key, [id]);
    else there.push(id);
    return id;
  }

  #nearIn(cell: number, x: number, y: number, z: number): number {
    const ids = this.#cells.get(cell);
    if (ids === undefined) return -1;
    for (const id of ids) {
      const [a, b, c] = [
        this.positions[3 * id]! - x,
        this.positions[3 * id + 1]! - y,
        this.positions[3 * id + 2]! - z,
      ];
      if (a * a + b * b + c * c < this.#tolerance * this.#tolerance) return id;
    }
    return -1;
  }
}

/** Cells that share a key are told apart by the distances of their points. */
function keyOf(x: number, y: number, z: number): number {
  return Math.imul(x, 73_856_093) ^ Math.imul(y, 19_349_663) ^ Math.imul(z, 83_492_791);
}
