/** The way to a store: how much is asked of it at once, whether it answers, and how long it may take. */
import { ConcurrencyLimit, traced } from '@citymodel/base';
import { StoreUnavailable } from '../catalogue-store.ts';
import type { RequestFigure } from '../store-figures.ts';
import { LinkEnd } from './link-end.ts';
import { RequestFigures } from './request-figures.ts';
import { StoreGate } from './store-gate.ts';

/** How long the store may take, ms. */
export interface StoreTimes {
  /** Until a connection stands. */
  connect: number;
  /** Until an answer begins, and between any two pieces of it. */
  answer: number;
}

export const DEFAULT_TIMES: StoreTimes = { connect: 3_000, answer: 15_000 };

/** Requests at once; further ones wait. Streams are not among them: each lasts as long as its consumer takes. */
export const AT_ONCE = 64;
/** Connections, those of streams included; a server has fewer callers than that (MAX_CONNECTIONS). */
export const MAX_SOCKETS = 10_000;
/** How often a request is tried before it fails; pauses between grow, and are chosen at random. */
export const ATTEMPTS = 4;
/** How long a look at a store that did not answer may take, ms. */
const LOOK_MS = 2_000;

export interface StoreLink {
  /**
   * Work enters before it asks, and leaves when it has the whole answer: in the queue of a library its time would run.
   */
  limit: ConcurrencyLimit;
  gate: StoreGate;
  end: LinkEnd;
  figures: RequestFigures;
  times: StoreTimes;
}

/** `look` asks the store for little, within a time, ms, and rejects when it does not answer. */
export function storeLink(look: (ms: number) => Promise<unknown>, times: StoreTimes): StoreLink {
  return {
    limit: new ConcurrencyLimit(AT_ONCE),
    gate: new StoreGate(() => look(LOOK_MS)),
    end: new LinkEnd(),
    figures: new RequestFigures(),
    times,
  };
}

/** Notes what becomes of one try, those that a library repeats too. `store`: for spans. */
export async function watchTry<T>(
  { gate, end: linkEnd, figures }: Pick<StoreLink, 'gate' | 'end' | 'figures'>,
  { store, operation }: { store: string; operation: string },
  statusOf: (error: unknown) => number | undefined,
  work: () => Promise<T>,
): Promise<T> {
  const begun = performance.now();
  const end = (outcome: RequestFigure['outcome']) =>
    figures.note(operation, outcome, performance.now() - begun);
  try {
    const answer = await traced(
      `${store} ${operation}`,
      () => ({}),
      () => linkEnd.before(work),
    );
    gate.answered();
    end('ok');
    return answer;
  } catch (error) {
    if (error instanceof StoreUnavailable) throw error;
    const status = statusOf(error);
    if (status === undefined) gate.failed(begun);
    else if (status < 500) gate.answered();
    end(status === undefined ? 'unanswered' : status < 500 ? 'refused' : 'failed');
    throw error;
  }
}
