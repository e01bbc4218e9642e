/** Two watches over one database, as two servers have them: what they show, and when. */
import assert from 'node:assert/strict';
import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type TestContext, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { packageOf, publish, SqlCatalogueStore, SqliteDriver } from '@citymodel/store/testing';
import { testUrls } from '../testing/snapshot-rows.ts';
import { CatalogueWatch } from './catalogue-watch.ts';

/** Far more than building takes, also on a busy machine. */
const LEAD_MS = 3_000;

/** A store with one package, since an hour ago. */
async function opened(t: TestContext, file: string): Promise<SqlCatalogueStore> {
  const driver = await SqliteDriver.open(file);
  const store = new SqlCatalogueStore(driver);
  t.after(() => store.close());
  await store.migrate();
  await publish(store, packageOf('a'));
  await driver.write('catalogue', (tx) =>
    tx.run('UPDATE catalogue_state SET changed_at = changed_at - 3600000'),
  );
  return store;
}

async function temporary(t: TestContext): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'agreed-watch-'));
  t.after(() => rm(directory, { recursive: true }));
  return directory;
}

function watching(store: SqlCatalogueStore) {
  const late: number[] = [];
  const options = { store, urls: testUrls, quietMs: 200, gatherMs: 0, leadMs: LEAD_MS, pollMs: 60_000 };
  const watch = new CatalogueWatch({ ...options, onLate: (_, ms) => late.push(ms) });
  return { watch, late, names: () => watch.current().packages.map(({ id }) => id) };
}

test('a change is shown at its time by all, also by one that starts meanwhile', async (t) => {
  const store = await opened(t, join(await temporary(t), 'catalogue.sqlite'));
  const [a] = await store.findPackages({ id: 'a' });
  const [first, second, third] = [watching(store), watching(store), watching(store)];
  for (const { watch } of [first, second]) await watch.refresh();
  await publish(store, packageOf('b'));
  // Soon after: it is shown with what follows, and the state before is built all the same.
  await store.setState(a!.no, 'removed');
  const [, { changedAt } = { changedAt: null }] = (await store.statesFrom(1)).states;
  await first.watch.refresh();
  await pause(LEAD_MS / 3);
  await second.watch.refresh();
  // It reads the newest state, and goes back to what the others show.
  await third.watch.refresh();
  await third.watch.prepare();
  for (const { names } of [first, second, third]) assert.deepEqual(names(), ['a']);
  const shownAt = async ({ names }: ReturnType<typeof watching>, expected: string) => {
    while (`${names()}` !== expected) await pause(1);
    return Date.now();
  };
  const all = [first, second, third];
  const times = await Promise.all(all.map((watch) => shownAt(watch, 'a,b')));
  for (const time of times) assert.ok(time >= changedAt! + LEAD_MS - 2, `${time} ${changedAt}`);
  for (const { watch } of all) await watch.prepare();
  await Promise.all(all.map((watch) => shownAt(watch, 'b')));
  for (const { late } of all) assert.deepEqual(late, []);
});

test('a state whose time comes while the one before is shown follows at once, without a warning', async (t) => {
  const store = await opened(t, join(await temporary(t), 'catalogue.sqlite'));
  const [a] = await store.findPackages({ id: 'a' });
  /** How long the next look at the database stops the process, ms. */
  let stops = 0;
  const stopped = Promise.withResolvers<void>();
  const { watch, names } = watching(
    new Proxy(store, {
      get: (target, name: keyof SqlCatalogueStore) => {
        const method = (target[name] as (...values: unknown[]) => unknown).bind(target);
        if (name !== 'statesFrom') return method;
        return (...values: unknown[]) => {
          if (stops > 0 && names().join() === 'a,b') {
            Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, stops);
            stopped.resolve();
          }
          return method(...values);
        };
      },
    }),
  );
  const warnings: Error[] = [];
  const listen = (warning: Error) => warnings.push(warning);
  process.on('warning', listen);
  t.after(() => process.off('warning', listen));
  await watch.refresh();
  watch.start();
  t.after(() => watch.stop());
  await publish(store, packageOf('b'));
  await store.setState(a!.no, 'removed');
  await watch.refresh();
  // The end of a burst is known once it is quiet.
  await pause(LEAD_MS / 2);
  await watch.refresh();
  assert.deepEqual(names(), ['a']);
  stops = 1_000;
  // Looking at the names would show what is due before the timer does.
  await stopped.promise;
  await pause(5);
  assert.deepEqual(names(), ['b']);
  assert.deepEqual(warnings, []);
});

test('what was missed is shown at once, and is said to be late', async (t) => {
  const store = await opened(t, join(await temporary(t), 'catalogue.sqlite'));
  const { watch, late, names } = watching(store);
  await watch.refresh();
  await publish(store, packageOf('b'));
  await pause(LEAD_MS + 1_000);
  await watch.refresh();
  assert.deepEqual(names(), ['a', 'b']);
  assert.equal(late.length, 1);
  assert.ok(late[0]! > 0 && late[0]! < 60_000, `${late}`);
});

test('a database with another history is shown as it is, without waiting', async (t) => {
  const directory = await temporary(t);
  const [file, copy] = ['first.sqlite', 'copy.sqlite'].map((name) => join(directory, name)) as [
    string,
    string,
  ];
  let current = await opened(t, file);
  const database = new DatabaseSync(file);
  t.after(() => database.close());
  // What is in the log of the database goes into its file.
  database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  await copyFile(file, copy);
  const { watch, names } = watching(
    new Proxy({} as SqlCatalogueStore, {
      get: (_, name: keyof SqlCatalogueStore) => (current[name] as () => unknown).bind(current),
    }),
  );
  await publish(current, packageOf('lost'));
  database.exec('UPDATE catalogue_state SET changed_at = changed_at - 3600000');
  await watch.refresh();
  assert.deepEqual(names(), ['a', 'lost']);
  current = new SqlCatalogueStore(await SqliteDriver.open(copy));
  t.after(() => current.close());
  await publish(current, packageOf('made'));
  await watch.refresh();
  assert.deepEqual(names(), ['a', 'made']);
});
