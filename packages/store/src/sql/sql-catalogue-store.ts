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
  CURRENT_STATE,
  changesAfter,
  changesBetween,
  changesUntilNow,
  changing,
  noteChange,
  stateOf,
  statesFrom,
} from './catalogue-changes.ts';
import { databaseIdentity } from './database-identity.ts';
import type { SqlDriver, SqlParam, SqlRow, SqlTransaction } from './driver.ts';
import { gmlFileStatement } from './gml-file-query.ts';
import {
  GML_FILE_COLUMNS,
  gmlFileFromRow,
  ISSUE,
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
import {
  abandonIntent,
  assertIntended,
  beginIntent,
  claimGarbage,
  claimKeys,
  noteGarbage,
  readIntents,
} from './object-keys.ts';
import { objectsOfPackage, readSums, writePictures, writeTables } from './package-objects.ts';
import { publish, refuseSecondLive } from './publish.ts';
import { readFindings, readQualityReport, writeQuality } from './quality-rows.ts';
import { qualified } from './table.ts';

/** Packages per page: their JSON takes some milliseconds to read, then other work gets its turn. */
const PACKAGE_PAGE = 500;
/** Files per page, for the same reason: of lists some 100 kB, of those with little of each some 60 kB. */
const LISTED_PAGE = 250;
const PLACED_PAGE = 1_000;

const SELECT_PACKAGE = `SELECT ${PACKAGE.columns.join(', ')} FROM package`;

/**
 * The catalogue in a relational database, by any driver.
 * How keys of objects come and go, `object-keys.ts` says.
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
    return changesUntilNow(this.#driver, from);
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
    return this.#driver.write('catalogue', (tx) => publish(tx, publication));
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
    await this.#driver.write('catalogue', (tx) => beginIntent(tx, intent));
  }

  async touchIntent(id: string, heartbeatAt: number): Promise<void> {
    await this.#driver.write(null, (tx) =>
      tx.run('UPDATE intent SET heartbeat_at = $1 WHERE id = $2', [heartbeatAt, id]),
    );
  }

  async endIntent(id: string): Promise<void> {
    await this.#driver.write(null, (tx) => tx.run('DELETE FROM intent WHERE id = $1', [id]));
  }

  intents(): Promise<Intent[]> {
    return readIntents(this.#driver);
  }

  abandonIntent(id: string, heartbeatAt?: number): Promise<boolean> {
    return this.#driver.write('catalogue', (tx) => abandonIntent(tx, id, heartbeatAt));
  }

  async addGarbage(keys: readonly string[], since: number): Promise<void> {
    await this.#driver.write('catalogue', (tx) => noteGarbage(tx, keys, since));
  }

  claimGarbage(sweep: string, before: number, limit: number): Promise<string[]> {
    return this.#driver.write('catalogue', (tx) => claimGarbage(tx, { sweep, before, limit }));
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
