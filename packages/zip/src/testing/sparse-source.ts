import type { RangedSource } from '../source.ts';

/** A source of any size that is zeros but for a few pieces: archives beyond 4 GiB without their gigabytes. */
export function sparseSource(
  size: number,
  pieces: ReadonlyArray<readonly [offset: number, bytes: Uint8Array]>,
): RangedSource {
  const read = (offset: number, length: number): Uint8Array => {
    if (offset < 0 || length < 0 || offset + length > size) {
      throw new RangeError(`bytes ${offset}+${length} lie outside a source of ${size} bytes`);
    }
    const result = new Uint8Array(length);
    for (const [at, bytes] of pieces) {
      const from = Math.max(at, offset);
      const to = Math.min(at + bytes.length, offset + length);
      if (from < to) result.set(bytes.subarray(from - at, to - at), from - offset);
    }
    return result;
  };
  return {
    size,
    async read(offset, length) {
      return read(offset, length);
    },
    async *stream(offset, length) {
      const chunk = 1024 * 1024;
      for (let at = 0; at < length; at += chunk) yield read(offset + at, Math.min(chunk, length - at));
    },
  };
}
