import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { StoreUnavailable } from '../catalogue-store.ts';
import { withPostgres } from '../testing/postgres.ts';
import { SwallowingProxy } from '../testing/swallowing-proxy.ts';
import { PostgresDriver } from './postgres-driver.ts';

async function behindProxy(t: TestContext): Promise<{ driver: PostgresDriver; proxy: SwallowingProxy }> {
  const url = new URL(await withPostgres(t));
  const proxy = await SwallowingProxy.start(Number(url.port || 5432));
  url.host = `127.0.0.1:${proxy.port}`;
  const driver = await PostgresDriver.open(url.href, { connections: 4, connectTimeoutMs: 2_000 });
  t.after(async () => {
    await driver.close();
    await proxy[Symbol.asyncDispose]();
  });
  return { driver, proxy };
}

test(
  'a reader on a connection that is swallowed asks again on a new one, and those of before are not ' + 'used',
  async (t) => {
    const { driver, proxy } = await behindProxy(t);
    await Promise.all([1, 2, 3].map((value) => driver.all(`SELECT ${value}, pg_sleep(0.1)`)));
    proxy.swallow();
    const before = proxy.opened;
    assert.deepEqual(await driver.all('SELECT 7'), [[7]]);
    // One that looked, one that answered.
    assert.equal(proxy.opened - before, 2);
    assert.deepEqual(await driver.all('SELECT 8'), [[8]]);
    assert.equal(proxy.opened - before, 2);
  },
);

test('pages of a cursor that are swallowed fail as a lost connection', async (t) => {
  const { driver, proxy } = await behindProxy(t);
  const pages = driver.pages('SELECT * FROM generate_series(1, 40000) AS i', [], 1_000);
  await pages.next();
  proxy.swallow();
  await assert.rejects(
    async () => {
      for await (const _ of pages);
    },
    (error) => error instanceof StoreUnavailable && /it is silent/.test(error.message),
  );
});

test('a write transaction that is swallowed is not repeated: it may have been done', async (t) => {
  const { driver, proxy } = await behindProxy(t);
  let runs = 0;
  const writing = driver.write(null, async (tx) => {
    runs++;
    proxy.swallow();
    await tx.run('SELECT 1');
  });
  await assert.rejects(writing, StoreUnavailable);
  assert.equal(runs, 1);
});

test('a database behind which everything is swallowed fails without further tries', async (t) => {
  const { driver, proxy } = await behindProxy(t);
  proxy.swallow();
  proxy.swallowsNew = true;
  const before = proxy.opened;
  await assert.rejects(driver.all('SELECT 1'), StoreUnavailable);
  assert.equal(proxy.opened - before, 1, 'one connection looked');
});

test('a slow statement is not taken for a silent one', async (t) => {
  const { driver, proxy } = await behindProxy(t);
  const before = proxy.opened;
  assert.deepEqual(await driver.all('SELECT 1 FROM (SELECT pg_sleep(4)) AS slow'), [[1]]);
  assert.ok(proxy.opened - before >= 2, 'it was looked at');
});
