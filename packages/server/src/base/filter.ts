/**
 * What callers ask of rows. A filter is one object with its key, its words and its test: code that keeps an answer
 * asks the filter, and a new one needs no line there.
 */

/** One thing that is asked. What it tests is the matter of its kind. */
export interface Filter {
  /** What it is about, the same for all filters that differ in their values alone. */
  readonly name: string;
  /** The same text for filters that accept the same rows of every state of the data, and for no others. */
  readonly key: string;
  /** How a sentence names it: `of type bldg, luse`. */
  readonly words: string;
}

/** Several filters, all of which a row must pass. */
export class Filters<F extends Filter> {
  readonly all: readonly F[];

  /** @param filters null stands for what is not asked */
  constructor(filters: Iterable<F | null> = []) {
    this.all = [...filters].filter((filter) => filter !== null);
  }

  get key(): string {
    return JSON.stringify(this.all.map(({ key }) => key).sort());
  }

  /** `of type bldg, of the year 2023`; '' where nothing is asked. */
  get words(): string {
    return this.all.map(({ words }) => words).join(', ');
  }

  /** What `keyOf` reads. */
  toJSON(): string {
    return this.key;
  }

  find(name: string): F | undefined {
    return this.all.find((filter) => filter.name === name);
  }

  /** All but those about one thing. */
  without(name: string): Filters<F> {
    return new Filters(this.all.filter((filter) => filter.name !== name));
  }
}

/** A value whose text as JSON tells it from all others: no set, map or function, of which JSON says nothing. */
type Told<T> = T extends string | number | boolean | null | undefined | Filters<Filter>
  ? T
  : T extends
        | ReadonlySet<unknown>
        | ReadonlyMap<unknown, unknown>
        | AbortSignal
        | ((...values: never[]) => unknown)
    ? never
    : { [K in keyof T]: Told<T[K]> };

/**
 * The key of the answer to a question: made of everything that the question has, so that whatever the answer may depend
 * on is in it. Give the maker of the answer the same question, and nothing else of the request.
 */
export function keyOf<T>(name: string, question: T & Told<T>): string {
  return `${name}/${JSON.stringify(question)}`;
}
