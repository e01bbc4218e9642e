import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { packRectangles } from './skyline.ts';

const SIDE = 128;

test('rectangles lie on pages and never on each other', () => {
  const sizes = fc.array(
    fc.record({ width: fc.integer({ min: 1, max: SIDE }), height: fc.integer({ min: 1, max: SIDE }) }),
    { maxLength: 60 },
  );
  fc.assert(
    fc.property(sizes, (rectangles) => {
      const { places, pages } = packRectangles(rectangles, SIDE);
      const taken = pages.map(({ width, height }) => {
        for (const length of [width, height])
          assert.ok(length <= SIDE && Number.isInteger(Math.log2(length)));
        return new Uint8Array(width * height);
      });
      for (const [i, { page, x, y }] of places.entries()) {
        const { width, height } = rectangles[i]!;
        assert.ok(x + width <= pages[page]!.width && y + height <= pages[page]!.height);
        for (let row = y; row < y + height; row++) {
          for (let column = x; column < x + width; column++) {
            const at = row * pages[page]!.width + column;
            assert.equal(taken[page]![at], 0);
            taken[page]![at] = 1;
          }
        }
      }
    }),
  );
});

test('pages are the smallest powers of two that can hold everything', () => {
  const rectangles = Array.from({ length: 500 }, (_, i) => ({
    width: 4 * (1 + ((i * 7) % 13)),
    height: 4 * (1 + ((i * 5) % 11)),
  }));
  const { pages } = packRectangles(rectangles, 2048);
  const wanted = rectangles.reduce((sum, { width, height }) => sum + width * height, 0);
  const taken = pages.reduce((sum, { width, height }) => sum + width * height, 0);
  assert.ok(wanted / taken > 0.75, `${wanted} pixels on ${taken}`);
  assert.ok(pages.length <= 3, `${pages.length} pages`);
});

test('what does not fill a page goes onto one of half that size and a smaller one', () => {
  const squares = (count: number) => Array.from({ length: count }, () => ({ width: 64, height: 64 }));
  const areas = (count: number) =>
    packRectangles(squares(count), 2048).pages.map(({ width, height }) => width * height);
  assert.deepEqual(areas(128), [128 * 64 * 64]);
  // 150 squares would leave two fifths of the next page empty.
  assert.deepEqual(areas(150), [128 * 64 * 64, 32 * 64 * 64]);
  assert.deepEqual(areas(250), [256 * 64 * 64]);
  // Small pages are not worth it.
  assert.deepEqual(areas(20), [32 * 64 * 64]);
});
