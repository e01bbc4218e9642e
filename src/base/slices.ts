/** Steps between two looks at the clock. */
const STEPS = 32;

/**
 * Long work in short slices: whoever builds a snapshot asks `due` after each small step, and pauses when it
 * says so, so that requests on the same thread never wait longer than one slice.
 */
export class Slices {
  readonly #pause: () => Promise<void>;
  readonly #limit: number;
  #since = performance.now();

  /** `limit`: milliseconds after which a slice is to end; the step that is running then still ends. */
  constructor(pause: () => Promise<void>, limit = 4) {
    this.#pause = pause;
    this.#limit = limit;
  }

  /** True when this slice has lasted long enough: `if (slices.due()) await slices.pause()`. */
  due(): boolean {
    return performance.now() - this.#since >= this.#limit;
  }

  /**
   * Takes items through a step of some microseconds one after the other, and ends slices that have lasted long enough.
   * The clock is looked at after several steps: it takes as long as a step.
   */
  async each<T>(items: readonly T[], step: (item: T) => void): Promise<void> {
    for (let at = 0; at < items.length; at += STEPS) {
      const end = Math.min(at + STEPS, items.length);
      for (let i = at; i < end; i++) step(items[i]!);
      if (this.due()) await this.pause();
    }
  }

  /** Ends the slice; the next one starts when the pause is over. */
  async pause(): Promise<void> {
    await this.#pause();
    this.#since = performance.now();
  }
}

/**
 * Sorts by key, in UTF-16 code unit order. Only items that share the first `prefix` code units of their key
 * are compared with each other at a time, which keeps each slice short.
 */
export async function sortInSlices<T>(
  items: readonly T[],
  keyOf: (item: T) => string,
  prefix: number,
  slices: Slices,
): Promise<T[]> {
  const buckets = new Map<string, Array<{ key: string; item: T }>>();
  await slices.each(items, (item) => {
    const key = keyOf(item);
    const head = key.slice(0, prefix);
    const bucket = buckets.get(head);
    if (bucket) bucket.push({ key, item });
    else buckets.set(head, [{ key, item }]);
  });
  const sorted: T[] = [];
  for (const head of [...buckets.keys()].sort()) {
    const bucket = buckets.get(head)!;
    bucket.sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0));
    for (const { item } of bucket) sorted.push(item);
    if (slices.due()) await slices.pause();
  }
  return sorted;
}
