import type { Connection, Submittable } from 'pg';
import type { SqlRow, SqlValue } from '../sql/driver.ts';
import { parserOf } from './dialect.ts';

const PORTAL = 'page';
const BEGIN = 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY';

/** The messages of the extended query protocol, as `pg`'s connection sends them. */
interface Messages {
  stream: { cork(): void; uncork(): void };
  parse(message: { text: string }): void;
  bind(message: { portal?: string; values?: Array<string | null> }): void;
  describe(message: { type: 'P'; name: string }): void;
  execute(message: { portal?: string; rows?: number }): void;
  sync(): void;
}

/** One page of a cursor. `isLast` when no row follows it. */
export interface Page {
  rows: SqlRow[];
  isLast: boolean;
}

/**
 * A cursor as the protocol has it: a portal of which `size` rows are asked for at a time. The first page begins the transaction
 * and costs one round trip, as a plain query does. Each page is a command of its own for the database, so `statement_timeout`
 * counts its work only; while the caller pauses, `idle_in_transaction_session_timeout` counts.
 *
 *   new ──first()──▶ open ──next()──▶ open … until a page is the last; then the caller ends the transaction
 */
export class PageQuery {
  readonly #sql: string;
  readonly #values: Array<string | null>;
  readonly #size: number;
  readonly #timeoutMs: number;
  #parsers: Array<(text: string) => SqlValue> = [];

  /** `timeoutMs`: how long a page may take until the connection counts as dead. */
  constructor(sql: string, values: Array<string | null>, size: number, timeoutMs: number) {
    this.#sql = sql;
    this.#values = values;
    this.#size = size;
    this.#timeoutMs = timeoutMs;
  }

  first(client: { query(command: Submittable): unknown }): Promise<Page> {
    return this.#run(client, (connection) => {
      connection.parse({ text: BEGIN });
      connection.bind({});
      connection.execute({});
      connection.parse({ text: this.#sql });
      connection.bind({ portal: PORTAL, values: this.#values });
      connection.describe({ type: 'P', name: PORTAL });
    });
  }

  next(client: { query(command: Submittable): unknown }): Promise<Page> {
    return this.#run(client, () => {});
  }

  #run(
    client: { query(command: Submittable): unknown },
    prepare: (connection: Messages) => void,
  ): Promise<Page> {
    const { promise, resolve, reject } = Promise.withResolvers<Page>();
    const page: Page = { rows: [], isLast: true };
    let fault: unknown = null;
    const command = {
      query_timeout: this.#timeoutMs,
      // `pg` wraps it, for the time-out.
      callback: (error: unknown) => (error === null ? resolve(page) : reject(error)),
      submit: (sending: Connection) => {
        const connection = sending as unknown as Messages;
        connection.stream.cork();
        try {
          prepare(connection);
          connection.execute({ portal: PORTAL, rows: this.#size });
          connection.sync();
        } finally {
          connection.stream.uncork();
        }
      },
      handleRowDescription: ({ fields }: { fields: Array<{ dataTypeID: number }> }) => {
        this.#parsers = fields.map((field) => parserOf(field.dataTypeID));
      },
      handleDataRow: ({ fields }: { fields: Array<string | null> }) => {
        try {
          page.rows.push(fields.map((text, i) => (text === null ? null : this.#parsers[i]!(text))));
        } catch (error) {
          fault ??= error;
        }
      },
      handlePortalSuspended: () => {
        page.isLast = false;
      },
      handleCommandComplete: () => {},
      handleEmptyQuery: () => {},
      handleError: (error: unknown) => command.callback(error),
      handleReadyForQuery: () => command.callback(fault),
    };
    client.query(command);
    return promise;
  }
}
