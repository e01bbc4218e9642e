import assert from 'node:assert/strict';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { RecordSpool, SpoolSpace } from './record-spool.ts';

test('a spool takes all of the space, and what others have is asked for again later', () => {
  const space = new SpoolSpace('/nowhere', 10);
  space.take(0, 4);
  space.take(4, 6);
  assert.throws(() => space.take(0, 1), { status: 503, retryAfter: 30 });
  assert.throws(() => space.take(10, 1), { status: 413 });
  assert.throws(() => space.take(0, 11), { status: 413 });
  space.give(1);
  space.take(9, 1);
  assert.throws(() => space.take(9, 1), { status: 503 });
});

test('records come back in their order, from memory and from the disk, which is given back', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'citymodel-spool-'));
  const all = Array.from({ length: 700 }, (_, n) => ({ n, text: 'x'.repeat(n % 7), list: [n, null] }));
  for (const memoryBytes of [0, 5_000, 1e6]) {
    // Deflated, the records take less than this.
    const space = new SpoolSpace(directory, 20_000);
    const spool = new RecordSpool<object>(memoryBytes, space);
    for (let at = 0; at < all.length; at += 100) await spool.add(all.slice(at, at + 100));
    await spool.add([]);
    assert.equal(spool.size, 700);
    for (let time = 0; time < 2; time++) {
      const read: object[] = [];
      for await (const some of spool.records()) read.push(...some);
      assert.deepEqual(read, all);
    }
    // Without a name, nothing is left of the file when the process is killed.
    assert.deepEqual(await readdir(directory), []);
    if (memoryBytes < 1e6) assert.throws(() => space.take(0, 20_000), { status: 503 });
    await spool.close();
    await spool.close();
    space.take(0, 20_000);
  }
  await rm(directory, { recursive: true });
});
