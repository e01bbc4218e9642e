import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { THIS_HOST } from '@citymodel/base';
import type { CatalogueStore, Intent } from './catalogue-store.ts';
import type { ObjectStore } from './object-store.ts';
import { SqlCatalogueStore } from './sql/sql-catalogue-store.ts';
import { SqliteDriver } from './sqlite/sqlite-driver.ts';
import { intentIsAlive, retiredBefore, sweep } from './sweep.ts';
import { packageOf, publish } from './testing/fixtures.ts';
import { MemoryStore } from './testing/memory-store.ts';
import { chunks } from './testing/object-store-conformance.ts';

const LATER = Date.now() + 3_600_000;

/** A catalogue in a temporary directory, objects in memory, and a second view of the same catalogue. */
async function city() {
  const directory = await mkdtemp(join(tmpdir(), 'sweep-'));
  const open = async () => new SqlCatalogueStore(await SqliteDriver.open(join(directory, 'c.sqlite')));
  const catalogue = await open();
  await catalogue.migrate();
  const second = await open();
  const objects = new MemoryStore();
  return {
    directory,
    catalogue,
    second,
    objects,
    async [Symbol.asyncDispose]() {
      await catalogue.close();
      await second.close();
      await rm(directory, { recursive: true });
    },
  };
}

async function keys(objects: ObjectStore): Promise<string[]> {
  const found = [];
  for await (const { key } of objects.list('')) found.push(key);
  return found;
}

async function publishWithObjects(catalogue: CatalogueStore, objects: ObjectStore, id: string) {
  const row = await publish(catalogue, packageOf(id));
  await objects.put(row.archiveKey, chunks(Buffer.from('zip')));
  await objects.put(row.indexKey, chunks(Buffer.from('index')));
  return row;
}

const intentOf = (id: string, changes: Partial<Intent> = {}): Intent => ({
  id,
  keys: [`archives/${id}.zip`],
  staging: null,
  host: THIS_HOST,
  pid: process.pid,
  heartbeatAt: Date.now(),
  ...changes,
});

test('an intent lives while its process exists and gives signs of life', () => {
  const intent = intentOf('i');
  const now = intent.heartbeatAt;
  assert.ok(intentIsAlive(intent));
  assert.ok(intentIsAlive(intent, { lease: 1000, now: now + 1000 }));
  assert.ok(!intentIsAlive(intent, { lease: 1000, now: now + 1001 }));
  assert.ok(!intentIsAlive({ ...intent, pid: 999_999_999 }));
  assert.ok(!intentIsAlive({ ...intent, pid: 0 }));
  assert.ok(intentIsAlive({ ...intent, pid: 999_999_999, host: 'elsewhere' }));
});

test('cleans up after a killed ingestion and leaves living ones alone', async () => {
  await using place = await city();
  const { catalogue, objects, directory } = place;
  const live = await publishWithObjects(catalogue, objects, 'live');
  for (const name of ['dead', 'alive']) await mkdir(join(directory, name, 'below'), { recursive: true });
  await catalogue.beginIntent(intentOf('dead', { pid: 999_999_999, staging: join(directory, 'dead') }));
  await catalogue.beginIntent(intentOf('alive', { staging: join(directory, 'alive') }));
  // The same content was being ingested again: its keys belong to a package.
  await catalogue.beginIntent(intentOf('again', { pid: 999_999_999, keys: [live.archiveKey, 'archives/x'] }));
  for (const key of ['archives/dead.zip', 'archives/alive.zip', 'archives/x']) {
    await objects.put(key, chunks(Buffer.from('x')));
  }

  const options = {
    catalogue,
    objects,
    retiredBefore: 0,
    isAlive: (intent: Intent) => intentIsAlive(intent),
  };
  const report = await sweep({ ...options, retiredBefore: 1 });
  assert.deepEqual(report, { intents: 2, packages: 0, objects: 2, uploads: 0 });
  assert.deepEqual(await keys(objects), ['archives/alive.zip', live.archiveKey, live.indexKey].sort());
  assert.deepEqual(
    (await catalogue.intents()).map(({ id }) => id),
    ['alive'],
  );
  const left = await readdir(directory);
  assert.ok(left.includes('alive') && !left.includes('dead'));
  assert.deepEqual(await sweep({ ...options, retiredBefore: 1 }), {
    intents: 0,
    packages: 0,
    objects: 0,
    uploads: 0,
  });
});

test('deletes packages past their time, unless they are to be kept', async () => {
  await using place = await city();
  const { catalogue, objects } = place;
  const rows = [];
  for (const id of ['live', 'retired', 'removed', 'kept']) {
    rows.push(await publishWithObjects(catalogue, objects, id));
  }
  const [live, retired, removed, kept] = rows;
  await catalogue.setState(retired!.no, 'retired');
  await catalogue.setState(removed!.no, 'removed');
  await catalogue.setState(kept!.no, 'removed');
  const options = { catalogue, objects, isAlive: () => true };
  assert.deepEqual(await sweep({ ...options, retiredBefore: Date.now() - 60_000 }), {
    intents: 0,
    packages: 0,
    objects: 0,
    uploads: 0,
  });
  const keep = async ({ no }: { no: number }) => no === kept!.no;
  assert.deepEqual(await sweep({ ...options, retiredBefore: LATER, keep }), {
    intents: 0,
    packages: 2,
    objects: 4,
    uploads: 0,
  });
  assert.deepEqual(
    await keys(objects),
    [live!, kept!].flatMap(({ archiveKey, indexKey }) => [archiveKey, indexKey]).sort(),
  );
  assert.deepEqual(await sweep({ ...options, retiredBefore: LATER }), {
    intents: 0,
    packages: 1,
    objects: 2,
    uploads: 0,
  });
  assert.deepEqual(await keys(objects), [live!.archiveKey, live!.indexKey].sort());
});

test('a sweep that fails or dies at any call is finished by the next', async () => {
  for (let failAt = 1; failAt <= 21; failAt++) {
    await using place = await city();
    const { catalogue, objects } = place;
    const live = await publishWithObjects(catalogue, objects, 'live');
    const old = await publishWithObjects(catalogue, objects, 'old');
    await catalogue.setState(old.no, 'removed');
    await catalogue.beginIntent(intentOf('dead', { pid: 999_999_999 }));
    await objects.put('archives/dead.zip', chunks(Buffer.from('x')));

    // From one call on nothing gets through, not even what a sweep does when it fails: as if it were killed.
    let calls = 0;
    const dying = <T extends object>(store: T): T =>
      new Proxy(store, {
        get(target, property) {
          const member = Reflect.get(target, property, target);
          if (typeof member !== 'function') return member;
          return (...args: unknown[]) => {
            if (++calls >= failAt) throw new Error('killed');
            return member.apply(target, args);
          };
        },
      });
    const isAlive = (intent: Intent) => intent.id !== 'dead';
    await sweep({
      catalogue: dying(catalogue),
      objects: dying(objects),
      retiredBefore: LATER,
      isAlive,
    }).catch(() => {});
    await sweep({ catalogue, objects, retiredBefore: LATER, isAlive: () => false });
    assert.deepEqual(
      await keys(objects),
      [live.archiveKey, live.indexKey].sort(),
      `killed at call ${failAt}`,
    );
    assert.deepEqual(await catalogue.intents(), []);
    assert.deepEqual(await catalogue.sweepable(LATER), []);
    await catalogue.beginIntent(intentOf('x', { keys: ['archives/dead.zip', old.archiveKey] }));
  }
});

test('several sweeps and ingestions at once delete nothing that is referred to', async () => {
  await using place = await city();
  const { catalogue, second, objects } = place;
  const isAlive = (intent: Intent) => !intent.id.startsWith('dead');
  /** Ingests a package with the same keys over and over, giving up every other time. */
  const ingest = async (store: CatalogueStore, id: string) => {
    const pkg = packageOf(id);
    let version = 0;
    for (let i = 0; i < 12; i++) {
      const dead = i % 2 === 1;
      const intent = `${dead ? 'dead' : 'alive'}-${id}-${i}`;
      try {
        await store.beginIntent(intentOf(intent, { keys: [pkg.archiveKey, pkg.indexKey] }));
      } catch {
        // A sweep is deleting the keys just now.
        continue;
      }
      await objects.put(pkg.archiveKey, chunks(Buffer.from('zip')));
      await objects.put(pkg.indexKey, chunks(Buffer.from('index')));
      if (dead) continue;
      const old = (await store.findPackages({ id })).filter(({ state }) => state === 'live');
      const nothing = { files: [], places: [], issues: [] };
      const row = await store.publish({
        package: pkg,
        ...nothing,
        replaces: old.map(({ no }) => no),
        intent,
      });
      version = row.no;
      assert.ok(await objects.head(pkg.archiveKey), `${id} ${i}`);
      if (i % 4 === 0) await store.setState(row.no, 'removed');
    }
    return version;
  };
  let ingesting = true;
  const sweeping = [catalogue, second].map(async (store) => {
    while (ingesting) await sweep({ catalogue: store, objects, retiredBefore: LATER, isAlive });
  });
  await Promise.all([ingest(catalogue, 'a'), ingest(second, 'b'), ingest(catalogue, 'c')]).finally(() => {
    ingesting = false;
  });
  await Promise.all(sweeping);
  await sweep({ catalogue, objects, retiredBefore: LATER, isAlive });
  const referred = new Set<string>();
  for await (const page of catalogue.packages(['live', 'retired', 'removed'])) {
    for (const { archiveKey, indexKey } of page) referred.add(archiveKey).add(indexKey);
  }
  assert.deepEqual(await keys(objects), [...referred].sort());
});

test('what a response may still read is spared for the grace, or an hour where deleting cuts it off', () => {
  const store = (handleOutlivesDelete: boolean) => ({
    traits: { handleOutlivesDelete, movesLocalFiles: false, readCost: 'local' as const },
  });
  const now = 10_000_000;
  const hour = 3_600_000;
  assert.equal(retiredBefore(5, store(true), now), now - 5 + 1);
  assert.equal(retiredBefore(5, store(false), now), now - hour + 1);
  assert.equal(retiredBefore(hour + 5, store(false), now), now - hour - 5 + 1);
});

test('an intent is alive within its lease, and on this host as long as its process is there', () => {
  const now = 1_000;
  const intent = { id: 'i', keys: [], staging: null, host: 'elsewhere', pid: 1, heartbeatAt: 900 };
  const alive = (change: Partial<typeof intent>, lease = 100) =>
    intentIsAlive({ ...intent, ...change }, { lease, now });
  assert.equal(alive({}), true);
  assert.equal(alive({ heartbeatAt: 899 }), false);
  assert.equal(alive({ host: THIS_HOST, pid: process.pid }), true);
  assert.equal(alive({ host: THIS_HOST, pid: 2 ** 22 + 1 }), false, 'no process has this number');
});
