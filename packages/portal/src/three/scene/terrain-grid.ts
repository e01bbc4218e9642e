/** Heights of a terrain on a grid of places. Asking a grid takes many times less than asking triangles. */
import type { Bounds } from '@citymodel/geo';
import type { GroundSample } from './ground-height.ts';
import { METRES_PER_DEGREE } from './ground-tiles.ts';
import type { Surface } from './terrain-mesh.ts';

/** Metres beside a terrain over which its heights become those of the ground around. */
const BESIDE = 80;
/** And at least so many squares. */
const LEAST_BESIDE = 3;
/** Part of a square by which triangles are larger: no corner falls between two. */
const EDGE = 1e-6;
/** Corners of a rim that are taken. */
const MOST_OF_RIM = 3_000;

export class HeightGrid {
  readonly bounds: Bounds;
  readonly #columns: number;
  readonly #rows: number;
  /** Row by row from the south; of corners that no triangle has, those of the nearest that one has. */
  readonly #heights: Float32Array;
  /** 1 where triangles are, falling to 0 beside them. */
  readonly #shares: Float32Array;

  /** @param columns squares from west to east @param rows squares from south to north */
  constructor(bounds: Bounds, columns: number, rows: number, surfaces: Iterable<Surface>) {
    this.bounds = bounds;
    this.#columns = columns;
    this.#rows = rows;
    const count = (columns + 1) * (rows + 1);
    this.#heights = new Float32Array(count).fill(Number.NaN);
    this.#shares = new Float32Array(count);
    for (const surface of surfaces) this.#add(surface);
    this.#spread();
  }

  /** Whether nothing of the terrain is here. */
  get isEmpty(): boolean {
    return !this.#shares.some((share) => share === 1);
  }

  /** How much the terrain says of the height at a place: 1 on it, 0 far from it, between these beside it. */
  shareAt(lng: number, lat: number): number {
    return this.#at(this.#shares, lng, lat);
  }

  /**
   * Metres above the ellipsoid.
   *
   * @param otherwise the height of the ground where there is no terrain
   */
  heightAt(lng: number, lat: number, otherwise: (lng: number, lat: number) => number): number {
    const share = this.shareAt(lng, lat);
    if (share === 0) return otherwise(lng, lat);
    const height = this.#at(this.#heights, lng, lat);
    if (share === 1) return height;
    const other = otherwise(lng, lat);
    // Without a kink at either end
    return other + (height - other) * share * share * (3 - 2 * share);
  }

  /** Corners on the terrain beside ones that are not, 3,000 at most. */
  rim(): GroundSample[] {
    const { west, south, east, north } = this.bounds;
    const side = this.#columns + 1;
    const isOn = (column: number, row: number) =>
      column < 0 ||
      row < 0 ||
      column > this.#columns ||
      row > this.#rows ||
      this.#shares[row * side + column] === 1;
    const found: GroundSample[] = [];
    for (const [at, low] of this.#heights.entries()) {
      const [column, row] = [at % side, Math.floor(at / side)];
      const isRim =
        isOn(column, row) &&
        !(isOn(column - 1, row) && isOn(column + 1, row) && isOn(column, row - 1) && isOn(column, row + 1));
      if (!isRim) continue;
      found.push({
        lng: west + ((east - west) * column) / this.#columns,
        lat: south + ((north - south) * row) / this.#rows,
        low,
      });
    }
    const step = Math.ceil(found.length / MOST_OF_RIM);
    return found.filter((_, i) => i % step === 0);
  }

  /** Between the corners of a square; 0 beyond the grid. */
  #at(values: Float32Array, lng: number, lat: number): number {
    const { west, south, east, north } = this.bounds;
    const x = ((lng - west) / (east - west)) * this.#columns;
    const y = ((lat - south) / (north - south)) * this.#rows;
    // The last digit may lie beyond the edge.
    if (x < -1e-6 || y < -1e-6 || x > this.#columns + 1e-6 || y > this.#rows + 1e-6) return 0;
    const column = Math.min(this.#columns - 1, Math.max(0, Math.floor(x)));
    const row = Math.min(this.#rows - 1, Math.max(0, Math.floor(y)));
    const [s, t] = [x - column, y - row];
    const at = row * (this.#columns + 1) + column;
    const above = at + this.#columns + 1;
    const below = values[at]! + (values[at + 1]! - values[at]!) * s;
    return below + (values[above]! + (values[above + 1]! - values[above]!) * s - below) * t;
  }

  /** Notes the heights of the corners that lie in triangles; of several, the highest. */
  #add({ places, indices }: Surface): void {
    const { west, south, east, north } = this.bounds;
    const [perColumn, perRow] = [this.#columns / (east - west), this.#rows / (north - south)];
    for (let i = 0; i + 2 < indices.length; i += 3) {
      const [a, b, c] = [3 * indices[i]!, 3 * indices[i + 1]!, 3 * indices[i + 2]!];
      const [ax, ay] = [(places[a]! - west) * perColumn, (places[a + 1]! - south) * perRow];
      const [bx, by] = [(places[b]! - west) * perColumn, (places[b + 1]! - south) * perRow];
      const [cx, cy] = [(places[c]! - west) * perColumn, (places[c + 1]! - south) * perRow];
      const twice = (bx - ax) * (cy - ay) - (cx - ax) * (by - ay);
      if (twice === 0) continue;
      const last = Math.min(this.#columns, Math.floor(Math.max(ax, bx, cx) + EDGE));
      const top = Math.min(this.#rows, Math.floor(Math.max(ay, by, cy) + EDGE));
      const first = Math.max(0, Math.ceil(Math.min(ax, bx, cx) - EDGE));
      for (let y = Math.max(0, Math.ceil(Math.min(ay, by, cy) - EDGE)); y <= top; y++) {
        for (let x = first; x <= last; x++) {
          const ofB = ((x - ax) * (cy - ay) - (cx - ax) * (y - ay)) / twice;
          const ofC = ((bx - ax) * (y - ay) - (x - ax) * (by - ay)) / twice;
          if (ofB < -EDGE || ofC < -EDGE || ofB + ofC > 1 + EDGE) continue;
          const low = places[a + 2]!;
          const height = low + ofB * (places[b + 2]! - low) + ofC * (places[c + 2]! - low);
          const at = y * (this.#columns + 1) + x;
          if (!(this.#heights[at]! >= height)) this.#heights[at] = height;
          this.#shares[at] = 1;
        }
      }
    }
  }

  /** Gives corners without a height that of the nearest with one, and the shares that fall with the distance. */
  #spread(): void {
    const { west, south, east, north } = this.bounds;
    const shrink = Math.cos((((south + north) / 2) * Math.PI) / 180);
    const wide = ((east - west) / this.#columns) * METRES_PER_DEGREE * shrink;
    const high = ((north - south) / this.#rows) * METRES_PER_DEGREE;
    const reach = Math.max(BESIDE, LEAST_BESIDE * Math.max(wide, high));
    const [heights, shares, side] = [this.#heights, this.#shares, this.#columns + 1];
    const metres = Float32Array.from(shares, (share) => (share === 1 ? 0 : Number.POSITIVE_INFINITY));
    const take = (at: number, column: number, row: number, right: number, up: number) => {
      const x = column + right;
      const y = row + up;
      if (x < 0 || y < 0 || x > this.#columns || y > this.#rows) return;
      const from = y * side + x;
      const far = metres[from]! + Math.hypot(right * wide, up * high);
      if (far >= metres[at]!) return;
      metres[at] = far;
      heights[at] = heights[from]!;
    };
    // From the south-west to the north-east and back, which finds the way around most corners.
    for (const on of [-1, 1]) {
      for (let n = 0; n < heights.length; n++) {
        const at = on < 0 ? n : heights.length - 1 - n;
        const [column, row] = [at % side, Math.floor(at / side)];
        take(at, column, row, on, 0);
        for (const right of [-1, 0, 1]) take(at, column, row, right, on);
      }
    }
    for (let at = 0; at < heights.length; at++) {
      shares[at] = Math.max(0, 1 - metres[at]! / reach);
      if (Number.isNaN(heights[at]!)) heights[at] = 0;
    }
  }
}
