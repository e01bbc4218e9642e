/** Heights of a terrain on a grid of places. Asking a grid takes many times less than asking triangles. */
import type { Bounds } from '@citymodel/geo';
import type { GroundSample } from './ground-height.ts';
import { METRES_PER_DEGREE } from './ground-tiles.ts';
import type { Surface } from './terrain-mesh.ts';

/** Metres beside a terrain over which its heights become those of feet of buildings there. */
const BESIDE = 80;
/** And at least so many squares. */
const LEAST_BESIDE = 3;
/** Metres around a foot in which it tells the height of the ground, and in which it no longer does. */
const [NEAR, FAR] = [60, 260];
/** Part of a square by which triangles are larger: no corner falls between two. */
const EDGE = 1e-6;
/** Squares between the neighbours that heights beside a terrain become the mean of, by turns, and how often. */
const [STRIDES, TIMES] = [[16, 8, 4, 2, 1], 4];

export class HeightGrid {
  readonly bounds: Bounds;
  readonly #columns: number;
  readonly #rows: number;
  /** Row by row from the south; of corners that no triangle has, what continues the terrain. */
  readonly #heights: Float32Array;
  /** 1 where triangles are, falling to 0 beside them. */
  readonly #shares: Float32Array;
  /** How much the heights count. */
  readonly #weights: Float32Array;
  /** Metres from a corner to the next one in a row and in a column. */
  readonly #steps: readonly [east: number, north: number];

  /** @param columns squares from west to east @param rows squares from south to north */
  constructor(bounds: Bounds, columns: number, rows: number, surfaces: Iterable<Surface>) {
    this.bounds = bounds;
    this.#columns = columns;
    this.#rows = rows;
    const count = (columns + 1) * (rows + 1);
    this.#heights = new Float32Array(count).fill(Number.NaN);
    this.#shares = new Float32Array(count);
    this.#weights = new Float32Array(count);
    const { west, south, east, north } = bounds;
    const shrink = Math.cos((((south + north) / 2) * Math.PI) / 180);
    this.#steps = [
      ((east - west) / columns) * METRES_PER_DEGREE * shrink,
      ((north - south) / rows) * METRES_PER_DEGREE,
    ];
    for (const surface of surfaces) this.#add(surface);
    if (!this.isEmpty) this.#continue();
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
   * Continues the terrain as far as the grid reaches, but for around the feet of buildings: what is beside it, such as
   * the sea, is as high as its rim.
   */
  follow(feet: readonly GroundSample[]): void {
    const { west, south, east, north } = this.bounds;
    const metres = new Float32Array(this.#heights.length).fill(Number.POSITIVE_INFINITY);
    for (const { lng, lat } of feet) {
      const column = Math.round(((lng - west) / (east - west)) * this.#columns);
      const row = Math.round(((lat - south) / (north - south)) * this.#rows);
      if (column < 0 || row < 0 || column > this.#columns || row > this.#rows) continue;
      metres[row * (this.#columns + 1) + column] = 0;
    }
    this.#measure(metres);
    for (const [at, share] of this.#shares.entries()) {
      const near = Math.min(1, Math.max(0, (FAR - metres[at]!) / (FAR - NEAR)));
      this.#weights[at] = 1 - smooth(near) * (1 - smooth(share));
    }
  }

  /**
   * Metres above the ellipsoid.
   *
   * @param otherwise the height of the ground where the terrain says nothing of it
   */
  heightAt(lng: number, lat: number, otherwise: (lng: number, lat: number) => number): number {
    const weight = this.#at(this.#weights, lng, lat);
    if (weight === 0) return otherwise(lng, lat);
    const height = this.#at(this.#heights, lng, lat);
    return weight === 1 ? height : height + (otherwise(lng, lat) - height) * (1 - weight);
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

  /** Continues the terrain over corners without a height: by the nearest that have one, without their steps. */
  #continue(): void {
    const [heights, shares, side] = [this.#heights, this.#shares, this.#columns + 1];
    const metres = Float32Array.from(shares, (share) => (share === 1 ? 0 : Number.POSITIVE_INFINITY));
    this.#measure(metres, (at, from) => {
      heights[at] = heights[from]!;
    });
    const beside = Array.from(shares.keys()).filter((at) => shares[at] !== 1);
    // What lies behind the rim says nothing of what is before it.
    const heightOf = (other: number, stride: number, at: number) =>
      heights[stride > 1 && shares[other] === 1 ? at : other]!;
    for (const stride of STRIDES) {
      for (let n = 0; n < TIMES; n++) {
        for (let i = 0; i < beside.length; i++) {
          // There and back, so that nothing is drawn to one side
          const at = beside[n % 2 === 0 ? i : beside.length - 1 - i]!;
          const column = at % side;
          const row = (at - column) / side;
          heights[at] =
            (heightOf(at - Math.min(column, stride), stride, at) +
              heightOf(at + Math.min(this.#columns - column, stride), stride, at) +
              heightOf(at - Math.min(row, stride) * side, stride, at) +
              heightOf(at + Math.min(this.#rows - row, stride) * side, stride, at)) /
            4;
        }
      }
    }
    const reach = Math.max(BESIDE, LEAST_BESIDE * Math.max(...this.#steps));
    for (const at of shares.keys()) {
      shares[at] = Math.max(0, 1 - metres[at]! / reach);
      this.#weights[at] = smooth(shares[at]!);
    }
  }

  /**
   * Measures how far corners are from those that are 0, metres.
   *
   * @param onNearer is told of a corner and the one beside it over which it is nearer
   */
  #measure(metres: Float32Array, onNearer: (at: number, from: number) => void = () => {}): void {
    const side = this.#columns + 1;
    const [wide, high] = this.#steps;
    const diagonal = Math.hypot(wide, high);
    const take = (at: number, from: number, far: number) => {
      if (metres[from]! + far >= metres[at]!) return;
      metres[at] = metres[from]! + far;
      onNearer(at, from);
    };
    // From the south-west to the north-east and back, which finds the way around most corners
    for (const on of [-1, 1]) {
      for (let n = 0; n < metres.length; n++) {
        const at = on < 0 ? n : metres.length - 1 - n;
        const column = at % side;
        const [hasBefore, hasAfter] = [column > 0, column < this.#columns];
        if (on < 0 ? hasBefore : hasAfter) take(at, at + on, wide);
        const row = at + on * side;
        if (row < 0 || row >= metres.length) continue;
        take(at, row, high);
        if (hasBefore) take(at, row - 1, diagonal);
        if (hasAfter) take(at, row + 1, diagonal);
      }
    }
  }
}

/** From 0 to 1 without a kink at either end. */
function smooth(share: number): number {
  return share * share * (3 - 2 * share);
}
