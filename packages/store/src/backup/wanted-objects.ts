/** Which objects the rows of a database refer to. */
import { packSumsKey } from '../pack-store.ts';
import type { SqlReader } from '../sql/driver.ts';

export interface WantedObject {
  key: string;
  /** Lower-case hex, where the database says it. */
  sha256?: string;
  /** Of a pack or a job: it may be deleted when that has ended, and can be made again or is no longer needed. */
  passes: boolean;
}

/** Archives, indexes and tables of packages in every state, and objects of packs and jobs, each once. */
export async function wantedObjects(reader: SqlReader): Promise<WantedObject[]> {
  const wanted = new Map<string, WantedObject>();
  const add = (object: WantedObject) => {
    // Generated catalogues have packages without bytes.
    if (object.key !== '' && !wanted.has(object.key)) wanted.set(object.key, object);
  };
  const packages = await reader.all('SELECT archive_key, archive_sha256, index_key FROM package ORDER BY no');
  for (const [archive, sha256, index] of packages as string[][]) {
    add({ key: archive!, sha256: sha256!, passes: false });
    add({ key: index!, passes: false });
  }
  const objects = await reader.all('SELECT object_key, sha256 FROM package_object ORDER BY object_key');
  for (const [key, sha256] of objects as string[][]) add({ key: key!, sha256: sha256!, passes: false });
  const others = await reader.all(
    'SELECT object_key FROM pack WHERE object_key IS NOT NULL UNION SELECT object_key FROM job WHERE object_key IS ' +
      'NOT NULL',
  );
  for (const [key] of others as string[][]) add({ key: key!, passes: true });
  for (const key of await sumsOfPacks(reader)) add({ key, passes: true });
  return [...wanted.values()];
}

/** Sums of the pages of zips of packs that are written out. A pack that an earlier program has made has none. */
export async function sumsOfPacks(reader: Pick<SqlReader, 'all'>): Promise<string[]> {
  const rows = await reader.all(
    'SELECT object_key FROM pack WHERE object_key IS NOT NULL AND materialised = 1 ORDER BY object_key',
  );
  return rows.map(([key]) => packSumsKey(key as string));
}
