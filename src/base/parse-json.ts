/**
 * The value of a JSON text. Some writers of UTF-8 begin with a byte order mark, which readers of JSON may pass over
 * (RFC 8259, section 8.1). Throws SyntaxError when the rest is no JSON.
 */
export function parseJson(text: string): unknown {
  return JSON.parse(text.startsWith('\uFEFF') ? text.slice(1) : text);
}
