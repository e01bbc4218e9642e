import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { SharedBuffers } from './shared-buffers.ts';

test('nobody has a buffer that another one uses, and what is kept stays within its bound', () => {
  const MAX = 2 ** 20;
  // A length to take, or null to give back the oldest.
  const steps = fc.array(fc.option(fc.integer({ min: 0, max: 5 * 2 ** 20 }), { freq: 2 }), { maxLength: 30 });
  fc.assert(
    fc.property(steps, (lengths) => {
      const buffers = new SharedBuffers(MAX);
      const taken: Buffer[] = [];
      for (const bytes of lengths) {
        if (bytes === null) {
          const oldest = taken.shift();
          if (oldest !== undefined) buffers.give(oldest);
        } else {
          const buffer = buffers.take(bytes);
          assert.ok(buffer.length >= bytes);
          assert.ok(buffer.length <= Math.max(2 ** 16, 2 * bytes));
          assert.ok(taken.every((other) => other.buffer !== buffer.buffer));
          taken.push(buffer);
        }
        assert.ok(buffers.freeBytes >= 0 && buffers.freeBytes <= MAX);
      }
    }),
    { numRuns: 50 },
  );
});

test('a buffer that was given back is used again by the next one that it is long enough for', () => {
  const buffers = new SharedBuffers(2 ** 20);
  const first = buffers.take(300_000);
  buffers.give(first);
  assert.equal(buffers.freeBytes, 2 ** 19);
  assert.notEqual(buffers.take(2 ** 18), first, 'another length');
  assert.equal(buffers.take(2 ** 19), first);
  assert.equal(buffers.freeBytes, 0);
  const many = new SharedBuffers(64 * 2 ** 20);
  const longest = many.take(4 * 2 ** 20);
  many.give(longest);
  assert.equal(many.freeBytes, 4 * 2 ** 20);
  const longer = many.take(4 * 2 ** 20 + 1);
  assert.equal(longer.length, 4 * 2 ** 20 + 1);
  many.give(longer);
  assert.equal(many.freeBytes, 4 * 2 ** 20, 'longer ones are not kept');
});
