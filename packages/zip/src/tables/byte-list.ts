/** Byte strings one behind another in one growing buffer: names of half a million members without an object each. */
export class ByteList {
  #bytes: Buffer<ArrayBuffer>;
  /** Where each string ends; it begins where the one before ends. */
  #ends: Float64Array<ArrayBuffer>;
  #count = 0;

  constructor(expectedCount = 16, expectedBytes = 256) {
    this.#bytes = Buffer.allocUnsafeSlow(Math.max(expectedBytes, 16));
    this.#ends = new Float64Array(Math.max(expectedCount, 1));
  }

  get count(): number {
    return this.#count;
  }

  /** Sum of the lengths. */
  get byteLength(): number {
    return this.#start(this.#count);
  }

  #start(i: number): number {
    return i === 0 ? 0 : (this.#ends[i - 1] as number);
  }

  push(bytes: Uint8Array): void {
    const start = this.byteLength;
    const end = start + bytes.length;
    if (end > this.#bytes.length) {
      const grown = Buffer.allocUnsafeSlow(Math.max(end, Math.ceil(this.#bytes.length * 1.5)));
      grown.set(this.#bytes.subarray(0, start));
      this.#bytes.buffer.transfer(0);
      this.#bytes = grown;
    }
    if (this.#count === this.#ends.length) {
      const grown = new Float64Array(this.#ends.length * 2);
      grown.set(this.#ends);
      this.#ends.buffer.transfer(0);
      this.#ends = grown;
    }
    this.#bytes.set(bytes, start);
    this.#ends[this.#count++] = end;
  }

  /** The bytes of string `i`, over the same memory; valid until the next push. */
  at(i: number): Buffer {
    return this.#bytes.subarray(this.#start(i), this.#ends[i]);
  }

  length(i: number): number {
    return (this.#ends[i] as number) - this.#start(i);
  }

  /** String `i` as text. */
  text(i: number): string {
    return this.#bytes.toString('utf8', this.#start(i), this.#ends[i]);
  }

  /** Order of two strings by their bytes, which for UTF-8 is the order of code points. */
  compare(i: number, j: number): number {
    return this.#bytes.compare(this.#bytes, this.#start(j), this.#ends[j], this.#start(i), this.#ends[i]);
  }

  equals(i: number, bytes: Uint8Array): boolean {
    return this.length(i) === bytes.length && this.at(i).equals(bytes);
  }

  /** Gives the memory back without waiting for a collection. Nothing can be read any more. */
  release(): void {
    this.#bytes.buffer.transfer(0);
    this.#ends.buffer.transfer(0);
    this.#count = 0;
  }
}
