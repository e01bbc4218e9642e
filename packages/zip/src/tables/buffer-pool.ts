/**
 * Buffers of one size that are used again and again. What is left to the garbage collector instead makes it run: memory
 * outside of its heap counts as much as what is inside, and each time it looks through everything to free one buffer.
 */
export class BufferPool {
  readonly bytes: number;
  readonly #free: Buffer[] = [];

  constructor(bytes: number) {
    this.bytes = bytes;
  }

  /** A buffer with anything in it. */
  take(): Buffer {
    return this.#free.pop() ?? Buffer.allocUnsafeSlow(this.bytes);
  }

  /** Gives a buffer back that nobody looks at any more. */
  give(buffer: Buffer): void {
    this.#free.push(buffer);
  }
}
