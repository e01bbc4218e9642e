import type pg from 'pg';
import type { SqlParam } from '../sql/driver.ts';
import { TYPES, toPostgres, toText } from './dialect.ts';

/** After what a statement should have taken at most, this much later a silent connection counts as dead, ms. */
export const SILENCE_MS = 10_000;
/** How long one statement of a write transaction may run, ms: making an index over a whole country takes a while. */
export const WRITE_STATEMENT_MS = 3_600_000;
/** What connections are set to: how statements of few rows out of large tables are read best. */
export const SESSION = {
  client_encoding: "'UTF8'",
  client_min_messages: 'error',
  // Joins are read in the order written (`driver.ts`).
  join_collapse_limit: 1,
  // Each statement has an index that leads to its rows, table by table (`query-plans.test.ts`). PostgreSQL cannot
  // estimate how few files a prefix of a mesh code finds, and would read whole tables when a search gives many of them.
  enable_seqscan: 'off',
  enable_hashjoin: 'off',
  enable_mergejoin: 'off',
  random_page_cost: 1.1,
  // Compiling a plan, or starting workers for it, takes longer than any statement of this program.
  jit: 'off',
  // A cursor is read to its end, like any statement.
  cursor_tuple_fraction: 1,
  max_parallel_workers_per_gather: 0,
};

/** A statement with the time after which its connection counts as dead; the types of `pg` lack it. */
export function timed(text: string, timeoutMs: number): pg.QueryConfig {
  return { text, query_timeout: timeoutMs } as pg.QueryConfig;
}

/** A statement whose rows are arrays of values. */
export type Query = pg.QueryArrayConfig<Array<string | null>>;

/** Statements as `pg` takes them. Their texts are kept: the program has a fixed set of them. */
export class Statements {
  readonly #texts = new Map<string, string>();

  /** A statement with its parameters; after `timeoutMs` without an answer its connection counts as dead. */
  query(sql: string, params: readonly SqlParam[], timeoutMs = WRITE_STATEMENT_MS + SILENCE_MS): Query {
    return {
      ...timed(this.text(sql), timeoutMs),
      values: params.map(toText),
      rowMode: 'array',
      types: TYPES,
    };
  }

  /** The statement in PostgreSQL's words. */
  text(sql: string): string {
    let text = this.#texts.get(sql);
    if (text === undefined) {
      text = toPostgres(sql);
      this.#texts.set(sql, text);
    }
    return text;
  }
}
