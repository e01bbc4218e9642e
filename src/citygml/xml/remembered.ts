/** Names whose facts are kept; the schemas have 2,000. */
const MAX_NAMES = 10_000;

/** What follows from a name alone, found once for each name. */
export class Remembered<T> {
  readonly #find: (name: string) => T;
  readonly #known = new Map<string, T>();

  constructor(find: (name: string) => T) {
    this.#find = find;
  }

  of(name: string): T {
    let fact = this.#known.get(name);
    if (fact === undefined) {
      fact = this.#find(name);
      if (this.#known.size < MAX_NAMES) this.#known.set(name, fact);
    }
    return fact;
  }
}
