/** A value on loan. It stays open until it is given back; giving back twice is once. */
export interface Lease<V> extends AsyncDisposable {
  readonly value: V;
}

export interface LeaseCacheOptions<V> {
  /** Values kept open; more only while more are on loan. */
  max: number;
  open(key: string): Promise<V>;
  close(value: V): Promise<void>;
  /** What a value takes, in any unit; without it only their number counts. */
  weigh?(value: V): number;
  /** Limit of the sum of weights, like `max`. */
  maxWeight?: number;
}

interface Entry<V> {
  promise: Promise<V>;
  /** Set when the promise has resolved. */
  value: V | undefined;
  weight: number;
  leases: number;
}

/**
 * Things that are costly to open, kept open and shared. Several callers that ask for the same key at once share one
 * opening; an opening that fails is forgotten, so that the next caller tries again. What is on loan is never closed:
 *
 *   opening ──▶ on loan ⇄ idle ──(evicted: least recently used, or dropped)──▶ closed
 *      │            └─(dropped, then given back)─────────────────────────────────▲
 *      └─(failed)──▶ forgotten
 */
export class LeaseCache<V> {
  readonly #options: LeaseCacheOptions<V>;
  /** Least recently used first. Entries that were dropped while on loan are no longer in it. */
  readonly #entries = new Map<string, Entry<V>>();
  /** Sum of the entries' weights. */
  #weight = 0;
  readonly #closing = new Set<Promise<void>>();

  constructor(options: LeaseCacheOptions<V>) {
    this.#options = options;
  }

  /** Number of values that the cache holds, opening ones included. */
  get size(): number {
    return this.#entries.size;
  }

  async lease(key: string): Promise<Lease<V>> {
    let entry = this.#entries.get(key);
    if (entry === undefined) {
      entry = { promise: this.#options.open(key), value: undefined, weight: 0, leases: 0 };
    }
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    entry.leases++;
    try {
      const value = await entry.promise;
      if (entry.value === undefined) this.#opened(key, entry, value);
    } catch (error) {
      if (this.#entries.get(key) === entry) this.#entries.delete(key);
      throw error;
    }
    this.#evict();

    let isReturned = false;
    return {
      value: entry.value as V,
      [Symbol.asyncDispose]: async () => {
        if (isReturned) return;
        isReturned = true;
        entry.leases--;
        if (this.#entries.get(key) !== entry) this.#closeIfIdle(entry);
        this.#evict();
      },
    };
  }

  /** Removes what matches: idle values are closed now, values on loan when they are given back. */
  drop(matches: (key: string) => boolean): void {
    for (const [key, entry] of this.#entries) {
      if (!matches(key)) continue;
      this.#takeOut(key, entry);
    }
  }

  /** Removes and closes what is not on loan; resolves when it is closed. */
  async closeIdle(): Promise<void> {
    for (const [key, entry] of this.#entries) if (entry.leases === 0) this.#takeOut(key, entry);
    await Promise.all(this.#closing);
  }

  /** The values that are open now, with their keys. */
  *values(): Generator<[string, V]> {
    for (const [key, entry] of this.#entries) if (entry.value !== undefined) yield [key, entry.value];
  }

  /** Drops everything and waits until all that was idle is closed. */
  async close(): Promise<void> {
    this.drop(() => true);
    await Promise.all(this.#closing);
  }

  #opened(key: string, entry: Entry<V>, value: V): void {
    entry.value = value;
    if (this.#entries.get(key) !== entry) return;
    entry.weight = this.#options.weigh?.(value) ?? 0;
    this.#weight += entry.weight;
  }

  #evict(): void {
    const { max, maxWeight = Number.POSITIVE_INFINITY } = this.#options;
    for (const [key, entry] of this.#entries) {
      if (this.#entries.size <= max && this.#weight <= maxWeight) return;
      if (entry.leases === 0) this.#takeOut(key, entry);
    }
  }

  #takeOut(key: string, entry: Entry<V>): void {
    this.#entries.delete(key);
    this.#weight -= entry.weight;
    this.#closeIfIdle(entry);
  }

  #closeIfIdle(entry: Entry<V>): void {
    if (entry.leases > 0 || entry.value === undefined) return;
    // What is only read loses nothing when closing fails.
    const closing = this.#options.close(entry.value).catch(() => {});
    this.#closing.add(closing);
    void closing.then(() => this.#closing.delete(closing));
  }
}
