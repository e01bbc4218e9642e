import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { threadId } from 'node:worker_threads';
import { THIS_HOST } from '@citymodel/base';
import { MemoryStore } from '@citymodel/store/testing';
import { type PartRecord, PartStore, partHash, sweepThreads } from './part-store.ts';
import { SharedParts } from './shared-parts.ts';

const DAY = 86_400_000;
const RECORD: PartRecord = { outputs: [], issues: [], account: {} as never, others: [] };

async function directoryOf(t: TestContext): Promise<string> {
  const root = await mkdtemp(join(tmpdir(), 'part-store-'));
  t.after(() => rm(root, { recursive: true }));
  return root;
}

/** A part with one file. */
async function make(store: PartStore, hash: string, record = RECORD): Promise<void> {
  const work = await store.begin(hash);
  await writeFile(join(work, 'a.glb'), hash);
  await store.complete(work, hash, record);
}

test('a part is there when it is complete, as long as other members are as they were', async (t) => {
  const root = await directoryOf(t);
  const stamps: Record<string, string | null> = { 'a.jpg': '1', 'none.jpg': null };
  const store = new PartStore(root, async (path) => stamps[path] ?? null);
  const hash = partHash(['a', 1, null]);
  assert.notEqual(hash, partHash(['a', 1]));
  assert.equal(await store.find(hash), null);
  const others = Object.entries(stamps).map(([path, stamp]) => ({ path, stamp }));
  await make(store, hash, { ...RECORD, others });
  assert.deepEqual(await store.find(hash), { ...RECORD, others });
  assert.equal(store.directory(hash), join(root, 'parts', hash.slice(0, 2), hash));
  assert.deepEqual((await readdir(store.directory(hash))).sort(), ['a.glb', 'part.json']);
  const gml = { path: 'udx/a.gml' } as never;
  assert.deepEqual(await store.part(hash, gml), { gml, directory: store.directory(hash), outputs: [] });
  stamps['none.jpg'] = '2';
  assert.equal(await store.find(hash), null);
  assert.equal(existsSync(store.directory(hash)), false);
  await assert.rejects(store.part(hash, gml), { message: `The part ${hash} of udx/a.gml is not there.` });
});

test('of two that make a part the first one stays, and a part that cannot be moved is a fault', async (t) => {
  const root = await directoryOf(t);
  const store = new PartStore(root, async () => null);
  const works = [await store.begin('h1'), await store.begin('h1')];
  assert.notEqual(works[0], works[1]);
  for (const [i, work] of works.entries()) {
    await writeFile(join(work, `${i}.glb`), '');
    await store.complete(work, 'h1', RECORD);
  }
  assert.deepEqual((await readdir(store.directory('h1'))).sort(), ['0.glb', 'part.json']);
  assert.deepEqual(await readdir(join(root, 'work')), []);
  const work = await store.begin('h2');
  await mkdir(join(root, 'parts/h2'), { recursive: true });
  await writeFile(join(root, 'parts/h2/h2'), 'no directory');
  await assert.rejects(store.complete(work, 'h2', RECORD), { code: 'ENOTDIR' });
});

test('a part of another machine is fetched once, and taken away from where it was', async (t) => {
  const root = await directoryOf(t);
  const objects = new MemoryStore();
  const [one, other] = ['one', 'other'].map(
    (name) => new PartStore(join(root, name), async () => null, new SharedParts(objects)),
  );
  await make(one!, 'h1');
  assert.deepEqual(await other!.find('h1'), RECORD);
  assert.deepEqual((await readdir(other!.directory('h1'))).sort(), ['a.glb', 'part.json']);
  assert.deepEqual(await readdir(join(root, 'other/work')), []);
  await one!.unshare(['h1']);
  assert.deepEqual(await other!.find('h1'), RECORD);
  assert.equal(
    await new PartStore(join(root, 'third'), async () => null, new SharedParts(objects)).find('h1'),
    null,
  );
});

test('parts of no use for a month are swept, and so is what ended processes left', async (t) => {
  const root = await directoryOf(t);
  const store = new PartStore(root, async () => null);
  const now = Date.now();
  const at = async (path: string, age: number) => {
    const time = new Date(now - age);
    await utimes(path, time, time);
  };
  for (const [hash, age] of [
    ['young', 29 * DAY],
    ['old', 31 * DAY],
    ['used', 31 * DAY],
  ] as const) {
    await make(store, hash);
    await at(join(store.directory(hash), 'part.json'), age);
  }
  await store.touch('used');
  const own = await store.begin('own');
  const work = async (host: string, pid: number, age = 0) => {
    const path = join(root, 'work', `x~${host}~${pid}~0-1-a`);
    await mkdir(join(path, 'deep'), { recursive: true });
    await at(path, age);
    return path;
  };
  // No process has such a number.
  const dead = await work(THIS_HOST, 2 ** 22 + 1);
  const parent = await work(THIS_HOST, process.ppid, 9 * DAY);
  const foreign = [await work('elsewhere', process.pid, 0.9 * DAY), await work('elsewhere', 1, 1.1 * DAY)];
  await store.sweep(now);
  assert.deepEqual(
    ['young', 'old', 'used'].map((hash) => existsSync(store.directory(hash))),
    [true, false, true],
  );
  assert.deepEqual([own, dead, parent, ...foreign].map(existsSync), [true, false, true, true, false]);
});

test('what threads of this process left behind is swept by their numbers', async (t) => {
  const root = await directoryOf(t);
  const work = async (host: string, pid: number, thread: number) => {
    const path = join(root, 'work', `x~${host}~${pid}~${thread}-1-a`);
    await mkdir(join(path, 'deep'), { recursive: true });
    return path;
  };
  const paths = [
    await work(THIS_HOST, process.pid, 7),
    await work(THIS_HOST, process.pid, 71),
    await work(THIS_HOST, process.ppid, 7),
    await work('elsewhere', process.pid, 7),
  ];
  await sweepThreads(root, new Set([7, 8]));
  assert.deepEqual(paths.map(existsSync), [false, true, true, true]);
  await sweepThreads(join(root, 'none'), new Set([threadId]));
});
