import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { CornerIds } from './corner-ids.ts';

test('a point has the number of the first one that is nearer than the tolerance', () => {
  const axis = fc.integer({ min: -40, max: 40 }).map((step) => step * 0.004);
  fc.assert(
    fc.property(fc.array(fc.tuple(axis, axis, axis), { maxLength: 60 }), (points) => {
      const ids = new CornerIds(0.01);
      const corners: Array<readonly [number, number, number]> = [];
      for (const [x, y, z] of points) {
        const near = corners.flatMap(([a, b, c], id) =>
          Math.hypot(a - x, b - y, c - z) < 0.01 - 1e-12 ? [id] : [],
        );
        const found = ids.idOf(x, y, z);
        if (near.length === 0) {
          assert.equal(found, corners.length);
          corners.push([x, y, z]);
        } else assert.ok(near.includes(found), `${found} is none of ${near}`);
      }
      assert.deepEqual(ids.positions, corners.flat());
    }),
  );
});

test('as far as the tolerance is apart; without one it is a centimetre', () => {
  const ids = new CornerIds();
  assert.deepEqual([ids.idOf(0, 0, 0), ids.idOf(0.0099, 0, 0), ids.idOf(0.0101, 0, 0)], [0, 0, 1]);
  assert.deepEqual([ids.idOf(0, 0.0099, 0), ids.idOf(0, 0, -0.0099), ids.idOf(0, -0.0101, 0)], [0, 0, 2]);
  const exact = new CornerIds(1);
  assert.deepEqual([exact.idOf(0, 0, 0), exact.idOf(1, 0, 0), exact.idOf(0, 1, 0)], [0, 1, 2]);
});
