import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { openStores } from '../open-stores.ts';
import { packSumsKey } from '../pack-store.ts';
import { beginPack } from '../testing/begin-pack.ts';
import { packageOf, publish } from '../testing/fixtures.ts';
import { archiveOf, givePicture, giveTable, publishWhole } from '../testing/whole-packages.ts';
import { wantedObjects } from './wanted-objects.ts';

const NOW = 1_000_000;
const sha256 = (bytes: Buffer | string) => createHash('sha256').update(bytes).digest('hex');

test('all objects of rows are wanted once each, and those of packs and jobs may be gone by then', async (t) => {
  const directory = await mkdtemp(join(tmpdir(), 'wanted-objects-'));
  const stores = await openStores({ dataDir: directory, databaseUrl: '', objectStore: '' });
  t.after(async () => {
    await stores.close();
    await rm(directory, { recursive: true });
  });
  const { catalogue, packs, jobs, database } = stores;
  const one = await publishWhole(stores, 'one');
  await giveTable(stores, one);
  await givePicture(stores, one);
  const removed = await publishWhole(stores, 'removed');
  await catalogue.setState(removed.no, 'removed');
  // Generated catalogues have rows without bytes; two packages may share an archive.
  await publish(catalogue, packageOf('empty', { archiveKey: '', indexKey: '' }));
  await publish(
    catalogue,
    packageOf('shared', { archiveKey: one.archiveKey, archiveSha256: 'f'.repeat(64) }),
  );

  const job = { kind: 'k', label: 'l', payload: {}, maxAttempts: 1, exclusive: null, unique: null };
  await jobs.enqueue([{ ...job, objectKey: 'incoming/upload' }], NOW);
  await jobs.enqueue([{ ...job, objectKey: null }], NOW);
  const source = {
    ...{ packageId: one.id, directory: one.name, archiveKey: one.archiveKey, indexKey: one.indexKey },
    ...{ archiveSha256: one.archiveSha256, files: ['a.gml'], metadata: [] },
  };
  const ends = [
    { objectKey: 'packs/laid.layout', materialised: false },
    { objectKey: 'packs/written.zip', materialised: true },
  ];
  for (const { objectKey, materialised } of ends) {
    await packs.accept({ id: sha256(objectKey), sources: [source] }, { now: NOW, expiresAt: NOW + 9 });
    const { run } = await beginPack(stores, NOW);
    const numbers = { size: 1, files: 1, objectBytes: 1, missing: [], missingCount: 0 };
    const result = { now: NOW, expiresAt: NOW + 9, digest: 'd'.repeat(64), ...numbers };
    assert.ok(await packs.succeed(run, { ...result, objectKey, materialised }));
  }

  const wanted = await wantedObjects(database);
  const byKey = Object.fromEntries(wanted.map(({ key, ...rest }) => [key, rest]));
  assert.equal(Object.keys(byKey).length, wanted.length, 'each once');
  const picture = await database.all(
    "SELECT object_key FROM package_object WHERE object_key LIKE '%picture%'",
  );
  assert.deepEqual(byKey, {
    'archives/one.zip': { sha256: sha256(archiveOf('one')), passes: false },
    'archives/one.index': { passes: false },
    'archives/removed.zip': { sha256: sha256(archiveOf('removed')), passes: false },
    'archives/removed.index': { passes: false },
    'archives/shared.index': { passes: false },
    'tables/bldg/one': { sha256: sha256('table of one'), passes: false },
    [String(picture[0]![0])]: { sha256: sha256('picture of one'), passes: false },
    'incoming/upload': { passes: true },
    'packs/laid.layout': { passes: true },
    'packs/written.zip': { passes: true },
    [packSumsKey('packs/written.zip')]: { passes: true },
  });
});
