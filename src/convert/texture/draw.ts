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
  const stepX = (from.right - from.left) / to.width;
  const stepY = (from.bottom - from.top) / to.height;
  for (let y = 0; y < to.height; y++) {
    const [top, bottom] = span(from.top + y * stepY, stepY, source.height);
    for (let x = 0; x < to.width; x++) {
      const [left, right] = span(from.left + x * stepX, stepX, source.width);
      drawMean(page, (to.y + y) * page.width + to.x + x, source, left, top, right, bottom);
    }
  }
  repeatEdge(page, to);
}

/** The pixels from `start` over `step`, one at least, inside of the image. */
function span(start: number, step: number, size: number): [from: number, to: number] {
  const from = Math.min(size - 1, Math.max(0, Math.floor(start + 1e-6)));
  return [from, Math.min(size, Math.max(from + 1, Math.ceil(start + step - 1e-6)))];
}

function drawMean(
  page: Pixels,
  pixel: number,
  source: Pixels,
  left: number,
  top: number,
  right: number,
  bottom: number,
): void {
  const { channels, data, width } = source;
  const at = pixel * page.channels;
  if (right === left + 1 && bottom === top + 1) {
    const from = (top * width + left) * channels;
    page.data[at] = data[from]!;
    page.data[at + 1] = data[from + 1]!;
    page.data[at + 2] = data[from + 2]!;
    if (page.channels === 4) page.data[at + 3] = channels === 4 ? data[from + 3]! : 255;
    return;
  }
  let [red, green, blue, alpha] = [0, 0, 0, 0];
  for (let y = top; y < bottom; y++) {
    let from = (y * width + left) * channels;
    for (let x = left; x < right; x++, from += channels) {
      red += data[from]!;
      green += data[from + 1]!;
      blue += data[from + 2]!;
      alpha += channels === 4 ? data[from + 3]! : 255;
    }
  }
  const count = (right - left) * (bottom - top);
  page.data[at] = (red / count + 0.5) | 0;
  page.data[at + 1] = (green / count + 0.5) | 0;
  page.data[at + 2] = (blue / count + 0.5) | 0;
  if (page.channels === 4) page.data[at + 3] = (alpha / count + 0.5) | 0;
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
