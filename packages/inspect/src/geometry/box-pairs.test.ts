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
      assert.deepEqual([...boxPairs(boxes, () => assert.fail())], expected);
    }),
  );
});

test('of thousands of boxes at one place some pairs are found, and those that lack some are named', () => {
  const pile = Array.from({ length: 3_000 }, (_, n): Box => [n * 1e-6, 0, 10, 10]);
  const apart = Array.from({ length: 100 }, (_, n): Box => [20 + n, 0, 21.5 + n, 1]);
  const leftOut = new Set<number>();
  const bounds = { pairs: 5, sharedPairs: 2_000, visits: 50, sharedVisits: 10_000 };
  const all = [...boxPairs([...pile, ...apart], (box) => leftOut.add(box), bounds)];
  assert.ok(all.length > 5 * 100 && all.length <= 5 * 3_100 + 2_000, `${all.length} pairs`);
  assert.equal(new Set(all.map(String)).size, all.length);
  for (const [a, b] of all) assert.ok(a < b);
  // What lies elsewhere is compared as always.
  assert.equal(all.filter(([a]) => a >= 3_000).length, 99);
  assert.ok([...leftOut].every((box) => box < 3_000));
  assert.ok(leftOut.size > 2_900, `${leftOut.size} boxes`);
});

test('the usual bounds end a pile of 20,000 boxes', () => {
  const pile = Array.from({ length: 20_000 }, (): Box => [0, 0, 10, 10]);
  let [pairs, leftOut] = [0, 0];
  for (const _ of boxPairs(pile, () => leftOut++)) pairs++;
  assert.ok(pairs <= 16 * 20_000 + 100_000, `${pairs} pairs`);
  assert.ok(leftOut > 19_000);
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
