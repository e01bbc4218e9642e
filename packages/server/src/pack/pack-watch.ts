import { sharedNow } from '@citymodel/base';
import type { PackStatus, PackStore } from '@citymodel/store';

export interface PackWatchOptions {
  packs: Pick<PackStore, 'find'>;
  /** How often the database is looked at while somebody waits, ms; other processes work on packs too. */
  pollMs: number;
  /** Callers that may wait at once; those beyond get their answer at once. */
  maxWaiting: number;
}

interface Waiter {
  /** What the caller knows; anything else is news. */
  known: PackStatus;
  wake(): void;
}

/**
 * Callers that wait for a pack to change its state. One timer looks for all of them, and only while there are any:
 *
 *   wait ──▶ waiting ──(look: another state or gone; time over; caller went away; closed)──▶ woken
 */
export class PackWatch {
  readonly #options: PackWatchOptions;
  readonly #waiting = new Map<string, Set<Waiter>>();
  #count = 0;
  #timer: NodeJS.Timeout | null = null;
  #looking: Promise<void> | null = null;
  #closed = false;

  constructor(options: PackWatchOptions) {
    this.#options = options;
  }

  /** Callers that wait now. */
  get size(): number {
    return this.#count;
  }

  /**
   * Resolves when the pack's state is no longer `known`, after `ms`, or when the signal is aborted; never rejects. At
   * once when the watch is closed or as many wait as may.
   */
  wait(id: string, seenStatus: PackStatus, ms: number, signal: AbortSignal): Promise<void> {
    if (this.#closed || signal.aborted || this.#count >= this.#options.maxWaiting) return Promise.resolve();
    return new Promise((resolve) => {
      const waiter: Waiter = {
        known: seenStatus,
        wake: () => {
          if (!waiters.delete(waiter)) return;
          this.#count--;
          if (waiters.size === 0) this.#waiting.delete(id);
          clearTimeout(timer);
          signal.removeEventListener('abort', waiter.wake);
          if (this.#count === 0) this.#rest();
          resolve();
        },
      };
      const waiters = this.#waiting.get(id) ?? new Set();
      this.#waiting.set(id, waiters.add(waiter));
      this.#count++;
      const timer = setTimeout(waiter.wake, ms);
      signal.addEventListener('abort', waiter.wake);
      this.#timer ??= setInterval(() => this.look(), this.#options.pollMs);
    });
  }

  /** Looks now; called when a worker of this process has finished a pack. */
  look(): void {
    if (this.#count === 0) return;
    this.#looking ??= this.#look().finally(() => {
      this.#looking = null;
    });
  }

  /** Wakes everybody. */
  async close(): Promise<void> {
    this.#closed = true;
    for (const waiters of [...this.#waiting.values()]) for (const { wake } of [...waiters]) wake();
    await this.#looking;
  }

  async #look(): Promise<void> {
    try {
      const packs = await this.#options.packs.find([...this.#waiting.keys()], sharedNow());
      const states = new Map(packs.map(({ id, status }) => [id, status]));
      for (const [id, waiters] of [...this.#waiting]) {
        for (const waiter of [...waiters]) if (states.get(id) !== waiter.known) waiter.wake();
      }
    } catch {
      // A database that is away: the callers learn of it when they ask again, at the latest when their time is over.
    }
  }

  #rest(): void {
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#timer = null;
  }
}
