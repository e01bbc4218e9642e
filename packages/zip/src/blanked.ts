/** Numbers, identifiers and blanks between them: what differs from feature to feature. */
const BLANKED = new Uint8Array(256);
for (const character of '0123456789abcdef .-') BLANKED[character.charCodeAt(0)] = 1;
/** Shorter runs are kept: words have such letters, too. */
const LEAST_RUN = 16;

/** A copy of a text with zeros in place of coordinates and identifiers. */
export function blanked(text: Uint8Array): Uint8Array {
  const result = new Uint8Array(text);
  const { length } = result;
  for (let start = 0; start < length; start++) {
    let end = start;
    while (end < length && BLANKED[result[end] as number] === 1) end++;
    if (end - start >= LEAST_RUN) result.fill(0, start, end);
    start = end;
  }
  return result;
}
