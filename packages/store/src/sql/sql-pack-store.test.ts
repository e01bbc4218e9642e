import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { SqliteDriver } from '../sqlite/sqlite-driver.ts';
import { packageOf, publish } from '../testing/fixtures.ts';
import { packStoreConformance } from '../testing/pack-store-conformance.ts';
import { SqlCatalogueStore } from './sql-catalogue-store.ts';
import { SqlJobStore } from './sql-job-store.ts';
import { SqlPackStore } from './sql-pack-store.ts';

packStoreConformance('SQLite', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'sql-pack-store-'));
  return {
    async open() {
      const driver = await SqliteDriver.open(join(directory, 'catalogue.sqlite'));
      return {
        driver,
        catalogue: new SqlCatalogueStore(driver),
        packs: new SqlPackStore(driver),
        jobs: new SqlJobStore(driver),
      };
    },
    [Symbol.asyncDispose]: () => rm(directory, { recursive: true }),
  };
});

test('a pack and its job are there both or neither', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'sql-pack-store-'));
  const driver = await SqliteDriver.open(join(directory, 'catalogue.sqlite'));
  const catalogue = new SqlCatalogueStore(driver);
  try {
    await catalogue.migrate();
    const { id, name, archiveKey, indexKey, archiveSha256 } = await publish(catalogue, packageOf('p1'));
    const source = { packageId: id, directory: name, archiveKey, indexKey, archiveSha256 };
    const packs = new SqlPackStore(driver, {
      // The last thing before the transaction is committed, and the row of the job is written.
      send: () => Promise.reject(new Error('the connection died')),
      silent: async () => [],
    });
    const request = { id: 'a'.repeat(64), sources: [{ ...source, files: ['a.gml'], metadata: [] }] };
    await assert.rejects(packs.accept(request, { now: 1, expiresAt: 9 }), /connection died/);
    assert.deepEqual(await packs.find([request.id], 1), []);
    assert.deepEqual(await driver.all('SELECT id FROM job'), []);
  } finally {
    await catalogue.close();
    await rm(directory, { recursive: true });
  }
});
