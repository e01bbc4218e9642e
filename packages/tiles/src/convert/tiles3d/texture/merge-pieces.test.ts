import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type Piece, pixelsOf } from './atlas.ts';
import { mergePieces } from './merge-pieces.ts';

const piece = (left: number, top: number, width: number, height: number, scale = 1, image = 0): Piece => ({
  image,
  rect: { left, top, right: left + width, bottom: top + height },
  scale,
});
const total = (pieces: readonly Piece[]) =>
  [...new Set(pieces)].reduce((sum, piece) => sum + pixelsOf(piece), 0);

test('pieces that overlap or touch become one', () => {
  const merged = mergePieces([piece(0, 0, 64, 64), piece(32, 0, 64, 64), piece(96, 0, 20, 64)]);
  assert.deepEqual([...new Set(merged)], [piece(0, 0, 116, 64)]);
  assert.equal(merged.length, 3);
});

test('pieces far apart, of other images, or of a far finer scale stay as they are', () => {
  for (const pieces of [
    [piece(0, 0, 64, 64), piece(500, 0, 64, 64)],
    [piece(0, 0, 64, 64), piece(0, 0, 64, 64, 1, 1)],
    [piece(0, 0, 640, 640, 0.1), piece(600, 600, 64, 64, 1)],
    // Together they would be longer than what pages hold well.
    [piece(0, 0, 600, 64), piece(600, 0, 600, 64)],
  ]) {
    assert.deepEqual(mergePieces(pieces), pieces);
  }
});

test('what was joined joins others', () => {
  // The upper and the lower row touch only when each is one.
  const pieces = [0, 1, 2, 3].flatMap((i) => [piece(20 * i, 0, 20, 20), piece(20 * i, 20, 20, 20)]);
  assert.deepEqual([...new Set(mergePieces(pieces))], [piece(0, 0, 80, 40)]);
});

test('every piece is inside of the one that holds it, as sharp as it was, and pixels never become more', () => {
  const pieces = fc.array(
    fc
      .tuple(
        fc.integer({ min: 0, max: 900 }),
        fc.integer({ min: 0, max: 900 }),
        fc.integer({ min: 1, max: 300 }),
        fc.integer({ min: 1, max: 300 }),
        fc.double({ min: 0.01, max: 1, noNaN: true }),
        fc.integer({ min: 0, max: 2 }),
      )
      .map((values) => piece(...values)),
    { maxLength: 40 },
  );
  fc.assert(
    fc.property(pieces, fc.constantFrom(1, 2), (list, edge) => {
      const merged = mergePieces(list, edge);
      assert.equal(merged.length, list.length);
      for (const [i, { image, rect, scale }] of list.entries()) {
        const outer = merged[i]!;
        assert.equal(outer.image, image);
        assert.ok(outer.scale >= scale);
        assert.ok(outer.rect.left <= rect.left && outer.rect.right >= rect.right);
        assert.ok(outer.rect.top <= rect.top && outer.rect.bottom >= rect.bottom);
      }
      assert.ok(total(merged) <= total(list));
    }),
  );
});

test('the order in which pieces come does not matter', () => {
  const sides = fc.integer({ min: 0, max: 6 }).map((value) => 20 * value);
  const pieces = fc.uniqueArray(
    fc
      .tuple(sides, sides, fc.integer({ min: 1, max: 3 }), fc.integer({ min: 1, max: 3 }))
      .map(([left, top, width, height]) => piece(left, top, 20 * width, 20 * height)),
    { maxLength: 12, selector: ({ rect }) => Object.values(rect).join() },
  );
  const rects = (merged: readonly Piece[]) =>
    [...new Set(merged)].map(({ rect }) => Object.values(rect).join(' ')).sort();
  fc.assert(
    fc.property(
      pieces.chain((list) =>
        fc.tuple(fc.constant(list), fc.shuffledSubarray(list, { minLength: list.length })),
      ),
      ([list, shuffled]) => assert.deepEqual(rects(mergePieces(shuffled)), rects(mergePieces(list))),
    ),
  );
});
