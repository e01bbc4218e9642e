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
      entry.value = value;
      entry.weight = this.#options.weigh?.(value) ?? 0;
    } catch (error) {
      if (this.#entries.get(key) === entry) this.#entries.delete(key);
      throw error;
    }
    this.#evict();

    let given = false;
    return {
      value: entry.value as V,
      [Symbol.asyncDispose]: async () => {
        if (given) return;
        given = true;
        entry.leases--;
        if (this.#entries.get(key) !== entry) this.#closeIfIdle(entry);
        this.#evict();
      },
    };
  }

  /** Takes out what matches: idle values are closed now, values on loan when they are given back. */
  drop(matches: (key: string) => boolean): void {
    for (const [key, entry] of this.#entries) {
      if (!matches(key)) continue;
      this.#entries.delete(key);
      this.#closeIfIdle(entry);
    }
  }

  /** The values that are open now, with their keys. */
  *opened(): Generator<[string, V]> {
    for (const [key, entry] of this.#entries) if (entry.value !== undefined) yield [key, entry.value];
  }

  /** Drops everything and waits until all that was idle is closed. */
  async close(): Promise<void> {
    this.drop(() => true);
    await Promise.all(this.#closing);
  }

  #evict(): void {
    const { max, maxWeight = Number.POSITIVE_INFINITY } = this.#options;
    let weight = 0;
    for (const entry of this.#entries.values()) weight += entry.weight;
    for (const [key, entry] of this.#entries) {
      if (this.#entries.size <= max && weight <= maxWeight) return;
      if (entry.leases > 0) continue;
      weight -= entry.weight;
      this.#entries.delete(key);
      this.#closeIfIdle(entry);
    }
  }

  #closeIfIdle(entry: Entry<V>): void {
    if (entry.leases > 0 || entry.value === undefined) return;
    // What is only read loses nothing when closing fails.
    const closing = this.#options.close(entry.value).catch(() => {});
    this.#closing.add(closing);
    void closing.then(() => this.#closing.delete(closing));
  }
}
