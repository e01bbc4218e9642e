import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { StoreUnavailable } from '@citymodel/store';
import { chunks, FlippingStore, MemoryStore } from '@citymodel/store/testing';
import { SharedParts } from './shared-parts.ts';

test(
  'a part is another’s as it was, whichever bit flips on the way, and nothing where it is not ' + 'there',
  async (t) => {
    const root = await mkdtemp(join(tmpdir(), 'parts-'));
    t.after(() => rm(root, { recursive: true }));
    const part = join(root, 'part');
    await mkdir(join(part, 'data'), { recursive: true });
    await writeFile(join(part, 'data/a.glb'), 'a tile');
    await writeFile(join(part, 'account.json'), '{"features":1}');
    const objects = new FlippingStore();
    const parts = new SharedParts(objects);
    await parts.put('h', part, root);
    const key = 'parts/h.part';
    const { size } = (await objects.head(key))!;
    let damaged = 0;
    for (let at = 0; at < size; at++) {
      for (const heals of [true, false]) {
        {
          // Nothing is kept from before.
          await using handle = await objects.open(key);
          await handle.damaged?.(0, size);
        }
        Object.assign(objects.flip, { key, at, times: Number.POSITIVE_INFINITY });
        objects.heals = heals;
        const to = join(root, `to-${at}-${heals}`);
        await mkdir(to);
        objects.damaged.length = 0;
        const error = await parts.fetch('h', to).then(
          () => null,
          (thrown: unknown) => thrown,
        );
        damaged += objects.damaged.length;
        if (error !== null) {
          assert.ok(!heals && error instanceof StoreUnavailable, `${at}: ${error}`);
        } else {
          assert.deepEqual(
            (await readdir(to, { recursive: true })).sort(),
            ['account.json', 'data', 'data/a.glb'],
            `${at}`,
          );
          assert.equal(await readFile(join(to, 'data/a.glb'), 'utf8'), 'a tile');
          assert.equal(await readFile(join(to, 'account.json'), 'utf8'), '{"features":1}');
        }
        await rm(to, { recursive: true });
      }
    }
    assert.equal(damaged, 3 * size, 'every bit is noticed');
    objects.flip.times = 0;
    assert.equal(await parts.fetch('other', root), false);
  },
);

test('an object that is too short is damaged, and parts that nobody fetched for days are swept', async (t) => {
  const root = await mkdtemp(join(tmpdir(), 'parts-'));
  t.after(() => rm(root, { recursive: true }));
  const objects = new MemoryStore();
  const parts = new SharedParts(objects);
  for (const length of [0, 31]) {
    await objects.put('parts/short.part', chunks(Buffer.alloc(length)));
    await assert.rejects(parts.fetch('short', join(root, 'to')), (error: Error) => {
      assert.ok(error instanceof StoreUnavailable);
      return error.message === 'the object store gives parts/short.part with damaged bytes';
    });
  }
  const [{ modified }] = [(await objects.head('parts/short.part'))!];
  const days = (count: number) => modified.getTime() + count * 86_400_000;
  assert.equal(await parts.has('short'), true);
  await parts.sweep(days(0));
  assert.equal(await parts.has('short'), true);
  await parts.sweep(days(1_000));
  assert.equal(await parts.has('short'), false);
  await parts.sweep(days(1_000));
  await objects.put('parts/a.part', chunks(Buffer.from('a')));
  await objects.put('parts/b.part', chunks(Buffer.from('b')));
  await parts.delete(['a']);
  assert.deepEqual([await parts.has('a'), await parts.has('b')], [false, true]);
});
