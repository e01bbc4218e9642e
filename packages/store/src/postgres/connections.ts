import { OutOfPatience, waitPatiently } from '@citymodel/base';
import pg from 'pg';
import { StoreUnavailable } from '../catalogue-store.ts';
import type { ConnectionSettings } from './connection-settings.ts';
import { CLOCK_COLUMN, DatabaseClock } from './database-clock.ts';
import { isOfConnection, translate } from './postgres-error.ts';
import { ConnectionSilent, SilenceWatch } from './silence-watch.ts';
import { SESSION, SILENCE_MS, timed } from './statements.ts';

export interface ConnectionsOptions {
  /** Connections that are open at most. */
  connections: number;
  /** How long a caller waits for a connection, ms. */
  connectTimeoutMs: number;
  /** How long one statement of a reader may run, ms. */
  statementTimeoutMs: number;
  /** How long a transaction may pause, ms; then the database ends it. */
  pauseMs: number;
}

/** What is known of an open connection. */
interface ConnectionFacts {
  /** When it was made, ms of the process's clock. */
  since: number;
  /** The process of the database that serves it; null when something stands between. */
  pid: number | null;
}

/** Connections that nobody uses are closed after this time, ms. */
const IDLE_MS = 60_000;

/**
 * Connections to a database, set up alike. While an answer is awaited, somebody looks whether the database still works
 * on it. Where it does not, callers get no connection of before any more.
 */
export class Connections {
  /** What messages call the database. */
  readonly #name: string;
  readonly #pool: pg.Pool;
  readonly #options: ConnectionsOptions;
  readonly #silence: SilenceWatch;
  /** Of the connections that are open: when they were made, and by which process of the database they are served. */
  readonly #facts = new WeakMap<pg.ClientBase, ConnectionFacts>();
  /** Connections of before cannot be trusted: one of them was dead, ms of the process's clock. */
  #trustedSince = 0;
  #silentConnections = 0;
  readonly #clock = new DatabaseClock();
  #isClosed = false;

  constructor({ config, name }: ConnectionSettings, options: ConnectionsOptions) {
    this.#name = name;
    this.#options = options;
    const { connections, connectTimeoutMs } = options;
    this.#pool = new pg.Pool({
      ...config,
      max: connections,
      connectionTimeoutMillis: connectTimeoutMs,
      idleTimeoutMillis: IDLE_MS,
      onConnect: (client) => this.#prepare(client),
    });
    // An idle connection that dies leaves the pool, and that is all.
    this.#pool.on('error', () => {});
    this.#silence = new SilenceWatch(config, () => {
      this.#trustedSince = performance.now();
      this.#silentConnections++;
    });
  }

  /** Numbers of connections, and of those that were given up because nothing answered. */
  figures() {
    const { totalCount: open, idleCount: idle, waitingCount: waiting } = this.#pool;
    return { connections: { open, idle, waiting }, silentConnections: this.#silentConnections };
  }

  /** Throws StoreUnavailable when they are closed. */
  checkOpen(): void {
    if (this.#isClosed) throw new StoreUnavailable(`the database ${this.#name} cannot answer: it is closed`);
  }

  /** A connection for the caller alone, who gives it back by `release` or `end`. Throws StoreUnavailable. */
  async connect(): Promise<pg.PoolClient> {
    this.checkOpen();
    try {
      for (;;) {
        const client = await this.#pool.connect();
        if ((this.#facts.get(client)?.since ?? 0) < this.#trustedSince) client.release(true);
        else if (!this.#clock.isDue() || (await this.#tells(client))) return client;
      }
    } catch (error) {
      throw translate(error, this.#name);
    }
  }

  /** The answer of a statement, or ConnectionSilent as soon as it is known that none comes. */
  watched<T>(client: pg.ClientBase, answer: Promise<T>): Promise<T> {
    // Where patience is over already nobody waits for it, and it fails when its connection is closed.
    answer.catch(() => {});
    return waitPatiently(() => this.#silence.watch(this.#facts.get(client)?.pid ?? null, answer));
  }

  /** Gives a connection back without a transaction, or closes it when it cannot be trusted. */
  async end(client: pg.PoolClient, fault: unknown): Promise<void> {
    if (fault !== null && isOfConnection(fault)) {
      client.release(true);
      return;
    }
    try {
      await this.watched(client, client.query(timed('ROLLBACK', SILENCE_MS)));
      client.release();
    } catch {
      client.release(true);
    }
  }

  /** Gives nobody a connection any more, waits for those who use one, and closes all. Another time it does nothing. */
  async close(users: () => Promise<unknown>): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    await users();
    await this.#silence.close();
    await this.#pool.end();
  }

  /** Asks for the time; false for a connection that turned out to be dead, which is released. */
  async #tells(client: pg.PoolClient): Promise<boolean> {
    const sentAt = performance.now();
    const question = timed(`SELECT ${CLOCK_COLUMN}`, SILENCE_MS);
    try {
      const { rows } = await this.watched(client, client.query<{ clock: string }>(question));
      this.#clock.note(rows[0]?.clock, sentAt);
      return true;
    } catch (error) {
      client.release(true);
      if (error instanceof OutOfPatience || error instanceof ConnectionSilent) throw error;
      return false;
    }
  }

  /** What every connection of the pool is set to. */
  async #prepare(client: pg.ClientBase): Promise<void> {
    // A connection may die while a transaction computes; its next statement reports that.
    client.on('error', () => {});
    const { connectTimeoutMs, statementTimeoutMs, pauseMs } = this.#options;
    const settings = {
      ...SESSION,
      statement_timeout: statementTimeoutMs,
      idle_in_transaction_session_timeout: pauseMs,
    };
    const since = performance.now();
    const set = Object.entries(settings).map(([name, value]) => `SET ${name} = ${value}`);
    // Several statements have several results, which the types do not know.
    const text = [...set, `SELECT pg_backend_pid() AS pid, ${CLOCK_COLUMN}`].join('; ');
    const results = (await client.query(timed(text, connectTimeoutMs))) as unknown as Array<
      pg.QueryResult<{ pid: number; clock: string }>
    >;
    const { pid = null, clock } = results.at(-1)?.rows[0] ?? {};
    this.#clock.note(clock, since);
    // A pooler between names another process than the one that works.
    const { processID } = client as { processID?: number | null };
    this.#facts.set(client, { since, pid: pid === processID ? pid : null });
  }
}
