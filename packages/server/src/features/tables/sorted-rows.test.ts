import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import fc from 'fast-check';
import { SortedRows } from './sorted-rows.ts';

test('rows come by their keys, equal ones in their order, in groups of so many rows and bytes', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'sorted-rows-'));
  let run = 0;
  try {
    await fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.tuple(fc.integer({ min: 0, max: 5 }), fc.oneof(fc.nat(400_000), fc.constant(1_200_000))),
          { maxLength: 12 },
        ),
        fc.integer({ min: 1, max: 4 }),
        fc.integer({ min: 1, max: 600_000 }),
        async (list, most, bytes) => {
          await using rows = await SortedRows.create(join(directory, String(run++)));
          for (const [n, [key, length]] of list.entries()) {
            await rows.add(key, Buffer.concat([Buffer.from([n]), Buffer.alloc(length, n)]));
          }
          const found: number[] = [];
          for await (const group of rows.groups(most, bytes)) {
            assert.ok(group.size >= 1 && group.size <= most);
            const numbers = new Array<number>(group.size);
            let taken = 0;
            for await (const { place, row } of group.rows) {
              numbers[place] = row[0]!;
              const [, length] = list[row[0]!]!;
              assert.ok(row.length === 1 + length && row.every((byte) => byte === row[0]));
              taken += row.length;
            }
            assert.ok(group.size === 1 || taken - 1 - list[numbers.at(-1)!]![1] < bytes);
            found.push(...numbers);
          }
          const expected = [...list.keys()].sort((a, b) => list[a]![0] - list[b]![0] || a - b);
          assert.deepEqual(found, expected);
        },
      ),
      { numRuns: 40 },
    );
  } finally {
    await rm(directory, { recursive: true });
  }
});
