/**
 * Number of line feeds in `bytes[from, to)`. Four bytes at a time: a byte of `x ^ 0x0a0a0a0a` is zero exactly
 * where its top bit stays clear in `((x & 0x7f…) + 0x7f…) | x | 0x7f…`. `words` views the same memory as
 * `bytes` from its start.
 */
export function countLineFeeds(bytes: Uint8Array, words: Uint32Array, from: number, to: number): number {
  let lines = 0;
  let i = from;
  while (i < to && (i & 3) !== 0) if (bytes[i++] === 0x0a) lines++;
  let word = i >>> 2;
  const lastWord = to >>> 2;
  while (word < lastWord) {
    // Each lane counts to at most 255 before the lanes are added up.
    const stop = Math.min(lastWord, word + 255);
    let lanes = 0;
    while (word < stop) {
      const x = words[word++]! ^ 0x0a0a0a0a;
      lanes = (lanes + (~(((x & 0x7f7f7f7f) + 0x7f7f7f7f) | x | 0x7f7f7f7f) >>> 7)) | 0;
    }
    lines += (lanes & 0xff) + ((lanes >>> 8) & 0xff) + ((lanes >>> 16) & 0xff) + (lanes >>> 24);
  }
  i = Math.max(i, lastWord << 2);
  while (i < to) if (bytes[i++] === 0x0a) lines++;
  return lines;
}
