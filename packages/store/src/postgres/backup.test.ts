import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { globSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { SqlCatalogueStore } from '../sql/sql-catalogue-store.ts';
import { allPackages, gmlFileOf, packageOf, placeOf, publish } from '../testing/fixtures.ts';
import { PostgresServer } from '../testing/postgres-server.ts';
import { PostgresDriver } from './postgres-driver.ts';

const run = promisify(execFile);
/** Where Debian has programs of PostgreSQL; those of the npm registry lack pg_dump. */
const [dump] = globSync('/usr/lib/postgresql/*/bin/pg_dump').sort().reverse();

test('a dump that is made while a package is published is restored whole', {
  skip: dump === undefined && 'no pg_dump',
}, async (t) => {
  const directory = await mkdtemp(join(tmpdir(), 'postgres-backup-'));
  t.after(() => rm(directory, { recursive: true }));
  const bin = dirname(dump!);
  const server = await PostgresServer.start([], bin);
  t.after(() => server.stop());
  const catalogue = new SqlCatalogueStore(await PostgresDriver.open(server.url()));
  t.after(() => catalogue.close());
  await catalogue.migrate();
  const content = {
    files: Array.from({ length: 500 }, (_, i) => gmlFileOf(String(53390000 + i))),
    places: [placeOf('見本町')],
  };
  const first = await publish(catalogue, packageOf('p1'), content);
  const file = join(directory, 'catalogue.dump');
  const publishing = publish(catalogue, packageOf('p2'), content);
  await run(dump!, ['--format=custom', `--file=${file}`, server.url()]);
  await publishing;

  await run(join(bin, 'createdb'), [
    '--encoding=UTF8',
    '--template=template0',
    `--maintenance-db=${server.url()}`,
    'restored',
  ]);
  await run(join(bin, 'pg_restore'), ['--no-owner', `--dbname=${server.url('restored')}`, file]);
  const restored = new SqlCatalogueStore(await PostgresDriver.open(server.url('restored')));
  t.after(() => restored.close());
  await restored.migrate();
  const packages = await allPackages(restored);
  assert.deepEqual(packages[0], first);
  // The second one is there whole, or not at all.
  assert.equal((await restored.gmlFiles({})).length, packages.length * 500);
  assert.equal((await restored.places(['見本町'])).length, packages.length);
  assert.equal(await restored.version(), packages.length);
  const next = await publish(restored, packageOf('next'), content);
  assert.equal(next.no, packages.length + 1);
});
