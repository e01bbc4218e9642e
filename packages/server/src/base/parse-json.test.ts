import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { JsonTooLarge, parseJson } from './parse-json.ts';

const BOUNDS = { maxDepth: 3, maxValues: 10 };

test('reads what JSON.parse reads, with a byte order mark too', () => {
  fc.assert(
    fc.property(fc.json(), (text) => {
      const bounds = { maxDepth: 1_000, maxValues: 1_000_000 };
      assert.deepEqual(parseJson(text, bounds), JSON.parse(text));
      assert.deepEqual(parseJson(`\uFEFF${text}`), JSON.parse(text));
    }),
  );
  assert.throws(() => parseJson('{', BOUNDS), SyntaxError);
});

test('refuses what is too deep or has too many values', () => {
  assert.deepEqual(parseJson('[[["[[[[\\"[[[["]]]', BOUNDS), [[['[[[["[[[[']]]);
  assert.throws(() => parseJson('[[[[1]]]]', BOUNDS), /4 deep; at most 3/);
  assert.throws(() => parseJson(`[${'{},'.repeat(20)}{}]`, BOUNDS), /more than 10 values/);
  assert.throws(() => parseJson('['.repeat(10_000_000), BOUNDS), JsonTooLarge);
  assert.throws(() => parseJson(`"${'\\"'.repeat(1_000_000)}`, BOUNDS), SyntaxError);
});

/** Lists and objects within each other, and values as commas and opening brackets count them, the slow way. */
function measured(value: unknown): { depth: number; values: number } {
  if (typeof value !== 'object' || value === null) return { depth: 0, values: 0 };
  const inner = Object.values(value).map(measured);
  return {
    depth: 1 + Math.max(0, ...inner.map(({ depth }) => depth)),
    values: 1 + Math.max(0, inner.length - 1) + inner.reduce((sum, { values }) => sum + values, 0),
  };
}

test('the bounds are met exactly, whatever the texts within hold, and however it is written', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 5 }), fc.constantFrom(undefined, 2), (value, space) => {
      const text = JSON.stringify(value, null, space);
      const read: unknown = JSON.parse(text);
      const { depth, values } = measured(read);
      const exactly = { maxDepth: depth, maxValues: values + 1 };
      assert.deepEqual(parseJson(text, exactly), read);
      assert.throws(() => parseJson(text, { ...exactly, maxValues: values }), JsonTooLarge);
      if (depth > 0) assert.throws(() => parseJson(text, { ...exactly, maxDepth: depth - 1 }), JsonTooLarge);
    }),
  );
  const beside = '[[1],[2],{"a":{}},[3]]';
  assert.deepEqual(parseJson(beside, { maxDepth: 3, maxValues: 100 }), JSON.parse(beside));
  assert.throws(() => parseJson(beside, { maxDepth: 2, maxValues: 100 }), /3 deep; at most 2/);
});
