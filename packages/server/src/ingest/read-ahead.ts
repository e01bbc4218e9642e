import type { RangedSource } from '@citymodel/zip';

/** Bytes that are read at once for small reads, and how large such a read is at most. */
const WINDOW_BYTES = 64 * 1024;
const SMALL_BYTES = 16 * 1024;

/**
 * The same source, with small reads that follow each other served out of one large read: to ask the system for each of
 * 200,000 small members is more work than all the rest that is done with them. Reads that jump about, as through a zip
 * whose directory has another order than its data, are passed on as they are.
 *
 * What a small read gives is a view of the large one and keeps its memory; it is for a consumer who soon lets go of it.
 */
export function readAhead(source: RangedSource): RangedSource {
  let window: { start: number; end: number; bytes: Promise<Uint8Array> } | null = null;
  /** Where the last small read ended. */
  let last = 0;
  return {
    size: source.size,
    async read(offset, length) {
      const end = offset + length;
      if (length > SMALL_BYTES || end > source.size) return source.read(offset, length);
      const follows = offset >= last && offset - last <= SMALL_BYTES;
      last = end;
      if (window === null || offset < window.start || end > window.end) {
        if (!follows) return source.read(offset, length);
        const windowEnd = Math.min(offset + WINDOW_BYTES, source.size);
        window = { start: offset, end: windowEnd, bytes: source.read(offset, windowEnd - offset) };
      }
      const { start, bytes } = window;
      return (await bytes).subarray(offset - start, end - start);
    },
    stream: (offset, length) => source.stream(offset, length),
  };
}
