import { randomUUID } from 'node:crypto';
import { type Issue, sharedNow } from '@citymodel/base';
import {
  type CatalogueChanges,
  CatalogueConflict,
  type CatalogueState,
  type CatalogueStore,
  type DatedState,
  type FindingQuery,
  type GmlFileQuery,
  type InspectedPackage,
  type Intent,
  type PackageChange,
  type Publication,
} from '../catalogue-store.ts';
import type {
  FindingRow,
  GmlFileRow,
  ListedFileRow,
  MeasuredFileRow,
  PackageRow,
  PackageState,
  PlaceRow,
} from '../rows.ts';
import { bringBack } from './bring-back.ts';
import {
  type Changing,
  changesAfter,
  changesBetween,
  changing,
  noteChange,
  statesFrom,
} from './catalogue-changes.ts';
import { databaseIdentity } from './database-identity.ts';
import type { SqlDriver, SqlParam, SqlRow, SqlTransaction, SqlValue } from './driver.ts';
import { gmlFileStatement } from './gml-file-query.ts';
import {
  GML_FILE,
  GML_FILE_COLUMNS,
  gmlFileFromRow,
  INTENT,
  ISSUE,
  intentFromRow,
  issueFromRow,
  LISTED_FILE_COLUMNS,
  listedFileFromRow,
  PACKAGE,
  PackageReader,
  PLACE,
  PLACED_FILE_COLUMNS,
  packageFromRow,
  placedFileFromRow,
  placeFromRow,
} from './mapping.ts';
import { migrate } from './migrate.ts';
import { MIGRATIONS } from './migrations.ts';
import { objectsOfPackage, readSums, writePictures, writeTables } from './package-objects.ts';
import { insertQuality, readFindings, readQualityReport, writeQuality } from './quality-rows.ts';
import type { Table } from './table.ts';

/** Packages per page: their JSON takes some milliseconds to read, then other work gets its turn. */
const PACKAGE_PAGE = 500;
/** Files per page, for the same reason: of lists some 100 kB, of those with little of each some 60 kB. */
const LISTED_PAGE = 250;
const PLACED_PAGE = 1_000;

/** The state that the catalogue is in: `v.version` and, where it has one, `s.identity`. */
const CURRENT_STATE = 'catalogue_version v LEFT JOIN catalogue_state s ON s.version = v.version';
const SELECT_PACKAGE = `SELECT ${PACKAGE.columns.join(', ')} FROM package`;
const NOT_REFERRED_TO =
  'NOT EXISTS (SELECT 1 FROM package p WHERE p.archive_key = garbage.key) AND ' +
  'NOT EXISTS (SELECT 1 FROM package p WHERE p.index_key = garbage.key) AND ' +
  'NOT EXISTS (SELECT 1 FROM package_object o WHERE o.object_key = garbage.key) AND ' +
  'NOT EXISTS (SELECT 1 FROM intent_key k WHERE k.key = garbage.key) AND ' +
  'NOT EXISTS (SELECT 1 FROM pack_source s WHERE s.archive_key = garbage.key) AND ' +
  'NOT EXISTS (SELECT 1 FROM pack_source s WHERE s.index_key = garbage.key)';

/**
 * The catalogue in a relational database, by any driver.
 *
 * An object's key goes through these states; each arrow is one transaction, so that a program killed between
 * two of them leaves a state from which a sweep goes on:
 *
 *   (unknown) ── beginIntent ──▶ intended ── publish ──▶ referred to by a package
 *       ▲                           │                          │
 *       │                     abandonIntent        forget, or publish of the same id
 *       │                           ▼                          ▼
 *       │                         garbage ◀────────────────────┘
 *       │                        │      ▲ └─ beginIntent, publish ──▶ intended / referred to again
 *       │              claimGarbage    (holder of the claim died)
 *       │                        ▼      │
 *       └─ dropGarbage ── being deleted ┘      beginIntent and publish are refused here
 */
export class SqlCatalogueStore implements CatalogueStore {
  readonly #driver: SqlDriver;

  constructor(driver: SqlDriver) {
    this.#driver = driver;
  }

  async migrate(): Promise<void> {
    await migrate(this.#driver, MIGRATIONS);
    // A version from before there were identities, or of a program that knows none.
    if ((await this.state()).identity !== '') return;
    await this.#driver.write('catalogue', (tx) =>
      tx.run(
        'INSERT INTO catalogue_state (version, identity) SELECT version, $1 FROM catalogue_version WHERE one = 1 ' +
          'ON CONFLICT (version) DO NOTHING',
        [randomUUID()],
      ),
    );
  }

  identity(): Promise<string> {
    return databaseIdentity(this.#driver);
  }

  async version(): Promise<number> {
    const rows = await this.#driver.all('SELECT version FROM catalogue_version WHERE one = 1');
    return rows[0]![0] as number;
  }

  async clock(): Promise<number> {
    const [row] = await this.#driver.all('SELECT clock_us()');
    return (row![0] as number) / 1_000;
  }

  listen(heard: () => void): () => void {
    return this.#driver.listen('catalogue', heard);
  }

  async state(): Promise<CatalogueState> {
    const [row] = await this.#driver.all(
      `SELECT v.version, s.identity FROM ${CURRENT_STATE} WHERE v.one = 1`,
    );
    return stateOf(row!);
  }

  async hasBeen({ version, identity }: CatalogueState): Promise<boolean> {
    const rows = await this.#driver.all(
      'SELECT 1 FROM catalogue_state WHERE version = $1 AND identity = $2',
      [version, identity],
    );
    return rows.length > 0;
  }

  async changesSince(from: CatalogueState, until?: CatalogueState): Promise<CatalogueChanges | null> {
    if (until !== undefined) return changesBetween(this.#driver, from, until);
    const { version, identity } = from;
    // One statement, so that all of it is of one state of the database.
    const rows = await this.#driver.all(
      `SELECT v.version, s.identity, h.version, c.package_no, ${qualified(PACKAGE, 'p')} FROM ${CURRENT_STATE} ` +
        'LEFT JOIN catalogue_state h ON h.version = $1 AND h.identity = $2 ' +
        'LEFT JOIN (SELECT DISTINCT package_no FROM catalogue_change WHERE version > $1) c ON h.version = $1 ' +
        "LEFT JOIN package p ON p.no = c.package_no AND p.state <> 'removed' WHERE v.one = 1 ORDER BY c.package_no",
      [version, identity],
    );
    const state = stateOf(rows[0]!);
    if (rows[0]![2] === null) return null;
    const reader = new PackageReader();
    const added: PackageRow[] = [];
    const gone: number[] = [];
    for (const [, , , changed, ...row] of rows) {
      if (row[0] !== null) added.push(reader.read(row));
      else if (changed !== null) gone.push(changed as number);
    }
    return { state, added, gone };
  }

  statesFrom(from: number): Promise<{ states: DatedState[]; version: number; clock: number }> {
    return statesFrom(this.#driver, from);
  }

  changeLog(since: number): Promise<PackageChange[] | null> {
    return changesAfter(this.#driver, since);
  }

  async *everything(): AsyncGenerator<{ state: CatalogueState; packages: PackageRow[] }> {
    const sql =
      `SELECT v.version, s.identity, ${qualified(PACKAGE, 'p')} FROM ${CURRENT_STATE} ` +
      "LEFT JOIN package p ON p.state IN ('live', 'retired') WHERE v.one = 1 ORDER BY p.no";
    const reader = new PackageReader();
    for await (const page of this.#driver.pages(sql, [], PACKAGE_PAGE)) {
      const packages = page.filter(([, , no]) => no !== null).map(([, , ...row]) => reader.read(row));
      yield { state: stateOf(page[0]!), packages };
    }
  }

  async *packages(states: readonly PackageState[] = ['live']): AsyncGenerator<PackageRow[]> {
    const sql = `${SELECT_PACKAGE} WHERE state IN (SELECT value FROM each_text($1)) ORDER BY no`;
    const reader = new PackageReader();
    for await (const page of this.#driver.pages(sql, [states], PACKAGE_PAGE)) {
      yield page.map((row) => reader.read(row));
    }
  }

  async findPackages(by: {
    id?: string;
    identity?: string;
    name?: string;
    uploadDigest?: string;
  }): Promise<PackageRow[]> {
    const columns = {
      id: by.id,
      identity: by.identity,
      name: by.name,
      upload_digest: by.uploadDigest,
    };
    const params: SqlParam[] = [];
    const filters: string[] = [];
    for (const [column, value] of Object.entries(columns)) {
      if (value !== undefined) filters.push(`${column} = $${params.push(value)}`);
    }
    if (filters.length === 0) throw new RangeError('packages are found by at least one of their columns');
    const sql = `${SELECT_PACKAGE} WHERE ${filters.join(' AND ')} ORDER BY no`;
    return (await this.#driver.all(sql, params)).map(packageFromRow);
  }

  publish(publication: Publication): Promise<PackageRow> {
    const { package: published, intent } = publication;
    return this.#driver.write('catalogue', async (tx) => {
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
    });
  }

  async replaceIndex(change: Parameters<CatalogueStore['replaceIndex']>[0]): Promise<void> {
    const { no, from, to, intent, partNames } = change;
    await this.#driver.write('catalogue', async (tx) => {
      await assertIntended(tx, intent, `the index ${to} cannot be put in place`);
      const [found] = await tx.all('SELECT index_key FROM package WHERE no = $1', [no]);
      if (found?.[0] !== from) {
        throw new CatalogueConflict(
          found === undefined
            ? `there is no package ${no}`
            : `the package ${no} has the index ${found[0]}, expected ${from}`,
        );
      }
      await claimKeys(tx, [to]);
      await tx.run('UPDATE package SET index_key = $1 WHERE no = $2', [to, no]);
      if (partNames !== undefined) {
        await tx.run('UPDATE package SET part_names = $1 WHERE no = $2', [JSON.stringify(partNames), no]);
      }
      // Servers may answer from the old index for a moment, so its grace begins now.
      await noteGarbage(tx, [from], sharedNow());
      await tx.run('DELETE FROM intent WHERE id = $1', [intent]);
      await noteChange(tx, await changing(tx, [no]));
    });
  }

  setTables({ no, tables, intent }: Parameters<CatalogueStore['setTables']>[0]): Promise<void> {
    const keys = tables.map(({ key }) => key);
    return this.#setObjects({ no, keys, intent, what: 'tables' }, (tx) => writeTables(tx, no, tables));
  }

  setPictures({ no, pictures, intent }: Parameters<CatalogueStore['setPictures']>[0]): Promise<void> {
    const keys = pictures.images.map(({ key }) => key);
    return this.#setObjects({ no, keys, intent, what: 'pictures' }, (tx) => writePictures(tx, no, pictures));
  }

  /** `write` gives the keys of what was there before. */
  async #setObjects(
    { no, keys, intent, what }: { no: number; keys: string[]; intent: string; what: string },
    write: (tx: SqlTransaction) => Promise<string[]>,
  ): Promise<void> {
    await this.#driver.write('catalogue', async (tx) => {
      await assertIntended(tx, intent, `the ${what} of the package ${no} cannot be put in place`);
      const before = await changing(tx, [no]);
      if (before.length === 0) throw new CatalogueConflict(`there is no package ${no} any more`);
      await claimKeys(tx, keys);
      const replaced = await write(tx);
      // Servers may answer from the old ones for a moment, so their grace begins now.
      await noteGarbage(
        tx,
        replaced.filter((key) => !keys.includes(key)),
        sharedNow(),
      );
      await tx.run('DELETE FROM intent WHERE id = $1', [intent]);
      await noteChange(tx, before);
    });
  }

  tableSums(key: string): Promise<string | null> {
    return readSums(this.#driver, key);
  }

  async setState(no: number, state: PackageState): Promise<void> {
    await this.#driver.write('catalogue', async (tx) => {
      const [found] = await tx.all('SELECT state, identity FROM package WHERE no = $1', [no]);
      if (found === undefined) throw new CatalogueConflict(`there is no package ${no}`);
      if (found[0] === state) return;
      if (state === 'live') await refuseSecondLive(tx, found[1] as string);
      const before = await changing(tx, [no]);
      await tx.run(
        "UPDATE package SET state = $1, left_at = CASE WHEN $1 = 'live' THEN NULL ELSE coalesce(left_at, $2) END " +
          'WHERE no = $3',
        [state, sharedNow(), no],
      );
      await noteChange(tx, before);
    });
  }

  bringBack(no: number): Promise<number[]> {
    return this.#driver.write('catalogue', (tx) => bringBack(tx, no));
  }

  async sweepable(before: number): Promise<PackageRow[]> {
    const sql = `${SELECT_PACKAGE} WHERE state <> 'live' AND left_at < $1 ORDER BY no`;
    return (await this.#driver.all(sql, [before])).map(packageFromRow);
  }

  async forget(no: number): Promise<void> {
    await this.#driver.write('catalogue', async (tx) => {
      const [found] = await tx.all('SELECT state, archive_key, index_key FROM package WHERE no = $1', [no]);
      if (found === undefined) return;
      if (found[0] === 'live')
        throw new CatalogueConflict(`the package ${no} is live and cannot be forgotten`);
      const before = await changing(tx, [no]);
      const others = await objectsOfPackage(tx, no);
      await tx.run('DELETE FROM package WHERE no = $1', [no]);
      await noteGarbage(tx, [found[1] as string, found[2] as string, ...others], 0);
      // Assets of a retired package answered until now.
      await noteChange(tx, before);
    });
  }

  async gmlFiles(query: GmlFileQuery): Promise<GmlFileRow[]> {
    const files: GmlFileRow[] = [];
    const statement = gmlFileStatement(query, GML_FILE_COLUMNS, { sorted: true });
    for await (const page of this.#pagesOf(statement, PLACED_PAGE)) {
      for (const row of page) files.push(gmlFileFromRow(row));
    }
    return files;
  }

  async *listedFiles(query: GmlFileQuery): AsyncGenerator<ListedFileRow[], void, void> {
    const statement = gmlFileStatement(query, LISTED_FILE_COLUMNS, { sorted: false });
    for await (const page of this.#pagesOf(statement, LISTED_PAGE)) yield page.map(listedFileFromRow);
  }

  async *placedFiles(query: GmlFileQuery): AsyncGenerator<MeasuredFileRow[], void, void> {
    const statement = gmlFileStatement(query, PLACED_FILE_COLUMNS, { sorted: false });
    for await (const page of this.#pagesOf(statement, PLACED_PAGE)) yield page.map(placedFileFromRow);
  }

  async issues(packageNo: number): Promise<Issue[]> {
    const sql = `SELECT ${ISSUE.columns.join(', ')} FROM issue WHERE package_no = $1 ORDER BY position`;
    return (await this.#driver.all(sql, [packageNo])).map(issueFromRow);
  }

  setQuality(inspected: InspectedPackage): Promise<boolean> {
    return this.#driver.write('catalogue', (tx) => writeQuality(tx, inspected));
  }

  qualityReport(packageNo: number): Promise<string | null> {
    return readQualityReport(this.#driver, packageNo);
  }

  findings(query: FindingQuery): Promise<FindingRow[]> {
    return readFindings(this.#driver, query);
  }

  async places(names: readonly string[], { anyState = false } = {}): Promise<PlaceRow[]> {
    if (names.length === 0) return [];
    const columns = qualified(PLACE, 'place');
    const sql =
      `SELECT ${columns} FROM place JOIN package p ON p.no = place.package_no ` +
      `WHERE place.name IN (SELECT value FROM each_text($1))${anyState ? '' : " AND p.state = 'live'"} ` +
      'ORDER BY place.name, place.package_no, place.kind';
    return (await this.#driver.all(sql, [names])).map(placeFromRow);
  }

  async beginIntent(intent: Intent): Promise<void> {
    await this.#driver.write('catalogue', async (tx) => {
      await claimKeys(tx, intent.keys);
      await insert(tx, INTENT, [intent]);
      const rows = intent.keys.map((key, position) => [intent.id, position, key]);
      await tx.insert('intent_key', ['intent', 'position', 'key'], rows);
    });
  }

  async touchIntent(id: string, heartbeatAt: number): Promise<void> {
    await this.#driver.write(null, (tx) =>
      tx.run('UPDATE intent SET heartbeat_at = $1 WHERE id = $2', [heartbeatAt, id]),
    );
  }

  async endIntent(id: string): Promise<void> {
    await this.#driver.write(null, (tx) => tx.run('DELETE FROM intent WHERE id = $1', [id]));
  }

  async intents(): Promise<Intent[]> {
    const columns = qualified(INTENT, 'i');
    const rows = await this.#driver.all(
      `SELECT ${columns}, k.key FROM intent i LEFT JOIN intent_key k ON k.intent = i.id ORDER BY i.id, k.position`,
    );
    const intents = new Map<string, Intent>();
    for (const row of rows) {
      const read = intentFromRow(row, []);
      const intent = intents.get(read.id) ?? read;
      intents.set(read.id, intent);
      const key = row[INTENT.columns.length];
      if (typeof key === 'string') intent.keys.push(key);
    }
    return [...intents.values()];
  }

  abandonIntent(id: string, heartbeatAt?: number): Promise<boolean> {
    return this.#driver.write('catalogue', async (tx) => {
      // In one statement: signs of life take no lock.
      const count = await tx.run('UPDATE intent SET abandoned = 1 WHERE id = $1 AND heartbeat_at <= $2', [
        id,
        heartbeatAt ?? Number.MAX_SAFE_INTEGER,
      ]);
      if (count === 0) return false;
      const keys = await tx.all('SELECT key FROM intent_key WHERE intent = $1', [id]);
      await tx.run('DELETE FROM intent_key WHERE intent = $1', [id]);
      await noteGarbage(
        tx,
        keys.map((row) => row[0] as string),
        0,
      );
      return true;
    });
  }

  async addGarbage(keys: readonly string[], since: number): Promise<void> {
    await this.#driver.write('catalogue', (tx) => noteGarbage(tx, keys, since));
  }

  claimGarbage(sweep: string, before: number, limit: number): Promise<string[]> {
    return this.#driver.write('catalogue', async (tx) => {
      // What a package refers to (again) is no garbage.
      await tx.run(
        'DELETE FROM garbage WHERE EXISTS (SELECT 1 FROM package p WHERE p.archive_key = garbage.key) ' +
          'OR EXISTS (SELECT 1 FROM package p WHERE p.index_key = garbage.key) ' +
          'OR EXISTS (SELECT 1 FROM package_object o WHERE o.object_key = garbage.key)',
      );
      const rows = await tx.all(
        'SELECT key FROM garbage WHERE since < $1 AND (sweep IS NULL OR sweep = $2 OR ' +
          'NOT EXISTS (SELECT 1 FROM intent i WHERE i.id = garbage.sweep AND i.abandoned = 0)) ' +
          `AND ${NOT_REFERRED_TO} ORDER BY key LIMIT $3`,
        [before, sweep, limit],
      );
      const keys = rows.map((row) => row[0] as string);
      await tx.run('UPDATE garbage SET sweep = $1 WHERE key IN (SELECT value FROM each_text($2))', [
        sweep,
        keys,
      ]);
      return keys;
    });
  }

  async garbage(): Promise<string[]> {
    const rows = await this.#driver.all('SELECT key FROM garbage ORDER BY key');
    return rows.map((row) => row[0] as string);
  }

  async dropGarbage(keys: readonly string[]): Promise<void> {
    await this.#driver.write('catalogue', (tx) =>
      tx.run('DELETE FROM garbage WHERE key IN (SELECT value FROM each_text($1))', [keys]),
    );
  }

  close(): Promise<void> {
    return this.#driver.close();
  }

  async *#pagesOf(
    statement: { sql: string; params: SqlParam[] } | null,
    size: number,
  ): AsyncGenerator<SqlRow[]> {
    if (statement !== null) yield* this.#driver.pages(statement.sql, statement.params, size);
  }
}

/** Throws CatalogueConflict saying `what` when the intent cannot be fulfilled any more. */
async function assertIntended(tx: SqlTransaction, intent: string, what: string): Promise<void> {
  const [found] = await tx.all('SELECT abandoned FROM intent WHERE id = $1', [intent]);
  if (found?.[0] === 0) return;
  const why = found === undefined ? 'was never begun or has ended' : 'gave no sign of life and was given up';
  throw new CatalogueConflict(`${what}: it ${why}`);
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

async function refuseSecondLive(tx: SqlTransaction, identity: string): Promise<void> {
  const [other] = await tx.all("SELECT no, name FROM package WHERE identity = $1 AND state = 'live'", [
    identity,
  ]);
  if (other !== undefined) {
    throw new CatalogueConflict(
      `another package of ${identity} is live: ${other[1]} (number ${other[0]}), which was not to be replaced`,
    );
  }
}

/** Of a row that begins with version and identity. */
function stateOf([version, identity]: SqlRow): CatalogueState {
  return { version: version as number, identity: (identity as string | null) ?? '' };
}

/** Notes garbage; a key that is garbage already keeps its time. Packages without bytes have empty keys. */
async function noteGarbage(tx: SqlTransaction, keys: readonly string[], since: number): Promise<void> {
  await tx.run(
    'INSERT INTO garbage (key, since) SELECT DISTINCT value, CAST($2 AS BIGINT) FROM each_text($1) WHERE value <> $3 ' +
      'ON CONFLICT (key) DO NOTHING',
    [keys, since, ''],
  );
}

/** Takes keys back from the garbage; throws CatalogueConflict for one that is being deleted. */
async function claimKeys(tx: SqlTransaction, keys: readonly string[]): Promise<void> {
  const [deleting] = await tx.all(
    'SELECT key FROM garbage WHERE sweep IS NOT NULL AND key IN (SELECT value FROM each_text($1))',
    [keys],
  );
  if (deleting !== undefined) {
    throw new CatalogueConflict(
      `the object ${deleting[0]} is being deleted: wait for the sweep to end, or run one`,
    );
  }
  await tx.run('DELETE FROM garbage WHERE key IN (SELECT value FROM each_text($1))', [keys]);
}

function insert<T>(tx: SqlTransaction, table: Table<T>, objects: Iterable<T>): Promise<number> {
  return tx.insert(table.name, table.columns, mapped(objects, table.toRow));
}

function qualified(table: Table<never>, alias: string): string {
  return table.columns.map((column) => `${alias}.${column}`).join(', ');
}

/** The rows of one package, with its number and their position. */
function* numbered<T>(
  items: Iterable<T>,
  packageNo: number,
): Generator<T & { packageNo: number; position: number }> {
  let position = 0;
  for (const item of items) yield { ...item, packageNo, position: position++ };
}

function* mapped<T>(items: Iterable<T>, row: (item: T) => SqlValue[]): Generator<SqlValue[]> {
  for (const item of items) yield row(item);
}
