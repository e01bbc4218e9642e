import { OutOfPatience } from '@citymodel/base';
import pg from 'pg';
import { StoreUnavailable } from '../catalogue-store.ts';
import { ConnectionSilent } from './silence-watch.ts';

/**
 * SQLSTATEs (https://www.postgresql.org/docs/current/errcodes-appendix.html) that say "not now" rather than "wrong
 * statement"; of two characters: a whole class.
 */
const UNAVAILABLE: ReadonlyArray<readonly [state: string, why: string]> = [
  ['08', 'the connection failed'],
  ['25006', 'it is read-only, as a standby is'],
  ['25P03', 'a transaction waited for this program too long'],
  ['28', 'it refuses the user or the password'],
  ['3D', 'there is no such database'],
  ['40', 'another transaction was in the way'],
  ['53300', 'it has too many connections'],
  ['53', 'it lacks disk or memory'],
  ['55P03', 'it is busy'],
  ['57014', 'a statement took longer than allowed'],
  ['57', 'it is starting, stopping or restarting'],
  ['58', 'reading or writing its disk failed'],
  ['F0', 'its configuration is damaged'],
  ['XX001', 'it is damaged'],
  ['XX002', 'it is damaged'],
];

/** Serialization failure and deadlock: PostgreSQL has undone the transaction, which may simply run again. */
const PASSING = new Set(['40001', '40P01']);
const LOCK_NOT_AVAILABLE = '55P03';
const UNDEFINED_TABLE = '42P01';
/** The connection is of no use after these, although it still answers: its server is no primary any more. */
const READ_ONLY = '25006';

/** True when another transaction was in the way and the same one may succeed in a moment. */
export function isPassing(error: unknown): boolean {
  return PASSING.has(stateOf(error));
}

/** True when a lock was held by others for longer than the statement would wait. */
export function isLocked(error: unknown): boolean {
  return stateOf(error) === LOCK_NOT_AVAILABLE;
}

export function isMissingTable(error: unknown): boolean {
  return stateOf(error) === UNDEFINED_TABLE;
}

/** True when the connection that the error came from must not be used again. */
export function isOfConnection(error: unknown): boolean {
  // A number that JavaScript cannot hold says nothing of the connection.
  if (error instanceof RangeError) return false;
  const state = stateOf(error);
  return state === '' || /^(08|57P|25P03)/.test(state) || state === READ_ONLY;
}

/**
 * The error to throw instead of one that `pg` threw: StoreUnavailable when the database cannot answer, else the error
 * itself. What does not come from the database itself comes from the way to it.
 */
export function translate(error: unknown, name: string): unknown {
  if (error instanceof StoreUnavailable || error instanceof RangeError) return error;
  const state = stateOf(error);
  const why = state === '' ? wayOf(error) : UNAVAILABLE.find(([prefix]) => state.startsWith(prefix))?.[1];
  if (why === undefined) return error;
  return new StoreUnavailable(`the database ${name} cannot answer: ${why}`, { cause: error, why });
}

/** SQLSTATE of an error that the database reported, else ''. */
function stateOf(error: unknown): string {
  return error instanceof pg.DatabaseError ? (error.code ?? '') : '';
}

/** What failed on the way to the database, in words. */
function wayOf(error: unknown): string {
  if (!(error instanceof Error)) return 'the connection failed';
  if (error instanceof ConnectionSilent) return 'it is silent';
  if (error instanceof OutOfPatience) return 'it did not answer in time';
  if (error.message === 'timeout exceeded when trying to connect')
    return 'all connections of the pool are in use';
  // A server before PostgreSQL, such as a proxy, may report a fault without a state.
  const code = 'code' in error && error.code !== undefined ? ` (${error.code})` : '';
  return `the connection failed${code}`;
}
