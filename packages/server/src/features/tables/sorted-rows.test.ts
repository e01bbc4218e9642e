import assert from 'node:assert/strict';
import { mkdtemp, rm, stat, truncate } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
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
              assert.ok(row.equals(Buffer.alloc(1 + length, row[0])));
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

/** A path for waiting rows. */
async function place(t: TestContext): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'sorted-rows-'));
  t.after(() => rm(directory, { recursive: true }));
  return join(directory, 'rows');
}

test('thousands of rows come back, every group but the last as large as it may be', async (t) => {
  const path = await place(t);
  await using rows = await SortedRows.create(path);
  const count = 5_000;
  for (let n = 0; n < count; n++) await rows.add(count - n, Buffer.of(n & 255, n >> 8));
  assert.equal(rows.size, count);
  const found: number[] = [];
  const sizes: number[] = [];
  for await (const group of rows.groups(1_500, 1e9)) {
    const numbers = new Array<number>(group.size);
    for await (const { place, row } of group.rows) numbers[place] = row.readUInt16LE();
    found.push(...numbers);
    sizes.push(group.size);
  }
  assert.deepEqual(
    found,
    Array.from({ length: count }, (_, n) => count - 1 - n),
  );
  assert.deepEqual(sizes, [1_500, 1_500, 1_500, 500]);
  const byBytes: number[] = [];
  for await (const { size } of rows.groups(1_500, 2_000)) byBytes.push(size);
  assert.deepEqual(byBytes, [1_000, 1_000, 1_000, 1_000, 1_000]);
});

test('rows are for their owner alone, and a file that was cut gives none of what it lacks', async (t) => {
  const path = await place(t);
  await using rows = await SortedRows.create(path);
  for (const key of [1, 2]) await rows.add(key, Buffer.alloc(600_000, key));
  const { value: group } = await rows.groups(2, 1e9).next();
  const { size, mode } = await stat(path);
  assert.deepEqual([size, mode & 0o777], [1_200_000, 0o600]);
  await truncate(path, 1_000_000);
  await assert.rejects(group!.rows.next(), /ends too early/);
});
