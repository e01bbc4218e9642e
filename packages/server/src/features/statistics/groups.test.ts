import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Groups, type GroupValue, groupValue, MAX_GROUPS } from './groups.ts';

const value = fc.oneof(
  fc.constantFrom<GroupValue>(null, 1, '1', true, 'true', 'null', '', 0.5, ['1'], ['a', 'b'], [1, '1']),
);

test('features are counted under their values and the types of these, whatever came before', () => {
  fc.assert(
    fc.property(
      fc
        .integer({ min: 0, max: 4 })
        .chain((names) =>
          fc.array(fc.array(value, { minLength: names, maxLength: names }), { maxLength: 60 }),
        ),
      (features) => {
        const groups = new Groups();
        const wanted = new Map<string, number>();
        for (const by of features) {
          groups.add(by, []);
          const key = JSON.stringify(by);
          wanted.set(key, (wanted.get(key) ?? 0) + 1);
        }
        const found = groups.list().map(({ by, count }): [string, number] => [JSON.stringify(by), count]);
        assert.deepEqual(new Map(found), wanted);
        assert.equal(found.length, wanted.size);
        const sum = new Groups();
        for (let n = 0; n < 2; n++) sum.addAll(groups);
        assert.equal(sum.features, 2 * features.length);
        assert.equal(sum.list().length, wanted.size);
      },
    ),
  );
});

test('features without names to group by are one group', () => {
  const groups = new Groups();
  for (const number of [1, 2, -9999]) groups.add([], [[number]]);
  const sums = { values: 2, sum: 3, min: 1, max: 2, unknown: 1, other: 0 };
  assert.deepEqual(groups.list(), [{ by: [], count: 3, of: [sums] }]);
});

test('one more group than there may be is refused, and the others go on', () => {
  const groups = new Groups();
  // As `docs/tables.md` has it.
  assert.equal(MAX_GROUPS, 2_000);
  for (let n = 0; n < MAX_GROUPS; n++) groups.add([n % 2, n], []);
  assert.throws(() => groups.add([0, 1], []), { status: 413 });
  groups.add([0, 0], []);
  assert.equal(groups.features, MAX_GROUPS + 1);
});

test('one value is counted under its class as several are', () => {
  for (const [number, step, wanted] of [
    [12.3, 5, 10],
    [-0.1, 5, -5],
    [9999, 5, null],
    ['7', 5, 5],
    ['x', 5, 'x'],
    [7, 0, 7],
    [9999, 0, 9999],
  ] as const) {
    assert.equal(groupValue([number], step), wanted);
    assert.equal(groupValue([number, number], step), wanted);
  }
  assert.equal(groupValue([], 5), null);
  assert.deepEqual(groupValue([12, '3', 3], 0), [12, 3, '3']);
});

test('sums of groups add up, those without a number leave least and most as they are', () => {
  const sumsOf = (...parts: Array<Array<number | string>>) => {
    const all = new Groups();
    for (const values of parts) {
      const part = new Groups();
      part.add(['a'], [values]);
      all.addAll(part, (by) => [`${by[0]}!`]);
    }
    const [{ by, count, of }] = all.list() as [ReturnType<Groups['list']>[number]];
    assert.deepEqual([by, count], [['a!'], parts.length]);
    return of[0];
  };
  const sums = { unknown: 0, other: 0 };
  assert.deepEqual(sumsOf([5, 7], [6]), { ...sums, values: 3, sum: 18, min: 5, max: 7 });
  assert.deepEqual(sumsOf([-6], [-5, -7]), { ...sums, values: 3, sum: -18, min: -7, max: -5 });
  const some = { values: 1, sum: 5, min: 5, max: 5, unknown: 1, other: 1 };
  assert.deepEqual(sumsOf([5], [-9999, 'x']), some);
  assert.deepEqual(sumsOf([-9999, 'x'], [5]), some);
  assert.deepEqual(sumsOf([-5], ['x']), { ...sums, values: 1, sum: -5, min: -5, max: -5, other: 1 });
  assert.deepEqual(sumsOf([], ['x']), { ...sums, values: 0, sum: 0, min: null, max: null, other: 1 });
});

test('the largest group comes first, equal ones in the order of their names', () => {
  const groups = new Groups();
  for (const [name, count] of Object.entries({ b: 2, d: 5, a: 2, c: 1, e: 3 }))
    for (let n = 0; n < count; n++) groups.add([name], []);
  assert.equal(
    groups
      .list()
      .map(({ by, count }) => `${by[0]}${count}`)
      .join(),
    'd5,e3,a2,b2,c1',
  );
});

test('names of groups have up to a million characters', () => {
  const groups = new Groups();
  // With its brackets and quotes.
  const half = (1 << 19) - 4;
  groups.add(['a'.repeat(half)], []);
  groups.add(['b'.repeat(half)], []);
  groups.add(['a'.repeat(half)], []);
  assert.throws(() => groups.add([null], []), { status: 413 });
  assert.equal(groups.features, 3);
});
