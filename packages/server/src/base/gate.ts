/** Costly work of a process: some at once, some waiting in the order in which they came, the rest refused. */
import { ServiceError } from './errors.ts';

export interface GateLimits {
  /** Pieces of work that run at once. */
  atOnce: number;
  /** Pieces of work that wait at most. */
  waiting: number;
}

/** Seconds after which refused callers may come again. */
const RETRY_AFTER = 5;

export class Gate {
  readonly #limits: GateLimits;
  #running = 0;
  readonly #waiting = new Set<() => void>();

  constructor(limits: GateLimits) {
    this.#limits = limits;
  }

  /**
   * Runs the work when it is its turn. Throws ServiceError 503 `unavailable` when too much waits already, the signal's
   * reason when the caller goes while it waits, and what the work throws.
   */
  async run<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    const leave = await this.enter(signal);
    try {
      return await work();
    } finally {
      leave();
    }
  }

  /** Resolves when it is the caller's turn, with what ends it; calling that again does nothing. Throws as `run`. */
  async enter(signal?: AbortSignal): Promise<() => void> {
    signal?.throwIfAborted();
    if (this.#running < this.#limits.atOnce) this.#running++;
    else await this.#turn(signal);
    let isInside = true;
    return () => {
      if (!isInside) return;
      isInside = false;
      const [next] = this.#waiting;
      if (next === undefined) this.#running--;
      else next();
    };
  }

  async #turn(signal: AbortSignal | undefined): Promise<void> {
    if (this.#waiting.size >= this.#limits.waiting) {
      throw new ServiceError(503, 'unavailable', {
        reason: 'The server has too many requests of this kind at the moment. Try again.',
        retryAfter: RETRY_AFTER,
      });
    }
    await new Promise<void>((resolve, reject) => {
      const settle = () => {
        this.#waiting.delete(begin);
        signal?.removeEventListener('abort', gone);
      };
      const begin = () => {
        settle();
        resolve();
      };
      const gone = () => {
        settle();
        reject(signal!.reason);
      };
      this.#waiting.add(begin);
      signal?.addEventListener('abort', gone);
    });
  }
}
