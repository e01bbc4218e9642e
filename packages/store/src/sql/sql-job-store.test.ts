import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { SqliteDriver } from '../sqlite/sqlite-driver.ts';
import { jobStoreConformance } from '../testing/job-store-conformance.ts';
import type { WaitingJob } from './job-queue.ts';
import { SqlCatalogueStore } from './sql-catalogue-store.ts';
import { SqlJobStore } from './sql-job-store.ts';

test('who looks for work waits for nobody who writes, as long as there is none', async (t) => {
  const directory = await mkdtemp(join(tmpdir(), 'sql-job-store-'));
  t.after(() => rm(directory, { recursive: true }));
  const driver = await SqliteDriver.open(join(directory, 'catalogue.sqlite'));
  await new SqlCatalogueStore(driver).migrate();
  const jobs = new SqlJobStore(driver);
  const writes = t.mock.method(driver, 'write').mock;
  const asked = { worker: 'w', leaseUntil: 20, kinds: ['k'] };
  assert.equal(await jobs.claim({ ...asked, now: 10 }), null);
  assert.equal(writes.callCount(), 0);
  const job = { kind: 'k', label: 'l', payload: {}, maxAttempts: 1, exclusive: null, unique: null };
  await jobs.enqueue([{ ...job, objectKey: null }], 5);
  writes.resetCalls();
  assert.equal(await jobs.claim({ ...asked, now: 4 }), null);
  assert.equal(writes.callCount(), 0);
  assert.equal((await jobs.claim({ ...asked, now: 10 }))?.kind, 'k');
  assert.equal(writes.callCount(), 1);
  await driver.close();
});

test('workers are told again of jobs whose worker went away, and of those without a message', async (t) => {
  const directory = await mkdtemp(join(tmpdir(), 'sql-job-store-'));
  t.after(() => rm(directory, { recursive: true }));
  const driver = await SqliteDriver.open(join(directory, 'catalogue.sqlite'));
  await new SqlCatalogueStore(driver).migrate();
  let silent: string[] = [];
  const sent: WaitingJob[] = [];
  const jobs = new SqlJobStore(driver, {
    send: async (_, waiting) => void sent.push(...waiting),
    silent: async () => silent,
  });
  const job = { label: 'l', payload: {}, exclusive: null, unique: null, objectKey: null };
  const [lost, last, unheard] = await jobs.enqueue(
    [
      { ...job, kind: 'lost', maxAttempts: 2 },
      { ...job, kind: 'last', maxAttempts: 1 },
      { ...job, kind: 'unheard', maxAttempts: 1 },
    ],
    5,
  );
  assert.deepEqual(
    sent.splice(0).map(({ id, isLost }) => [id, isLost]),
    [lost, last, unheard].map((row) => [row!.id, false]),
  );
  for (const kind of ['lost', 'last']) {
    assert.equal((await jobs.claim({ worker: 'w', leaseUntil: 20, kinds: [kind], now: 10 }))?.kind, kind);
  }
  sent.length = 0;
  const writes = t.mock.method(driver, 'write').mock;
  assert.equal(await jobs.recover({ now: 19, dead: [] }), 0);
  assert.equal(writes.callCount(), 0, 'where nothing is lost nobody writes');
  assert.equal(sent.length, 0);
  silent = [unheard!.id];
  assert.equal(await jobs.recover({ now: 20, dead: [] }), 2);
  const again = [lost!, unheard!].map(({ id, kind }) => ({ id, kind, delay: 0, isLost: true }));
  assert.deepEqual(
    sent.splice(0).sort((a, b) => (a.kind < b.kind ? -1 : 1)),
    again,
    'the last attempt of one is over',
  );
  assert.equal(await jobs.recover({ now: 21, dead: [] }), 0);
  assert.deepEqual(sent, again.slice(1), 'no job has changed, and one has no message still');
  await driver.close();
});

jobStoreConformance('SQLite', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'sql-job-store-'));
  return {
    async open() {
      const driver = await SqliteDriver.open(join(directory, 'catalogue.sqlite'));
      return { catalogue: new SqlCatalogueStore(driver), jobs: new SqlJobStore(driver) };
    },
    [Symbol.asyncDispose]: () => rm(directory, { recursive: true }),
  };
});
