import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { chown, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, type TestContext, test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { inspect, promisify } from 'node:util';
import { withPatience } from '@citymodel/base';
import { StoreUnavailable } from '../catalogue-store.ts';
import { migrate } from '../sql/migrate.ts';
import { MIGRATIONS } from '../sql/migrations.ts';
import { SqlCatalogueStore } from '../sql/sql-catalogue-store.ts';
import { SqlComparisonStore } from '../sql/sql-comparison-store.ts';
import { SqlJobStore } from '../sql/sql-job-store.ts';
import { SqlPackStore } from '../sql/sql-pack-store.ts';
import { catalogueStoreConformance } from '../testing/catalogue-store-conformance.ts';
import { comparisonStoreConformance } from '../testing/comparison-store-conformance.ts';
import { jobStoreConformance } from '../testing/job-store-conformance.ts';
import { packStoreConformance } from '../testing/pack-store-conformance.ts';
import { freshDatabase, withPostgres } from '../testing/postgres.ts';
import { PostgresServer } from '../testing/postgres-server.ts';
import { sqlDriverConformance } from '../testing/sql-driver-conformance.ts';
import { PostgresDriver, type PostgresOptions } from './postgres-driver.ts';

/** What each database of stores begins as; that the schema is made of nothing is a matter of the driver's tests. */
const migrated = await freshDatabase();
after(() => migrated[Symbol.asyncDispose]());
const first = await PostgresDriver.open(migrated.url);
await migrate(first, MIGRATIONS);
await first.close();

catalogueStoreConformance('PostgreSQL', async () => {
  const { url, [Symbol.asyncDispose]: dispose } = await freshDatabase(migrated);
  return {
    open: async () => new SqlCatalogueStore(await PostgresDriver.open(url)),
    [Symbol.asyncDispose]: dispose,
  };
});

packStoreConformance('PostgreSQL', async () => {
  const { url, [Symbol.asyncDispose]: dispose } = await freshDatabase(migrated);
  return {
    async open() {
      const driver = await PostgresDriver.open(url);
      return {
        driver,
        catalogue: new SqlCatalogueStore(driver),
        packs: new SqlPackStore(driver),
        jobs: new SqlJobStore(driver),
      };
    },
    [Symbol.asyncDispose]: dispose,
  };
});

comparisonStoreConformance('PostgreSQL', async () => {
  const { url, [Symbol.asyncDispose]: dispose } = await freshDatabase(migrated);
  return {
    async open() {
      const driver = await PostgresDriver.open(url);
      return { catalogue: new SqlCatalogueStore(driver), comparisons: new SqlComparisonStore(driver) };
    },
    [Symbol.asyncDispose]: dispose,
  };
});

jobStoreConformance('PostgreSQL', async () => {
  const { url, [Symbol.asyncDispose]: dispose } = await freshDatabase(migrated);
  return {
    async open() {
      const driver = await PostgresDriver.open(url);
      return { catalogue: new SqlCatalogueStore(driver), jobs: new SqlJobStore(driver) };
    },
    [Symbol.asyncDispose]: dispose,
  };
});

sqlDriverConformance('PostgreSQL', async () => {
  const { url, [Symbol.asyncDispose]: dispose } = await freshDatabase();
  return { address: url, [Symbol.asyncDispose]: dispose };
});

/** A driver over a fresh database, closed after the test. */
async function opened(
  t: TestContext,
  options?: PostgresOptions,
): Promise<{ driver: PostgresDriver; url: string }> {
  const url = await withPostgres(t);
  const driver = await PostgresDriver.open(url, options);
  t.after(() => driver.close());
  return { driver, url };
}

test('a transaction whose statement failed cannot be committed', async (t) => {
  const { driver } = await opened(t);
  const swallowing = driver.write(null, async (tx) => {
    await tx.run('CREATE TABLE t (a INTEGER)');
    await tx.run('DELETE FROM nowhere').catch(() => {});
  });
  await assert.rejects(swallowing, /the transaction was rolled back/);
  assert.deepEqual(await driver.all("SELECT 1 FROM pg_tables WHERE tablename = 't'"), []);
});

test('of two transactions that wait for each other one runs again', async (t) => {
  const { driver } = await opened(t);
  await driver.write(null, async (tx) => {
    await tx.run('CREATE TABLE t (a INTEGER PRIMARY KEY, b INTEGER NOT NULL)');
    await tx.run('INSERT INTO t (a, b) VALUES (1, 0), (2, 0)');
  });
  let runs = 0;
  const reached = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const addTo = (first: number, second: number) =>
    driver.write(null, async (tx) => {
      runs++;
      await tx.run('UPDATE t SET b = b + 1 WHERE a = $1', [first]);
      reached[first - 1]!.resolve();
      await reached[second - 1]!.promise;
      await tx.run('UPDATE t SET b = b + 1 WHERE a = $1', [second]);
    });
  await Promise.all([addTo(1, 2), addTo(2, 1)]);
  // PostgreSQL may find both in the way of each other.
  assert.ok(runs > 2);
  assert.deepEqual(await driver.all('SELECT b FROM t'), [[2], [2]]);
});

test(
  'a statement that takes too long is ended; a cursor whose caller pauses is not, until it seems ' +
    'forgotten',
  async (t) => {
    const { driver, url } = await opened(t, { statementTimeoutMs: 200 });
    await assert.rejects(driver.all('SELECT pg_sleep(60)'), isUnavailable(/took longer than allowed/));
    const series = 'SELECT i FROM generate_series(1, 5000) i';
    let count = 0;
    for await (const page of driver.pages(series, [], 1_000)) {
      count += page.length;
      // Longer than a statement may take: the pause is what this is about.
      if (count === 1_000) await setTimeout(400);
    }
    assert.equal(count, 5_000);

    const hasty = await PostgresDriver.open(url, { pauseMs: 50 });
    t.after(() => hasty.close());
    const forgetting = async () => {
      for await (const _ of hasty.pages(series, [], 1_000)) await ended(driver);
    };
    await assert.rejects(forgetting(), StoreUnavailable);
    assert.deepEqual(await hasty.all('SELECT 1'), [[1]]);
  },
);

/** Resolves when no other connection to this database has a transaction open. */
async function ended(driver: PostgresDriver): Promise<void> {
  const sql =
    "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND state LIKE 'idle in transaction%'";
  while ((await driver.all(sql)).length > 0) await setTimeout(10);
}

test('a writer waits for others, and not for ever; readers need not wait', async (t) => {
  const { driver: one, url } = await opened(t, { connections: 2 });
  const two = await PostgresDriver.open(url, { writePatienceMs: 100 });
  t.after(() => two.close());
  const release = Promise.withResolvers<void>();
  const holding = Promise.withResolvers<void>();
  const long = one.write('catalogue', async () => {
    holding.resolve();
    await release.promise;
  });
  await holding.promise;
  const waiting = Array.from({ length: 5 }, () => one.write('catalogue', async (tx) => tx.all('SELECT 1')));
  assert.deepEqual(await one.all('SELECT 1'), [[1]], 'writers that wait take no connection each');
  await assert.rejects(
    two.write('catalogue', async () => {}),
    isUnavailable(/it is busy/),
  );
  await two.write('packs', async () => {});
  release.resolve();
  await long;
  await Promise.all(waiting);
});

test('a caller whose patience is over already costs an answer, and never the process', async (t) => {
  const { url, [Symbol.asyncDispose]: dispose } = await freshDatabase();
  t.after(dispose);
  const unhandled: unknown[] = [];
  const note = (reason: unknown) => unhandled.push(reason);
  process.on('unhandledRejection', note);
  t.after(() => process.off('unhandledRejection', note));
  const driver = await PostgresDriver.open(url);
  await assert.rejects(
    withPatience(() => driver.all('SELECT pg_sleep(0.2)'), 0),
    StoreUnavailable,
  );
  assert.deepEqual(await driver.all('SELECT 1'), [[1]]);
  await driver.close();
  await setTimeout(300);
  assert.deepEqual(unhandled, []);
});

test('callers beyond the pool wait for a moment', async (t) => {
  const { driver } = await opened(t, { connections: 2, connectTimeoutMs: 2_000 });
  const open = [0, 1].map(() => driver.pages('SELECT i FROM generate_series(1, 100) i', [], 10));
  for (const pages of open) await pages.next();
  await assert.rejects(driver.all('SELECT 1'), isUnavailable(/all connections of the pool are in use/));
  for (const pages of open) await pages.return(undefined);
  assert.deepEqual(await driver.all('SELECT 1'), [[1]]);
});

test('a restarted database is unavailable while it is down, and then works without being opened again', async (t) => {
  const server = await PostgresServer.start();
  t.after(() => server.stop());
  const driver = await PostgresDriver.open(server.url(), { connections: 4 });
  t.after(() => driver.close());
  let heard = Promise.withResolvers<void>();
  driver.listen('catalogue', () => heard.resolve());
  await heard.promise;
  await driver.write(null, (tx) => tx.run('CREATE TABLE t (a INTEGER)'));
  for (const how of ['fast', 'immediate'] as const) {
    // Several connections are open and idle.
    await Promise.all([1, 2, 3].map(() => driver.all('SELECT pg_sleep(0.01)')));
    const begun = Promise.withResolvers<void>();
    const down = Promise.withResolvers<void>();
    const writing = driver.write('packs', async (tx) => {
      await tx.run('INSERT INTO t (a) VALUES (1)');
      begun.resolve();
      await down.promise;
      await tx.run('INSERT INTO t (a) VALUES (2)');
    });
    writing.catch(() => {});
    await begun.promise;
    heard = Promise.withResolvers();
    await server.restart(how, async () => {
      down.resolve();
      await assert.rejects(writing, StoreUnavailable);
      await assert.rejects(driver.all('SELECT 1'), StoreUnavailable);
      await assert.rejects(
        driver.write('packs', (tx) => tx.run('INSERT INTO t (a) VALUES (3)')),
        StoreUnavailable,
      );
    });
    await Promise.all([1, 2, 3].map(async () => assert.deepEqual(await driver.all('SELECT a FROM t'), [])));
    await driver.write('packs', (tx) => tx.run('DELETE FROM t'));
    // A listener is woken when the connection is back, for what it may have missed.
    await heard.promise;
  }
});

test('a database that only reads, as one that lost its place to another, is unavailable for writers', async (t) => {
  const { driver, url } = await opened(t);
  const database = new URL(url).pathname.slice(1);
  await driver.write(null, (tx) =>
    tx.run(`ALTER DATABASE ${database} SET default_transaction_read_only = on`),
  );
  const other = await PostgresDriver.open(url);
  t.after(() => other.close());
  await assert.rejects(
    other.write('catalogue', (tx) => tx.run('CREATE TABLE t (a INTEGER)')),
    isUnavailable(/it is read-only/),
  );
  assert.deepEqual(await other.all('SELECT 1'), [[1]]);
  assert.deepEqual([(await driver.figures()).isReadOnly, (await other.figures()).isReadOnly], [false, true]);
});

const hasOpenssl = spawnSync('openssl', ['version']).status === 0;

test('speaks TLS, and only to whom it should', { skip: !hasOpenssl && 'no openssl' }, async (t) => {
  const directory = await mkdtemp(join(tmpdir(), 'postgres-tls-'));
  t.after(() => rm(directory, { recursive: true }));
  const [key, certificate] = [join(directory, 'key.pem'), join(directory, 'certificate.pem')];
  const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost'];
  const options = [
    '-x509',
    '-newkey',
    'ed25519',
    '-nodes',
    '-days',
    '2',
    '-keyout',
    key,
    '-out',
    certificate,
  ];
  await promisify(execFile)('openssl', ['req', ...options, ...subject]);
  // The server, which is never root, reads its own key only.
  if (process.getuid?.() === 0) {
    for (const path of [directory, key, certificate]) await chown(path, 65_534, 65_534);
  }
  const server = await PostgresServer.start([
    'ssl=on',
    `ssl_cert_file=${certificate}`,
    `ssl_key_file=${key}`,
  ]);
  t.after(() => server.stop());
  const usesTls = 'SELECT ssl::int FROM pg_stat_ssl WHERE pid = pg_backend_pid()';
  const byName = server.url().replace('127.0.0.1', 'localhost');
  for (const [url, isTls] of [
    [server.url(), 0],
    [`${server.url()}?sslmode=require`, 1],
    [`${server.url()}?sslmode=verify-ca&sslrootcert=${certificate}`, 1],
    [`${byName}?sslmode=verify-full&sslrootcert=${certificate}`, 1],
  ] as const) {
    const driver = await PostgresDriver.open(url);
    assert.deepEqual(await driver.all(usesTls), [[isTls]], url);
    await driver.close();
  }
  for (const url of [
    `${byName}?sslmode=verify-full`,
    `${server.url()}?sslmode=verify-full&sslrootcert=${certificate}`,
  ]) {
    await assert.rejects(PostgresDriver.open(url), isUnavailable(/the connection failed/));
  }
});

test('no error tells the password', async (t) => {
  const url = new URL(await withPostgres(t));
  url.password = 'correct-horse';
  const refused = await PostgresDriver.open(url.href).catch((error: unknown) => error);
  assert.ok(refused instanceof StoreUnavailable);
  assert.match(
    refused.message,
    /^the database postgres:\/\/127\.0\.0\.1:\d+\/test_\w+ cannot answer: it refuses the user or the password$/,
  );
  url.port = '1';
  const unreachable = await PostgresDriver.open(url.href).catch((error: unknown) => error);
  assert.ok(unreachable instanceof StoreUnavailable);
  for (const error of [refused, unreachable]) {
    assert.doesNotMatch(inspect(error, { depth: 10, showHidden: true }), /correct-horse/);
  }
});

function isUnavailable(message: RegExp): (error: unknown) => boolean {
  return (error) => error instanceof StoreUnavailable && message.test(error.message);
}
