/** Most declarations of members that are kept; real files declare some thirty names at their root and none below. */
const MAX_ADDED = 100;
/** Longest value of those, bytes with its quotes. */
const MAX_VALUE = 1_000;

/**
 * The start tag of a file's root element as the feature index keeps it. A reader of one feature alone finds the
 * namespaces there. What a member declares for its feature is added to it; a name that the root or an earlier member
 * has declared keeps its first meaning.
 */
export class RootTag {
  #bytes: Uint8Array = new Uint8Array(0);
  readonly #declared = new Set<string>();
  #added = 0;

  /** None before the root has been seen. */
  get bytes(): Uint8Array {
    return this.#bytes;
  }

  /** @param attributes names of the attributes that the tag has */
  set(tag: Uint8Array, attributes: Iterable<string>): void {
    this.#bytes = tag;
    for (const name of attributes) this.#declared.add(name);
  }

  /**
   * @param name `xmlns` or `xmlns:…`
   * @param value as written, with its quotes
   */
  declare(name: string, value: Uint8Array): void {
    if (this.#declared.has(name) || this.#added === MAX_ADDED || value.length > MAX_VALUE) return;
    this.#declared.add(name);
    this.#added++;
    const end = this.#bytes.length - 1;
    this.#bytes = Buffer.concat([
      this.#bytes.subarray(0, end),
      Buffer.from(` ${name}=`),
      value,
      Buffer.from('>'),
    ]);
  }
}
