/**
 * Cuts short what a store is asked, for a process that stops: a store that is silent would hold it up for as long as it
 * may be silent.
 */
import { StoreUnavailable } from '../catalogue-store.ts';

export class LinkEnd {
  readonly #cuts = new Set<(error: StoreUnavailable) => void>();
  #error: StoreUnavailable | null = null;

  /** Throws StoreUnavailable once it has come. */
  check(): void {
    if (this.#error !== null) throw this.#error;
  }

  /** As the work does, or rejects with StoreUnavailable as soon as the end comes, whatever becomes of the work. */
  async before<T>(work: () => Promise<T>): Promise<T> {
    this.check();
    const { promise, reject } = Promise.withResolvers<never>();
    this.#cuts.add(reject);
    try {
      const answer = work();
      // What comes after the end has nobody who waits for it.
      answer.catch(() => {});
      return await Promise.race([answer, promise]);
    } finally {
      this.#cuts.delete(reject);
    }
  }

  /** Calls `cut` when the end comes, until the function that it gives is called. */
  onEnd(cut: () => void): () => void {
    this.#cuts.add(cut);
    return () => this.#cuts.delete(cut);
  }

  /** From here on nothing is asked any more, and who waits for an answer waits no longer. */
  come(): void {
    if (this.#error !== null) return;
    this.#error = new StoreUnavailable('the object store is not asked any more: this process stops', {
      why: 'this process stops',
    });
    for (const cut of [...this.#cuts]) cut(this.#error);
  }
}
