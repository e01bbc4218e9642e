import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { ObjectMissing, type ObjectStore } from '../object-store.ts';
import { parseS3Address } from '../s3/s3-address.ts';
import { S3Store } from '../s3/s3-store.ts';
import { FakeS3 } from '../testing/fake-s3.ts';
import { killRounds } from '../testing/kill-rounds.ts';
import { chunks, objectStoreConformance } from '../testing/object-store-conformance.ts';
import { BlockMemory } from './block-memory.ts';
import { CachedStore } from './cached-store.ts';
import { DiskCache } from './disk-cache.ts';

process.env.AWS_ACCESS_KEY_ID = 'test';
process.env.AWS_SECRET_ACCESS_KEY = 'testtest';

function cached(
  fake: FakeS3,
  directory: string | null,
  memory: number,
  diskBytes = 100_000_000,
): CachedStore {
  const disk = directory === null ? null : new DiskCache(directory, diskBytes);
  return new CachedStore(new S3Store(parseS3Address(fake.address())), new BlockMemory(memory, disk));
}

objectStoreConformance('S3 in this process behind a cache', async () => {
  const fake = await FakeS3.start();
  const directory = await mkdtemp(join(tmpdir(), 'cache-'));
  return {
    open: async () => cached(fake, directory, 1_000_000, 2_000_000),
    async [Symbol.asyncDispose]() {
      await fake[Symbol.asyncDispose]();
      await rm(directory, { recursive: true });
    },
  };
});

describe('blocks that are kept', () => {
  let fake: FakeS3;
  let directory: string;
  const bytes = randomBytes(600_000);
  beforeEach(async () => {
    fake = await FakeS3.start();
    directory = await mkdtemp(join(tmpdir(), 'cache-'));
    const store = new S3Store(parseS3Address(fake.address()));
    await store.put('k', chunks(bytes));
    await store.close();
  });
  afterEach(async () => {
    await fake[Symbol.asyncDispose]();
    await rm(directory, { recursive: true, force: true });
  });

  /** Ranges that were asked of the store while a range was read and compared. */
  async function asked(store: ObjectStore, offset: number, length: number): Promise<(string | undefined)[]> {
    await using handle = await store.open('k');
    fake.asked = [];
    assert.ok(bytes.subarray(offset, offset + length).equals(await handle.read(offset, length)));
    return fake.asked.map(({ range }) => range);
  }

  test('are read from the store once, by one process and by the next', async () => {
    const first = cached(fake, directory, 10_000_000);
    assert.deepEqual(await asked(first, 10, 100_000), ['bytes=0-131071']);
    assert.deepEqual(await asked(first, 50_000, 80_000), []);
    await first.close();
    const second = cached(fake, directory, 0);
    assert.deepEqual(await asked(second, 50_000, 80_000), []);
    assert.deepEqual(await asked(second, 100_000, 100_000), ['bytes=131072-229375'], 'only what is missing');
    await second.close();
  });

  test('are those of short streams, too, and not those of long ones', async () => {
    const store = cached(fake, directory, 10_000_000);
    await using handle = await store.open('k');
    const streamed = async (offset: number, length: number) => {
      fake.asked = [];
      const pieces: Uint8Array[] = [];
      for await (const piece of handle.stream(offset, length)) pieces.push(piece);
      assert.ok(bytes.subarray(offset, offset + length).equals(Buffer.concat(pieces)));
      return fake.asked.map(({ range }) => range);
    };
    assert.deepEqual(await streamed(10, 100), ['bytes=0-32767']);
    assert.deepEqual(await streamed(50, 1_000), []);
    assert.deepEqual(await streamed(1_050, 1), []);
    const longest = 256 * 1024;
    assert.deepEqual(await streamed(0, longest + 1), [`bytes=0-${longest}`]);
    assert.deepEqual(await streamed(0, longest), [`bytes=32768-${longest - 1}`]);
    assert.deepEqual(await streamed(5, longest - 5), []);
    await store.close();
  });

  test('are never those of another object of the key', async () => {
    const store = cached(fake, directory, 10_000_000);
    await asked(store, 0, 500_000);
    await using before = await store.open('k');
    await store.put('k', chunks(Buffer.alloc(600_000, 1)));
    await using after = await store.open('k');
    assert.ok((await after.read(0, 600_000)).every((byte) => byte === 1));
    assert.ok(
      bytes.subarray(0, 500_000).equals(await before.read(0, 500_000)),
      'what was kept is of the old object',
    );
    await store.close();
    const other = cached(fake, null, 0);
    await using handle = await other.open('k');
    await other.put('k', chunks(bytes));
    await assert.rejects(handle.read(0, 10), ObjectMissing);
    await other.close();
  });

  test('of another length, from an earlier version, are not taken for those of now', async () => {
    const disk = new DiskCache(directory, 1e7);
    const store = cached(fake, directory, 0);
    const { etag } = fake.objects.get('k')!;
    for (const name of [`k\n${etag}\n1`, `k\n"${etag}"\n1`]) disk.put(name, new Uint8Array(32_768));
    await disk.settle();
    assert.deepEqual(await asked(store, 32_768, 32_768), ['bytes=32768-65535']);
    await store.close();
  });

  test('that are damaged on the disk are read again', async () => {
    const first = cached(fake, directory, 0);
    await asked(first, 0, 32_768);
    await first.close();
    const [path] = await files(directory);
    for (const damage of [
      (file: Buffer) => file.fill(file[100]! ^ 1, 100, 101),
      (file: Buffer) => file.subarray(0, 5_000),
      () => Buffer.alloc(0),
    ]) {
      await writeFile(path!, damage(await readFile(path!)));
      const store = cached(fake, directory, 0);
      assert.deepEqual(await asked(store, 0, 32_768), ['bytes=0-32767']);
      await store.close();
    }
  });

  test('stay within the limit, the longest unused leaving first', async () => {
    const disk = new DiskCache(directory, 1_000_000);
    for (let i = 0; i < 100; i++) {
      disk.put(`n${i}`, randomBytes(30_000));
      await disk.settle();
    }
    const sizes = await Promise.all((await files(directory)).map(async (path) => (await stat(path)).size));
    assert.ok(sizes.reduce((sum, size) => sum + size, 0) <= 1_130_000);
    assert.notEqual(await disk.get('n99'), null);
    assert.equal(await disk.get('n0'), null);
  });

  test('that were used count as used again, on the disk once a minute', async () => {
    const disk = new DiskCache(directory, 1_000_000);
    disk.put('n', randomBytes(100));
    await disk.settle();
    const [path] = await files(directory);
    const usedAt = async () => (await stat(path!)).mtimeMs;
    /** Waits until the file counts as used since then. */
    const untilUsed = async (since: number) => {
      while ((await usedAt()) < since) await new Promise((resolve) => setImmediate(resolve));
    };
    await utimes(path!, 1_000, 1_000);
    const before = Date.now() - 1_000;
    await disk.get('n');
    await untilUsed(before);
    await utimes(path!, 1_000, 1_000);
    await disk.get('n');
    // Another process, which has noted no use of it, does so now; ours would have come first.
    const other = new DiskCache(directory, 1_000_000);
    other.put('m', randomBytes(100));
    await other.settle();
    assert.equal(await usedAt(), 1_000_000);
    await other.get('n');
    await untilUsed(before);
  });

  test('a directory that cannot be written to fails no read', {
    skip: process.getuid?.() === 0 && 'as root every directory can be written to',
  }, async () => {
    await mkdir(join(directory, 'closed'));
    await chmod(join(directory, 'closed'), 0o500);
    const store = cached(fake, join(directory, 'closed'), 0);
    await asked(store, 0, 600_000);
    await store.close();
  });

  test('a directory that is a file, and one that is deleted meanwhile, fail no read', async () => {
    await writeFile(join(directory, 'file'), 'x');
    const store = cached(fake, join(directory, 'file'), 0);
    await asked(store, 0, 600_000);
    await store.close();
    const other = cached(fake, directory, 0);
    await asked(other, 0, 300_000);
    // The cache may write into it in this moment.
    await rm(directory, { recursive: true, maxRetries: 10, retryDelay: 10 });
    await asked(other, 0, 600_000);
    await other.close();
  });

  test('a process killed at any moment leaves nothing wrong, beside others that use the directory', async () => {
    const disk = new DiskCache(directory, 5_000_000);
    const program = join(import.meta.dirname, '..', 'testing', 'cache-forever.ts');
    await killRounds(program, [directory], 4, async () => {
      for (let i = 0; i < 200; i++) {
        const block = await disk.get(`n${i}`);
        if (block !== null) assert.ok(block.length === 20_000 && block.every((byte) => byte === i % 251));
      }
    });
    await disk.settle();
  });
});

async function files(directory: string): Promise<string[]> {
  const found = await readdir(directory, { recursive: true, withFileTypes: true });
  return found.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}
