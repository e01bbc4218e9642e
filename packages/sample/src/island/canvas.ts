/** A small square to draw on. */
import type { Random } from '../random.ts';
import { png } from './png.ts';

/** Red, green, blue: 0 to 255. */
export type Colour = readonly [red: number, green: number, blue: number];

export class Canvas {
  readonly #side: number;
  readonly #rgb: Uint8ClampedArray;

  constructor(side: number, colour: Colour) {
    this.#side = side;
    this.#rgb = new Uint8ClampedArray(side * side * 3);
    this.fill(0, 0, side, side, colour);
  }

  /** Pixels from the left and the top. */
  fill(left: number, top: number, right: number, bottom: number, colour: Colour): void {
    this.#over(left, top, right, bottom, (at) => this.#rgb.set(colour, at));
  }

  /** Makes all colours of a box darker, or lighter by less than 0. */
  shade(left: number, top: number, right: number, bottom: number, darker: number): void {
    this.#over(left, top, right, bottom, (at) => {
      for (let i = at; i < at + 3; i++) this.#rgb[i]! -= darker;
    });
  }

  /** Squares of four by four pixels that are a little lighter or darker than others. */
  grain(random: Random, most: number): void {
    for (let y = 0; y < this.#side; y += 4) {
      for (let x = 0; x < this.#side; x += 4) this.shade(x, y, x + 4, y + 4, random.int(-most, most));
    }
  }

  png(): Uint8Array {
    return png(this.#side, Uint8Array.from(this.#rgb));
  }

  #over(left: number, top: number, right: number, bottom: number, draw: (at: number) => void): void {
    const [x0, x1] = [Math.round(left), Math.min(this.#side, Math.round(right))];
    for (let y = Math.round(top); y < Math.min(this.#side, Math.round(bottom)); y++) {
      for (let x = x0; x < x1; x++) draw((y * this.#side + x) * 3);
    }
  }
}
