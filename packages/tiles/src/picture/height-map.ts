/** What is highest along one direction: from above the shape of a city, along the sun what its light falls on. */
import type { Vec3 } from '@citymodel/geo';
import type { Surface } from './surfaces.ts';

/** A map seen along a direction, with square cells. */
export class HeightMap {
  readonly #axes: readonly [Vec3, Vec3, Vec3];
  readonly size: number;
  /** Half the side, metres. */
  readonly reach: number;
  /** Metres towards the viewer; -Infinity where nothing is. */
  readonly heights: Float32Array;

  /** @param direction to what sees the map, of any length: up, or the sun */
  constructor(direction: Vec3, reach: number, size: number) {
    const toward = unit(direction);
    const across: Vec3 = Math.abs(toward[2]) > 0.99 ? [1, 0, 0] : unit([-toward[1], toward[0], 0]);
    const down: Vec3 = [
      toward[1] * across[2] - toward[2] * across[1],
      toward[2] * across[0] - toward[0] * across[2],
      toward[0] * across[1] - toward[1] * across[0],
    ];
    this.#axes = [across, down, toward];
    this.reach = reach;
    this.size = size;
    this.heights = new Float32Array(size * size).fill(-Infinity);
  }

  draw({
    positions,
    indices,
    factor,
    colours,
  }: Pick<Surface, 'positions' | 'indices' | 'factor' | 'colours'>): void {
    // Water and other things that are seen through throw no shadow.
    if (factor[3] < 0.98 || (colours !== null && colours[3]! < 0.98)) return;
    const { size, heights } = this;
    const cells = new Float64Array(positions.length);
    const one = new Float64Array(3);
    for (let i = 0; i + 2 < positions.length; i += 3) {
      this.cell(positions[i]!, positions[i + 1]!, positions[i + 2]!, one);
      cells[i] = one[0]!;
      cells[i + 1] = one[1]!;
      cells[i + 2] = one[2]!;
    }
    for (let t = 0; t + 2 < indices.length; t += 3) {
      const [a, b, c] = [3 * indices[t]!, 3 * indices[t + 1]!, 3 * indices[t + 2]!];
      const [ax, ay, az] = [cells[a]!, cells[a + 1]!, cells[a + 2]!];
      const [bx, by, bz] = [cells[b]! - ax, cells[b + 1]! - ay, cells[b + 2]! - az];
      const [cx, cy, cz] = [cells[c]! - ax, cells[c + 1]! - ay, cells[c + 2]! - az];
      const area = bx * cy - cx * by;
      if (!(Math.abs(area) > 1e-9)) continue;
      const left = Math.max(0, Math.ceil(Math.min(ax, cells[b]!, cells[c]!) - 0.5));
      const right = Math.min(size - 1, Math.floor(Math.max(ax, cells[b]!, cells[c]!) - 0.5));
      const top = Math.max(0, Math.ceil(Math.min(ay, cells[b + 1]!, cells[c + 1]!) - 0.5));
      const bottom = Math.min(size - 1, Math.floor(Math.max(ay, cells[b + 1]!, cells[c + 1]!) - 0.5));
      for (let y = top; y <= bottom; y++) {
        const dy = y + 0.5 - ay;
        let isInside = false;
        for (let x = left; x <= right; x++) {
          const dx = x + 0.5 - ax;
          const wb = (dx * cy - dy * cx) / area;
          const wc = (dy * bx - dx * by) / area;
          if (wb < 0 || wc < 0 || wb + wc > 1) {
            // A row leaves a triangle once.
            if (isInside) break;
            continue;
          }
          isInside = true;
          const height = az + wb * bz + wc * cz;
          if (height > heights[y * size + x]!) heights[y * size + x] = height;
        }
      }
    }
  }

  /** Writes column and row of a point, with fractions, and its height into `cell`. */
  cell(x: number, y: number, z: number, cell: Float64Array): Float64Array {
    const [across, down, toward] = this.#axes;
    const scale = this.size / (2 * this.reach);
    cell[0] = (across[0] * x + across[1] * y + across[2] * z + this.reach) * scale;
    cell[1] = (down[0] * x + down[1] * y + down[2] * z + this.reach) * scale;
    cell[2] = toward[0] * x + toward[1] * y + toward[2] * z;
    return cell;
  }

  /** The height of a cell; -Infinity outside of the map. */
  at(column: number, row: number): number {
    const [x, y] = [Math.floor(column), Math.floor(row)];
    return x < 0 || y < 0 || x >= this.size || y >= this.size ? -Infinity : this.heights[y * this.size + x]!;
  }
}

export function unit([x, y, z]: Vec3): Vec3 {
  const length = Math.hypot(x, y, z);
  return [x / length, y / length, z / length];
}
