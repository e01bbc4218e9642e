/**
 * JSON of packages, parsed only when that takes no more memory than an honest document: two bytes such as `{}` become
 * 56 in memory, so that bytes alone say little.
 */

/** Largest document that is parsed, bytes. A tileset of 200,000 tiles has about as many. */
export const JSON_LIMIT = 32 * 1024 * 1024;
/** Signs `{`, `[`, `:` and `,` outside of texts. A tile has some 20; each takes up to 60 bytes in memory. */
const SIGN_LIMIT = 6_000_000;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** A document that would take too much memory; the message is a full sentence with the limit. */
export class JsonTooLarge extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'JsonTooLarge';
  }
}

/** Decodes UTF-8 with or without a byte order mark; throws a TypeError for other bytes. */
function decodeUtf8(bytes: Uint8Array): string {
  return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
}

/**
 * Parses UTF-8 JSON. Throws JsonTooLarge before it would take too much memory, and what JSON.parse and decoding throw.
 */
export function parseBoundedJson(bytes: Uint8Array): unknown {
  checkJsonSize(bytes);
  return JSON.parse(decodeUtf8(bytes));
}

/** Throws JsonTooLarge unless parsing the document takes a bounded amount of memory. The document may be none. */
function checkJsonSize(bytes: Uint8Array): void {
  const { length } = bytes;
  if (length > JSON_LIMIT) {
    throw new JsonTooLarge(`The document has ${length} bytes; at most ${JSON_LIMIT} are parsed.`);
  }
  // So few bytes cannot hold too many signs.
  if (length <= SIGN_LIMIT) return;
  let signs = 0;
  for (let i = 0; i < length; i++) {
    const c = bytes[i]!;
    if (c === QUOTE) {
      for (i++; i < length && bytes[i] !== QUOTE; i++) if (bytes[i] === BACKSLASH) i++;
      continue;
    }
    if (c === 0x7b || c === 0x5b || c === 0x3a || c === 0x2c) signs++;
  }
  if (signs > SIGN_LIMIT) {
    throw new JsonTooLarge(`The document has more than ${SIGN_LIMIT} lists, objects, keys and entries.`);
  }
}
