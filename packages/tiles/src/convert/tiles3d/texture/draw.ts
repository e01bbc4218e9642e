/** Pieces of images on the pages of an atlas. */

/** Pixels in rows from the upper left, 3 or 4 bytes each. */
export interface Pixels {
  width: number;
  height: number;
  channels: 3 | 4;
  data: Uint8Array;
}

/** Pixels of an image, from its upper left corner; right and bottom edges do not belong to it. */
export interface PixelRect {
  left: number;
  top: number;
  right: number;
  bottom: number;
}

/** Where a piece goes. */
export interface Target {
  x: number;
  y: number;
  width: number;
  height: number;
  /** Pixels around it that repeat its edge, so that no neighbour shines in. */
  edge: number;
}

/** A pixel of an image that is covered as a whole. */
const WHOLE = 256;

/** Draws a piece of an image, made smaller by the mean of what each pixel covers. Both may have 3 or 4 channels. */
export function drawPiece(page: Pixels, source: Pixels, from: PixelRect, to: Target): void {
  const columns = spans(from.left, (from.right - from.left) / to.width, to.width, source.width);
  const rows = spans(from.top, (from.bottom - from.top) / to.height, to.height, source.height);
  const isCopied = page.channels === source.channels && isEach(1, columns) && isEach(1, rows);
  const isHalved = page.channels === source.channels && isEach(2, columns) && isEach(2, rows);
  const first = columns.ends[0]!;
  const sums = new Float64Array((columns.ends.at(-1)! - first) * source.channels);
  for (let y = 0; y < to.height; y++) {
    const at = ((to.y + y) * page.width + to.x) * page.channels;
    const start = (rows.ends[2 * y]! * source.width + first) * source.channels;
    if (isCopied) {
      page.data.set(source.data.subarray(start, start + to.width * source.channels), at);
    } else if (isHalved) drawHalf(page, at, source, start, to.width);
    else {
      addRows(sums, source, first, rows, y);
      drawRow(page, at, sums, source.channels, columns, weightOf(rows, y));
    }
  }
  repeatEdge(page, to);
}

/** What each of some pixels covers along an axis. */
interface Spans {
  /** Pixels of the image, from and to by turns: one at least, inside of the image. */
  ends: Int32Array;
  /** How much is covered of the first of them, and of the last, which counts where it is another one. */
  parts: Int32Array;
}

function spans(start: number, step: number, count: number, size: number): Spans {
  const [ends, parts] = [new Int32Array(2 * count), new Int32Array(2 * count)];
  for (let i = 0; i < count; i++) {
    const first = start + i * step;
    const from = Math.min(size - 1, Math.max(0, Math.floor(first + 1e-6)));
    const to = Math.min(size, Math.max(from + 1, Math.ceil(first + step - 1e-6)));
    ends[2 * i] = from;
    ends[2 * i + 1] = to;
    const part = (covered: number) => Math.round(WHOLE * Math.min(1, Math.max(1 / WHOLE, covered)));
    parts[2 * i] = to === from + 1 ? WHOLE : part(from + 1 - first);
    parts[2 * i + 1] = part(first + step - (to - 1));
  }
  return { ends, parts };
}

/** Of all pixels that one covers. */
function weightOf({ ends, parts }: Spans, i: number): number {
  const count = ends[2 * i + 1]! - ends[2 * i]!;
  return parts[2 * i]! + (count === 1 ? 0 : parts[2 * i + 1]! + (count - 2) * WHOLE);
}

/** True when each pixel covers so many of the image as a whole, which follow each other. */
function isEach(count: number, { ends, parts }: Spans): boolean {
  for (let i = 0; i < ends.length; i++) {
    if (ends[i] !== ends[0]! + count * ((i + 1) >> 1) || (count > 1 && parts[i] !== WHOLE)) return false;
  }
  return true;
}

/** A row of pixels of which each covers two of each of two rows that begin at `from`. */
function drawHalf(
  { data: target, channels }: Pixels,
  to: number,
  { data, width }: Pixels,
  from: number,
  count: number,
): void {
  const below = width * channels;
  for (let i = 0; i < count; i++) {
    for (let c = 0; c < channels; c++) {
      const at = from + 2 * i * channels + c;
      const sum = data[at]! + data[at + channels]! + data[at + below]! + data[at + below + channels]!;
      target[to + i * channels + c] = (sum + 2) >> 2;
    }
  }
}

/** Adds up the rows of the image that a row of pixels covers, from a column on. */
function addRows(
  sums: Float64Array,
  { data, width, channels }: Pixels,
  column: number,
  rows: Spans,
  y: number,
): void {
  const [top, bottom] = [rows.ends[2 * y]!, rows.ends[2 * y + 1]!];
  for (let row = top; row < bottom; row++) {
    const part = row === top ? rows.parts[2 * y]! : row === bottom - 1 ? rows.parts[2 * y + 1]! : WHOLE;
    const start = (row * width + column) * channels;
    if (row === top) for (let i = 0; i < sums.length; i++) sums[i] = part * data[start + i]!;
    else for (let i = 0; i < sums.length; i++) sums[i]! += part * data[start + i]!;
  }
}

/** A row of pixels from sums of the rows that it covers, which have a weight. */
function drawRow(
  { data: target, channels: written }: Pixels,
  to: number,
  sums: Float64Array,
  channels: 3 | 4,
  columns: Spans,
  weight: number,
): void {
  const { ends, parts } = columns;
  const hasAlpha = written === 4 && channels === 4;
  const first = ends[0]!;
  let at = to;
  for (let i = 0; i < ends.length; i += 2, at += written) {
    const last = (ends[i + 1]! - 1 - first) * channels;
    let from = (ends[i]! - first) * channels;
    let part = parts[i]!;
    let covered = part;
    let red = part * sums[from]!;
    let green = part * sums[from + 1]!;
    let blue = part * sums[from + 2]!;
    let alpha = hasAlpha ? part * sums[from + 3]! : 0;
    while (from < last) {
      from += channels;
      part = from === last ? parts[i + 1]! : WHOLE;
      covered += part;
      red += part * sums[from]!;
      green += part * sums[from + 1]!;
      blue += part * sums[from + 2]!;
      if (hasAlpha) alpha += part * sums[from + 3]!;
    }
    const total = covered * weight;
    target[at] = (red / total + 0.5) | 0;
    target[at + 1] = (green / total + 0.5) | 0;
    target[at + 2] = (blue / total + 0.5) | 0;
    if (written === 4) target[at + 3] = hasAlpha ? (alpha / total + 0.5) | 0 : 255;
  }
}

function repeatEdge({ data, width, channels }: Pixels, { x, y, width: w, height: h, edge }: Target): void {
  for (let row = y; row < y + h; row++) {
    const first = (row * width + x) * channels;
    const last = first + (w - 1) * channels;
    for (let i = 1; i <= edge; i++) {
      data.copyWithin(first - i * channels, first, first + channels);
      data.copyWithin(last + i * channels, last, last + channels);
    }
  }
  const [start, length] = [(x - edge) * channels, (w + 2 * edge) * channels];
  for (let i = 1; i <= edge; i++) {
    for (const [from, to] of [
      [y, y - i],
      [y + h - 1, y + h - 1 + i],
    ] as const) {
      const at = from * width * channels + start;
      data.copyWithin(to * width * channels + start, at, at + length);
    }
  }
}
