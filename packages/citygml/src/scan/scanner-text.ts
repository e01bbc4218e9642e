/** Bytes of XML markup, and the text in it. */

/** True for the four white-space characters of XML (XML 1.0, production 3), by byte. */
export const IS_SPACE = tableOf((c) => c === 0x20 || c === 0x09 || c === 0x0a || c === 0x0d);

/**
 * True for bytes that may stand in a name. Bytes above ASCII are let through: which of them are letters is
 * not worth a decoding.
 */
export const IS_NAME = tableOf(
  (c) =>
    c >= 0x80 ||
    (c >= 0x61 && c <= 0x7a) ||
    (c >= 0x41 && c <= 0x5a) ||
    (c >= 0x30 && c <= 0x39) ||
    c === 0x3a ||
    c === 0x5f ||
    c === 0x2d ||
    c === 0x2e,
);

/** True for bytes that may begin a name: no digit, hyphen or full stop. */
export const IS_NAME_START = tableOf(
  (c) => IS_NAME[c] === 1 && !(c >= 0x30 && c <= 0x39) && c !== 0x2d && c !== 0x2e,
);

/** True for bytes that may follow an element's name in its start tag. */
export const ENDS_NAME = tableOf((c) => IS_SPACE[c] === 1 || c === 0x2f || c === 0x3e);

/**
 * True for control characters, which XML does not have (XML 1.0, production 2): below a blank, all but tab and line
 * ends.
 */
export const IS_CONTROL = tableOf((c) => c < 0x20 && c !== 0x09 && c !== 0x0a && c !== 0x0d);

/** True for bytes of text that are more than text: `&`, `]` (as in `]]>`), control characters. */
export const IS_TEXT_SPECIAL = tableOf((c) => c === 0x26 || c === 0x5d || IS_CONTROL[c] === 1);

/** True for bytes that may not stand in the value of an attribute as they are: `<`, `&`, control characters. */
export const IS_VALUE_SPECIAL = tableOf((c) => c === 0x3c || c === 0x26 || IS_CONTROL[c] === 1);

function tableOf(accepts: (byte: number) => boolean): Uint8Array {
  return Uint8Array.from({ length: 256 }, (_, c) => (accepts(c) ? 1 : 0));
}

const PREDEFINED: Record<string, string> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" };

/** Text of a reference's name (`amp`, `#10`, `#xA`), or null for one that XML does not predefine (no DTD is read). */
export function referencedText(name: string): string | null {
  const numeric = /^#(?:x([0-9a-fA-F]+)|([0-9]+))$/.exec(name);
  if (numeric === null) return Object.hasOwn(PREDEFINED, name) ? PREDEFINED[name]! : null;
  const code = numeric[1] === undefined ? Number(numeric[2]) : Number.parseInt(numeric[1], 16);
  const allowed =
    code === 9 ||
    code === 10 ||
    code === 13 ||
    (code >= 0x20 && code <= 0xd7ff) ||
    (code >= 0xe000 && code <= 0xfffd) ||
    (code >= 0x10000 && code <= 0x10ffff);
  return allowed ? String.fromCodePoint(code) : null;
}

/** UTF-8 text of `bytes[from, to)` with its character references replaced; unknown references stay as they are. */
export function decodeText(bytes: Buffer, from: number, to: number): string {
  const text = bytes.toString('utf8', from, to);
  if (!text.includes('&')) return text;
  return text.replace(/&([^&;]{1,16});/g, (whole, name: string) => referencedText(name) ?? whole);
}
