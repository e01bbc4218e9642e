import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { StoreUnavailable } from './catalogue-store.ts';
import { type ObjectHandle, ObjectMissing, type ObjectStore } from './object-store.ts';
import { SqlCatalogueStore } from './sql/sql-catalogue-store.ts';
import { SqlPackStore } from './sql/sql-pack-store.ts';
import { SqliteDriver } from './sqlite/sqlite-driver.ts';
import { claimObjects, ForeignObjects, OWNER_KEY, OwnedObjects, ownerOf } from './store-owner.ts';
import { sweep } from './sweep.ts';
import { packageOf, publish } from './testing/fixtures.ts';
import { MemoryStore } from './testing/memory-store.ts';
import { chunks } from './testing/object-store-conformance.ts';

async function database(t: TestContext): Promise<{ driver: SqliteDriver; catalogue: SqlCatalogueStore }> {
  const directory = await mkdtemp(join(tmpdir(), 'store-owner-'));
  t.after(() => rm(directory, { recursive: true }));
  const driver = await SqliteDriver.open(join(directory, 'catalogue.sqlite'));
  const catalogue = new SqlCatalogueStore(driver);
  t.after(() => catalogue.close());
  await catalogue.migrate();
  return { driver, catalogue };
}

async function keysOf(objects: ObjectStore): Promise<string[]> {
  const keys: string[] = [];
  for await (const { key } of objects.list('')) keys.push(key);
  return keys;
}

const put = (objects: ObjectStore, key: string, text = 'x') => objects.put(key, chunks(Buffer.from(text)));

test('a database has one identity', async (t) => {
  const [one, two] = [await database(t), await database(t)];
  const [first, again] = await Promise.all([one.catalogue.identity(), one.catalogue.identity()]);
  assert.match(first!, /^[0-9a-f-]{36}$/);
  assert.equal(again, first);
  assert.notEqual(await two.catalogue.identity(), first);
});

test('objects belong to the database that came first, until another one adopts them', async (t) => {
  const objects = new MemoryStore();
  const [one, two] = [await database(t), await database(t)];
  await claimObjects({ ...one, objects });
  await claimObjects({ ...one, objects });
  assert.deepEqual(await keysOf(objects), [OWNER_KEY]);
  await assert.rejects(claimObjects({ ...two, objects }), (error: Error) => {
    assert.ok(error instanceof ForeignObjects);
    assert.match(error.message, /belong to another database than DATABASE_URL names/);
    return true;
  });
  await claimObjects({ ...two, objects }, { adopt: true });
  await claimObjects({ ...two, objects });
  await assert.rejects(claimObjects({ ...one, objects }), ForeignObjects);
});

test('two databases that begin at once cannot both have the objects', async (t) => {
  for (let i = 0; i < 5; i++) {
    const objects = new MemoryStore();
    const ends = [await database(t), await database(t)].map((end) => ({ ...end, objects }));
    const claims = await Promise.allSettled(ends.map((end) => claimObjects(end)));
    assert.deepEqual(claims.map(({ status }) => status).sort(), ['fulfilled', 'rejected']);
  }
});

test('an empty database takes no objects that nobody has claimed, one that has published does', async (t) => {
  const objects = new MemoryStore();
  await put(objects, 'archives/a.zip');
  const one = await database(t);
  await assert.rejects(claimObjects({ ...one, objects }), ForeignObjects);
  await publish(one.catalogue, packageOf('a'));
  await claimObjects({ ...one, objects });
});

test('an owner that cannot be read is nobody’s, and can be adopted', async (t) => {
  for (const text of ['', '{', '{}', '[1]', '{"database":1}']) {
    const objects = new MemoryStore();
    await put(objects, OWNER_KEY, text);
    const one = await database(t);
    await assert.rejects(claimObjects({ ...one, objects }), ForeignObjects, text);
    await claimObjects({ ...one, objects }, { adopt: true });
    await claimObjects({ ...one, objects });
  }
});

test('a bit that flips on the way makes nobody else the owner, and nothing of it is kept', async (t) => {
  const one = await database(t);
  const inner = new MemoryStore();
  await claimObjects({ ...one, objects: inner });
  const { size } = (await inner.head(OWNER_KEY))!;
  for (let at = 0; at < size; at++) {
    for (const times of [1, 2, Number.POSITIVE_INFINITY]) {
      let left = times;
      let bit = at;
      /** A store with a cache: what came once comes again until somebody says that it is damaged. */
      let kept: Uint8Array | null = null;
      const objects = new Proxy(inner, {
        get: (target, name) =>
          name !== 'open'
            ? Reflect.get(target, name).bind?.(target)
            : async (key: string): Promise<ObjectHandle> => {
                const handle = await target.open(key);
                return {
                  size: handle.size,
                  async read(offset, length) {
                    if (kept !== null) return kept;
                    const bytes = Uint8Array.from(await handle.read(offset, length));
                    if (left-- > 0) bytes[at]! ^= 1 << (bit++ % 8);
                    kept = bytes;
                    return bytes;
                  },
                  stream: handle.stream.bind(handle),
                  async damaged() {
                    kept = null;
                  },
                  [Symbol.asyncDispose]: async () => {},
                };
              },
      });
      if (times < 3) await claimObjects({ ...one, objects });
      // Flipped in "since", it is its owner still.
      else
        await claimObjects({ ...one, objects }).catch((error) =>
          assert.ok(error instanceof StoreUnavailable),
        );
      left = 0;
      kept = null;
      await claimObjects({ ...one, objects });
    }
  }
});

test('the owner is read once where it is the expected one, and else again without what is kept', async () => {
  const inner = new MemoryStore();
  const text = JSON.stringify({ database: 'one', since: ''.padEnd(20_000) });
  await put(inner, OWNER_KEY, text);
  const asked: unknown[] = [];
  const objects = new Proxy(inner, {
    get: (target, name) =>
      name !== 'open'
        ? Reflect.get(target, name).bind?.(target)
        : async (key: string, hint?: object): Promise<ObjectHandle> => {
            asked.push(['open', hint]);
            const handle = await target.open(key);
            return {
              size: handle.size,
              async read(offset, length) {
                asked.push(['read', offset, length]);
                return Buffer.from(`${text.slice(0, 30)}"}`.padEnd(length));
              },
              stream: handle.stream.bind(handle),
              damaged: async (offset, length) => void asked.push(['damaged', offset, length]),
              [Symbol.asyncDispose]: async () => {},
            };
          },
  });
  const first = [
    ['open', { first: 10_000 }],
    ['read', 0, 10_000],
  ];
  assert.equal(await ownerOf(objects, 'one'), 'one');
  assert.deepEqual(asked.splice(0), first);
  assert.equal(await ownerOf(objects, 'another'), 'one');
  assert.deepEqual(asked, [...first, ['open', undefined], ['damaged', 0, 10_000], ['read', 0, 10_000]]);
});

test('over another database nothing is swept or deleted', async (t) => {
  const inner = new MemoryStore();
  const { driver, catalogue } = await database(t);
  await publish(catalogue, packageOf('a'));
  await put(inner, 'archives/a.zip');
  const pack = `packs/aa/${'a'.repeat(64)}/1.layout`;
  await put(inner, pack);
  await claimObjects({ catalogue, objects: inner });
  const all = await keysOf(inner);

  const other = await database(t);
  const objects = new OwnedObjects({ catalogue: other.catalogue, objects: inner });
  const sweepAll = (
    stores: Pick<Parameters<typeof sweep>[0], 'catalogue' | 'objects'>,
    packs: SqlPackStore,
  ) =>
    sweep({
      ...stores,
      retiredBefore: Date.now(),
      uploadsBefore: 0,
      isAlive: () => false,
      keep: ({ archiveKey }) => packs.refersTo(archiveKey),
    });
  await other.catalogue.addGarbage(['archives/a.zip'], 0);
  const foreign = sweepAll({ catalogue: other.catalogue, objects }, new SqlPackStore(other.driver));
  await assert.rejects(foreign, ForeignObjects);
  await assert.rejects(objects.delete('archives/a.zip'), ForeignObjects);
  await assert.rejects(objects.deleteMany(['archives/a.zip']), ForeignObjects);
  assert.deepEqual(await keysOf(inner), all);

  const own = new OwnedObjects({ catalogue, objects: inner });
  await own.delete('archives/a.zip');
  await assert.rejects(own.open('archives/a.zip'), ObjectMissing);
  await sweepAll({ catalogue, objects: own }, new SqlPackStore(driver));
  assert.ok((await keysOf(inner)).includes(pack), 'an orphan is not deleted at the first look');
});

test('the owner is what two readings in a row say, of five at most; what is expected counts at once', async () => {
  /** What each reading gives, the last one from then on. */
  const ownerAfter = async (texts: string[], expected?: string) => {
    const readings: Array<{ damaged: boolean; first: number | undefined }> = [];
    const open: ObjectStore['open'] = async (_key, hint) => {
      const text = texts[Math.min(readings.length, texts.length - 1)]!;
      const reading = { damaged: false, first: hint?.first };
      readings.push(reading);
      return {
        size: text.length,
        read: async (offset: number, length: number) => Buffer.from(text).subarray(offset, offset + length),
        async damaged() {
          reading.damaged = true;
        },
        [Symbol.asyncDispose]: async () => {},
      } as unknown as ObjectHandle;
    };
    const objects = Object.assign(new MemoryStore(), { open });
    const owner = await ownerOf(objects, expected).catch((error: Error) => error.name);
    return { owner, readings };
  };
  const of = (database: string) => JSON.stringify({ database });
  assert.deepEqual(await ownerAfter([of('a')], 'a'), {
    owner: 'a',
    readings: [{ damaged: false, first: 10_000 }],
  });
  // What is kept of a reading before does not count.
  assert.deepEqual(await ownerAfter([of('b')], 'a'), {
    owner: 'b',
    readings: [
      { damaged: false, first: 10_000 },
      { damaged: true, first: undefined },
    ],
  });
  const others = ['b', 'c', 'd', 'e', 'f', 'f'].map(of);
  const different = await ownerAfter(others, 'a');
  assert.deepEqual([different.owner, different.readings.length], ['StoreUnavailable', 5]);
  assert.equal((await ownerAfter(others.slice(1), 'a')).owner, 'f');
  assert.equal((await ownerAfter([of('b'), of('c'), of('a')], 'a')).owner, 'a');
  assert.equal((await ownerAfter(['{"database":7}'])).owner, 'ForeignObjects');
  assert.equal((await ownerAfter(['null'])).owner, 'ForeignObjects');
});
