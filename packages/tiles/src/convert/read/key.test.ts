import assert from 'node:assert/strict';
import { test } from 'node:test';
import { keyOf, keyOfReference } from './key.ts';

test('keys of ids have 53 bits, each of which says something, and are never 0', () => {
  const keys = Array.from({ length: 4_000 }, (_, i) => keyOf(`bldg_${i}`));
  assert.equal(new Set(keys).size, keys.length);
  for (let bit = 0; bit < 53; bit++) {
    const set = keys.filter((key) => Math.floor(key / 2 ** bit) % 2 === 1).length;
    assert.ok(set > keys.length / 4 && set < (3 * keys.length) / 4, `bit ${bit} is set in ${set}`);
  }
  for (const key of [...keys, keyOf('')]) assert.ok(Number.isSafeInteger(key) && key > 0);
  assert.equal(keyOf('a'), keyOf('a'));
});

test('a reference has the key of the id behind its last #, or of all of it', () => {
  for (const reference of ['#a', ' #a\n', 'a', 'other.gml#a', 'x#y#a']) {
    assert.equal(keyOfReference(reference), keyOf('a'), reference);
  }
  for (const reference of ['', '#', ' other.gml# ']) assert.equal(keyOfReference(reference), 0, reference);
});
