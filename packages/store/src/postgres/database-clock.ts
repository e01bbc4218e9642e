/** Asks the database for its time, with each new connection and once a minute; see `base/shared-clock.ts`. */
import { noteDatabaseTime } from '@citymodel/base';

/** How often the database is asked, ms. */
const PERIOD_MS = 60_000;

/** A column with the database's time, ms since 1970. */
export const CLOCK_COLUMN = 'extract(epoch FROM clock_timestamp()) * 1000 AS clock';

export class DatabaseClock {
  /** When the database was asked last, ms of `performance.now()`. */
  #askedAt = 0;

  /** Whether it is time to ask again; then it is not for a while, even if the answer does not come. */
  isDue(): boolean {
    if (performance.now() - this.#askedAt < PERIOD_MS) return false;
    this.#askedAt = performance.now();
    return true;
  }

  /** Takes the answer to a question that was sent at a moment of `performance.now()`. */
  note(clock: string | undefined, sentAt: number): void {
    this.#askedAt = performance.now();
    if (clock !== undefined) noteDatabaseTime(Number(clock), sentAt, this.#askedAt);
  }
}
