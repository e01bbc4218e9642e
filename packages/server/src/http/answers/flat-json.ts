/** Brackets and colons that a body of plain lists may have. */
const MAX_SIGNS = 1_000;

/**
 * Whether a text is at most a small number of JSON lists and objects, with any number of strings in them. Millions of
 * brackets take the parser seconds and fifty times their size in memory; finding them takes a millisecond per megabyte.
 */
export function isFlatJson(text: string): boolean {
  let signs = 0;
  let at = 0;
  while (at < text.length) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      at = endOfString(text, at);
      continue;
    }
    if (code === BRACKET || code === BRACE || code === COLON) {
      signs++;
      if (signs > MAX_SIGNS) return false;
    }
    at++;
  }
  return true;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = 0x3a;
const BRACKET = 0x5b;
const BRACE = 0x7b;

/** Where the string that begins at `start` is over; the end of the text where it is not. */
function endOfString(text: string, start: number): number {
  let at = start + 1;
  for (;;) {
    const quote = text.indexOf('"', at);
    if (quote === -1) return text.length;
    let escapes = 0;
    while (quote - escapes > at && text.charCodeAt(quote - 1 - escapes) === BACKSLASH) escapes++;
    if (escapes % 2 === 0) return quote + 1;
    at = quote + 1;
  }
}
