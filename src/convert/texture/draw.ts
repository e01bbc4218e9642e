/** Pieces of images on the pages of an atlas. */
import type { Pixels } from './images.ts';

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

/** Draws a piece of an image, made smaller by the mean of what each pixel covers. Both may have 3 or 4 channels. */
export function drawPiece(page: Pixels, source: Pixels, from: PixelRect, to: Target): void {
  const columns = spans(from.left, (from.right - from.left) / to.width, to.width, source.width);
  const rows = spans(from.top, (from.bottom - from.top) / to.height, to.height, source.height);
  const isCopied = page.channels === source.channels && isEach(1, columns) && isEach(1, rows);
  const isHalved = page.channels === source.channels && isEach(2, columns) && isEach(2, rows);
  const sums = new Uint32Array((columns.at(-1)! - columns[0]!) * source.channels);
  for (let y = 0; y < to.height; y++) {
    const at = ((to.y + y) * page.width + to.x) * page.channels;
    const [top, bottom] = [rows[2 * y]!, rows[2 * y + 1]!];
    if (isCopied) {
      const start = (top * source.width + columns[0]!) * source.channels;
      page.data.set(source.data.subarray(start, start + to.width * source.channels), at);
    } else if (isHalved)
      drawHalf(page, at, source, (top * source.width + columns[0]!) * source.channels, to.width);
    else drawRow(page, at, source, top, bottom, columns, sums);
  }
  repeatEdge(page, to);
}

/** For each of `count` pixels those of the image that it covers, from and to by turns: one at least, inside of the image. */
function spans(start: number, step: number, count: number, size: number): Int32Array {
  const ends = new Int32Array(2 * count);
  for (let i = 0; i < count; i++) {
    const first = start + i * step;
    const from = Math.min(size - 1, Math.max(0, Math.floor(first + 1e-6)));
    ends[2 * i] = from;
    ends[2 * i + 1] = Math.min(size, Math.max(from + 1, Math.ceil(first + step - 1e-6)));
  }
  return ends;
}

/** True when each pixel covers so many of the image, which follow each other. */
function isEach(count: number, ends: Int32Array): boolean {
  for (let i = 0; i < ends.length; i++) if (ends[i] !== ends[0]! + count * ((i + 1) >> 1)) return false;
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

/** A row of pixels; rows of the image are added up first, then columns of that. `sums`: has room for all that they cover. */
function drawRow(
  { data: target, channels: written }: Pixels,
  to: number,
  { channels, data, width }: Pixels,
  top: number,
  bottom: number,
  columns: Int32Array,
  sums: Uint32Array,
): void {
  const first = columns[0]!;
  const start = (top * width + first) * channels;
  for (let i = 0; i < sums.length; i++) sums[i] = data[start + i]!;
  for (let y = top + 1; y < bottom; y++) {
    const row = (y * width + first) * channels;
    for (let i = 0; i < sums.length; i++) sums[i]! += data[row + i]!;
  }
  const hasAlpha = written === 4 && channels === 4;
  let at = to;
  for (let i = 0; i < columns.length; i += 2, at += written) {
    const [left, right] = [columns[i]! - first, columns[i + 1]! - first];
    let red = 0;
    let green = 0;
    let blue = 0;
    let alpha = 0;
    for (let from = left * channels; from < right * channels; from += channels) {
      red += sums[from]!;
      green += sums[from + 1]!;
      blue += sums[from + 2]!;
      if (hasAlpha) alpha += sums[from + 3]!;
    }
    const count = (right - left) * (bottom - top);
    target[at] = (red / count + 0.5) | 0;
    target[at + 1] = (green / count + 0.5) | 0;
    target[at + 2] = (blue / count + 0.5) | 0;
    if (written === 4) target[at + 3] = hasAlpha ? (alpha / count + 0.5) | 0 : 255;
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
