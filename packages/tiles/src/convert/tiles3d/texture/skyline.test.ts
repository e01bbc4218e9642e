import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { packRectangles, type Size } from './skyline.ts';

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
          const start = row * pages[page]!.width + x;
          const line = taken[page]!.subarray(start, start + width);
          assert.ok(!line.includes(1), `${x}, ${row} of page ${page}`);
          line.fill(1);
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

/** Sides up to that of the largest page, short ones more often: thin pieces are what pages were empty of. */
const LENGTH = fc.oneof(fc.integer({ min: 1, max: 2048 }), fc.integer({ min: 1, max: 64 }));

function assertPacked(rectangles: readonly Size[], side: number): void {
  const { places, pages } = packRectangles(rectangles, side);
  assert.equal(places.length, rectangles.length);
  const onPage = Map.groupBy(places.keys(), (i) => places[i]!.page);
  assert.deepEqual([...onPage.keys()].sort(ascending), [...pages.keys()]);
  for (const [page, numbers] of onPage) {
    for (const [k, i] of numbers.entries()) {
      const [{ x, y }, { width, height }] = [places[i]!, rectangles[i]!];
      assert.ok(x >= 0 && x + width <= pages[page]!.width && y >= 0 && y + height <= pages[page]!.height);
      for (const other of numbers.slice(0, k)) {
        const [place, size] = [places[other]!, rectangles[other]!];
        const isBeside = x >= place.x + size.width || place.x >= x + width;
        assert.ok(isBeside || y >= place.y + size.height || place.y >= y + height);
      }
    }
  }
}

function ascending(a: number, b: number): number {
  return a - b;
}

test('each page holds a rectangle at least, whatever their sizes', () => {
  const rectangle = fc.record({ width: LENGTH, height: LENGTH });
  fc.assert(
    fc.property(fc.array(rectangle, { maxLength: 40 }), (rectangles) => assertPacked(rectangles, 2048)),
    { examples: [[[{ width: 1100, height: 100 }]], [[{ width: 1860, height: 64 }]]], numRuns: 300 },
  );
});

test('one rectangle of any size has a page of its own', () => {
  const sides = [1, 4, 64, 100, 128, 1100, 2047, 2048, ...Array.from({ length: 69 }, (_, i) => 30 * (i + 1))];
  for (const width of sides.filter((side) => side <= 2048)) {
    for (const height of sides.filter((side) => side <= 2048)) assertPacked([{ width, height }], 2048);
  }
});

test('what the others take is less than what a page of half the size saves', () => {
  // The long one does not fit on a page of half the size, which would hold nothing but the small one.
  const { pages } = packRectangles(
    [
      { width: 1100, height: 100 },
      { width: 4, height: 4 },
    ],
    2048,
  );
  assert.deepEqual(pages, [{ width: 2048, height: 512 }]);
});

test('a rectangle that no page holds is refused', () => {
  assert.throws(() => packRectangles([{ width: 2049, height: 1 }], 2048), /2049 × 1/);
});
