/** How a store is asked: through its gate, at its places, and within the patience of the answer that it is for. */
import { waitPatiently } from '@citymodel/base';
import type { StoreLink } from './store-link.ts';

/** Until an answer begins, where somebody waits for it: another connection may do better, ms. */
export const TRY_MS = 7_000;

/** What goes along with a request. */
export interface AskOptions {
  abortSignal?: AbortSignal;
  /** Until an answer begins, ms. */
  requestTimeout?: number;
}

/**
 * Asks when there is a place; `work` has the whole answer when it resolves. Rejects as it does, with StoreUnavailable
 * at once while the store is known not to answer, with OutOfPatience.
 */
export function ask<T>(link: StoreLink, work: (options: AskOptions) => Promise<T>): Promise<T> {
  return askAside(link, (options) =>
    link.limit.run(async () => {
      // Both may have changed while it waited for a place.
      options.abortSignal?.throwIfAborted();
      link.end.check();
      link.gate.check();
      return work(options);
    }),
  );
}

/** As `ask`, without a place: for streams, each of which lasts as long as its consumer takes. */
export function askAside<T>(link: StoreLink, work: (options: AskOptions) => Promise<T>): Promise<T> {
  return waitPatiently(async (signal) => {
    link.end.check();
    link.gate.check();
    return work(
      signal === undefined
        ? {}
        : { abortSignal: signal, requestTimeout: Math.min(TRY_MS, link.times.answer) },
    );
  });
}
