export interface PromiseLruOptions<V> {
  /** Results kept. */
  max: number;
  /** What a result takes, in any unit; without it only their number counts. */
  weigh?(value: V): number;
  /** Limit of the sum of weights. */
  maxWeight?: number;
}

interface Entry<V> {
  promise: Promise<V>;
  weight: number;
}

/**
 * Results of asynchronous work by key, those used last. Callers that want the same at once share one run of the work;
 * work that fails is forgotten, so that the next caller tries again.
 *
 * ```ts
 * const lists = new PromiseLru<CodeList>({ max: 500 });
 * const list = await lists.get(path, () => readCodeList(path));
 * ```
 */
export class PromiseLru<V> {
  readonly #options: PromiseLruOptions<V>;
  /** Least recently used first. */
  readonly #entries = new Map<string, Entry<V>>();
  #weight = 0;

  constructor(options: PromiseLruOptions<V>) {
    this.#options = options;
  }

  /** Number of results, those in the making included. */
  get size(): number {
    return this.#entries.size;
  }

  /** Sum of the weights of the results kept. */
  get weight(): number {
    return this.#weight;
  }

  /** True when there is a result for the key, or one in the making. */
  has(key: string): boolean {
    return this.#entries.has(key);
  }

  /** The result for the key when there is one, or one in the making. */
  find(key: string): Promise<V> | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    return entry.promise;
  }

  /** The result for the key; `make` is called when there is none. Rejects as `make` does. */
  get(key: string, make: () => Promise<V>): Promise<V> {
    let entry = this.#entries.get(key);
    if (entry === undefined) {
      entry = { promise: make(), weight: 0 };
      this.#watch(key, entry);
    } else {
      this.#entries.delete(key);
    }
    this.#entries.set(key, entry);
    this.#evict();
    return entry.promise;
  }

  /** Forgets the results whose keys match. */
  drop(matches: (key: string) => boolean): void {
    for (const [key, entry] of this.#entries) if (matches(key)) this.#remove(key, entry);
  }

  #watch(key: string, entry: Entry<V>): void {
    entry.promise.then(
      (value) => {
        if (this.#entries.get(key) !== entry) return;
        entry.weight = this.#options.weigh?.(value) ?? 0;
        this.#weight += entry.weight;
        this.#evict();
      },
      () => {
        if (this.#entries.get(key) === entry) this.#remove(key, entry);
      },
    );
  }

  #evict(): void {
    const { max, maxWeight = Number.POSITIVE_INFINITY } = this.#options;
    for (const [key, entry] of this.#entries) {
      if (this.#entries.size <= max && this.#weight <= maxWeight) return;
      this.#remove(key, entry);
    }
  }

  #remove(key: string, entry: Entry<V>): void {
    this.#entries.delete(key);
    this.#weight -= entry.weight;
  }
}
