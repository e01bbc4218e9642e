/** Characters of a URL that are logged. */
const MAX_LENGTH = 1_000;

/** The URL for a line of the log: what a caller sends may have half a million characters. */
export function loggedUrl(url: string): string {
  return url.length > MAX_LENGTH ? `${url.slice(0, MAX_LENGTH)}…` : url;
}
