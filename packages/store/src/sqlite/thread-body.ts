import type { SqlRow, SqlTransaction } from '../sql/driver.ts';
import type { SqliteDriver } from './sqlite-driver.ts';
import type { Call, Page } from './thread-messages.ts';

/** A transaction that the caller has open. */
interface Open {
  transaction: SqlTransaction;
  /** What made a statement of it fail. */
  fault: unknown;
  /** Ends it; what it gives settles when it is over. */
  end(commit: boolean): Promise<void>;
}

interface Cursor {
  pages: AsyncGenerator<SqlRow[]>;
  size: number;
}

/** Why a transaction is rolled back that the caller gave up. */
class GivenUp extends Error {}

/**
 * What the database's thread does, without the thread: calls come in, a driver answers. Statements of one transaction
 * or cursor must not be called before the answer to the one before.
 */
export class ThreadBody {
  readonly #open: () => Promise<SqliteDriver>;
  #driver: SqliteDriver | null = null;
  readonly #cursors = new Map<number, Cursor>();
  readonly #transactions = new Map<number, Open>();

  constructor(open: () => Promise<SqliteDriver>) {
    this.#open = open;
  }

  /** Does what a call asks. Throws what the driver throws. */
  async answer(call: Call): Promise<unknown> {
    switch (call.op) {
      case 'open':
        this.#driver = await this.#open();
        return null;
      case 'pages':
        this.#cursors.set(call.cursor, {
          pages: this.#driver!.pages(call.sql, call.params, call.size),
          size: call.size,
        });
        return this.#nextPage(call.cursor);
      case 'next':
        return this.#nextPage(call.cursor);
      case 'stop':
        await this.#cursors.get(call.cursor)?.pages.return(undefined);
        this.#cursors.delete(call.cursor);
        return null;
      case 'begin':
        await this.#begin(call.transaction);
        return null;
      case 'all':
        return this.#within(call.transaction, (tx) => tx.all(call.sql, call.params));
      case 'run':
        return this.#within(call.transaction, (tx) => tx.run(call.sql, call.params));
      case 'insert':
        return this.#within(call.transaction, (tx) => tx.insert(call.table, call.columns, call.rows));
      case 'end': {
        const open = this.#transactions.get(call.transaction);
        this.#transactions.delete(call.transaction);
        await open?.end(call.commit);
        return null;
      }
      case 'close':
        await this.#driver?.close();
        return null;
    }
  }

  async #nextPage(number: number): Promise<Page> {
    const { pages, size } = this.#cursors.get(number)!;
    let rows: SqlRow[] = [];
    try {
      const { value, done } = await pages.next();
      if (done !== true) rows = value;
      const more = rows.length === size;
      // A page that is not full is the last; the statement is over when the next one has been asked for.
      if (!more && done !== true) await pages.next();
      if (!more) this.#cursors.delete(number);
      return { rows, more };
    } catch (error) {
      this.#cursors.delete(number);
      throw error;
    }
  }

  /** Resolves when the transaction has begun; it goes on until `end`. */
  #begin(number: number): Promise<void> {
    const begun = Promise.withResolvers<void>();
    const ended = Promise.withResolvers<void>();
    const over = this.#driver!.write(null, (transaction) => {
      const open: Open = { transaction, fault: undefined, end };
      async function end(commit: boolean) {
        if (commit) {
          ended.resolve();
          await over;
        } else {
          // The caller has the fault already; the driver judges by it whether its connection is still good.
          ended.reject(open.fault ?? new GivenUp());
          await over.catch(() => {});
        }
      }
      this.#transactions.set(number, open);
      begun.resolve();
      return ended.promise;
    });
    // After it has begun, `end` says how it ended.
    over.catch(begun.reject);
    return begun.promise;
  }

  async #within<T>(number: number, statement: (transaction: SqlTransaction) => Promise<T>): Promise<T> {
    const open = this.#transactions.get(number)!;
    try {
      return await statement(open.transaction);
    } catch (error) {
      open.fault ??= error;
      throw error;
    }
  }
}
