import { setImmediate } from 'node:timers/promises';
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
import { SLICE } from './connection.ts';
import type { SqliteDriverOptions } from './sqlite-driver.ts';
import { isMissingTable, translate } from './sqlite-error.ts';
import { withSnapshot } from './sqlite-snapshot.ts';
import { ThreadLink } from './thread-link.ts';
import type { Page } from './thread-messages.ts';

/**
 * SqliteDriver in two threads, one that reads and one that writes: node:sqlite blocks its thread, for 8 ms at a durable
 * commit and for as long as a statement sorts. Cursors share the reading thread page by page.
 *
 *   absent ──first call──▶ open ──close──▶ closed
 *      ▲                     │
 *      └──the thread died────┘  calls that wait, and transactions, fail with StoreUnavailable
 */
export class SqliteThread implements SqlDriver {
  readonly #path: string;
  readonly #options: SqliteDriverOptions;
  #reader: ThreadLink | null = null;
  #writer: ThreadLink | null = null;
  #lastNumber = 0;
  #writing = 0;
  readonly #idle: Array<() => void> = [];
  #isClosed = false;

  private constructor(path: string, options: SqliteDriverOptions) {
    this.#path = path;
    this.#options = options;
  }

  /** Opens a database file and creates it when it is not there; its directory must exist. Throws StoreUnavailable. */
  static async open(path: string, options: SqliteDriverOptions = {}): Promise<SqliteThread> {
    const driver = new SqliteThread(path, options);
    try {
      // Side by side: the reader looks at the file that the writer creates at its first statement only.
      await Promise.all([driver.#openWriter(), driver.#openReader()]);
    } catch (error) {
      await driver.close();
      throw error;
    }
    return driver;
  }

  async all(sql: string, params: readonly SqlParam[] = []): Promise<SqlRow[]> {
    const rows: SqlRow[] = [];
    for await (const page of this.pages(sql, params, SLICE)) {
      if (rows.length === 0 && page.length < SLICE) return page;
      for (const row of page) rows.push(row);
    }
    return rows;
  }

  async *pages(sql: string, params: readonly SqlParam[], size: number): AsyncGenerator<SqlRow[]> {
    const link = await this.#openReader();
    const cursor = ++this.#lastNumber;
    let page = await link.call<Page>({ op: 'pages', cursor, sql, params, size });
    try {
      while (page.rows.length > 0) {
        // The next page is read while the caller is busy with this one.
        const next = page.more ? link.call<Page>({ op: 'next', cursor }) : null;
        next?.catch(() => {});
        yield page.rows;
        if (next === null) return;
        page = await next;
        // Messages that arrive while one is worked on are taken in the same turn: without this, a caller that works on
        // each page holds up everything else until its last.
        await setImmediate();
      }
    } finally {
      if (page.more && !link.isOver) await link.call({ op: 'stop', cursor }).catch(() => {});
    }
  }

  /** On the calling thread: only a program that does nothing else asks for it. */
  async snapshot<T>(work: (snapshot: SqlSnapshot) => Promise<T>): Promise<T> {
    await this.#openReader();
    return withSnapshot(this.#path, work);
  }

  /** SQLite has one writer at a time, so each lock is the same. */
  async write<T>(_lock: SqlLock, work: (transaction: SqlTransaction) => Promise<T>): Promise<T> {
    this.#checkOpen();
    this.#writing++;
    try {
      const link = await this.#openWriter();
      const number = ++this.#lastNumber;
      await link.call({ op: 'begin', transaction: number });
      let result: T;
      try {
        result = await work(new ThreadTransaction(link, number));
      } catch (error) {
        await link.call({ op: 'end', transaction: number, commit: false }).catch(() => {});
        throw translate(error, this.#path);
      }
      await link.call({ op: 'end', transaction: number, commit: true });
      return result;
    } finally {
      this.#writing--;
      if (this.#writing === 0) for (const resolve of this.#idle.splice(0)) resolve();
    }
  }

  /** SQLite tells nobody; who wants to know looks. */
  listen(): () => void {
    return () => {};
  }

  isMissingTable(error: unknown): boolean {
    return isMissingTable(error);
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    if (this.#writing > 0) await new Promise<void>((resolve) => this.#idle.push(resolve));
    // The writer last: the last connection to close takes the files beside the database away, if it may write.
    for (const link of [this.#reader, this.#writer]) {
      if (link === null || link.isOver) continue;
      await link.call({ op: 'close' }).catch(() => {});
      await link.end();
    }
  }

  async #openReader(): Promise<ThreadLink> {
    this.#checkOpen();
    if (this.#reader === null || this.#reader.isOver) this.#reader = this.#start('read');
    const link = this.#reader;
    await link.opened;
    return link;
  }

  async #openWriter(): Promise<ThreadLink> {
    if (this.#writer === null || this.#writer.isOver) this.#writer = this.#start('write');
    const link = this.#writer;
    await link.opened;
    return link;
  }

  #start(mode: 'read' | 'write'): ThreadLink {
    return new ThreadLink({ path: this.#path, options: { ...this.#options, mode } });
  }

  #checkOpen(): void {
    if (this.#isClosed) {
      throw new StoreUnavailable(`the database ${this.#path} cannot answer: it is closed`);
    }
  }
}

class ThreadTransaction implements SqlTransaction {
  readonly #link: ThreadLink;
  readonly #number: number;

  constructor(link: ThreadLink, number: number) {
    this.#link = link;
    this.#number = number;
  }

  all(sql: string, params: readonly SqlParam[] = []): Promise<SqlRow[]> {
    return this.#link.call({ op: 'all', transaction: this.#number, sql, params });
  }

  run(sql: string, params: readonly SqlParam[] = []): Promise<number> {
    return this.#link.call({ op: 'run', transaction: this.#number, sql, params });
  }

  async insert(
    table: string,
    columns: readonly string[],
    rows: Iterable<readonly SqlValue[]>,
  ): Promise<void> {
    const insert = (batch: SqlRow[]) => {
      const call = { op: 'insert' as const, transaction: this.#number, table, columns, rows: batch };
      const inserted = this.#link.call<void>(call);
      // It may fail while the next rows are being made.
      inserted.catch(() => {});
      return inserted;
    };
    let batch: SqlRow[] = [];
    // A batch is made while the thread inserts the one before.
    let inserting: Promise<void> = Promise.resolve();
    try {
      for (const row of rows) {
        batch.push(row);
        if (batch.length < SLICE) continue;
        await inserting;
        inserting = insert(batch);
        batch = [];
        await setImmediate();
      }
    } finally {
      await inserting;
    }
    if (batch.length > 0) await insert(batch);
  }

  async announce(): Promise<void> {}
}
