/** Sizes of buffers are powers of two from this one on, bytes. */
const LEAST = 2 ** 14;
/** Free buffers that are kept, bytes. */
const MAX_FREE = 8 * 2 ** 20;

/**
 * Memory for bytes that are looked at and forgotten, used again and again. Left to the garbage collector, the data of
 * 200 blocks makes it look through the whole heap every few answers: memory outside of the heap counts as much as what
 * is inside.
 */
export class Scratch {
  /** By their size. */
  readonly #free = new Map<number, Buffer[]>();
  #freeBytes = 0;
  #allocatedBytes = 0;

  /** Bytes of all buffers that were ever made. */
  get allocatedBytes(): number {
    return this.#allocatedBytes;
  }

  /** A buffer of at least so many bytes with anything in them. */
  take(length: number): Buffer {
    const size = Math.max(LEAST, 2 ** Math.ceil(Math.log2(length)));
    const buffer = this.#free.get(size)?.pop();
    if (buffer === undefined) {
      this.#allocatedBytes += size;
      return Buffer.allocUnsafeSlow(size);
    }
    this.#freeBytes -= size;
    return buffer;
  }

  /** Gives back a buffer of `take` that nobody looks at any more. */
  give(buffer: Buffer): void {
    if (this.#freeBytes + buffer.length > MAX_FREE) return;
    this.#freeBytes += buffer.length;
    const free = this.#free.get(buffer.length);
    if (free === undefined) this.#free.set(buffer.length, [buffer]);
    else free.push(buffer);
  }
}
