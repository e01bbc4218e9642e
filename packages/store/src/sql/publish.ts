/** Makes a package visible: one transaction. */
import { sharedNow } from '@citymodel/base';
import { CatalogueConflict, type Publication } from '../catalogue-store.ts';
import type { PackageRow } from '../rows.ts';
import { type Changing, changing, noteChange } from './catalogue-changes.ts';
import type { SqlTransaction } from './driver.ts';
import { GML_FILE, ISSUE, PACKAGE, PLACE } from './mapping.ts';
import { assertIntended, claimKeys, noteGarbage } from './object-keys.ts';
import { objectsOfPackage } from './package-objects.ts';
import { insertQuality } from './quality-rows.ts';
import { insert } from './table.ts';

/** See `CatalogueStore.publish`. */
export async function publish(tx: SqlTransaction, publication: Publication): Promise<PackageRow> {
  const { package: published, intent } = publication;
  await assertIntended(tx, intent, `the ingestion ${intent} of ${published.name} cannot be published`);
  const before = await changing(tx, publication.replaces);
  await tx.run(
    "UPDATE package SET state = 'retired', left_at = $1 WHERE state = 'live' AND no IN (SELECT value FROM " +
      'each_int($2))',
    [sharedNow(), publication.replaces],
  );
  before.push(...(await makeRoom(tx, published)));

  const [counters] = await tx.all(
    'UPDATE catalogue_version SET last_package_no = last_package_no + 1 RETURNING last_package_no',
  );
  const row: PackageRow = { ...published, no: counters![0] as number, state: 'live' };
  await claimKeys(tx, [row.archiveKey, row.indexKey]);
  await insert(tx, PACKAGE, [row]);
  await insert(tx, GML_FILE, numbered(publication.files, row.no));
  await insert(tx, PLACE, numbered(publication.places, row.no));
  await insert(tx, ISSUE, numbered(publication.issues, row.no));
  const { inspected } = publication;
  if (inspected !== undefined) await insertQuality(tx, { ...inspected, packageNo: row.no });
  await noteChange(tx, [{ ...row, was: '' }, ...before]);
  await tx.run('DELETE FROM intent WHERE id = $1', [intent]);
  return row;
}

/** Checks that the package may become live, and takes away an earlier row of the same id, which it gives. */
async function makeRoom(tx: SqlTransaction, published: Publication['package']): Promise<Changing[]> {
  const [same] = await tx.all('SELECT no, state, archive_key, index_key FROM package WHERE id = $1', [
    published.id,
  ]);
  if (same?.[1] === 'live') {
    throw new CatalogueConflict(`the package ${published.name} (${published.id}) is live already`);
  }
  await refuseSecondLive(tx, published.identity);
  if (same === undefined) return [];
  const earlier = await changing(tx, [same[0] as number]);
  const others = await objectsOfPackage(tx, same[0] as number);
  await tx.run('DELETE FROM package WHERE no = $1', [same[0]!]);
  const keys = [same[2] as string, same[3] as string, ...others];
  // Other servers may answer from the old objects for a moment, so their grace begins now.
  await noteGarbage(
    tx,
    keys.filter((key) => key !== published.archiveKey && key !== published.indexKey),
    sharedNow(),
  );
  return earlier;
}

/** Throws CatalogueConflict when a package of this identity is live. */
export async function refuseSecondLive(tx: SqlTransaction, identity: string): Promise<void> {
  const [other] = await tx.all("SELECT no, name FROM package WHERE identity = $1 AND state = 'live'", [
    identity,
  ]);
  if (other !== undefined) {
    throw new CatalogueConflict(
      `another package of ${identity} is live: ${other[1]} (number ${other[0]}), which was not to be replaced`,
    );
  }
}

/** The rows of one package, with its number and their position. */
function* numbered<T>(
  items: Iterable<T>,
  packageNo: number,
): Generator<T & { packageNo: number; position: number }> {
  let position = 0;
  for (const item of items) yield { ...item, packageNo, position: position++ };
}
