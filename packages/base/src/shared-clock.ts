/**
 * The time that processes share. Leases, heartbeats, retention and pauses are written by one process and judged by
 * another. A process whose own clock is wrong would take jobs away from others, or delete what is still in use.
 */

/** A clock that is off by less counts as right, ms. */
export const TOLERANCE_MS = 2_000;

/**
 * The database's time at the moment 0 of `performance.now()`, which no change of the clock moves; null until a database
 * said it.
 */
let origin: number | null = null;

/**
 * Milliseconds since 1970: of this machine, or of the database where the machine's clock is off by more than
 * `TOLERANCE_MS`.
 */
export function sharedNow(): number {
  const own = Date.now();
  if (origin === null) return own;
  const theirs = Math.round(origin + performance.now());
  return Math.abs(own - theirs) <= TOLERANCE_MS ? own : theirs;
}

/** Notes the database's time, ms since 1970, as it was between two moments of `performance.now()`. */
export function noteDatabaseTime(time: number, askedAt: number, answeredAt: number): void {
  origin = time - (askedAt + answeredAt) / 2;
}

/**
 * Milliseconds by which this machine's clock is ahead of the database's; 0 without a database that has a clock of its
 * own.
 */
export function clockError(): number {
  return origin === null ? 0 : Math.round(Date.now() - origin - performance.now());
}

/** Forgets the database's time, for tests. */
export function forgetDatabaseTime(): void {
  origin = null;
}
