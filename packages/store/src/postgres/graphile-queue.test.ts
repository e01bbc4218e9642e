import assert from 'node:assert/strict';
import { EventEmitter, once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import type { JobReceiverOptions } from '../job-messages.ts';
import type { NewJob } from '../job-store.ts';
import { SqlCatalogueStore } from '../sql/sql-catalogue-store.ts';
import { SqlJobStore } from '../sql/sql-job-store.ts';
import { jobStoreConformance } from '../testing/job-store-conformance.ts';
import { freshDatabase, withPostgres } from '../testing/postgres.ts';
import { PostgresServer } from '../testing/postgres-server.ts';
import { GraphileQueue } from './graphile-queue.ts';
import { PostgresDriver } from './postgres-driver.ts';
import { MESSAGE_SCHEMA, MESSAGE_SCHEMA_VERSION, PostgresMessages } from './postgres-messages.ts';

const JOB: NewJob = {
  kind: 'ingest',
  label: 'a',
  payload: null,
  maxAttempts: 3,
  exclusive: null,
  unique: null,
  objectKey: null,
};

jobStoreConformance('PostgreSQL with messages', async () => {
  const database = await freshDatabase();
  const receiver = await new GraphileQueue(database.url).receive(ignoring());
  await receiver.stop();
  return {
    async open() {
      const driver = await PostgresDriver.open(database.url);
      return {
        catalogue: new SqlCatalogueStore(driver),
        jobs: new SqlJobStore(driver, new PostgresMessages()),
      };
    },
    [Symbol.asyncDispose]: () => database[Symbol.asyncDispose](),
  };
});

function ignoring(changes: Partial<JobReceiverOptions> = {}): JobReceiverOptions {
  return {
    kinds: ['ingest'],
    concurrency: 2,
    pollMs: 100,
    take: async () => {},
    blocked: () => [],
    onEnd: () => {},
    onWarning: () => {},
    ...changes,
  };
}

async function open(t: TestContext) {
  const url = await withPostgres(t);
  const driver = await PostgresDriver.open(url);
  const catalogue = new SqlCatalogueStore(driver);
  await catalogue.migrate();
  const taken = new EventEmitter();
  const take = async (id: string) => {
    taken.emit('take', id);
  };
  return {
    url,
    jobs: new SqlJobStore(driver, new PostgresMessages()),
    queue: new GraphileQueue(url),
    take,
    next: async () => (await once(taken, 'take'))[0] as string,
    close: () => catalogue.close(),
  };
}

/** Messages that are under way. */
async function messages(url: string): Promise<number> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query(`SELECT count(*)::int AS n FROM ${MESSAGE_SCHEMA}.jobs`);
    return rows[0].n;
  } finally {
    await client.end();
  }
}

describe('messages about jobs', () => {
  test('reach a receiver, one for each job, in the transaction that makes it wait', async (t) => {
    const { url, jobs, queue, take, next, close } = await open(t);
    const receiver = await queue.receive(ignoring({ take }));
    const first = next();
    const [a] = await jobs.enqueue([JOB], Date.now());
    assert.equal(await first, a!.id);
    await jobs.cancel(a!.id, Date.now());
    const again = next();
    await jobs.retry(a!.id, Date.now());
    assert.equal(await again, a!.id);
    await receiver.stop();
    assert.equal(await messages(url), 0);
    await close();
  });

  test('are sent later for jobs that were asked for before the first worker', async (t) => {
    const { jobs, queue, take, next, close } = await open(t);
    const long = Date.now() - 60_000;
    const [a] = await jobs.enqueue([JOB], long);
    const receiver = await queue.receive(ignoring({ take }));
    const first = next();
    await jobs.recover({ now: Date.now(), dead: [] });
    assert.equal(await first, a!.id);
    await receiver.stop();
    await close();
  });

  test('are not sent before the first worker has made the whole schema', async (t) => {
    const { jobs, url, close } = await open(t);
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    const folder = join(dirname(fileURLToPath(import.meta.resolve('graphile-worker'))), '../sql');
    const files = (await readdir(folder)).filter((name) => /^\d{6}\.sql$/.test(name)).sort();
    await client.query(`CREATE SCHEMA ${MESSAGE_SCHEMA}`);
    await client.query(`CREATE TABLE ${MESSAGE_SCHEMA}.migrations (id int PRIMARY KEY)`);
    // As the library does it: each step is a transaction, which another process may see the end of.
    for (const file of files) {
      await jobs.enqueue([JOB], Date.now());
      assert.equal(await sent(), 0, file);
      const step = await readFile(join(folder, file), 'utf8');
      await client.query('BEGIN');
      await client.query(`INSERT INTO ${MESSAGE_SCHEMA}.migrations VALUES ($1)`, [Number.parseInt(file, 10)]);
      await client.query(step.replaceAll(':GRAPHILE_WORKER_SCHEMA', MESSAGE_SCHEMA));
      await client.query('COMMIT');
    }
    assert.equal(Number.parseInt(files.at(-1)!, 10), MESSAGE_SCHEMA_VERSION);
    await jobs.enqueue([JOB], Date.now());
    assert.equal(await sent(), 1);
    await client.end();
    await close();

    async function sent(): Promise<number> {
      const { rows } = await client.query(`SELECT to_regclass('${MESSAGE_SCHEMA}.jobs') IS NULL AS none`);
      return rows[0].none ? 0 : messages(url);
    }
  });

  test('come again for a job that another one keeps waiting', async (t) => {
    const { jobs, queue, next, take, close } = await open(t);
    const [a, b] = await jobs.enqueue(
      [
        { ...JOB, exclusive: 'x' },
        { ...JOB, exclusive: 'x' },
      ],
      Date.now(),
    );
    const claiming = (id: string) => {
      const now = Date.now();
      return jobs.claim({ worker: 'w', now, leaseUntil: now + 60_000, kinds: ['ingest'], id });
    };
    const running = (await claiming(a!.id))!;
    const seen: string[] = [];
    const receiver = await queue.receive(
      ignoring({
        async take(id) {
          seen.push(id);
          if (id === b!.id) await claiming(id);
          await take(id);
        },
      }),
    );
    await jobs.recover({ now: Date.now() + 10_000, dead: [] });
    while ((await next()) !== b!.id);
    await jobs.succeed(running, null, Date.now());
    while ((await next()) !== b!.id);
    assert.equal((await jobs.find(b!.id))!.state, 'running');
    await receiver.stop();
    await close();
  });

  test('of dead workers are sent again', async (t) => {
    const { jobs, url, queue, next, take, close } = await open(t);
    // A worker that dies: its message stays locked.
    const hanging = await queue.receive(ignoring());
    await hanging.stop();
    const [a] = await jobs.enqueue([JOB], Date.now());
    const now = Date.now();
    const claim = await jobs.claim({
      worker: 'dead',
      now,
      leaseUntil: now + 60_000,
      kinds: ['ingest'],
      id: a!.id,
    });
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    await client.query(
      `UPDATE ${MESSAGE_SCHEMA}._private_jobs SET locked_at = now(), locked_by = 'dead', attempts = 1`,
    );
    await client.end();
    assert.ok(claim);
    const receiver = await queue.receive(ignoring({ take }));
    const taken = next();
    assert.equal(await jobs.recover({ now: Date.now(), dead: ['dead'] }), 1);
    assert.equal(await taken, a!.id);
    await receiver.stop();
    assert.equal(await messages(url), 0);
    await close();
  });

  test('are sent again for a job whose message was taken by a worker that died before it had the job', async (t) => {
    const { jobs, url, queue, next, take, close } = await open(t);
    await (await queue.receive(ignoring())).stop();
    const [a] = await jobs.enqueue([JOB], Date.now());
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    await client.query(
      `UPDATE ${MESSAGE_SCHEMA}._private_jobs SET locked_at = now() - interval '1 minute', locked_by = 'dead', ` +
        `attempts = 1`,
    );
    await client.end();
    const receiver = await queue.receive(ignoring({ take }));
    const taken = next();
    await jobs.recover({ now: Date.now(), dead: [] });
    assert.equal(await taken, a!.id);
    await receiver.stop();
    await close();
  });

  test('end their receiver, not the process, when the database goes away while one is done', async (t) => {
    const server = await PostgresServer.start();
    t.after(() => server.stop());
    const url = server.url();
    const driver = await PostgresDriver.open(url);
    await new SqlCatalogueStore(driver).migrate();
    const jobs = new SqlJobStore(driver, new PostgresMessages());
    const { promise: ended, resolve: end } = Promise.withResolvers<unknown>();
    const { promise: taking, resolve: taken } = Promise.withResolvers<void>();
    const { promise: isGone, resolve: gone } = Promise.withResolvers<void>();
    const receiver = await new GraphileQueue(url).receive(
      ignoring({
        async take() {
          taken();
          await isGone;
        },
        onEnd: end,
      }),
    );
    await jobs.enqueue([JOB], Date.now());
    await taking;
    await server.restart('immediate', async () => {
      gone();
      assert.ok((await ended) instanceof Error);
    });
    await receiver.stop();
    await driver.close();
  });

  test('of kinds that are not wanted wait', async (t) => {
    const { jobs, queue, next, take, close } = await open(t);
    let blocked = ['ingest'];
    const receiver = await queue.receive(
      ignoring({ kinds: ['ingest', 'reindex'], take, blocked: () => blocked }),
    );
    const first = next();
    const [a, b] = await jobs.enqueue([JOB, { ...JOB, kind: 'reindex' }], Date.now());
    assert.equal(await first, b!.id);
    blocked = [];
    assert.equal(await next(), a!.id);
    await receiver.stop();
    await close();
  });
});
