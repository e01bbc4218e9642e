/**
 * The text without what it ends with, however often: `withoutEnd('a//', '/')` is `a`. The pattern `/\/+$/` would try
 * every slash of a text as the first of the last ones.
 */
export function withoutEnd(text: string, end: string): string {
  let length = text.length;
  while (length > 0 && text.startsWith(end, length - end.length)) length -= end.length;
  return text.slice(0, length);
}

/** Order of texts by UTF-16 code units, the same for every language of the machine; for `sort`. */
export function compareTexts(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
