/** Looks for names in a text: reading it as features costs far more. */
import type { GmlSource } from '../part-maker.ts';

/** Those of the names, in Latin letters, that the text has; it is read until `isEnough` of those found so far. */
export async function namesIn(
  gml: Pick<GmlSource, 'text'>,
  names: readonly string[],
  isEnough: (found: ReadonlySet<string>) => boolean,
): Promise<Set<string>> {
  const longest = Math.max(...names.map(({ length }) => length));
  const found = new Set<string>();
  let before = '';
  for await (const chunk of gml.text()) {
    const piece = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    // A name may begin in one chunk and end in the next.
    const seam = before + piece.toString('latin1', 0, longest);
    for (const name of names) {
      if (!found.has(name) && (piece.includes(name) || seam.includes(name))) found.add(name);
    }
    if (isEnough(found)) return found;
    before = (before + piece.toString('latin1', Math.max(0, piece.length - longest))).slice(-longest);
  }
  return found;
}
