import { ByteList } from '@citymodel/zip';

/**
 * Rows in one list of bytes: one list of all of them would be copied each time it grows, and be there twice meanwhile.
 */
const LIST_ROWS = 4096;

/**
 * Rows that wait to be published, each kept as its values in JSON: a row of a GML file takes 250 bytes so, and 800 as
 * an object. Values that JSON has not (undefined, dates, NaN) do not come back.
 */
export class PackedRows<T extends object> implements Iterable<T> {
  readonly #keys: ReadonlyArray<keyof T>;
  readonly #lists: ByteList[] = [];
  #count = 0;

  /** The keys that every row has. */
  constructor(keys: Record<keyof T, true>) {
    this.#keys = Object.keys(keys) as Array<keyof T>;
  }

  get count(): number {
    return this.#count;
  }

  push(row: T): void {
    if (this.#count++ % LIST_ROWS === 0) this.#lists.push(new ByteList());
    this.#lists.at(-1)!.push(Buffer.from(JSON.stringify(this.#keys.map((key) => row[key]))));
  }

  *[Symbol.iterator](): Iterator<T> {
    for (const list of this.#lists) {
      for (let i = 0; i < list.count; i++) {
        const values = JSON.parse(list.text(i)) as unknown[];
        yield Object.fromEntries(this.#keys.map((key, k) => [key, values[k]])) as T;
      }
    }
  }
}
