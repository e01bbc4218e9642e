/** What a caller wrote, for a sentence about it: in quotation marks, and cut after `most` code units. */
export function quoted(text: string, most = 80): string {
  return JSON.stringify(text.length > most ? `${text.slice(0, most)}…` : text);
}
