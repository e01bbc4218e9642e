import { statSync } from 'node:fs';
import { setImmediate, setTimeout } from 'node:timers/promises';
import { StoreUnavailable } from '../catalogue-store.ts';
import type {
  SqlDriver,
  SqlLock,
  SqlParam,
  SqlRow,
  SqlSnapshot,
  SqlTransaction,
  SqlValue,
} from '../sql/driver.ts';
import { Connection, SLICE } from './connection.ts';
import { isMissingTable, isPassing, translate } from './sqlite-error.ts';
import { withSnapshot } from './sqlite-snapshot.ts';

/** How long a reader waits for locks in all, ms. In WAL mode only recovery and closing make readers wait. */
const READ_PATIENCE = 5_000;
/** How long a writer waits for other processes in all, ms; a national catalogue is written in about ten seconds. */
const WRITE_PATIENCE = 60_000;
/** Reader connections that are kept open when nobody uses them. */
const IDLE_READERS = 4;

export interface SqliteDriverOptions {
  /** How long a write transaction waits for those of other processes, ms. */
  writePatience?: number;
  /** `read` for one that is never asked to write; another has to have made the file. */
  mode?: 'read' | 'write';
}

/**
 * SQLite by node:sqlite, in WAL mode: readers see the state before or after a write transaction and wait for
 * nobody. There is one connection for writing and a small pool for reading. A long transaction lets other work of this
 * process run between its slices; on connections of their own, readers do not see it before it ends.
 */
export class SqliteDriver implements SqlDriver {
  readonly #path: string;
  readonly #writePatience: number;
  readonly #idle: Connection[] = [];
  readonly #busy = new Set<Connection>();
  #writer: Connection | null = null;
  /** Settles when the write transactions asked for so far are over. */
  #writes: Promise<unknown> = Promise.resolve();
  #closed = false;
  /** Device and number of the file that is open, once there is one. */
  #file: string | null = null;

  private constructor(path: string, options: SqliteDriverOptions) {
    this.#path = path;
    this.#writePatience = options.writePatience ?? WRITE_PATIENCE;
  }

  /** Opens a database file and creates it when it is not there; its directory must exist. Throws StoreUnavailable. */
  static async open(path: string, options: SqliteDriverOptions = {}): Promise<SqliteDriver> {
    const driver = new SqliteDriver(path, options);
    if (options.mode === 'read') return driver;
    driver.#writer = await driver.#patiently(READ_PATIENCE, () => new Connection(path, 'write'));
    driver.#checkThere();
    return driver;
  }

  async all(sql: string, params: readonly SqlParam[] = []): Promise<SqlRow[]> {
    const rows: SqlRow[] = [];
    for await (const page of this.pages(sql, params, SLICE)) {
      for (const row of page) rows.push(row);
    }
    return rows;
  }

  async *pages(sql: string, params: readonly SqlParam[], size: number): AsyncGenerator<SqlRow[]> {
    const start = await this.#patiently(READ_PATIENCE, () => this.#startReading(sql, params, size));
    let ok = false;
    try {
      let page = start.page;
      while (page.length === size) {
        yield page;
        await setImmediate();
        page = this.#orTranslated(() => take(start.rows, size));
      }
      if (page.length > 0) yield page;
      ok = true;
    } finally {
      // A caller that stops early leaves the statement active; `return` resets it and lets go of its state.
      if (!ok) quietly(() => start.rows.return?.());
      this.#giveBack(start.connection);
    }
  }

  async snapshot<T>(work: (snapshot: SqlSnapshot) => Promise<T>): Promise<T> {
    this.#checkOpen();
    this.#checkThere();
    return withSnapshot(this.#path, work);
  }

  /** SQLite has one writer at a time, so each lock is the same. */
  write<T>(_lock: SqlLock, work: (transaction: SqlTransaction) => Promise<T>): Promise<T> {
    const done = this.#writes.then(() => this.#transact(work));
    // Nothing in a short transaction waits for the event loop. Without a turn between two of them, a program that
    // writes one after the other would stop all else. Other connections of this process could never begin.
    this.#writes = done.catch(() => {}).then(() => setImmediate());
    return done;
  }

  /** SQLite tells nobody; who wants to know looks. */
  listen(): () => void {
    return () => {};
  }

  isMissingTable(error: unknown): boolean {
    return isMissingTable(error);
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    await this.#writes;
    for (const connection of [...this.#idle, ...this.#busy]) connection.close();
    this.#idle.length = 0;
    this.#busy.clear();
    this.#writer?.close();
    this.#writer = null;
  }

  async #transact<T>(work: (transaction: SqlTransaction) => Promise<T>): Promise<T> {
    const connection = await this.#patiently(this.#writePatience, () => {
      const writer = this.#openWriter();
      writer.exec('BEGIN IMMEDIATE');
      return writer;
    });
    try {
      const result = await work(new SqliteTransaction(connection));
      connection.exec('COMMIT');
      return result;
    } catch (error) {
      const translated = translate(error, this.#path);
      // SQLite may have rolled back by itself (disk full); then there is nothing left to roll back.
      quietly(() => connection.exec('ROLLBACK'));
      if (translated instanceof StoreUnavailable) this.#dropWriter();
      throw translated;
    }
  }

  #startReading(
    sql: string,
    params: readonly SqlParam[],
    size: number,
  ): { connection: Connection; rows: IterableIterator<SqlRow>; page: SqlRow[] } {
    this.#checkOpen();
    this.#checkThere();
    const connection = this.#idle.pop() ?? new Connection(this.#path, 'read');
    try {
      const rows = connection.rows(sql, params);
      const page = take(rows, size);
      this.#busy.add(connection);
      return { connection, rows, page };
    } catch (error) {
      // A fresh connection next time: after a fault of the disk this one may hold on to what is no longer true.
      quietly(() => connection.close());
      throw error;
    }
  }

  #giveBack(connection: Connection): void {
    if (!this.#busy.delete(connection)) return;
    if (this.#idle.length < IDLE_READERS) this.#idle.push(connection);
    else connection.close();
  }

  #openWriter(): Connection {
    this.#checkOpen();
    this.#checkThere();
    this.#writer ??= new Connection(this.#path, 'write');
    return this.#writer;
  }

  #dropWriter(): void {
    const writer = this.#writer;
    this.#writer = null;
    if (writer !== null) quietly(() => writer.close());
  }

  #checkOpen(): void {
    if (this.#closed) throw new StoreUnavailable(`the database ${this.#path} cannot answer: it is closed`);
  }

  /**
   * Open connections go on to read and to write a file that was deleted or replaced, and nobody would notice. Opening
   * would create an empty database in place of it. Closing them to open another one would delete the log of that one,
   * which SQLite finds by its name.
   */
  #checkThere(): void {
    const found = statSync(this.#path, { bigint: true, throwIfNoEntry: false });
    if (found === undefined) throw new StoreUnavailable(`the database ${this.#path} is gone`);
    const file = `${found.dev}:${found.ino}`;
    this.#file ??= file;
    if (file !== this.#file) {
      throw new StoreUnavailable(
        `the database ${this.#path} was replaced by another file while it was open: start the program again`,
      );
    }
  }

  #orTranslated<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      throw translate(error, this.#path);
    }
  }

  /** Repeats `attempt` while others hold the lock, with growing pauses, for at most `patience` ms. */
  async #patiently<T>(patience: number, attempt: () => T): Promise<T> {
    const deadline = performance.now() + patience;
    for (let pause = 2; ; pause = Math.min(pause * 2, 50)) {
      try {
        return attempt();
      } catch (error) {
        if (!isPassing(error) || performance.now() > deadline) throw translate(error, this.#path);
      }
      // Not all at the same moment: waiting processes would wake each other up in lock step.
      await setTimeout(pause * (0.5 + Math.random()));
    }
  }
}

class SqliteTransaction implements SqlTransaction {
  readonly #connection: Connection;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  async all(sql: string, params: readonly SqlParam[] = []): Promise<SqlRow[]> {
    return [...this.#connection.rows(sql, params)];
  }

  async run(sql: string, params: readonly SqlParam[] = []): Promise<number> {
    return this.#connection.run(sql, params);
  }

  async insert(
    table: string,
    columns: readonly string[],
    rows: Iterable<readonly SqlValue[]>,
  ): Promise<void> {
    const insert = this.#connection.inserter(table, columns);
    let count = 0;
    for (const row of rows) {
      insert(row);
      if (++count % SLICE === 0) await setImmediate();
    }
  }

  async announce(): Promise<void> {}
}

/** The next `count` rows, fewer at the end. */
function take(rows: Iterator<SqlRow>, count: number): SqlRow[] {
  const page: SqlRow[] = [];
  while (page.length < count) {
    const next = rows.next();
    if (next.done) break;
    page.push(next.value);
  }
  return page;
}

function quietly(work: () => void): void {
  try {
    work();
  } catch {
    // Cleaning up after a fault that is being reported already.
  }
}
