/** Text for comparison: full and half width, large and small letters are the same. */
export function searchable(text: string): string {
  return text.normalize('NFKC').toLowerCase();
}
