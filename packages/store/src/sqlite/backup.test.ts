import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { backup, DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { SqlCatalogueStore } from '../sql/sql-catalogue-store.ts';
import { allPackages, gmlFileOf, packageOf, placeOf, publish } from '../testing/fixtures.ts';
import { SqliteDriver } from './sqlite-driver.ts';

test('a copy that is made while a package is published is restored whole', async (t) => {
  const directory = await mkdtemp(join(tmpdir(), 'sqlite-backup-'));
  t.after(() => rm(directory, { recursive: true }));
  const open = async (name: string) => {
    const store = new SqlCatalogueStore(await SqliteDriver.open(join(directory, name)));
    t.after(() => store.close());
    await store.migrate();
    return store;
  };
  const catalogue = await open('catalogue.sqlite');
  const content = {
    files: Array.from({ length: 500 }, (_, i) => gmlFileOf(String(53390000 + i))),
    places: [placeOf('見本町')],
  };
  const first = await publish(catalogue, packageOf('p1'), content);

  // What `sqlite3 catalogue.sqlite ".backup copy.sqlite"` does, a few pages at a time.
  const source = new DatabaseSync(join(directory, 'catalogue.sqlite'), { readOnly: true });
  const copying = backup(source, join(directory, 'copy.sqlite'), { rate: 10 });
  await publish(catalogue, packageOf('p2'), content);
  await copying;
  source.close();

  const restored = await open('copy.sqlite');
  const packages = await allPackages(restored);
  assert.deepEqual(packages[0], first);
  // The second one is there whole, or not at all.
  assert.equal((await restored.gmlFiles({})).length, packages.length * 500);
  assert.equal((await restored.places(['見本町'])).length, packages.length);
  assert.equal(await restored.version(), packages.length);
  const next = await publish(restored, packageOf('next'), content);
  assert.equal(next.no, packages.length + 1);
});
