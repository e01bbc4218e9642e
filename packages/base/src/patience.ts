/**
 * How long an answer waits for stores that say nothing: through all tries and all stores together, so that many short
 * waits do not add up to minutes. What a store gave begins the time anew. Work outside of answers, such as jobs, waits
 * as long as it may.
 */
import { AsyncLocalStorage } from 'node:async_hooks';

/** What an answer may wait for stores in vain, ms. */
export const PATIENCE_MS = 15_000;

/** The time of an answer is over; says nothing of the store that was asked last. */
export class OutOfPatience extends Error {
  /** In the place of an error code of the system, for messages. */
  readonly code = 'ETIMEDOUT';

  constructor() {
    super('no answer in time');
    // Named as the SDK of the object store names it.
    this.name = 'TimeoutError';
  }
}

/** What one answer has waited in vain since a store last gave something, ms. */
interface Patience {
  readonly most: number;
  wasted: number;
  /** When a wait last ended in vain, ms of the process's clock. */
  failedAt: number;
}

const current = new AsyncLocalStorage<Patience>();

/** Runs an answer, whose waits for stores share one time. */
export function withPatience<T>(work: () => T, most = PATIENCE_MS): T {
  return current.run({ most, wasted: 0, failedAt: 0 }, work);
}

/** Runs work that an answer only began, such as a job: its waits are its own. */
export function withoutPatience<T>(work: () => T): T {
  return current.exit(work);
}

/** Whether somebody waits for the answer that this is done for. */
export function isAwaited(): boolean {
  return current.getStore() !== undefined;
}

/**
 * One wait for a store. `signal` is aborted when the time of the answer is over, and the wait rejects with
 * OutOfPatience then, whatever the store does; undefined outside of answers. Rejects as the wait does.
 */
export async function waitPatiently<T>(wait: (signal: AbortSignal | undefined) => Promise<T>): Promise<T> {
  const patience = current.getStore();
  if (patience === undefined) return wait(undefined);
  const begun = performance.now();
  // The answer is long sent: this is work that it left behind.
  if (begun - patience.failedAt > patience.most) patience.wasted = 0;
  const left = patience.most - patience.wasted;
  if (left <= 0) throw new OutOfPatience();
  const controller = new AbortController();
  const { promise: over, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    const error = new OutOfPatience();
    reject(error);
    controller.abort(error);
  }, left);
  try {
    const answer = wait(controller.signal);
    // What comes after the time has nobody who waits for it.
    answer.catch(() => {});
    const result = await Promise.race([answer, over]);
    patience.wasted = 0;
    return result;
  } catch (error) {
    patience.failedAt = performance.now();
    patience.wasted += patience.failedAt - begun;
    throw error;
  } finally {
    clearTimeout(timer);
  }
}
