import { ByteList } from '../zip/byte-list.ts';

/**
 * Rows that wait to be published, each kept as its values in JSON: a row of a GML file takes 250 bytes so, and 800 as
 * an object. Values that JSON has not (undefined, dates, NaN) do not come back.
 */
export class PackedRows<T extends object> implements Iterable<T> {
  readonly #keys: ReadonlyArray<keyof T>;
  readonly #rows = new ByteList();

  /** The keys that every row has. */
  constructor(keys: Record<keyof T, true>) {
    this.#keys = Object.keys(keys) as Array<keyof T>;
  }

  get count(): number {
    return this.#rows.count;
  }

  push(row: T): void {
    this.#rows.push(Buffer.from(JSON.stringify(this.#keys.map((key) => row[key]))));
  }

  *[Symbol.iterator](): Iterator<T> {
    for (let i = 0; i < this.count; i++) {
      const values = JSON.parse(this.#rows.text(i)) as unknown[];
      yield Object.fromEntries(this.#keys.map((key, k) => [key, values[k]])) as T;
    }
  }
}
