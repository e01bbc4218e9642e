/** Places rectangles on pages: the lowest free place along the upper edge of what lies there (skyline, bottom-left). */

export interface Size {
  width: number;
  height: number;
}

export interface Place {
  page: number;
  x: number;
  y: number;
}

/** As far as rectangles reach. */
export interface Page {
  width: number;
  height: number;
}

/** A part of the upper edge. */
interface Step {
  x: number;
  y: number;
  width: number;
}

/**
 * Places each rectangle; none is larger than a page, whose sides have `side` at most. Places are in the order of the rectangles, the same
 * for the same sizes.
 */
export function packRectangles(sizes: readonly Size[], side: number): { places: Place[]; pages: Page[] } {
  const order = sizes.map((_, i) => i);
  order.sort((a, b) => sizes[b]!.height - sizes[a]!.height || sizes[b]!.width - sizes[a]!.width || a - b);
  const places = new Array<Place>(sizes.length);
  const pages: Page[] = [];
  let rest = order;
  while (rest.length > 0) {
    const skyline = new Skyline(
      widthFor(
        rest.map((i) => sizes[i]!),
        side,
      ),
      side,
    );
    const left: number[] = [];
    for (const i of rest) {
      const at = skyline.place(sizes[i]!);
      if (at === null) left.push(i);
      else places[i] = { page: pages.length, ...at };
    }
    pages.push({ width: skyline.reach, height: skyline.height });
    rest = left;
  }
  return { places, pages };
}

/** Width of a page that is about square, with room for a fifth more; multiples of 4. */
function widthFor(sizes: readonly Size[], side: number): number {
  const area = sizes.reduce((sum, { width, height }) => sum + width * height, 0);
  const widest = sizes.reduce((most, { width }) => Math.max(most, width), 0);
  return Math.min(side, Math.max(widest, 4 * Math.ceil(Math.sqrt(1.2 * area) / 4)));
}

class Skyline {
  readonly width: number;
  height = 0;
  /** How far to the right rectangles reach. */
  reach = 0;
  readonly #side: number;
  #steps: Step[];

  constructor(width: number, side: number) {
    this.width = width;
    this.#side = side;
    this.#steps = [{ x: 0, y: 0, width }];
  }

  /** Null when there is no room. */
  place({ width, height }: Size): { x: number; y: number } | null {
    let best: { step: number; x: number; y: number } | null = null;
    for (const [step, { x }] of this.#steps.entries()) {
      if (x + width > this.width) break;
      const y = this.#lowest(step, width);
      if (y + height > this.#side) continue;
      if (best === null || y < best.y) best = { step, x, y };
    }
    if (best === null) return null;
    this.#raise(best.step, best.x, width, best.y + height);
    this.height = Math.max(this.height, best.y + height);
    this.reach = Math.max(this.reach, best.x + width);
    return { x: best.x, y: best.y };
  }

  /** Where a rectangle comes to lie that begins at a step. */
  #lowest(first: number, width: number): number {
    let y = 0;
    let left = width;
    for (let i = first; left > 0; i++) {
      const step = this.#steps[i]!;
      y = Math.max(y, step.y);
      left -= step.width;
    }
    return y;
  }

  #raise(first: number, x: number, width: number, y: number): void {
    const end = x + width;
    let last = first;
    while (last < this.#steps.length && this.#steps[last]!.x + this.#steps[last]!.width <= end) last++;
    const raised: Step[] = [{ x, y, width }];
    const cut = this.#steps[last];
    if (cut !== undefined && cut.x < end) {
      raised.push({ x: end, y: cut.y, width: cut.x + cut.width - end });
      last++;
    }
    this.#steps.splice(first, last - first, ...raised);
    this.#join();
  }

  /** Neighbours of one height become one step. */
  #join(): void {
    const joined: Step[] = [];
    for (const step of this.#steps) {
      const before = joined.at(-1);
      if (before !== undefined && before.y === step.y) before.width += step.width;
      else joined.push(step);
    }
    this.#steps = joined;
  }
}
