import { randomUUID } from 'node:crypto';
import { ConcurrencyLimit } from '@citymodel/base';
import { sumsOfPacks } from '../backup/wanted-objects.ts';
import type { CatalogueStore } from '../catalogue-store.ts';
import { ObjectMissing, type ObjectStore } from '../object-store.ts';
import { databaseIdentity, setDatabaseIdentity } from '../sql/database-identity.ts';
import type { SqlDriver, SqlValue } from '../sql/driver.ts';
import { copyObject } from './copy-object.ts';
import { copyRows } from './copy-rows.ts';
import type { MoveJournal } from './move-journal.ts';
import { JOB_TABLES, PACK_TABLES, PACKAGE_TABLES } from './moved-tables.ts';
import { differencesOf, tableDigest } from './row-differences.ts';

/** Objects that are copied at the same time. */
const OBJECTS_AT_ONCE = 4;
/** Packages whose keys are asked for at once. */
const KEYS = 1_000;

/** The stores at one end of a move, open and migrated. */
export interface MoveEnd {
  database: SqlDriver;
  catalogue: Pick<CatalogueStore, 'version'>;
  objects: ObjectStore;
}

export interface MoveOptions {
  journal: MoveJournal;
  /** Whether the ends have databases, and object stores, of their own; what they share stays where it is. */
  moves: { database: boolean; objects: boolean };
  signal?: AbortSignal;
  onProgress?: (progress: MoveProgress) => void;
}

/** What is being copied, and how far that is. */
export interface MoveProgress {
  what: 'objects' | 'packages' | 'comparing';
  done: number;
  total: number;
}

export interface MoveReport {
  /** Times that the source was looked through; above one when it changed meanwhile. */
  rounds: number;
  /** Copied this time. */
  packages: number;
  objects: number;
  bytes: number;
  /** Of the catalogue, at both ends. */
  version: number;
}

/** The target has a catalogue that is no earlier state of the source's. */
export class TargetInUse extends Error {
  constructor(why: string) {
    super(`the new database has a catalogue of its own: ${why}. Give an empty one`);
    this.name = 'TargetInUse';
  }
}

/**
 * Copies everything that one pair of stores holds to another one, while servers go on with the first. Each round
 * compares the two and copies what differs, objects before the rows that refer to them; the rounds end when a whole one
 * has found nothing to copy. So a move that was interrupted, at any moment, goes on when it is run again, and one that
 * has ended catches up.
 *
 *   compare rows ──differences──▶ copy objects ──▶ copy rows ──┐
 *     ▲  │ none                                                │
 *     │  ▼                                                     │
 *     │ compare all files, places, issues ──changed meanwhile──┤
 *     │  │ the same                                            │
 *     │  ▼                                                     │
 *     │ packs and jobs ──▶ done                                │
 *     └────────────────────────────────────────────────────────┘
 *
 * Throws TargetInUse, CopyDiffers, StoreUnavailable, and the reason of the signal.
 */
export async function moveStores(from: MoveEnd, to: MoveEnd, options: MoveOptions): Promise<MoveReport> {
  const move = new Move(from, to, options);
  return move.run();
}

class Move {
  readonly #from: MoveEnd;
  readonly #to: MoveEnd;
  readonly #options: MoveOptions;
  readonly #report: MoveReport = { rounds: 0, packages: 0, objects: 0, bytes: 0, version: 0 };
  /** Sizes of the objects that the target has, by key. */
  readonly #there = new Map<string, number>();

  constructor(from: MoveEnd, to: MoveEnd, options: MoveOptions) {
    this.#from = from;
    this.#to = to;
    this.#options = options;
  }

  async run(): Promise<MoveReport> {
    const { moves } = this.#options;
    if (moves.database) await this.#checkTarget();
    if (moves.objects)
      for await (const { key, size } of this.#to.objects.list('')) this.#there.set(key, size);
    for (;;) {
      this.#report.rounds++;
      const version = await this.#from.catalogue.version();
      const copied = await this.#round();
      if (copied > 0 || !(await this.#isSame())) continue;
      await this.#copyPacksAndJobs();
      if (moves.database) await this.#setVersion();
      // What was published while this round looked is for the next one.
      if ((await this.#from.catalogue.version()) === version) return { ...this.#report, version };
    }
  }

  /** Copies packages that differ; gives the number of packages and objects that it copied. */
  async #round(): Promise<number> {
    const { moves } = this.#options;
    const { changed, gone } = moves.database
      ? await differencesOf(PACKAGE_TABLES[0], this.#from.database, this.#to.database)
      : { changed: await this.#packageNumbers(), gone: [] };
    const objects = this.#report.objects;
    if (moves.objects) await this.#copyObjects(await this.#packageKeys(await this.#packageNumbers()));
    this.#check();
    if (!moves.database) return this.#report.objects - objects;
    const total = changed.length + gone.length;
    await copyRows(PACKAGE_TABLES, { changed, gone }, this.#from.database, this.#to.database, (done) => {
      this.#progress('packages', done, total);
      this.#check();
    });
    this.#report.packages += changed.length;
    return total + this.#report.objects - objects;
  }

  async #packageNumbers(): Promise<number[]> {
    const rows = await this.#from.database.all('SELECT no FROM package ORDER BY no');
    return rows.map(([no]) => no as number);
  }

  /** The objects of packages, with the SHA-256 of archives and tables. */
  async #packageKeys(numbers: readonly number[]): Promise<Array<[key: string, sha256?: string]>> {
    const keys: Array<[string, string?]> = [];
    for (let start = 0; start < numbers.length; start += KEYS) {
      const rows = await this.#from.database.all(
        'SELECT archive_key, archive_sha256, index_key FROM package WHERE no IN (SELECT value FROM each_int($1)) ' +
          'ORDER BY no',
        [numbers.slice(start, start + KEYS)],
      );
      for (const [archive, sha256, index] of rows as string[][]) keys.push([archive!, sha256!], [index!]);
      const others = await this.#from.database.all(
        'SELECT object_key, sha256 FROM package_object WHERE package_no IN (SELECT value FROM each_int($1)) ' +
          'ORDER BY object_key',
        [numbers.slice(start, start + KEYS)],
      );
      for (const [key, sha256] of others as string[][]) keys.push([key!, sha256!]);
    }
    // Generated catalogues have packages without bytes.
    return keys.filter(([key]) => key !== '');
  }

  /** Copies objects that the target lacks. One that has gone from the source meanwhile is no longer needed. */
  async #copyObjects(wanted: ReadonlyArray<[key: string, sha256?: string]>): Promise<void> {
    const { journal } = this.#options;
    const missing = wanted.filter(([key]) => {
      const size = journal.sizeOf(key);
      return size === undefined || this.#there.get(key) !== size;
    });
    const limit = new ConcurrencyLimit(OBJECTS_AT_ONCE);
    let done = 0;
    let failed = false;
    const ends = await Promise.allSettled(
      missing.map(([key, sha256]) =>
        limit.run(async () => {
          if (failed) return;
          this.#check();
          try {
            const copy = await copyObject(key, this.#from.objects, this.#to.objects, { sha256 });
            await journal.add(key, copy.size, copy.sha256);
            this.#there.set(key, copy.size);
            this.#report.objects++;
            this.#report.bytes += copy.size;
          } catch (error) {
            if (error instanceof ObjectMissing && !(await this.#isReferredTo(key))) return;
            failed = true;
            throw error;
          }
          this.#progress('objects', ++done, missing.length);
        }),
      ),
    );
    const fault = ends.find((end) => end.status === 'rejected');
    if (fault !== undefined) throw fault.reason;
  }

  async #isReferredTo(key: string): Promise<boolean> {
    const rows = await this.#from.database.all(
      'SELECT 1 FROM package WHERE archive_key = $1 OR index_key = $1 ' +
        'UNION ALL SELECT 1 FROM package_object WHERE object_key = $1 LIMIT 1',
      [key],
    );
    return rows.length > 0;
  }

  /** Whether what belongs to packages is the same at both ends. */
  async #isSame(): Promise<boolean> {
    if (!this.#options.moves.database) return true;
    const [, ...tables] = PACKAGE_TABLES;
    for (const [done, table] of tables.entries()) {
      this.#progress('comparing', done, tables.length);
      this.#check();
      const [here, there] = await Promise.all(
        [this.#from, this.#to].map(({ database }) => tableDigest(table, database)),
      );
      if (here === there) continue;
      // Rows of a package that changed between two looks; the next round copies it. Else its rows are copied all.
      const { changed, gone } = await differencesOf(
        PACKAGE_TABLES[0],
        this.#from.database,
        this.#to.database,
      );
      if (changed.length + gone.length === 0) await this.#copyAgain(table.name, table.owner);
      return false;
    }
    return true;
  }

  /** Copies packages with other rows at the two ends although they look alike, as after a move that was disturbed. */
  async #copyAgain(table: string, owner: string): Promise<void> {
    const sql = `SELECT ${owner}, count(*) FROM ${table} GROUP BY ${owner} ORDER BY ${owner}`;
    const [here, there] = await Promise.all([this.#from.database.all(sql), this.#to.database.all(sql)]);
    const counts = new Map(there.map(([no, count]) => [no, count]));
    const differ = here.filter(([no, count]) => counts.get(no!) !== count).map(([no]) => no!);
    const changed: SqlValue[] = differ.length > 0 ? differ : await this.#packageNumbers();
    await copyRows(PACKAGE_TABLES, { changed, gone: [] }, this.#from.database, this.#to.database);
  }

  async #copyPacksAndJobs(): Promise<void> {
    const { moves } = this.#options;
    const { database } = this.#from;
    if (moves.objects) {
      const rows = await database.all(
        'SELECT object_key FROM pack WHERE object_key IS NOT NULL UNION SELECT object_key FROM job WHERE object_key ' +
          'IS NOT NULL',
      );
      const keys = [...rows.map(([key]) => key as string), ...(await sumsOfPacks(database))];
      await this.#copyObjects(keys.map((key) => [key]));
    }
    if (!moves.database) return;
    for (const tables of [PACK_TABLES, JOB_TABLES]) {
      const differences = await differencesOf(tables[0], database, this.#to.database);
      await copyRows(tables, differences, database, this.#to.database, () => this.#check());
    }
  }

  /** Refuses a target that somebody else has published into. */
  async #checkTarget(): Promise<void> {
    const sql = 'SELECT version, last_package_no FROM catalogue_version';
    const [[here], [there]] = await Promise.all([this.#from.database.all(sql), this.#to.database.all(sql)]);
    const [version, last] = here as [number, number];
    const [toVersion, toLast] = there as [number, number];
    if (toVersion > version || toLast > last)
      throw new TargetInUse(`its version is ${toVersion}, the old one's ${version}`);
    const ids = 'SELECT no, id FROM package ORDER BY no';
    const known = new Map((await this.#from.database.all(ids)).map(([no, id]) => [no, id]));
    const rows = await this.#to.database.all(ids);
    const other = rows.find(([no, id]) => known.has(no!) && known.get(no!) !== id);
    if (other !== undefined) throw new TargetInUse(`its package ${other[0]} is another one`);
    // A move gives the version last, so before that it is 0.
    if (toVersion > 0 && rows.length > 0 && !rows.some(([no]) => known.has(no!))) {
      throw new TargetInUse('none of its packages is in the old one');
    }
  }

  /** So that numbers and versions go on from where they are. */
  async #setVersion(): Promise<void> {
    const [row] = await this.#from.database.all('SELECT version, last_package_no FROM catalogue_version');
    // The new database goes on with the objects of the old one, in their place or in another.
    const identity = await databaseIdentity(this.#from.database);
    await this.#to.database.write('catalogue', async (tx) => {
      await setDatabaseIdentity(tx, identity);
      await tx.run('UPDATE catalogue_version SET version = $1, last_package_no = $2', row!);
      // Servers that run over this end already have not seen these rows come: they read all of them.
      await tx.run('DELETE FROM catalogue_state');
      await tx.insert('catalogue_state', ['version', 'identity'], [[row![0]!, randomUUID()]]);
      await tx.announce('catalogue');
    });
  }

  #progress(what: MoveProgress['what'], done: number, total: number): void {
    this.#options.onProgress?.({ what, done, total });
  }

  #check(): void {
    this.#options.signal?.throwIfAborted();
  }
}
