/** Longer buffers are left to the garbage collector. */
const LONGEST = 4 * 2 ** 20;
/** Shorter ones are of this length. */
const SHORTEST = 64 * 2 ** 10;

/**
 * Buffers that streams of all callers fill and use again, in lengths of powers of two. The garbage collector runs for
 * memory outside of its heap too, so that streams with buffers of their own keep it busy.
 */
export class SharedBuffers {
  readonly #maxBytes: number;
  readonly #free = new Map<number, Buffer[]>();
  #freeBytes = 0;

  /** `maxBytes` is what is kept at most of buffers that nobody uses. */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Bytes of the buffers that nobody uses. */
  get freeBytes(): number {
    return this.#freeBytes;
  }

  /** A buffer of at least so many bytes, with anything in it. */
  take(bytes: number): Buffer {
    if (bytes > LONGEST) return Buffer.allocUnsafeSlow(bytes);
    const length = bytes <= SHORTEST ? SHORTEST : 2 ** (32 - Math.clz32(bytes - 1));
    const buffer = this.#free.get(length)?.pop();
    if (buffer === undefined) return Buffer.allocUnsafeSlow(length);
    this.#freeBytes -= length;
    return buffer;
  }

  /** Gives a buffer of `take` back that nobody fills or looks at any more. */
  give(buffer: Buffer): void {
    const { length } = buffer;
    if (length > LONGEST || this.#freeBytes + length > this.#maxBytes) return;
    this.#freeBytes += length;
    const free = this.#free.get(length);
    if (free === undefined) this.#free.set(length, [buffer]);
    else free.push(buffer);
  }
}

/** Those of all streams of this process. */
export const STREAM_BUFFERS = new SharedBuffers(16 * 2 ** 20);
