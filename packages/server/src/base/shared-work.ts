/** Work that several callers want at once is done once, for as long as one of them waits. */

interface Sharing<T> {
  result: Promise<T>;
  callers: number;
  /** Ends the work. */
  ends: AbortController;
}

export class SharedWork<T> {
  readonly #running = new Map<string, Sharing<T>>();

  /**
   * The result of the work of a key, which begins unless it runs already. Rejects as the work does, and with the
   * signal's reason when the caller goes; the work is aborted when its last caller has gone.
   */
  async run(key: string, work: (signal: AbortSignal) => Promise<T>, signal?: AbortSignal): Promise<T> {
    signal?.throwIfAborted();
    let shared = this.#running.get(key);
    if (shared === undefined) {
      shared = this.#begin(key, work);
      this.#running.set(key, shared);
    }
    const { result } = shared;
    if (signal === undefined) {
      shared.callers++;
      return result;
    }
    return this.#until(signal, key, shared);
  }

  #begin(key: string, work: (signal: AbortSignal) => Promise<T>): Sharing<T> {
    const ends = new AbortController();
    const sharing: Sharing<T> = { callers: 0, ends, result: work(ends.signal) };
    const forget = () => {
      if (this.#running.get(key) === sharing) this.#running.delete(key);
    };
    sharing.result.then(forget, forget);
    return sharing;
  }

  async #until(signal: AbortSignal, key: string, shared: Sharing<T>): Promise<T> {
    shared.callers++;
    const { promise: gone, reject } = Promise.withResolvers<never>();
    const leave = () => {
      reject(signal.reason);
      if (--shared.callers > 0) return;
      // Who comes now does not want work that ends.
      if (this.#running.get(key) === shared) this.#running.delete(key);
      shared.ends.abort(signal.reason);
    };
    signal.addEventListener('abort', leave);
    try {
      return await Promise.race([shared.result, gone]);
    } finally {
      signal.removeEventListener('abort', leave);
    }
  }
}
