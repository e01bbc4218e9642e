/** How high the ground is: as a terrain has it, as fine as there is one, and else guessed from the feet of buildings. */
import type { Bounds } from '@citymodel/geo';
import { type GroundSample, groundHeight } from './ground-height.ts';
import type { HeightGrid } from './terrain-grid.ts';

/** Heights of a tile that are looked at, along a side. */
const LOOKS = 17;
/** A tile with such differences of height has hills, metres. */
const HILLS = 1;

export class Relief {
  /** Of the ground around a model, and of what is looked at. */
  #whole: HeightGrid | null = null;
  #finer: HeightGrid | null = null;
  #samples: readonly GroundSample[] = [];
  #guess: (lng: number, lat: number) => number = () => 0;

  get hasTerrain(): boolean {
    return this.#whole !== null || this.#finer !== null;
  }

  /** Takes the feet of buildings. @param otherwise metres above the ellipsoid, without any */
  follow(samples: readonly GroundSample[], otherwise: number): void {
    this.#samples = samples;
    this.#guess = groundHeight(samples, otherwise);
    this.#whole?.follow(samples);
  }

  get whole(): HeightGrid | null {
    return this.#whole;
  }

  set whole(grid: HeightGrid | null) {
    this.#whole = grid;
    grid?.follow(this.#samples);
  }

  get finer(): HeightGrid | null {
    return this.#finer;
  }

  set finer(grid: HeightGrid | null) {
    this.#finer = grid;
  }

  /** Metres above the ellipsoid. */
  readonly heightAt = (lng: number, lat: number): number =>
    this.#finer === null ? this.#ofWhole(lng, lat) : this.#finer.heightAt(lng, lat, this.#ofWhole);

  readonly #ofWhole = (lng: number, lat: number): number =>
    this.#whole === null ? this.#guess(lng, lat) : this.#whole.heightAt(lng, lat, this.#guess);

  /** How much a terrain says of the height at a place: 1 on it, 0 far from it. */
  readonly shareAt = (lng: number, lat: number): number =>
    Math.max(this.#finer?.shareAt(lng, lat) ?? 0, this.#whole?.shareAt(lng, lat) ?? 0);

  /** Whether a place lies on the terrain. */
  isTerrain(lng: number, lat: number): boolean {
    return this.shareAt(lng, lat) === 1;
  }

  /** Heights all over a box, which tell whether the ground is another one; a few where there is no terrain. */
  looksOf({ west, south, east, north }: Bounds): { heights: number[]; isRugged: boolean } {
    const steps = LOOKS - 1;
    const lng = (i: number) => west + ((east - west) * i) / steps;
    const lat = (i: number) => south + ((north - south) * i) / steps;
    const all = Array.from(
      { length: LOOKS ** 2 },
      (_, i) => [lng(i % LOOKS), lat(Math.floor(i / LOOKS))] as const,
    );
    if (all.some(([x, y]) => this.shareAt(x, y) > 0)) {
      const heights = all.map(([x, y]) => this.heightAt(x, y));
      const [low, high] = [
        heights.reduce((a, b) => Math.min(a, b)),
        heights.reduce((a, b) => Math.max(a, b)),
      ];
      return { heights, isRugged: high - low > HILLS };
    }
    const few = [
      [0, 0],
      [steps, 0],
      [0, steps],
      [steps, steps],
      [steps / 2, steps / 2],
    ] as const;
    return { heights: few.map(([x, y]) => this.heightAt(lng(x), lat(y))), isRugged: false };
  }
}
