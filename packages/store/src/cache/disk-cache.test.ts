import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, mock, test } from 'node:test';
import { crc32 } from 'node:zlib';
import { DiskCache } from './disk-cache.ts';

describe('a cache on a disk', () => {
  let directory: string;
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'disk-cache-'));
  });
  afterEach(async () => {
    mock.timers.reset();
    await rm(directory, { recursive: true, force: true });
  });

  /** Files of blocks, by the names of their directories and their own. */
  async function files(): Promise<string[]> {
    const found = await readdir(directory, { recursive: true, withFileTypes: true });
    return found
      .filter((entry) => entry.isFile() && !entry.parentPath.endsWith('tmp'))
      .map((entry) => join(entry.parentPath, entry.name));
  }

  test('writes a block as a file: its mark, the checksum in four bytes, the bytes', async () => {
    const cache = new DiskCache(directory, 1_000_000);
    const block = Buffer.from('a block of bytes');
    cache.put('name', block);
    await cache.settle();
    const [path] = await files();
    const file = await readFile(path!);
    assert.equal(file.toString('latin1', 0, 4), 'CMCB');
    assert.equal(file.readUInt32LE(4), crc32(block));
    assert.deepEqual(file.subarray(8), block);
    assert.deepEqual(Buffer.from((await cache.get('name'))!), block);
    assert.deepEqual(await readdir(join(directory, 'tmp')), []);
  });

  test('deletes what is no block: of no bytes, of another mark, of other bytes, cut', async () => {
    const cache = new DiskCache(directory, 1_000_000);
    const change = (at: number) => (file: Buffer) => {
      file[at]! ^= 1;
      return file;
    };
    const damages = [change(0), change(4), change(8), (file: Buffer) => file.subarray(0, -1)];
    for (const damage of [
      ...damages,
      (file: Buffer) => file.subarray(0, 8),
      (file: Buffer) => file.subarray(0, 3),
    ]) {
      cache.put('name', Buffer.from('block'));
      await cache.settle();
      const [path] = await files();
      await writeFile(path!, damage(await readFile(path!)));
      assert.equal(await cache.get('name'), null);
      assert.deepEqual(await files(), []);
    }
    // The sum of no bytes is 0, so a header alone would be right.
    cache.put('name', Buffer.from('block'));
    await cache.settle();
    await writeFile((await files())[0]!, 'CMCB\0\0\0\0');
    assert.equal(await cache.get('name'), null);
  });

  test('keeps 64 blocks that wait to be written, and none on top', async () => {
    const cache = new DiskCache(directory, 1_000_000);
    for (let i = 0; i < 70; i++) cache.put(`n${i}`, Buffer.from([i]));
    await cache.settle();
    assert.equal((await files()).length, 64);
    assert.deepEqual(await cache.get('n63'), Buffer.from([63]));
    assert.equal(await cache.get('n64'), null);
    cache.put('n64', Buffer.from([64]));
    await cache.settle();
    assert.deepEqual(await cache.get('n64'), Buffer.from([64]));
  });

  test('writes nothing for half a minute after a write has failed, then again', async () => {
    mock.timers.enable({ apis: ['Date'], now: 1_000_000 });
    // A file where the directory would be: nothing can be written below it.
    const place = join(directory, 'place');
    await writeFile(place, '');
    const cache = new DiskCache(place, 1_000_000);
    cache.put('first', Buffer.from('x'));
    await cache.settle();
    await rm(place);
    const isKept = async (name: string) => {
      cache.put(name, Buffer.from('x'));
      await cache.settle();
      return (await cache.get(name)) !== null;
    };
    assert.equal(await isKept('at once'), false);
    mock.timers.setTime(1_000_000 + 29_999);
    assert.equal(await isKept('a moment too early'), false);
    mock.timers.setTime(1_000_000 + 30_000);
    assert.equal(await isKept('in time'), true);
  });

  test('deletes the longest unused down to nine tenths of its limit, and none while all have room', async () => {
    const first = new DiskCache(directory, 1_000_000);
    for (let i = 0; i < 21; i++) first.put(`n${i}`, Buffer.alloc(92, i));
    await first.settle();
    // A file has 100 bytes, of which the last is its number; the lower, the longer unused.
    for (const file of await files()) {
      const number = (await readFile(file)).at(-1)!;
      await utimes(file, 1_000 + number, 1_000 + number);
    }
    await new DiskCache(directory, 2_100).settle();
    assert.equal((await files()).length, 21, 'exactly as much as it may have');
    await symlink(join(directory, 'nowhere'), join((await files())[0]!, '../gone-meanwhile'));
    await new DiskCache(directory, 2_000).settle();
    const left = await Promise.all((await files()).map(async (file) => (await readFile(file)).at(-1)!));
    assert.deepEqual(
      left.sort((a, b) => a - b),
      Array.from({ length: 18 }, (_, i) => i + 3),
    );
  });

  test('looks again when a tenth of the limit was written', async () => {
    const cache = new DiskCache(directory, 10_000);
    // By another process: more than the limit.
    await cache.settle();
    await mkdir(join(directory, 'ab'));
    await writeFile(join(directory, 'ab', 'theirs'), Buffer.alloc(20_000));
    await utimes(join(directory, 'ab', 'theirs'), 1, 1);
    const isThere = () =>
      stat(join(directory, 'ab', 'theirs')).then(
        () => true,
        () => false,
      );
    cache.put('a', Buffer.alloc(992));
    await cache.settle();
    assert.equal(await isThere(), true, 'a tenth, and not more');
    cache.put('b', Buffer.alloc(1));
    await cache.settle();
    assert.equal(await isThere(), false);
    assert.equal((await cache.get('a'))!.length, 992);
  });

  test('deletes what killed writers left an hour ago, and nothing that is not its own', async () => {
    await mkdir(join(directory, 'tmp'));
    await mkdir(join(directory, 'notes'));
    mock.timers.enable({ apis: ['Date'], now: 2_000_000_000_000 });
    const write = async (path: string, age: number) => {
      await writeFile(join(directory, path), Buffer.alloc(100));
      const seconds = (Date.now() - age) / 1_000;
      await utimes(join(directory, path), seconds, seconds);
    };
    await write('tmp/old', 3_600_500);
    await write('tmp/young', 3_599_500);
    await write('tmp/an hour', 3_600_000);
    await write('notes/old', 60_000_000);
    await new DiskCache(directory, 10).settle();
    assert.deepEqual((await readdir(join(directory, 'tmp'))).sort(), ['an hour', 'young']);
    assert.deepEqual(await readdir(join(directory, 'notes')), ['old']);
  });

  test('notes the use of a block on the disk at most once a minute', async () => {
    mock.timers.enable({ apis: ['Date'], now: 2_000_000_000_000 });
    const cache = new DiskCache(directory, 1_000_000);
    cache.put('name', Buffer.from('block'));
    await cache.settle();
    const [path] = await files();
    /** When the file counts as used after a read of the block at a time, seconds. */
    const usedAfter = async (time: number) => {
      await utimes(path!, 1_000, 1_000);
      mock.timers.setTime(time);
      assert.notEqual(await cache.get('name'), null);
      // The note is on its way; the disk takes one after the other of this process.
      for (let turn = 0; turn < 50; turn++) await stat(path!);
      return (await stat(path!)).mtimeMs / 1_000;
    };
    assert.equal(await usedAfter(2_000_000_000_000), 2_000_000_000);
    assert.equal(await usedAfter(2_000_000_059_999), 1_000);
    assert.equal(await usedAfter(2_000_000_060_000), 2_000_000_060);
    assert.equal(await usedAfter(2_000_000_060_001), 1_000);
  });

  test('drops a block that is still being written', async () => {
    const cache = new DiskCache(directory, 1_000_000);
    cache.put('a', Buffer.from('a'));
    cache.put('b', Buffer.from('b'));
    await cache.drop('a');
    assert.equal(await cache.get('a'), null);
    assert.deepEqual(await cache.get('b'), Buffer.from('b'));
  });
});
