/** What a server shows when the database that it reads is replaced by one that is behind, and goes on from there. */
import assert from 'node:assert/strict';
import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import type { CatalogueState } from '@citymodel/store';
import {
  allPackages,
  PostgresDriver,
  PostgresServer,
  packageOf,
  publish,
  SqlCatalogueStore,
  SqliteDriver,
} from '@citymodel/store/testing';
import pg from 'pg';
import { testUrls } from '../testing/snapshot-rows.ts';
import { CatalogueWatch } from './catalogue-watch.ts';

/** A watch that would gather changes for an hour, and the foreign states that it told of. */
function watching(store: SqlCatalogueStore) {
  const changes: Array<{ shown: CatalogueState; now: CatalogueState }> = [];
  const watch = new CatalogueWatch({
    store,
    urls: testUrls,
    quietMs: 3_600_000,
    gatherMs: 3_600_000,
    onOtherHistory: (shown, now) => changes.push({ shown, now }),
  });
  return { watch, told: changes };
}

const shownBy = (watch: CatalogueWatch) => watch.current().packages.map(({ id }) => id);
const idsOf = async (store: SqlCatalogueStore) => (await allPackages(store)).map(({ id }) => id);

async function temporary(t: TestContext): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'other-history-'));
  t.after(() => rm(directory, { recursive: true }));
  return directory;
}

for (const [lost, added] of [
  [1, 0],
  [1, 1],
  [2, 1],
  [1, 2],
  [3, 3],
] as const) {
  test(`a restored copy that lacks ${lost} changes and has ${added} others is shown as it is`, async (t) => {
    const directory = await temporary(t);
    const open = async (name: string) => {
      const store = new SqlCatalogueStore(await SqliteDriver.open(join(directory, name)));
      t.after(() => store.close());
      await store.migrate();
      return store;
    };
    const first = await open('first.sqlite');
    const kept = await publish(first, packageOf('kept'));
    const common = await publish(first, packageOf('common'));
    await first.close();
    await copyFile(join(directory, 'first.sqlite'), join(directory, 'copy.sqlite'));

    let current = await open('first.sqlite');
    const { watch, told: changes } = watching(
      // What the driver of a database does when the server behind its address is another one.
      new Proxy({} as SqlCatalogueStore, {
        get: (_, name: keyof SqlCatalogueStore) => (current[name] as () => unknown).bind(current),
      }),
    );
    await watch.refresh();
    for (let i = 0; i < lost; i++) await publish(current, packageOf(`lost-${i}`));
    await watch.refresh();
    assert.equal(watch.current().packages.length, 2 + lost);
    assert.deepEqual(changes, []);

    const shown = await current.state();
    current = await open('copy.sqlite');
    if (added > 0) await current.setState(common.no, 'removed');
    for (let i = 1; i < added; i++) await publish(current, packageOf(`made-${i}`));
    assert.equal(await watch.poll(), true, 'it waits for no further change');
    assert.deepEqual(shownBy(watch), await idsOf(current));
    assert.deepEqual(changes, [{ shown, now: await current.state() }]);
    await publish(current, packageOf('next'));
    await watch.refresh();
    assert.deepEqual(shownBy(watch), await idsOf(current));
    assert.equal(changes.length, 1);
    assert.ok(watch.current().packageByNo(kept.no));
  });
}

test('a version that an older program made has an identity after the next start', async (t) => {
  const driver = await SqliteDriver.open(join(await temporary(t), 'catalogue.sqlite'));
  const store = new SqlCatalogueStore(driver);
  t.after(() => store.close());
  await store.migrate();
  await publish(store, packageOf('a'));
  await driver.write('catalogue', (tx) => tx.run('UPDATE catalogue_version SET version = version + 1'));
  const { version, identity } = await store.state();
  assert.deepEqual([version, identity], [2, '']);
  const { watch, told: changes } = watching(store);
  await watch.refresh();
  await store.migrate();
  const named = await store.state();
  assert.notEqual(named.identity, '');
  assert.equal(await watch.poll(), true);
  assert.equal(watch.current().identity, named.identity);
  await store.migrate();
  assert.deepEqual(await store.state(), named);
  assert.deepEqual(changes, [], 'that is no other history');
});

test('after a fail-over to a standby that is behind, its catalogue is shown', async (t) => {
  const primary = await PostgresServer.start(['max_wal_senders=4']);
  t.after(() => primary.stop());
  const store = new SqlCatalogueStore(await PostgresDriver.open(primary.url()));
  t.after(() => store.close());
  await store.migrate();
  const x = await publish(store, packageOf('x'));
  const y = await publish(store, packageOf('y'));
  const standby = await primary.standby();
  t.after(() => standby.stop());
  await answered(() => publish(store, packageOf('z')));
  await replicated(primary, standby);
  const { watch, told: changes } = watching(store);
  await watch.refresh();

  await standby.pause();
  await store.setState(y.no, 'removed');
  await watch.refresh();
  assert.deepEqual(shownBy(watch), ['x', 'z']);
  const shown = await store.state();
  await primary.pause();
  await standby.takeOver(primary);
  await answered(() => store.version());
  await answered(() => store.setState(x.no, 'removed'));
  assert.equal(await store.version(), shown.version, 'the number alone tells nothing');
  assert.equal(await watch.poll(), true);
  assert.deepEqual(shownBy(watch), ['y', 'z']);
  assert.deepEqual(changes, [{ shown, now: await store.state() }]);
  await publish(store, packageOf('next'));
  await watch.refresh();
  assert.deepEqual(shownBy(watch), ['y', 'z', 'next']);
  assert.equal(changes.length, 1);
});

/** Tries until the database answers: connections to the server that stopped break, each once. */
async function answered<T>(work: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await work();
    } catch (error) {
      if (tries === 20) throw error;
    }
  }
}

/** Resolves when the standby has all that the primary has. */
async function replicated(primary: PostgresServer, standby: PostgresServer): Promise<void> {
  const [from, to] = await Promise.all(
    [primary, standby].map(async (server) => {
      const client = new pg.Client({ connectionString: server.url() });
      await client.connect();
      return client;
    }),
  );
  try {
    const { rows } = await from!.query('SELECT pg_current_wal_flush_lsn() AS lsn');
    for (;;) {
      const sql = 'SELECT pg_last_wal_replay_lsn() >= $1::pg_lsn AS done';
      if ((await to!.query(sql, [rows[0].lsn])).rows[0].done) return;
    }
  } finally {
    await Promise.all([from!.end(), to!.end()]);
  }
}
