import assert from 'node:assert/strict';
import { test } from 'node:test';
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
