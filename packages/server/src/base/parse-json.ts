/** How much of JSON is accepted from a caller. */
export interface JsonBounds {
  /** Lists and objects within each other. */
  maxDepth: number;
  /** Values in all, about: commas and opening brackets are counted. */
  maxValues: number;
}

/** JSON that is deeper or has more values than is accepted; the message is a sentence for the caller. */
export class JsonTooLarge extends Error {}

/**
 * The value of a JSON text. Some writers of UTF-8 begin with a byte order mark, which readers of JSON may pass over
 * (RFC 8259, section 8.1). Throws SyntaxError when the rest is no JSON, and JsonTooLarge, before anything is read, when
 * it is beyond the bounds: a megabyte of brackets takes fifty times as much as objects.
 */
export function parseJson(text: string, bounds?: JsonBounds): unknown {
  if (bounds !== undefined) checkBounds(text, bounds);
  return JSON.parse(text.startsWith('\uFEFF') ? text.slice(1) : text);
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const BACKSLASH = 0x5c;
const OPENING = new Set([0x5b, 0x7b]);
const CLOSING = new Set([0x5d, 0x7d]);

function checkBounds(text: string, { maxDepth, maxValues }: JsonBounds): void {
  let depth = 0;
  let values = 1;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === QUOTE) i = endOfString(text, i);
    else if (code === COMMA) values++;
    else if (CLOSING.has(code)) depth--;
    else if (OPENING.has(code)) {
      depth++;
      values++;
    }
    if (depth > maxDepth) {
      throw new JsonTooLarge(
        `The JSON has lists and objects ${depth} deep; at most ${maxDepth} are accepted.`,
      );
    }
    if (values > maxValues) {
      throw new JsonTooLarge(`The JSON has more than ${maxValues} values, the most that is accepted.`);
    }
  }
}

/** Index of the quotation mark that ends a string, or of the end of the text. */
function endOfString(text: string, start: number): number {
  for (let i = start + 1; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === BACKSLASH) i++;
    else if (code === QUOTE) return i;
  }
  return text.length;
}
