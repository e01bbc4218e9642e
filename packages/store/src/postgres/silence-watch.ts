/**
 * Tells a slow statement from a connection whose packets are swallowed, as after a firewall has lost its state. TCP
 * itself notices that only after minutes.
 *
 *   asked ──answer──▶ done
 *     └─silent for LOOK_AFTER_MS──▶ looked at, by another connection, every LOOK_EVERY_MS
 *                                      ├─ the database works on it ──▶ waits on
 *                                      ├─ it does not, and no answer comes for ON_ITS_WAY_MS ──▶ dead
 *                                      └─ no other connection is to be had ──▶ dead
 */
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';

/** How long a statement may be silent before it is looked at, ms. */
const LOOK_AFTER_MS = 1_500;
/** Pause between two looks, ms. */
const LOOK_EVERY_MS = 1_000;
/** How long a look may take, ms. */
const LOOK_MS = 2_000;
/** How long the answer to a finished statement may be on its way, ms. */
const ON_ITS_WAY_MS = 500;

/** A connection that cannot be used any more; what was asked on it may have been done. */
export class ConnectionSilent extends Error {
  /** In the place of an error code of the system, for messages. */
  readonly code = 'ESILENT';
  /** True when no new connection was to be had either. */
  readonly isUnreachable: boolean;

  constructor(isUnreachable: boolean) {
    super('the database does not answer on a connection');
    this.name = 'ConnectionSilent';
    this.isUnreachable = isUnreachable;
  }
}

interface SilentStatement {
  /** Number of the process that serves the connection. */
  pid: number;
  die(error: ConnectionSilent): void;
}

export class SilenceWatch {
  readonly #config: pg.ClientConfig;
  readonly #onDead: (error: ConnectionSilent) => void;
  readonly #silent = new Set<SilentStatement>();
  #looking: Promise<void> | null = null;
  #isClosed = false;

  /** `onDead` is told of each connection that is given up, before who waits for it. */
  constructor(config: pg.ClientConfig, onDead: (error: ConnectionSilent) => void) {
    this.#config = config;
    this.#onDead = onDead;
  }

  /**
   * Gives the answer of a statement that was sent. Rejects as it does, with ConnectionSilent when its connection is
   * dead. `pid`: the process of the database that serves the connection; null when it is not known, as behind a pooler,
   * and nothing is watched.
   */
  async watch<T>(pid: number | null, answer: Promise<T>): Promise<T> {
    if (pid === null) return answer;
    const { promise: death, reject } = Promise.withResolvers<never>();
    const statement: SilentStatement = { pid, die: reject };
    const timer = setTimeout(() => this.#add(statement), LOOK_AFTER_MS);
    timer.unref();
    try {
      return await Promise.race([answer, death]);
    } finally {
      clearTimeout(timer);
      this.#silent.delete(statement);
      // Whichever comes later has nobody who waits for it.
      answer.catch(() => {});
    }
  }

  /** Looks no more; statements that are silent wait as long as they may. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#silent.clear();
    await this.#looking;
  }

  #add(statement: SilentStatement): void {
    if (this.#isClosed) return;
    this.#silent.add(statement);
    this.#looking ??= this.#look().finally(() => {
      this.#looking = null;
    });
  }

  async #look(): Promise<void> {
    while (this.#silent.size > 0) {
      const asked = [...this.#silent];
      const busy = await this.#busy(asked.map(({ pid }) => pid));
      const idle = busy === null ? asked : asked.filter(({ pid }) => !busy.has(pid));
      if (busy !== null && idle.length > 0) await pause(ON_ITS_WAY_MS, undefined, { ref: false });
      for (const statement of idle) {
        if (!this.#silent.delete(statement)) continue;
        const error = new ConnectionSilent(busy === null);
        this.#onDead(error);
        statement.die(error);
      }
      if (this.#silent.size > 0) await pause(LOOK_EVERY_MS, undefined, { ref: false });
    }
  }

  /** Which of these processes work on a statement; null when the database cannot be asked. */
  async #busy(pids: readonly number[]): Promise<ReadonlySet<number> | null> {
    const client = new pg.Client({
      ...this.#config,
      connectionTimeoutMillis: LOOK_MS,
      query_timeout: LOOK_MS,
    });
    client.on('error', () => {});
    try {
      await client.connect();
      const { rows } = await client.query<{ pid: number }>(
        "SELECT pid FROM pg_stat_activity WHERE pid = ANY($1) AND state IN ('active', 'fastpath function call')",
        [pids],
      );
      return new Set(rows.map(({ pid }) => pid));
    } catch (error) {
      // It is there, but lets nobody else in: what it does cannot be seen.
      if (error instanceof pg.DatabaseError) return new Set(pids);
      return null;
    } finally {
      client.end().catch(() => {});
    }
  }
}
