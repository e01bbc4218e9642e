/** Packages with their objects, small, and whether two pairs of stores have the same. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { objectKeysOf, pictureKey } from '../archive-keys.ts';
import type { ObjectStore } from '../object-store.ts';
import type { Stores } from '../open-stores.ts';
import type { PackageRow, PackageState } from '../rows.ts';
import { gmlFileOf, packageOf, placeOf, publish } from './fixtures.ts';
import { chunks, collect } from './object-store-conformance.ts';

/** What the archive of a package has. */
export function archiveOf(id: string): Buffer {
  return Buffer.from(`archive of ${id}`.repeat(1_000));
}

/** Publishes a package with its objects. */
export async function publishWhole(stores: Pick<Stores, 'catalogue' | 'objects'>, id: string, identity = id) {
  const bytes = archiveOf(id);
  const row = packageOf(id, { identity, archiveSha256: createHash('sha256').update(bytes).digest('hex') });
  await stores.objects.put(row.archiveKey, chunks(bytes));
  await stores.objects.put(row.indexKey, chunks(Buffer.from(`index of ${id}`)));
  const live = await stores.catalogue.findPackages({ identity });
  const published = await publish(stores.catalogue, row, {
    files: ['53394500', '53394501'].map((mesh) => gmlFileOf(mesh)),
    places: [placeOf(`町 ${id}`)],
    issues: [{ code: 'C', severity: 'info', message: id, member: null }],
    replaces: live.filter(({ state }) => state === 'live').map(({ no }) => no),
  });
  return published;
}

/** Gives a package a table of features, as an object. */
export async function giveTable(
  { catalogue, objects }: Pick<Stores, 'catalogue' | 'objects'>,
  { no, id }: PackageRow,
): Promise<void> {
  const table = Buffer.from(`table of ${id}`);
  const key = `tables/bldg/${id}`;
  const sha256 = createHash('sha256').update(table).digest('hex');
  const intent = { id: `table-${id}`, keys: [key], staging: null, host: 'h', pid: 1 };
  await catalogue.beginIntent({ ...intent, heartbeatAt: Date.now() });
  await objects.put(key, chunks(table));
  const one = { type: 'bldg', key, size: table.length, sha256, features: 1, version: 1, sums: '' };
  await catalogue.setTables({ no, tables: [one], intent: intent.id });
}

/** Gives a package a picture, as an object. */
export async function givePicture(
  { catalogue, objects }: Pick<Stores, 'catalogue' | 'objects'>,
  { no, id }: PackageRow,
): Promise<void> {
  const bytes = Buffer.from(`picture of ${id}`);
  const facts = { theme: 'light', size: 'large', mimeType: 'image/jpeg' } as const;
  const key = pictureKey(id, facts);
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  const intent = { id: `picture-${id}`, keys: [key], staging: null, host: 'h', pid: 1 };
  await catalogue.beginIntent({ ...intent, heartbeatAt: Date.now() });
  await objects.put(key, chunks(bytes));
  const one = { ...facts, key, bytes: bytes.length, sha256, width: 1200, height: 630 };
  await catalogue.setPictures({ no, pictures: { version: 1, images: [one] }, intent: intent.id });
}

export async function readObject(objects: ObjectStore, key: string): Promise<Buffer> {
  await using handle = await objects.open(key);
  return collect(handle, 0, handle.size);
}

/** Fails unless the second has all rows and all bytes of packages of the first, and no others. */
export async function assertSame(from: Stores, to: Stores): Promise<void> {
  for (const states of [['live'], ['retired'], ['removed']] as const) {
    const [here, there] = await Promise.all([from, to].map(({ catalogue }) => packagesIn(catalogue, states)));
    assert.deepEqual(there, here);
    for (const row of here!) {
      const { no, name } = row;
      assert.deepEqual(await to.catalogue.issues(no), await from.catalogue.issues(no), name);
      assert.equal(await to.catalogue.qualityReport(no), await from.catalogue.qualityReport(no), name);
      const all = { packageNo: no, code: null, after: -1, limit: 1_000_000 };
      assert.deepEqual(await to.catalogue.findings(all), await from.catalogue.findings(all), name);
      for (const key of objectKeysOf(row)) {
        assert.deepEqual(await readObject(to.objects, key), await readObject(from.objects, key), key);
      }
    }
  }
  assert.deepEqual(await to.catalogue.gmlFiles({}), await from.catalogue.gmlFiles({}));
  assert.equal(await to.catalogue.version(), await from.catalogue.version());
}

async function packagesIn(catalogue: Stores['catalogue'], states: readonly PackageState[]) {
  const rows = [];
  for await (const page of catalogue.packages([...states])) rows.push(...page);
  return rows;
}
