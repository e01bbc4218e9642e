/** JSON whose end was cut off, made whole again without what was cut. */

const QUOTE = 0x22;
const COMMA = 0x2c;
const BACKSLASH = 0x5c;
const OPEN_LIST = 0x5b;
const OPEN_OBJECT = 0x7b;
const CLOSE_LIST = 0x5d;
const CLOSE_OBJECT = 0x7d;

/**
 * The JSON of the complete entries at the beginning of a document, as UTF-8. `depth`: lists and objects around the
 * entries, 1 for those of a list that is the document. Null when not one entry is complete.
 */
export function wholeEntries(begun: Uint8Array, depth: number): Buffer | null {
  const open: number[] = [];
  let end = -1;
  let around: readonly number[] = [];
  for (let i = 0; i < begun.length; i++) {
    const byte = begun[i];
    if (byte === QUOTE) i = endOfString(begun, i);
    else if (byte === OPEN_LIST) open.push(CLOSE_LIST);
    else if (byte === OPEN_OBJECT) open.push(CLOSE_OBJECT);
    else if (byte === CLOSE_LIST || byte === CLOSE_OBJECT) open.pop();
    else if (byte === COMMA && open.length <= depth) {
      end = i;
      around = [...open];
    }
  }
  if (end === -1) return null;
  return Buffer.concat([begun.subarray(0, end), Uint8Array.from(around.toReversed())]);
}

/** Place of the quote that ends a string, or the end of the bytes. */
function endOfString(bytes: Uint8Array, start: number): number {
  for (let i = start + 1; i < bytes.length; i++) {
    if (bytes[i] === BACKSLASH) i++;
    else if (bytes[i] === QUOTE) return i;
  }
  return bytes.length;
}
