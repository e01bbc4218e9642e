import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type Box, boxOf, boxPairs } from './box-pairs.ts';

const whole = fc.integer({ min: 0, max: 8 });
const box = fc
  .tuple(whole, whole, whole, whole)
  .map(([x, y, width, height]): Box => [x, y, x + width, y + height]);

test('boxes that share more than a border are pairs, the smaller number first', () => {
  fc.assert(
    fc.property(fc.array(box, { maxLength: 12 }), (boxes) => {
      const expected: Array<[number, number]> = [];
      for (let a = 0; a < boxes.length; a++) {
        for (let b = a + 1; b < boxes.length; b++) {
          const [one, other] = [boxes[a]!, boxes[b]!];
          const share = [0, 1].map(
            (axis) => Math.min(one[axis + 2]!, other[axis + 2]!) - Math.max(one[axis]!, other[axis]!),
          );
          const isInside = (axis: number) =>
            one[axis]! < other[axis + 2]! && other[axis]! < one[axis + 2]! && share[axis]! >= 0;
          if (isInside(0) && isInside(1)) expected.push([a, b]);
        }
      }
      assert.deepEqual([...boxPairs(boxes)], expected);
    }),
  );
});

test('the box of rings has all their points, and no room beside', () => {
  const points = fc.array(fc.tuple(whole, whole), { minLength: 1, maxLength: 6 });
  fc.assert(
    fc.property(fc.array(points, { minLength: 1, maxLength: 3 }), (rings) => {
      const all = rings.flat();
      const [xs, ys] = [all.map(([x]) => x), all.map(([, y]) => y)];
      assert.deepEqual(boxOf(rings.map((ring) => Float64Array.from(ring.flat()))), [
        Math.min(...xs),
        Math.min(...ys),
        Math.max(...xs),
        Math.max(...ys),
      ]);
    }),
  );
});
