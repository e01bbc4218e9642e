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
