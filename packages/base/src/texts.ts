/**
 * The text without what it ends with, however often: `withoutEnd('a//', '/')` is `a`. The pattern `/\/+$/` would try
 * every slash of a text as the first of the last ones.
 */
export function withoutEnd(text: string, end: string): string {
  let length = text.length;
  while (length > 0 && text.startsWith(end, length - end.length)) length -= end.length;
  return text.slice(0, length);
}
