import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { SqliteDriver } from '../sqlite/sqlite-driver.ts';
import { jobStoreConformance } from '../testing/job-store-conformance.ts';
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
