export interface StreamOptions {
  /** The consumer is done with a chunk when it asks for the next one, so that its memory may be used again. */
  lent?: boolean;
}

/** Something that can be read by ranges of bytes: a file, an object in a store, a buffer. */
export interface RangedSource {
  /** Total size in bytes. */
  readonly size: number;
  /** Of a local file, for threads that read it themselves as long as the source is open. */
  readonly descriptor?: number | undefined;
  /** Exactly `length` bytes from `offset`. Throws a RangeError when they do not exist. */
  read(offset: number, length: number): Promise<Uint8Array>;
  /** The same bytes in chunks, for long ranges; cancelling the iteration stops the reading. */
  stream(offset: number, length: number, options?: StreamOptions): AsyncIterable<Uint8Array>;
  /** Fills the target with the bytes from `offset`: `read` without a new buffer, where a source can. */
  readInto?(target: Uint8Array, offset: number): Promise<void>;
  /**
   * Tells that these bytes are not what they should be. What is kept of them is dropped, so that they are read where
   * they come from.
   */
  damaged?(offset: number, length: number): Promise<void>;
}

/** A source over bytes in memory. */
export function bufferSource(bytes: Uint8Array): RangedSource {
  const check = (offset: number, length: number) => {
    if (offset < 0 || length < 0 || offset + length > bytes.length) {
      throw new RangeError(`bytes ${offset}+${length} lie outside a source of ${bytes.length} bytes`);
    }
    return bytes.subarray(offset, offset + length);
  };
  return {
    size: bytes.length,
    async read(offset, length) {
      return check(offset, length);
    },
    async *stream(offset, length) {
      yield check(offset, length);
    },
  };
}

/** Fills the target from any source. Throws what reading throws, and an Error where the source gives other bytes. */
export async function readInto(source: RangedSource, target: Uint8Array, offset: number): Promise<void> {
  if (source.readInto !== undefined) return source.readInto(target, offset);
  const bytes = await source.read(offset, target.length);
  if (bytes.length !== target.length) {
    throw new Error(`a source gave ${bytes.length} bytes at ${offset}, where ${target.length} were planned`);
  }
  target.set(bytes);
}
