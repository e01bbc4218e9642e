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

/** Sides are powers of two: CesiumJS makes other images larger until they are, before it draws them with mipmaps. */
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
 * Places each rectangle; none is larger than a page, whose sides have `side` at most, a power of two. Places are in the
 * order of the rectangles, the same for the same sizes. Throws a RangeError when a rectangle fits on no page.
 */
export function packRectangles(sizes: readonly Size[], side: number): { places: Place[]; pages: Page[] } {
  const order = sizes.map((_, i) => i);
  order.sort((a, b) => sizes[b]!.height - sizes[a]!.height || sizes[b]!.width - sizes[a]!.width || a - b);
  const places = new Array<Place>(sizes.length);
  const pages: Page[] = [];
  let rest = order;
  while (rest.length > 0) {
    const { page, corners } = packPage(
      rest.map((i) => sizes[i]!),
      side,
    );
    const left: number[] = [];
    for (const [k, i] of rest.entries()) {
      const corner = corners[k]!;
      if (corner === null) left.push(i);
      else places[i] = { page: pages.length, ...corner };
    }
    if (left.length === rest.length) {
      const { width, height } = sizes[left[0]!]!;
      throw new RangeError(
        `No page with sides of ${side} holds any of ${left.length} rectangles, such as ${width} × ${height}.`,
      );
    }
    pages.push(page);
    rest = left;
  }
  return { places, pages };
}

type Corner = { x: number; y: number };

/**
 * Smaller pages than this are not divided, pixels: what would be saved is not worth drawing a part of the tile by
 * itself.
 */
const LEAST_DIVIDED = 512 * 512;
/** Part of a page that rectangles fill, about, when they are placed on it. */
const FILLED = 0.9;

/** A page, and where rectangles lie on it: null for those that it has no room for. */
interface Filled {
  page: Page;
  corners: Array<Corner | null>;
}

/**
 * On the smallest page that has room for all. Where that would stay rather empty, on one of half its size, and the
 * others go onto a further page. Without room for all, as many as the largest page holds.
 */
function packPage(sizes: readonly Size[], side: number): Filled {
  const whole = smallestFor(sizes, pageSizes(side));
  if (whole !== null) return divided(whole.page, sizes, side) ?? whole;
  const page = { width: side, height: side };
  return { page, corners: placeOn(page, sizes) };
}

/** The first page that has room for all; null when there is none. `pages`: the smallest first. */
function smallestFor(sizes: readonly Size[], pages: readonly Page[]): Filled | null {
  const area = areaOf(sizes);
  let [widest, highest] = [0, 0];
  for (const { width, height } of sizes) {
    widest = Math.max(widest, width);
    highest = Math.max(highest, height);
  }
  for (const page of pages) {
    if (areaOf([page]) < area || page.width < widest || page.height < highest) continue;
    const corners = placeOn(page, sizes);
    if (!corners.includes(null)) return { page, corners };
  }
  return null;
}

/** On a page of half the size, when the others then take less than the other half; null when they do not. */
function divided(page: Page, sizes: readonly Size[], side: number): Filled | null {
  const half = areaOf([page]) / 2;
  const enough = areaOf(sizes) - (FILLED * half) / 2;
  if (2 * half < LEAST_DIVIDED || enough > half) return null;
  const pages = pageSizes(side);
  const halves = pages.filter((page) => areaOf([page]) <= half);
  for (const smaller of pages) {
    if (areaOf([smaller]) !== half) continue;
    const corners = placeOn(smaller, sizes);
    const rest = sizes.filter((_, i) => corners[i] === null);
    if (rest.length === sizes.length || areaOf(sizes) - areaOf(rest) < enough) continue;
    const further = smallestFor(rest, halves)?.page;
    if (further === undefined) continue;
    if (areaOf([further]) < half || divided(further, rest, side) !== null) return { page: smaller, corners };
  }
  return null;
}

/** Pixels of rectangles. */
function areaOf(sizes: readonly Size[]): number {
  return sizes.reduce((sum, { width, height }) => sum + width * height, 0);
}

function placeOn(page: Page, sizes: readonly Size[]): Filled['corners'] {
  const skyline = new Skyline(page);
  return sizes.map((size) => skyline.place(size));
}

/** Pages up to four times as long as wide, the smallest first. */
function pageSizes(side: number): Page[] {
  const pages: Page[] = [];
  for (let width = 4; width <= side; width *= 2) {
    for (let height = Math.max(4, width / 4); height <= Math.min(side, 4 * width); height *= 2) {
      pages.push({ width, height });
    }
  }
  const longest = ({ width, height }: Page) => Math.max(width, height);
  return pages.sort(
    (a, b) => a.width * a.height - b.width * b.height || longest(a) - longest(b) || b.width - a.width,
  );
}

class Skyline {
  readonly #page: Page;
  #steps: Step[];

  constructor(page: Page) {
    this.#page = page;
    this.#steps = [{ x: 0, y: 0, width: page.width }];
  }

  /** Null when there is no room. */
  place({ width, height }: Size): Corner | null {
    let best: { step: number; x: number; y: number } | null = null;
    for (const [step, { x }] of this.#steps.entries()) {
      if (x + width > this.#page.width) break;
      const y = this.#lowest(step, width);
      if (y + height > this.#page.height) continue;
      if (best === null || y < best.y) best = { step, x, y };
    }
    if (best === null) return null;
    this.#raise(best.step, best.x, width, best.y + height);
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
