import { ByteList } from './byte-list.ts';
import { Column } from './column.ts';

/**
 * A growing list of names, most of which another list has already, in about the same order: an archive has those of the
 * upload that it is made of. Of these only the numbers are kept, 4 bytes each.
 */
export class NameList {
  readonly #known: ByteList;
  /** Names that are not among the known ones, or come after ones that follow them there. */
  readonly #own: ByteList;
  /** For each name its number among the known ones, or, beyond their count, among its own. */
  readonly #numbers: Column<Uint32Array<ArrayBuffer>>;
  /** The next of the known names that may come. */
  #next = 0;
  #byteLength = 0;

  /** Nothing may be added to `known` any more. `expected`: how many names will come; more may. */
  constructor(shared: ByteList = new ByteList(), expected = 1024) {
    this.#known = shared;
    this.#own = new ByteList();
    this.#numbers = new Column((length) => new Uint32Array(length), expected);
  }

  get count(): number {
    return this.#numbers.count;
  }

  /** Sum of the lengths. */
  get byteLength(): number {
    return this.#byteLength;
  }

  push(bytes: Uint8Array): void {
    const shared = this.#known;
    while (this.#next < shared.count && !shared.equals(this.#next, bytes)) this.#next++;
    if (this.#next < shared.count) this.#numbers.push(this.#next++);
    else {
      this.#numbers.push(shared.count + this.#own.count);
      this.#own.push(bytes);
    }
    this.#byteLength += bytes.length;
  }

  /** The bytes of name `i`, over the same memory; valid until the next push. */
  at(i: number): Buffer {
    const number = this.#numbers.at(i);
    const shared = this.#known.count;
    return number < shared ? this.#known.at(number) : this.#own.at(number - shared);
  }

  /** Order of two names by their bytes, which for UTF-8 is the order of code points. */
  compare(i: number, j: number): number {
    return this.at(i).compare(this.at(j));
  }

  equals(i: number, bytes: Uint8Array): boolean {
    return this.at(i).equals(bytes);
  }
}
