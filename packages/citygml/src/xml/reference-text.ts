/** References to files as GML writes them: `codeSpace`, `app:imageURI`, `xlink:href`, `xsi:schemaLocation`. */

/** Longest reference that is followed, characters; real ones have at most some hundred. */
export const MAX_REFERENCE = 2_000;

/** A reference up to its query or fragment (RFC 3986, section 3). */
export function withoutQuery(reference: string): string {
  const end = reference.search(/[?#]/);
  return end < 0 ? reference : reference.slice(0, end);
}
