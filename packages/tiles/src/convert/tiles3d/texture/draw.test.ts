import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { drawPiece, type Pixels } from './draw.ts';

/** One channel's worth of grey pixels. */
function grey(rows: number[][]): Pixels {
  const data = Uint8Array.from(rows.flat().flatMap((value) => [value, value, value]));
  return { width: rows[0]!.length, height: rows.length, channels: 3, data };
}

function rowsOf({ width, height, channels, data }: Pixels): number[][] {
  return Array.from({ length: height }, (_, y) =>
    Array.from({ length: width }, (_, x) => data[(y * width + x) * channels]!),
  );
}

const blank = (width: number, height: number) =>
  grey(Array.from({ length: height }, () => new Array(width).fill(9)));

test('a piece keeps its pixels, and its edge repeats them', () => {
  const page = blank(6, 6);
  const source = grey([
    [1, 2, 3],
    [4, 5, 6],
    [7, 8, 10],
  ]);
  drawPiece(
    page,
    source,
    { left: 1, top: 0, right: 3, bottom: 2 },
    { x: 2, y: 2, width: 2, height: 2, edge: 2 },
  );
  assert.deepEqual(rowsOf(page), [
    [2, 2, 2, 3, 3, 3],
    [2, 2, 2, 3, 3, 3],
    [2, 2, 2, 3, 3, 3],
    [5, 5, 5, 6, 6, 6],
    [5, 5, 5, 6, 6, 6],
    [5, 5, 5, 6, 6, 6],
  ]);
});

test('a smaller piece is the mean of what each pixel covers', () => {
  const page = blank(2, 1);
  const source = grey([
    [0, 100, 10, 20],
    [50, 50, 30, 40],
  ]);
  drawPiece(
    page,
    source,
    { left: 0, top: 0, right: 4, bottom: 2 },
    { x: 0, y: 0, width: 2, height: 1, edge: 0 },
  );
  assert.deepEqual(rowsOf(page), [[50, 25]]);
});

test('a pixel that is covered in part counts by that part', () => {
  const page = blank(2, 2);
  const source = grey([
    [0, 90, 30],
    [0, 90, 30],
    [60, 150, 90],
  ]);
  drawPiece(
    page,
    source,
    { left: 0, top: 0, right: 3, bottom: 3 },
    { x: 0, y: 0, width: 2, height: 2, edge: 0 },
  );
  assert.deepEqual(rowsOf(page), [
    [30, 50],
    [70, 90],
  ]);
});

test('a piece of one colour keeps it, however many pixels of one direction or both go into one', () => {
  const source = grey(Array.from({ length: 7 }, () => new Array(7).fill(255)));
  for (const [width, height] of [
    [2, 7],
    [7, 3],
    [3, 2],
  ] as const) {
    const page = blank(7, 7);
    drawPiece(page, source, { left: 0, top: 0, right: 7, bottom: 7 }, { x: 0, y: 0, width, height, edge: 0 });
    const drawn = rowsOf(page).slice(0, height);
    assert.ok(
      drawn.every((row) => row.slice(0, width).every((value) => value === 255)),
      `${width} × ${height}`,
    );
  }
});

test('transparency goes onto a page that has it, and is full where the image has none', () => {
  const page: Pixels = { width: 1, height: 1, channels: 4, data: new Uint8Array(4) };
  drawPiece(
    page,
    grey([[7]]),
    { left: 0, top: 0, right: 1, bottom: 1 },
    { x: 0, y: 0, width: 1, height: 1, edge: 0 },
  );
  assert.deepEqual([...page.data], [7, 7, 7, 255]);
});

test('each pixel is the mean of what it covers, the edge repeats the last ones, and nothing else is touched', () => {
  const quarters = (min: number, max: number) => fc.integer({ min: 4 * min, max: 4 * max }).map((n) => n / 4);
  const channels = fc.constantFrom(3 as const, 4 as const);
  // Whole numbers have ways of their own.
  const whole = (min: number, max: number) => fc.integer({ min, max });
  const size = fc.oneof(fc.constant([1, 1]), fc.constant([2, 2]), fc.tuple(quarters(1, 3), quarters(1, 3)));
  const corner = fc.oneof(fc.tuple(whole(0, 2), whole(0, 2)), fc.tuple(quarters(0, 2), quarters(0, 2)));
  fc.assert(
    fc.property(
      fc.record({
        ...{ sourceChannels: channels, pageChannels: channels, seed: fc.nat() },
        ...{ width: fc.integer({ min: 1, max: 4 }), height: fc.integer({ min: 1, max: 4 }) },
        // Pixels of the image in one of the page.
        ...{ size, corner },
        edge: fc.integer({ min: 0, max: 2 }),
      }),
      ({ sourceChannels, pageChannels, seed, width, height, size, corner, edge }) => {
        const [across, down, left, top] = [...size, ...corner] as [number, number, number, number];
        const [right, bottom] = [left + across * width, top + down * height];
        const [columns, rows] = [Math.ceil(right), Math.ceil(bottom)];
        const source: Pixels = {
          ...{ width: columns, height: rows, channels: sourceChannels },
          data: Uint8Array.from(
            { length: columns * rows * sourceChannels },
            (_, i) => (Math.imul(i + seed, 0x9e3779b1) >>> 13) & 255,
          ),
        };
        const [x, y] = [edge + 1, edge + 2];
        const page: Pixels = {
          ...{ width: width + 2 * edge + 2, height: height + 2 * edge + 4, channels: pageChannels },
          data: new Uint8Array((width + 2 * edge + 2) * (height + 2 * edge + 4) * pageChannels).fill(77),
        };
        drawPiece(page, source, { left, top, right, bottom }, { x, y, width, height, edge });
        const covered = (from: number, to: number, pixel: number) =>
          Math.max(0, Math.min(to, pixel + 1) - Math.max(from, pixel));
        const meanAt = (column: number, row: number, channel: number) => {
          if (channel === 3 && sourceChannels === 3) return 255;
          let [sum, area] = [0, 0];
          for (let v = 0; v < rows; v++) {
            for (let u = 0; u < columns; u++) {
              const part =
                covered(left + column * across, left + (column + 1) * across, u) *
                covered(top + row * down, top + (row + 1) * down, v);
              sum += part * source.data[(v * columns + u) * sourceChannels + channel]!;
              area += part;
            }
          }
          return sum / area;
        };
        const isExact = [across, down, left, top].every(Number.isInteger);
        for (const [i, value] of page.data.entries()) {
          const pixel = Math.floor(i / pageChannels);
          const [column, row] = [(pixel % page.width) - x, Math.floor(pixel / page.width) - y];
          const isOutside = column < -edge || row < -edge || column >= width + edge || row >= height + edge;
          const inside = (at: number, count: number) => Math.min(count - 1, Math.max(0, at));
          const expected = isOutside
            ? 77
            : meanAt(inside(column, width), inside(row, height), i % pageChannels);
          // Parts of pixels count in steps of 1/256.
          if (isExact || isOutside) assert.equal(value, Math.round(expected));
          else assert.ok(Math.abs(value - expected) <= 1, `${value} is not ${expected}`);
        }
      },
    ),
    { numRuns: 300 },
  );
});
