import assert from 'node:assert/strict';
import {
  mkdir,
  mkdtemp,
  open,
  readdir,
  readFile,
  readlink,
  rename,
  rm,
  symlink,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { test } from 'node:test';
import { THIS_HOST } from '@citymodel/base';
import { StoreUnavailable } from '../catalogue-store.ts';
import { killRounds } from '../testing/kill-rounds.ts';
import { chunks, collect, objectStoreConformance } from '../testing/object-store-conformance.ts';
import { DirectoryStore } from './directory-store.ts';

async function temporary() {
  const directory = await mkdtemp(join(tmpdir(), 'directory-store-'));
  return { directory, [Symbol.asyncDispose]: () => rm(directory, { recursive: true }) };
}

for (const maxOpen of [256, 2]) {
  objectStoreConformance(`directory with ${maxOpen} open files`, async () => {
    const { directory, [Symbol.asyncDispose]: dispose } = await temporary();
    return { open: () => DirectoryStore.open(directory, { maxOpen }), [Symbol.asyncDispose]: dispose };
  });
}

/** Files of this process below the directory that are open. */
async function openFiles(directory: string): Promise<string[]> {
  const links = await Promise.all(
    (await readdir('/proc/self/fd')).map((fd) => readlink(`/proc/self/fd/${fd}`).catch(() => '')),
  );
  return links.filter((path) => path.startsWith(directory));
}

test('sends large objects to the disk while they are written, from a buffer that is used again', async () => {
  await using place = await temporary();
  const store = await DirectoryStore.open(place.directory);
  const count = 80;
  const buffer = Buffer.alloc(1024 * 1024);
  async function* written(failAt: number) {
    for (let i = 0; i < count; i++) {
      if (i === failAt) throw new RangeError('no more');
      yield buffer.fill(i);
    }
  }
  const { size } = await store.put('large', written(count));
  assert.equal(size, count * buffer.length);
  const handle = await store.open('large');
  for (let i = 0; i < count; i++) {
    const bytes = await handle.read(i * buffer.length, buffer.length);
    assert.ok(buffer.fill(i).equals(bytes), `chunk ${i}`);
  }
  await handle[Symbol.asyncDispose]();
  await assert.rejects(store.put('broken', written(40)), /no more/);
  assert.equal(await store.head('broken'), null);
  assert.deepEqual(await readdir(join(place.directory, 'tmp')), []);
  await store.close();
});

test('keeps few files open, closes none in use, and all at the end', {
  skip: process.platform !== 'linux',
}, async () => {
  await using place = await temporary();
  const store = await DirectoryStore.open(place.directory, { maxOpen: 3 });
  for (let i = 0; i < 10; i++) await store.put(`k${i}`, chunks(Buffer.from([i])));
  const handles = [];
  for (let i = 0; i < 10; i++) handles.push(await store.open(`k${i}`));
  assert.equal((await openFiles(place.directory)).length, 10);
  for (const [i, handle] of handles.entries()) assert.deepEqual([...(await handle.read(0, 1))], [i]);
  for (const handle of handles) await handle[Symbol.asyncDispose]();
  await store.close();
  assert.deepEqual(await openFiles(place.directory), []);
});

test('a file that another process deleted is closed at the next probe', {
  skip: process.platform !== 'linux',
}, async () => {
  await using place = await temporary();
  const store = await DirectoryStore.open(place.directory);
  await store.put('k', chunks(Buffer.from('x')));
  const handle = await store.open('k');
  await handle[Symbol.asyncDispose]();
  await rm(join(place.directory, 'objects', 'k'));
  assert.equal((await openFiles(place.directory)).length, 1);
  await store.probe();
  await store.close();
  assert.deepEqual(await openFiles(place.directory), []);
});

test('reads ahead by one chunk of 256 KiB', async () => {
  await using place = await temporary();
  const store = await DirectoryStore.open(place.directory);
  await store.put('k', chunks(Buffer.alloc(600_000, 1)));
  await using handle = await store.open('k');
  const sizes = [];
  for await (const chunk of handle.stream(10, 599_990)) sizes.push(chunk.length);
  assert.deepEqual(sizes, [262_144, 262_144, 75_702]);
  await store.close();
});

test('moves from another file system by copying', async (t) => {
  await using place = await temporary();
  const shm = await mkdtemp('/dev/shm/put-').catch(() => null);
  if (shm === null) return t.skip('needs a second file system');
  try {
    const store = await DirectoryStore.open(place.directory);
    await writeFile(join(shm, 'f'), 'from elsewhere');
    await store.put('k', join(shm, 'f'));
    const handle = await store.open('k');
    assert.equal(String(await collect(handle, 0, handle.size)), 'from elsewhere');
    await handle[Symbol.asyncDispose]();
    await store.close();
    assert.deepEqual(await readdir(shm), []);
    assert.deepEqual(await readdir(join(place.directory, 'tmp')), []);
  } finally {
    await rm(shm, { recursive: true });
  }
});

test('does not take what is no regular file', async () => {
  await using place = await temporary();
  const store = await DirectoryStore.open(join(place.directory, 'store'));
  await mkdir(join(place.directory, 'folder'));
  await symlink('/etc/hostname', join(place.directory, 'link'));
  await assert.rejects(store.put('k', join(place.directory, 'folder')), RangeError);
  await assert.rejects(store.put('k', join(place.directory, 'link')), RangeError);
});

test('removes leftovers of the dead and of long ago, and nothing else', async () => {
  await using place = await temporary();
  await DirectoryStore.open(place.directory);
  const tmp = join(place.directory, 'tmp');
  const names = {
    dead: `${THIS_HOST}~999999999~a`,
    own: `${THIS_HOST}~${process.pid}~b`,
    elsewhere: 'another-host~999999999~c',
    stale: 'another-host~1~d',
  };
  for (const name of Object.values(names)) await writeFile(join(tmp, name), 'x');
  // An hour is the border.
  await utimes(join(tmp, names.stale), 0, Date.now() / 1000 - 3630);
  await utimes(join(tmp, names.elsewhere), 0, Date.now() / 1000 - 3570);
  await DirectoryStore.open(place.directory);
  assert.deepEqual((await readdir(tmp)).sort(), [names.own, names.elsewhere].sort());
});

test('an object survives a loss of power: its bytes, its name, and the names of all new directories are on the disk', {
  skip: process.platform !== 'linux',
}, async (t) => {
  await using place = await temporary();
  const store = await DirectoryStore.open(place.directory);
  const probe = await open(place.directory);
  const prototype = Object.getPrototypeOf(probe) as typeof probe;
  const sync = prototype.sync;
  await probe.close();
  const synced = new Set<string>();
  t.mock.method(prototype, 'sync', async function (this: typeof probe) {
    synced.add(relative(place.directory, await readlink(`/proc/self/fd/${this.fd}`)));
    return sync.call(this);
  });
  await store.put('a/b/c/k', chunks(Buffer.from('x')));
  const [temporaryFile, ...directories] = [...synced].sort().reverse();
  assert.match(temporaryFile!, /^tmp\//);
  assert.deepEqual(directories.reverse(), ['objects', 'objects/a', 'objects/a/b', 'objects/a/b/c']);
  synced.clear();
  await store.delete('a/b/c/k');
  assert.deepEqual([...synced], ['objects/a/b/c']);
  await store.close();
});

test('is unavailable when its directory is gone or no directory', async () => {
  await using place = await temporary();
  const directory = join(place.directory, 'store');
  const store = await DirectoryStore.open(directory);
  await rename(directory, `${directory}-gone`);
  await assert.rejects(store.probe(), StoreUnavailable);
  assert.equal(await store.head('k'), null);
});

test('a killed writer leaves whole objects or none', async () => {
  await using place = await temporary();
  const directory = join(place.directory, 'store');
  const program = join(import.meta.dirname, '..', 'testing', 'put-forever.ts');
  await killRounds(program, [directory, place.directory, '3000000'], 5, async (lines, round) => {
    const store = await DirectoryStore.open(directory);
    const there = new Set<string>();
    for await (const { key, size } of store.list(`archives/${round}-`)) {
      there.add(key);
      assert.equal(size, 3_000_000);
      const bytes = await readFile(join(directory, 'objects', key));
      assert.ok(bytes.every((byte) => byte === bytes[0]));
    }
    for (const key of lines.slice(1)) assert.ok(there.has(key), `${key} was acknowledged`);
    assert.ok(there.size - (lines.length - 1) <= 1, 'at most one object was put and not acknowledged');
    assert.deepEqual(await readdir(join(directory, 'tmp')), []);
    await store.close();
  });
});
