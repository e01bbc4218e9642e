import { setTimeout } from 'node:timers/promises';
import { OutOfPatience } from '@citymodel/base';
import type pg from 'pg';
import { StoreUnavailable } from '../catalogue-store.ts';
import type {
  SqlChannel,
  SqlDriver,
  SqlLock,
  SqlParam,
  SqlRow,
  SqlSnapshot,
  SqlTransaction,
  SqlValue,
  SqlWriteOptions,
} from '../sql/driver.ts';
import type { DatabaseFigures } from '../store-figures.ts';
import { type ConnectionSettings, connectionSettings } from './connection-settings.ts';
import { Connections } from './connections.ts';
import { Listener } from './listener.ts';
import { isLocked, isMissingTable, isOfConnection, isPassing, translate } from './postgres-error.ts';
import { BEGIN_SNAPSHOT, PostgresSnapshot } from './postgres-snapshot.ts';
import { PostgresTransaction } from './postgres-transaction.ts';
import { ConnectionSilent } from './silence-watch.ts';
import { SILENCE_MS, Statements, timed, WRITE_STATEMENT_MS } from './statements.ts';

export interface PostgresOptions {
  /** Connections that are open at most, one more for notifications aside. */
  connections?: number;
  /** How long a caller waits for a connection, ms. */
  connectTimeoutMs?: number;
  /** How long one statement of a reader may run, ms; each page of `pages` counts alone. */
  statementTimeoutMs?: number;
  /** How long a write transaction waits for those of other processes, ms. */
  writePatienceMs?: number;
  /** How long the caller of `pages` may pause, ms; then the database ends the cursor. */
  pauseMs?: number;
}

const DEFAULTS = {
  connections: 10,
  connectTimeoutMs: 5_000,
  statementTimeoutMs: 30_000,
  writePatienceMs: 60_000,
  // Longer than a server waits for a slow caller (IDLE_TIMEOUT_S).
  pauseMs: 300_000,
};

/** How often a reader tries when a connection turns out to be dead, as all are after a restart of the database. */
const READ_TRIES = 3;
/** How often a write transaction is run when another one is in its way. */
const WRITE_TRIES = 4;
/** How long a change of the schema waits for a table, the pause before it tries again, ms, and how often it tries. */
const SCHEMA_LOCK_MS = 1_000;
const SCHEMA_PAUSE_MS = 1_000;
const SCHEMA_TRIES = 60;
const BEGIN_READING = 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY';
const DECLARE = 'DECLARE page NO SCROLL CURSOR FOR ';
/** Advisory locks are pairs of numbers; the first says whose they are: `city` in ASCII. */
const LOCK_FAMILY = 0x63697479;

/**
 * PostgreSQL 15 or newer by `pg`, with a pool of connections.
 *
 * A reader whose connection died before it answered asks again on another one. So a restart of the database shows only
 * in calls made while it is down, which throw StoreUnavailable at once. A write transaction is never repeated after its
 * connection was lost, because it may have been committed. When PostgreSQL undid it for the sake of another one
 * (deadlock), it is.
 */
export class PostgresDriver implements SqlDriver {
  readonly #name: string;
  readonly #connections: Connections;
  readonly #listener: Listener;
  readonly #options: Required<PostgresOptions>;
  /**
   * The transactions of this process that ask for a lock follow each other here: one connection waits for it, not all.
   */
  readonly #queues = new Map<SqlLock, Promise<unknown>>();
  readonly #statements = new Statements();

  private constructor(settings: ConnectionSettings, options: PostgresOptions) {
    this.#options = { ...DEFAULTS, ...options };
    this.#name = settings.name;
    this.#connections = new Connections(settings, this.#options);
    this.#listener = new Listener({
      ...settings.config,
      connectionTimeoutMillis: this.#options.connectTimeoutMs,
    });
  }

  /** Opens the database that the URL names. Throws a RangeError for a URL that is none, StoreUnavailable. */
  static open(url: string, options?: PostgresOptions): Promise<PostgresDriver> {
    return PostgresDriver.prepare(url, options)();
  }

  /** Reads the URL; what it gives opens the database. Throws a RangeError. */
  static prepare(url: string, options: PostgresOptions = {}): () => Promise<PostgresDriver> {
    const settings = connectionSettings(url);
    return () => PostgresDriver.#open(settings, options);
  }

  static async #open(settings: ConnectionSettings, options: PostgresOptions): Promise<PostgresDriver> {
    const driver = new PostgresDriver(settings, options);
    try {
      const [[version, encoding]] = (await driver.all(
        "SELECT current_setting('server_version_num')::int, current_setting('server_encoding')",
      )) as [[number, string]];
      if (version < 150_000)
        throw new StoreUnavailable(`the database ${driver.#name} is older than PostgreSQL 15`);
      if (encoding !== 'UTF8') {
        throw new StoreUnavailable(
          `the database ${driver.#name} has the encoding ${encoding}, but needs UTF8`,
        );
      }
      return driver;
    } catch (error) {
      await driver.close();
      throw error;
    }
  }

  async all(sql: string, params: readonly SqlParam[] = []): Promise<SqlRow[]> {
    const query = this.#statements.query(sql, params, this.#readTimeout);
    return this.#reading(async (client) => {
      const { rows } = await this.#connections.watched(client, client.query<SqlValue[]>(query));
      client.release();
      return rows;
    });
  }

  /**
   * A cursor of SQL: each page is a statement of its own, so `statement_timeout` counts its work only; while the caller
   * pauses, `idle_in_transaction_session_timeout` counts. A cursor of the protocol without an end of messages between
   * pages, as `pg-cursor` has, is one statement for both.
   */
  async *pages(sql: string, params: readonly SqlParam[], size: number): AsyncGenerator<SqlRow[]> {
    const [client, first] = await this.#reading(async (reader) => {
      await this.#connections.watched(reader, reader.query(timed(BEGIN_READING, this.#readTimeout)));
      const declare = this.#statements.query(DECLARE + sql, params, this.#readTimeout);
      await this.#connections.watched(reader, reader.query(declare));
      return [reader, await this.#fetch(reader, size)] as const;
    });
    let page = first;
    let fault: unknown = null;
    try {
      while (page.length === size) {
        // The next page is read while the caller is busy with this one.
        const next = this.#fetch(client, size);
        next.catch(() => {});
        yield page;
        page = await next;
      }
    } catch (error) {
      fault = error;
      throw translate(error, this.#name);
    } finally {
      // The caller does not wait for the end of the transaction, and need not know of it.
      void this.#connections.end(client, fault);
    }
    if (page.length > 0) yield page;
  }

  async snapshot<T>(work: (snapshot: SqlSnapshot) => Promise<T>): Promise<T> {
    const client = await this.#reading(async (reader) => {
      await this.#connections.watched(reader, reader.query(timed(BEGIN_SNAPSHOT, this.#readTimeout)));
      return reader;
    });
    const snapshot = new PostgresSnapshot(client, this.#statements, (answer) =>
      this.#connections.watched(client, answer),
    );
    try {
      return await work(snapshot);
    } catch (error) {
      throw error === snapshot.fault ? translate(error, this.#name) : error;
    } finally {
      await this.#connections.end(client, snapshot.fault);
    }
  }

  async write<T>(
    lock: SqlLock,
    work: (transaction: SqlTransaction) => Promise<T>,
    options: SqlWriteOptions = {},
  ): Promise<T> {
    this.#connections.checkOpen();
    const run = () => this.#transact(lock, work, options);
    if (lock === null) return run();
    const before = this.#queues.get(lock);
    const done = before === undefined ? run() : before.then(run);
    const settled = done.then(
      () => {},
      () => {},
    );
    this.#queues.set(lock, settled);
    return done;
  }

  listen(channel: SqlChannel, heard: () => void): () => void {
    return this.#listener.listen(channel, heard);
  }

  isMissingTable(error: unknown): boolean {
    return isMissingTable(error);
  }

  async figures(): Promise<DatabaseFigures> {
    const [[readOnly]] = (await this.all(
      "SELECT (current_setting('transaction_read_only') = 'on')::int",
    )) as [[number]];
    return { ...this.#connections.figures(), isReadOnly: readOnly === 1 };
  }

  async close(): Promise<void> {
    await this.#connections.close(async () => {
      await Promise.all(this.#queues.values());
      await this.#listener.close();
    });
  }

  get #readTimeout(): number {
    return this.#options.statementTimeoutMs + SILENCE_MS;
  }

  /** Runs a reader on a connection; the reader releases it when it succeeds. */
  async #reading<T>(read: (client: pg.PoolClient) => Promise<T>): Promise<T> {
    for (let tries = 1; ; tries++) {
      const client = await this.#connections.connect();
      try {
        return await read(client);
      } catch (error) {
        const isDead = isOfConnection(error);
        if (isDead) client.release(true);
        else await this.#connections.end(client, null);
        const isHopeless =
          error instanceof OutOfPatience || (error instanceof ConnectionSilent && error.isUnreachable);
        if (!isDead || isHopeless || tries === READ_TRIES) throw translate(error, this.#name);
      }
    }
  }

  async #transact<T>(
    lock: SqlLock,
    work: (transaction: SqlTransaction) => Promise<T>,
    { changesSchema = false }: SqlWriteOptions,
  ): Promise<T> {
    const maxTries = changesSchema ? SCHEMA_TRIES : WRITE_TRIES;
    for (let tries = 1; ; tries++) {
      const client = await this.#begin(lock, changesSchema);
      const transaction = new PostgresTransaction(client, this.#statements, (answer) =>
        this.#connections.watched(client, answer),
      );
      try {
        const result = await work(transaction);
        await transaction.commit();
        client.release();
        return result;
      } catch (error) {
        const { fault } = transaction;
        await this.#connections.end(client, fault);
        // What `work` throws by itself is its own affair.
        if (error !== fault) throw error;
        if (!(isPassing(fault) || (changesSchema && isLocked(fault))) || tries === maxTries) {
          throw translate(fault, this.#name);
        }
        if (changesSchema) await setTimeout(SCHEMA_PAUSE_MS);
      }
    }
  }

  /** A connection with a transaction that holds the lock. */
  async #begin(lock: SqlLock, changesSchema: boolean): Promise<pg.PoolClient> {
    const patience = this.#options.writePatienceMs;
    const begin =
      `BEGIN; SET LOCAL lock_timeout = ${patience}; SET LOCAL statement_timeout = ${WRITE_STATEMENT_MS}` +
      (lock === null
        ? ''
        : `; SELECT pg_advisory_xact_lock(${LOCK_FAMILY}, hashtext(current_schema() || '.${lock}'))`) +
      (changesSchema ? `; SET LOCAL lock_timeout = ${SCHEMA_LOCK_MS}` : '');
    for (let tries = 1; ; tries++) {
      const client = await this.#connections.connect();
      try {
        await this.#connections.watched(client, client.query(timed(begin, patience + SILENCE_MS)));
        return client;
      } catch (error) {
        await this.#connections.end(client, error);
        // Nothing has been done yet, so another connection may do it.
        if (!isOfConnection(error) || tries === READ_TRIES) throw translate(error, this.#name);
      }
    }
  }

  /** The next rows of the cursor, fewer than `size` when no more follow. */
  async #fetch(client: pg.ClientBase, size: number): Promise<SqlRow[]> {
    const query = this.#statements.query(`FETCH ${size} FROM page`, [], this.#readTimeout);
    return (await this.#connections.watched(client, client.query<SqlValue[]>(query))).rows;
  }
}
