import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { ObjectExists, type ObjectHandle, ObjectMissing, type ObjectStore } from '../object-store.ts';

/** Where the stores of one test keep their objects. */
export interface ObjectStoreFixture extends AsyncDisposable {
  /** A store over the same objects each time. */
  open(): Promise<ObjectStore>;
}

/** Registers the tests that every ObjectStore has to pass; `create` makes an empty place for each. */
export function objectStoreConformance(name: string, create: () => Promise<ObjectStoreFixture>): void {
  /** Runs a test with an empty store. */
  const withStore = (
    title: string,
    run: (store: ObjectStore, fixture: ObjectStoreFixture) => Promise<void>,
  ) =>
    test(title, async () => {
      await using fixture = await create();
      const store = await fixture.open();
      try {
        await run(store, fixture);
      } finally {
        await store.close();
      }
    });

  describe(`object store: ${name}`, () => {
    withStore('gives back what was put, by ranges and whole', async (store) => {
      const bytes = randomBytes(1_000_003);
      const put = await store.put('a/b.bin', chunks(bytes, 70_000));
      assert.equal(put.key, 'a/b.bin');
      assert.equal(put.size, bytes.length);
      assert.deepEqual(await store.head('a/b.bin'), put);
      await using handle = await store.open('a/b.bin');
      assert.equal(handle.size, bytes.length);
      for (const [offset, length] of [
        [0, 0],
        [0, 10],
        [999_999, 4],
        [0, 1_000_003],
        [1_000_003, 0],
      ] as const) {
        const expected = bytes.subarray(offset, offset + length);
        assert.ok(expected.equals(await handle.read(offset, length)));
        assert.ok(expected.equals(await collect(handle, offset, length)));
      }
    });

    withStore('refuses ranges that do not exist', async (store) => {
      await store.put('k', chunks(Buffer.from('hello')));
      await using handle = await store.open('k');
      for (const [offset, length] of [
        [0, 6],
        [6, 0],
        [-1, 2],
        [2, -1],
        [0.5, 1],
        [Number.NaN, 1],
      ] as const) {
        await assert.rejects(handle.read(offset, length), RangeError);
        await assert.rejects(collect(handle, offset, length), RangeError);
      }
    });

    withStore('takes chunks whose memory is used again', async (store) => {
      const reused = Buffer.alloc(100_000);
      const put = await store.put(
        'reused',
        (async function* () {
          for (let i = 1; i <= 20; i++) {
            yield reused.fill(i).subarray(0, 100_000 - i);
            // Whatever still reads it now gets wrong bytes.
            reused.fill(0);
          }
        })(),
      );
      await using handle = await store.open('reused');
      const bytes = await collect(handle, 0, put.size);
      const expected = Array.from({ length: 20 }, (_, i) => Buffer.alloc(99_999 - i, i + 1));
      assert.ok(Buffer.concat(expected).equals(bytes));
    });

    withStore('takes a local file away', async (store) => {
      const directory = await mkdtemp(join(tmpdir(), 'put-'));
      try {
        const path = join(directory, 'archive.zip');
        await writeFile(path, 'content of the file');
        assert.equal((await store.put('archives/x.zip', path)).size, 19);
        await assert.rejects(stat(path), { code: 'ENOENT' });
        assert.equal(await text(store, 'archives/x.zip'), 'content of the file');
        await assert.rejects(store.put('archives/y.zip', join(directory, 'none')), { code: 'ENOENT' });
        assert.equal(await store.head('archives/y.zip'), null);
      } finally {
        await rm(directory, { recursive: true });
      }
    });

    withStore('keeps empty objects and large ones', async (store) => {
      await store.put('empty', chunks(Buffer.alloc(0)));
      assert.equal((await store.head('empty'))?.size, 0);
      await using empty = await store.open('empty');
      assert.equal((await collect(empty, 0, 0)).length, 0);

      // Remote stores take it in three parts. Each block has its number, which tells their order.
      const bytes = Buffer.alloc(34 << 20, randomBytes(1 << 20));
      for (let at = 0; at < bytes.length; at += 1 << 20) bytes.writeUInt32LE(at, at);
      await store.put('large', chunks(bytes, 1 << 20));
      await using large = await store.open('large');
      assert.equal(large.size, bytes.length);
      let at = 0;
      for await (const chunk of large.stream(0, large.size)) {
        assert.ok(bytes.subarray(at, at + chunk.length).equals(chunk));
        at += chunk.length;
      }
      assert.equal(at, bytes.length);
    });

    withStore('stores nothing when its source fails', async (store) => {
      const failing = async function* () {
        yield Buffer.from('half');
        throw new Error('the line was cut');
      };
      await assert.rejects(store.put('k', failing()), /the line was cut/);
      assert.equal(await store.head('k'), null);
      await store.put('k', chunks(Buffer.from('whole')));
      await assert.rejects(store.put('k', failing()), /the line was cut/);
      assert.equal(await text(store, 'k'), 'whole');
    });

    withStore('says what is not there', async (store) => {
      await store.put('a/file', chunks(Buffer.from('x')));
      for (const key of ['none', 'a', 'a/none', 'a/file/below']) {
        assert.equal(await store.head(key), null);
        await assert.rejects(store.open(key), ObjectMissing);
        await store.delete(key);
      }
      assert.equal(await text(store, 'a/file'), 'x');
    });

    withStore('deletes several at once', async (store) => {
      for (const key of ['a/1', 'a/2', 'b/1', 'c']) await store.put(key, chunks(Buffer.from(key)));
      await assert.rejects(store.deleteMany(['a/1', '../c']), RangeError);
      assert.equal(await text(store, 'a/1'), 'a/1', 'a wrong key deletes nothing');
      await store.deleteMany(['a/1', 'none', 'b/1', 'a']);
      await store.deleteMany([]);
      const left: string[] = [];
      for await (const { key } of store.list('')) left.push(key);
      assert.deepEqual(left, ['a/2', 'c']);
    });

    withStore('refuses keys that are none', async (store) => {
      const wrong = [
        '', '/', '/a', 'a/', 'a//b', '.', '..', '../a', 'a/../../b', 'a/./b', 'a\\b', 'a\0b', 'a\nb', 'ä', '日本',
        'x'.repeat(1025), 'x'.repeat(256),
      ]; // biome-ignore format: a list of odd strings
      for (const key of wrong) {
        await assert.rejects(store.put(key, chunks(Buffer.from('x'))), RangeError, key);
        await assert.rejects(store.head(key), RangeError, key);
        await assert.rejects(store.open(key), RangeError, key);
        await assert.rejects(store.delete(key), RangeError, key);
      }
      const right = [
        'a',
        '...',
        'a.b',
        '..a/b..',
        'with blank',
        "!$%&'()*+,:;<=>?@[]^_`{|}~",
        'x'.repeat(255),
      ];
      for (const key of right) {
        await store.put(key, chunks(Buffer.from(key)));
        assert.equal(await text(store, key), key);
      }
    });

    withStore('lists by key', async (store) => {
      const keys = ['a', 'a-b', 'b.c', 'b/c', 'b/c-d', 'b/d/e', 'b/d0', 'b0', 'c/x', 'B/c'];
      for (const key of keys) await store.put(key, chunks(Buffer.from(key)));
      for (const prefix of ['', 'a', 'b', 'b/', 'b/c', 'b/d', 'b/d/e', 'b/d/e/f', 'none/', 'c']) {
        const found = [];
        for await (const { key, size } of store.list(prefix)) {
          assert.equal(size, key.length);
          found.push(key);
        }
        assert.deepEqual(found, keys.filter((key) => key.startsWith(prefix)).sort(), `prefix ${prefix}`);
      }
    });

    withStore('never mixes bytes of two objects in one handle', async (store) => {
      await store.put('k', chunks(Buffer.from('first')));
      await using first = await store.open('k');
      await store.put('k', chunks(Buffer.from('second')));
      await using second = await store.open('k');
      await store.delete('k');
      await assert.rejects(store.open('k'), ObjectMissing);
      if (store.traits.handleOutlivesDelete) {
        assert.equal(String(Buffer.from(await first.read(0, 5))), 'first');
        assert.equal(String(Buffer.from(await second.read(0, 6))), 'second');
      } else {
        for (const [handle, length] of [
          [first, 5],
          [second, 6],
        ] as const) {
          await assert.rejects(handle.read(0, length), ObjectMissing);
          await assert.rejects(collect(handle, 0, length), ObjectMissing);
        }
        await store.put('k', chunks(Buffer.from('other')));
        await assert.rejects(first.read(0, 5), ObjectMissing, 'an object of the same size is another');
      }
      await store.delete('k');
    });

    withStore('puts once what is to be put once', async (store) => {
      // More than remote stores take in one part.
      const long = () => chunks(Buffer.alloc(17_000_000, 1), 2_000_000);
      for (const [key, bytes] of [
        ['small', () => chunks(Buffer.from('mine'))],
        ['large', long],
      ] as const) {
        const results = await Promise.allSettled(
          Array.from({ length: 4 }, () => store.put(key, bytes(), { once: true })),
        );
        const refused = results.filter(({ status }) => status === 'rejected') as PromiseRejectedResult[];
        for (const { reason } of refused) assert.ok(reason instanceof ObjectExists, String(reason));
        // Stores exist that do not look at the condition of large objects; two who put at the very same time may both
        // win there.
        assert.ok(refused.length < 4);
        await assert.rejects(store.put(key, bytes(), { once: true }), ObjectExists);
        await store.put(key, chunks(Buffer.from('again')));
        assert.equal(await text(store, key), 'again');
        await store.delete(key);
        await store.put(key, chunks(Buffer.from('new')), { once: true });
      }
      const directory = await mkdtemp(join(tmpdir(), 'put-'));
      try {
        const path = join(directory, 'file');
        await writeFile(path, 'file');
        await assert.rejects(store.put('small', path, { once: true }), ObjectExists);
        assert.equal(await text(store, 'small'), 'new');
        await store.put('file', path, { once: true });
        await assert.rejects(stat(path), { code: 'ENOENT' });
        assert.equal(await text(store, 'file'), 'file');
      } finally {
        await rm(directory, { recursive: true });
      }
    });

    withStore('opens with the ranges that will be read first', async (store) => {
      const bytes = randomBytes(100_000);
      await store.put('k', chunks(bytes));
      await store.put('empty', chunks(Buffer.alloc(0)));
      for (const hint of [{ first: 10 }, { last: 10 }, { first: 100, last: 200_000 }, { first: 100_000 }]) {
        await using handle = await store.open('k', hint);
        assert.equal(handle.size, bytes.length);
        for (const [offset, length] of [
          [0, 5],
          [5, 10],
          [99_990, 10],
          [99_000, 500],
          [0, 100_000],
        ] as const) {
          assert.ok(bytes.subarray(offset, offset + length).equals(await handle.read(offset, length)));
        }
        await using empty = await store.open('empty', hint);
        assert.equal(empty.size, 0);
        await assert.rejects(store.open('none', hint), ObjectMissing);
      }
    });

    withStore('answers many reads at once, near and far', async (store) => {
      const bytes = randomBytes(3_000_000);
      await store.put('k', chunks(bytes));
      await using handle = await store.open('k');
      const places = Array.from({ length: 60 }, (_, i) => ((i * 48_611) % 2_900_000) + (i % 3));
      await Promise.all(
        places.map(async (offset, i) => {
          const length = (i * 1_337) % 90_000;
          assert.ok(bytes.subarray(offset, offset + length).equals(await handle.read(offset, length)));
        }),
      );
    });

    withStore('is one store for all who open it', async (store, fixture) => {
      const other = await fixture.open();
      try {
        await store.put('k', chunks(Buffer.from('first')));
        assert.equal(await text(other, 'k'), 'first');
        await store.put('k', chunks(Buffer.from('second')));
        assert.equal(await text(other, 'k'), 'second');
        await other.delete('k');
        assert.equal(await store.head('k'), null);
        await assert.rejects(store.open('k'), ObjectMissing);
      } finally {
        await other.close();
      }
    });

    withStore('shows whole objects only, no matter who writes at once', async (store, fixture) => {
      const other = await fixture.open();
      try {
        await store.put('k', chunks(Buffer.alloc(300_000, 65)));
        const letters = 'BCDEFGHIJK';
        const writers = [...letters].map((letter, i) =>
          (i % 2 === 0 ? store : other).put('k', chunks(Buffer.alloc(300_000 + i, letter), 50_000)),
        );
        let writing = true;
        const written = Promise.all(writers).finally(() => {
          writing = false;
        });
        while (writing) {
          try {
            await using handle = await other.open('k');
            const bytes = await collect(handle, 0, handle.size);
            assert.ok(isOneByte(bytes));
          } catch (error) {
            // Replaced while it was read.
            if (store.traits.handleOutlivesDelete || !(error instanceof ObjectMissing)) throw error;
          }
        }
        await written;
      } finally {
        await other.close();
      }
    });

    withStore('serves many readers of many objects', async (store) => {
      const count = 60;
      for (let i = 0; i < count; i++) await store.put(`many/${i}`, chunks(Buffer.alloc(1000 + i, i)));
      await Promise.all(
        // More than may ask a remote store at once, and as many streams.
        Array.from({ length: 200 }, async (_, n) => {
          const i = (n * 7) % count;
          await using handle = await store.open(`many/${i}`);
          const bytes =
            n % 2 === 0 ? await handle.read(0, handle.size) : await collect(handle, 0, handle.size);
          assert.equal(bytes.length, 1000 + i);
          assert.equal(bytes.at(-1), i);
        }),
      );
    });

    withStore('streams from memory that it uses again', async (store) => {
      const bytes = Buffer.from(Array.from({ length: 1_500_000 }, (_, i) => (i * 7) % 251));
      await store.put('k', chunks(bytes));
      await using handle = await store.open('k');
      let at = 3;
      for await (const chunk of handle.stream(3, bytes.length - 5, { lent: true })) {
        assert.ok(bytes.subarray(at, at + chunk.length).equals(chunk));
        at += chunk.length;
      }
      assert.equal(at, bytes.length - 2);
    });

    withStore('stops a stream when its reader does, and gives a handle back once', async (store) => {
      await store.put('k', chunks(Buffer.alloc(2_000_000, 7)));
      const handle = await store.open('k');
      for await (const chunk of handle.stream(0, handle.size)) {
        assert.ok(chunk.length > 0);
        break;
      }
      await handle[Symbol.asyncDispose]();
      await handle[Symbol.asyncDispose]();
      assert.equal((await text(store, 'k')).length, 2_000_000);
    });

    withStore('answers a probe', async (store) => {
      await store.probe();
    });
  });
}

/** Bytes as an asynchronous source. */
export async function* chunks(bytes: Uint8Array, size = 1 << 16): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

/** Whether all bytes are the same one. */
export function isOneByte(bytes: Uint8Array): boolean {
  return Buffer.compare(bytes.subarray(1), bytes.subarray(0, -1)) === 0;
}

/** A stream's bytes. */
export async function collect(handle: ObjectHandle, offset: number, length: number): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  for await (const chunk of handle.stream(offset, length)) parts.push(chunk);
  return Buffer.concat(parts);
}

async function text(store: ObjectStore, key: string): Promise<string> {
  await using handle = await store.open(key);
  return Buffer.from(await handle.read(0, handle.size)).toString();
}
