/** Requests that are tried again, for libraries that do not do it themselves or hide how. */
import { setTimeout as pause } from 'node:timers/promises';
import { isAwaited } from '@citymodel/base';
import { StoreUnavailable } from '../catalogue-store.ts';
import type { AskOptions } from './ask.ts';
import { isTimeout, type StoreFaults } from './store-faults.ts';
import { ATTEMPTS, type StoreLink, watchTry } from './store-link.ts';

/** Pauses grow from this, doubling, and are cut at random, ms. */
const PAUSE_MS = 100;

/** What is asked of whom, for figures and spans: `GetBlob` of `Azure`. */
export interface Asking {
  store: string;
  operation: string;
  faults: StoreFaults;
}

/**
 * Asks until there is an answer, a few times at most. `work` resolves when its answer begins, and gets a signal for
 * that. Rejects as the last try does.
 */
export async function tried<T>(
  link: StoreLink,
  { faults, ...asked }: Asking,
  { abortSignal, requestTimeout }: AskOptions,
  work: (signal: AbortSignal | undefined) => Promise<T>,
): Promise<T> {
  const statusOf = (error: unknown) => faults.statusOf(error);
  for (let tries = 1; ; tries++) {
    try {
      return await watchTry(link, asked, statusOf, () => inTime(abortSignal, requestTimeout, work));
    } catch (error) {
      // A store that is silent for as long as an answer may wait would be so again.
      const isHopeless = error instanceof StoreUnavailable || (isAwaited() && isTimeout(error));
      if (isHopeless || tries === ATTEMPTS || abortSignal?.aborted || !faults.isPassing(error)) throw error;
      await pause(PAUSE_MS * 2 ** tries * Math.random());
    }
  }
}

/** As the work, which is aborted unless it resolves in time; its answer may go on after that. */
async function inTime<T>(
  outer: AbortSignal | undefined,
  ms: number | undefined,
  work: (signal: AbortSignal | undefined) => Promise<T>,
): Promise<T> {
  if (ms === undefined) return work(outer);
  const own = new AbortController();
  const late = setTimeout(
    () => own.abort(Object.assign(new Error('no answer in time'), { name: 'TimeoutError' })),
    ms,
  );
  try {
    return await work(outer === undefined ? own.signal : AbortSignal.any([outer, own.signal]));
  } catch (error) {
    throw own.signal.aborted ? own.signal.reason : error;
  } finally {
    clearTimeout(late);
  }
}
