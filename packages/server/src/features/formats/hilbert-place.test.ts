import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hilbertPlace } from './hilbert-place.ts';

test('the curve goes from each cell of a grid to one beside it, through all of them', () => {
  for (const cells of [2, 4, 32]) {
    const middle = (n: number) => (n + 0.5) / cells;
    const path = Array.from({ length: cells * cells }, (_, n) => ({ x: n % cells, y: Math.floor(n / cells) }))
      .map(({ x, y }) => ({ x, y, place: hilbertPlace(middle(x), middle(y)) }))
      .sort((a, b) => a.place - b.place);
    assert.equal(new Set(path.map(({ place }) => place)).size, cells * cells);
    for (const [n, { x, y }] of path.entries()) {
      const next = path[n + 1] ?? { x, y: y + 1 };
      assert.equal(Math.abs(next.x - x) + Math.abs(next.y - y), 1, `${cells}: ${x},${y}`);
    }
  }
});

test('its ends are two corners, and what lies outside counts as the edge', () => {
  assert.equal(hilbertPlace(0, 0), 0);
  assert.equal(hilbertPlace(1, 0), 2 ** 32 - 1);
  assert.equal(hilbertPlace(-3, -1), 0);
  assert.equal(hilbertPlace(9, -1), 2 ** 32 - 1);
});

test('each cell of the finest grid has a place of its own', () => {
  const places = [0, 1, 2, 3].flatMap((x) => [0, 1, 2, 3].map((y) => hilbertPlace(x / 65_535, y / 65_535)));
  assert.deepEqual(
    places.sort((a, b) => a - b),
    Array.from({ length: 16 }, (_, n) => n),
  );
});
