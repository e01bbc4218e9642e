/** What is said of a package that did not go in although nothing is known to be wrong with it. */
import { StoreUnavailable } from '@citymodel/store';

export interface Failure {
  code: 'NO_SPACE' | 'STORE_UNAVAILABLE' | 'UNREADABLE' | 'UNFORESEEN';
  /** A full sentence for the operator. */
  reason: string;
}

/** Codes of the system for a disk, or an allowance on it, that is full. */
const FULL = new Set(['ENOSPC', 'EDQUOT']);
/** SQLITE_FULL, the primary result code of https://sqlite.org/rescode.html. */
const SQLITE_FULL = 13;

/** Names what went wrong, looking behind errors that wrap others. */
export function failureOf(error: unknown): Failure {
  const all = [...errorsBehind(error)];
  if (all.some(isFull)) {
    return {
      code: 'NO_SPACE',
      reason:
        'The disk is full, and the package was not ingested. Make room below DATA_DIR and ingest it again.',
    };
  }
  const away = all.find((one) => one instanceof StoreUnavailable);
  if (away !== undefined) return { code: 'STORE_UNAVAILABLE', reason: `${sentence(away.message)}` };
  const file = all.find((one) => 'syscall' in one && 'code' in one);
  if (file !== undefined) return { code: 'UNREADABLE', reason: `${sentence(file.message)}` };
  const message = all[0]?.message ?? String(error);
  return { code: 'UNFORESEEN', reason: `The program failed at this package: ${sentence(message)}` };
}

/** The error, those it was thrown for, and those that it hides. */
function* errorsBehind(error: unknown): Generator<Error> {
  const waiting = [error];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (!(next instanceof Error)) continue;
    yield next;
    if (next instanceof SuppressedError) waiting.push(next.error, next.suppressed);
    if (next.cause !== undefined) waiting.push(next.cause);
  }
}

function isFull(error: Error): boolean {
  const { code, errcode } = error as { code?: unknown; errcode?: unknown };
  return FULL.has(String(code)) || (typeof errcode === 'number' && (errcode & 0xff) === SQLITE_FULL);
}

function sentence(text: string): string {
  const upper = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.!?]$/.test(upper) ? upper : `${upper}.`;
}
