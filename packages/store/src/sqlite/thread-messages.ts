/** What SqliteThread and its thread say to each other. */
import { StoreUnavailable } from '../catalogue-store.ts';
import type { SqlParam, SqlValue } from '../sql/driver.ts';
import type { SqliteDriverOptions } from './sqlite-driver.ts';

/** What a thread begins with. */
export interface ThreadData {
  path: string;
  options: SqliteDriverOptions;
}

/** A call and its answer carry the same number; each call has one answer, in any order. */
export interface NumberedCall {
  id: number;
  call: Call;
}

/** Cursors and transactions have numbers that the caller chooses, each once. */
export type Call =
  | { op: 'open' }
  /** Answered by a `Page`, the first of a statement's. */
  | { op: 'pages'; cursor: number; sql: string; params: readonly SqlParam[]; size: number }
  | { op: 'next'; cursor: number }
  | { op: 'stop'; cursor: number }
  /** Answered when the transaction has begun. */
  | { op: 'begin'; transaction: number }
  | { op: 'all' | 'run'; transaction: number; sql: string; params: readonly SqlParam[] }
  | {
      op: 'insert';
      transaction: number;
      table: string;
      columns: readonly string[];
      rows: ReadonlyArray<readonly SqlValue[]>;
    }
  /** Answered when the transaction is committed or rolled back. */
  | { op: 'end'; transaction: number; commit: boolean }
  | { op: 'close' };

export interface Page {
  rows: Array<readonly SqlValue[]>;
  /** False when the cursor is at its end, and gone. */
  more: boolean;
}

export type Answer = { id: number; value: unknown } | { id: number; fault: Fault };

/** An error as it crosses threads: copying an error object loses its class and what it has besides its texts. */
export interface Fault {
  message: string;
  stack: string | undefined;
  isUnavailable: boolean;
  /** `code` and `errcode` of node:sqlite. */
  facts: { code?: unknown; errcode?: unknown };
  cause: Fault | undefined;
}

export function toFault(error: unknown): Fault {
  if (!(error instanceof Error)) {
    return { message: String(error), stack: undefined, isUnavailable: false, facts: {}, cause: undefined };
  }
  const { code, errcode } = error as { code?: unknown; errcode?: unknown };
  return {
    message: error.message,
    stack: error.stack,
    isUnavailable: error instanceof StoreUnavailable,
    facts: { ...(code === undefined ? {} : { code }), ...(errcode === undefined ? {} : { errcode }) },
    cause: error.cause === undefined ? undefined : toFault(error.cause),
  };
}

export function fromFault({ message, stack, isUnavailable, facts, cause }: Fault): Error {
  const options = cause === undefined ? {} : { cause: fromFault(cause) };
  const error = isUnavailable ? new StoreUnavailable(message, options) : new Error(message, options);
  if (stack !== undefined) error.stack = stack;
  return Object.assign(error, facts);
}
