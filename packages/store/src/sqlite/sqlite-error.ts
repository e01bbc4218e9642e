import { StoreUnavailable } from '../catalogue-store.ts';

/** Primary result codes (https://sqlite.org/rescode.html) that say "not now" rather than "wrong statement". */
const UNAVAILABLE: Record<number, string> = {
  3: 'access is denied',
  5: 'it is busy',
  6: 'it is locked',
  7: 'memory ran out',
  8: 'it is read-only',
  10: 'reading or writing the disk failed',
  11: 'it is damaged',
  13: 'the disk is full',
  14: 'the file cannot be opened',
  15: 'its lock protocol failed',
  26: 'the file is not a database',
};
/** These pass by themselves, so trying again makes sense: BUSY, LOCKED, PROTOCOL. */
const PASSING = new Set([5, 6, 15]);

/** The primary result code of an error of node:sqlite, or null for other errors. */
function resultCode(error: unknown): number | null {
  if (!(error instanceof Error) || !('errcode' in error) || typeof error.errcode !== 'number') return null;
  return error.errcode & 0xff;
}

/** True when another connection was in the way and the same call may succeed in a moment. */
export function isPassing(error: unknown): boolean {
  const code = resultCode(error);
  return code !== null && PASSING.has(code);
}

/** True for a statement that names a table which does not exist; SQLite says so by the text alone. */
export function isMissingTable(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith('no such table');
}

/** The error to throw instead: StoreUnavailable when the database cannot answer, else the error itself. */
export function translate(error: unknown, path: string): unknown {
  const code = resultCode(error);
  if (code !== null && UNAVAILABLE[code] !== undefined) {
    return new StoreUnavailable(`the database ${path} cannot answer: ${UNAVAILABLE[code]}`, { cause: error });
  }
  // node:sqlite says so of a connection that was closed while it was in use.
  if (error instanceof Error && 'code' in error && error.code === 'ERR_INVALID_STATE') {
    return new StoreUnavailable(`the database ${path} cannot answer: it is closed`, { cause: error });
  }
  return error;
}
