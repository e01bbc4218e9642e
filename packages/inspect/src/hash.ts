/** 53 bits of a text: two multiplicative hashes of 32 and 21 bits (after FNV-1a and Knuth). */
export function hashOf(text: string): number {
  let [low, high] = [0x811c9dc5, 0x9e3779b9];
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    low = Math.imul(low ^ code, 0x01000193);
    high = Math.imul(high ^ code, 0x85ebca6b) ^ (high >>> 13);
  }
  return (low >>> 0) + ((high >>> 11) & 0x1fffff) * 0x1_0000_0000;
}
