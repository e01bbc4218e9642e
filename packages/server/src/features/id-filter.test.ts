import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { IdFilter } from './id-filter.ts';

const hashes = fc.array(fc.integer({ min: 0, max: 2 ** 32 - 1 }), { maxLength: 300 });

test('a filter has every hash that was put into it', () => {
  fc.assert(
    fc.property(hashes, hashes, (one, other) => {
      const filter = new IdFilter([Uint32Array.from(one), Uint32Array.from(other)]);
      for (const hash of [...one, ...other]) assert.ok(filter.mayHave(hash), `${hash}`);
    }),
  );
});

test('few others are taken for one of them, and none where there are none', () => {
  const mixed = (n: number) => Math.imul(n, 0x85ebca6b) >>> 0;
  const filter = new IdFilter([Uint32Array.from({ length: 20_000 }, (_, n) => mixed(n))]);
  assert.equal(filter.byteLength, 25_000);
  let taken = 0;
  for (let n = 20_000; n < 120_000; n++) if (filter.mayHave(mixed(n) ^ 0x5bd1e995)) taken++;
  assert.ok(taken < 2_000, `${taken} of 100,000`);
  assert.equal(new IdFilter([]).mayHave(0), false);
});
