/** Names whose facts are kept unless told otherwise; the schemas have 2,000. */
const MAX_NAMES = 10_000;

/** What follows from a name alone, found once for each name; beyond the limit (hostile data) nothing more is kept. */
export class Remembered<T> {
  readonly #find: (name: string) => T;
  readonly #limit: number;
  readonly #known = new Map<string, T>();

  constructor(find: (name: string) => T, limit = MAX_NAMES) {
    this.#find = find;
    this.#limit = limit;
  }

  of(name: string): T {
    let fact = this.#known.get(name);
    if (fact === undefined) {
      fact = this.#find(name);
      if (this.#known.size < this.#limit) this.#known.set(name, fact);
    }
    return fact;
  }
}
