/** Keys of ids: numbers in place of texts, of which a file has hundreds of thousands. */

/**
 * 53 bits of a hash (two FNV-1a of 32 bits with other primes), never 0. Two different ids of one file get the same key
 * once in a hundred thousand files of a million ids.
 */
export function keyOf(id: string): number {
  let low = 0x811c9dc5;
  let high = 0xc9dc5118;
  for (let i = 0; i < id.length; i++) {
    const unit = id.charCodeAt(i);
    low = Math.imul(low ^ unit, 0x01000193);
    high = Math.imul(high ^ unit, 0x5bd1e995);
    high ^= high >>> 15;
  }
  low ^= low >>> 16;
  return ((high >>> 0) & 0x1fffff) * 2 ** 32 + (low >>> 0) || 1;
}

/** The key of what a reference inside of a file (`#id`) names; 0 for one that leads elsewhere. */
export function keyOfReference(reference: string): number {
  const text = reference.trim();
  const at = text.lastIndexOf('#');
  // Some writers leave the # out.
  const id = at < 0 ? text : text.slice(at + 1);
  return id === '' ? 0 : keyOf(id);
}
