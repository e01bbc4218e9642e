import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { hashOf } from '../hash.ts';
import { IdSet } from './id-set.ts';

test('an id is new once, however many came between', () => {
  const set = new IdSet();
  const ids = Array.from({ length: 20_000 }, (_, i) => `bldg_${(i * 7_919) % 100_003}`);
  for (const id of ids) assert.equal(set.add(id), true, id);
  for (const id of ids) assert.equal(set.add(id), false, id);
  fc.assert(
    fc.property(fc.array(fc.string({ maxLength: 2 })), (list) => {
      const [own, known] = [new IdSet(), new Set<string>()];
      for (const id of list) {
        assert.equal(own.add(id), !known.has(id));
        known.add(id);
      }
    }),
  );
});

test('hashes are whole numbers of 53 bits, of which hundreds of thousands of ids share none', () => {
  const seen = new Set<number>();
  const bits = [0, 0];
  for (let i = 0; i < 300_000; i++) {
    const hash = hashOf(`UUID_${i.toString(36)}`);
    assert.ok(Number.isSafeInteger(hash) && hash >= 0);
    seen.add(hash);
    // Or-ed by halves: every bit is set by some id.
    bits[0]! |= hash % 2 ** 27;
    bits[1]! |= Math.floor(hash / 2 ** 27);
  }
  assert.equal(seen.size, 300_000);
  assert.deepEqual(bits, [2 ** 27 - 1, 2 ** 26 - 1]);
});
