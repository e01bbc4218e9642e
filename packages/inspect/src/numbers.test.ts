import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Numbers, repeatedIn, singlesIn } from './numbers.ts';

test('a list gives back what it was told, over the ends of its pieces, and is empty then', () => {
  for (const count of [0, 1, 256, 257, 32_768, 32_769, 100_000]) {
    const numbers = new Numbers();
    for (let i = 0; i < count; i++) numbers.push(i / 7);
    assert.equal(numbers.length, count);
    assert.deepEqual(
      numbers.take(),
      Float64Array.from({ length: count }, (_, i) => i / 7),
    );
    assert.equal(numbers.length, 0);
    assert.equal(numbers.take().length, 0);
    numbers.push(3);
    assert.deepEqual(numbers.take(), Float64Array.of(3));
  }
});

test('numbers of lists that are there once, and those that are there more often', () => {
  const list = fc.array(fc.integer({ min: -20, max: 20 }), { maxLength: 30 });
  fc.assert(
    fc.property(fc.array(list, { maxLength: 4 }), (lists) => {
      const typed = lists.map((one) => Float64Array.from(one));
      const [repeated, singles] = [repeatedIn(typed), singlesIn(typed)];
      const counts = new Map<number, number>();
      for (const value of lists.flat()) counts.set(value, (counts.get(value) ?? 0) + 1);
      for (let value = -21; value <= 21; value++) {
        assert.equal(repeated.has(value), (counts.get(value) ?? 0) > 1);
        assert.equal(singles.has(value), counts.get(value) === 1);
      }
      assert.equal(repeated.size, [...counts.values()].filter((count) => count > 1).length);
      assert.equal(singles.size, [...counts.values()].filter((count) => count === 1).length);
      assert.deepEqual(
        typed.map((one) => [...one]),
        lists,
      );
    }),
  );
});
