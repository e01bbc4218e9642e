import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import fc from 'fast-check';
import { JoinedReads } from './joined-reads.ts';

const SIZE = 2_000;
const BYTES = randomBytes(SIZE);

test('gives each caller its bytes, reads nothing twice that lies near, and keeps to its limits', async () => {
  const range = fc
    .tuple(fc.nat(SIZE - 1), fc.integer({ min: 1, max: 300 }))
    .map(([offset, length]) => ({ offset, length: Math.min(length, SIZE - offset) }));
  const limits = fc.record({
    gap: fc.nat(200),
    maxLength: fc.integer({ min: 300, max: SIZE }),
    atOnce: fc.integer({ min: 1, max: 4 }),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(range, { minLength: 1, maxLength: 30 }), limits, async (ranges, options) => {
      const reads: { offset: number; length: number }[] = [];
      let running = 0;
      const joined = new JoinedReads({
        ...options,
        async read(offset, length) {
          reads.push({ offset, length });
          running++;
          assert.ok(running <= options.atOnce);
          await new Promise((resolve) => setImmediate(resolve));
          running--;
          return BYTES.subarray(offset, offset + length);
        },
      });
      const found = await Promise.all(ranges.map(({ offset, length }) => joined.read(offset, length)));
      for (const [i, { offset, length }] of ranges.entries()) {
        assert.ok(BYTES.subarray(offset, offset + length).equals(found[i]!));
      }
      assert.ok(reads.every(({ length }) => length <= options.maxLength));
      // Two reads that follow each other are either far apart or too long together.
      const sorted = reads.toSorted((a, b) => a.offset - b.offset);
      for (const [i, next] of sorted.slice(1).entries()) {
        const before = sorted[i]!;
        const between = next.offset - (before.offset + before.length);
        assert.ok(
          between > options.gap || next.offset + next.length - before.offset > options.maxLength - 300,
        );
      }
    }),
  );
});

test('tells all callers of a failed read, and reads on', async () => {
  let fails = true;
  const joined = new JoinedReads({
    read: async (offset, length) => {
      if (fails) throw new Error('away');
      return BYTES.subarray(offset, offset + length);
    },
    gap: 10,
    maxLength: SIZE,
    atOnce: 1,
  });
  const results = await Promise.allSettled([joined.read(0, 5), joined.read(8, 5)]);
  assert.ok(results.every(({ status }) => status === 'rejected'));
  fails = false;
  assert.ok(BYTES.subarray(3, 8).equals(await joined.read(3, 5)));
});
