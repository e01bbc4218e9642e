/** Numbers for points in space, the same for points that are nearer than a tolerance. */
import { SOLID_CORNER } from './tolerances.ts';

/** Points go to the first one that is near; neighbours in a grid of cells as wide as the tolerance are looked at. */
export class CornerIds {
  /** Coordinates of the corners by number, three each. */
  readonly positions: number[] = [];
  readonly #cells = new Map<string, number[]>();

  idOf(x: number, y: number, z: number): number {
    const cell = [x, y, z].map((value) => Math.floor(value / SOLID_CORNER)) as [number, number, number];
    for (let dx = -1; dx <= 1; dx++) {
      for (let dy = -1; dy <= 1; dy++) {
        for (let dz = -1; dz <= 1; dz++) {
          for (const id of this.#cells.get(keyOf(cell[0] + dx, cell[1] + dy, cell[2] + dz)) ?? []) {
            const [a, b, c] = [
              this.positions[3 * id]!,
              this.positions[3 * id + 1]!,
              this.positions[3 * id + 2]!,
            ];
            if (Math.hypot(a - x, b - y, c - z) < SOLID_CORNER) return id;
          }
        }
      }
    }
    const id = this.positions.length / 3;
    this.positions.push(x, y, z);
    const key = keyOf(...cell);
    const there = this.#cells.get(key);
    if (there === undefined) this.#cells.set(key, [id]);
    else there.push(id);
    return id;
  }
}

function keyOf(x: number, y: number, z: number): string {
  return `${x} ${y} ${z}`;
}
