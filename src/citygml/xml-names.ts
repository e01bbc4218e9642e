/** A name as it is written, made once for all its occurrences: that is what most of the bytes of tags are. */
export interface Name {
  text: string;
  bytes: Uint8Array;
  /** `<name` and `</name`, to search for. */
  open: Buffer;
  close: Buffer;
}

/** Where no name stands. */
export const NO_NAME: Name = {
  text: '',
  bytes: new Uint8Array(0),
  open: Buffer.from('<'),
  close: Buffer.from('</'),
};
/** By a hash of the bytes. */
const names = new Map<number, Name[]>();
let nameCount = 0;
/** The schemas have 2,000; beyond this (hostile data) names are made anew each time. */
const REMEMBERED = 10_000;

/** The name that begins at the offset; `NO_NAME` when none does. A name ends at white space or one of `<>/=`. */
export function nameAt(bytes: Buffer, start: number): Name {
  let hash = 0;
  let end = start;
  for (; end < bytes.length; end++) {
    const byte = bytes[end]!;
    if (byte <= 0x20 || byte === 0x3c || byte === 0x3e || byte === 0x2f || byte === 0x3d) break;
    hash = (Math.imul(hash, 31) + byte) | 0;
  }
  if (end === start) return NO_NAME;
  const alike = names.get(hash);
  if (alike !== undefined) {
    for (const name of alike) {
      if (name.bytes.length === end - start && occursAt(name.bytes, bytes, start)) return name;
    }
  }
  const text = bytes.toString('utf8', start, end);
  const name: Name = {
    text,
    bytes: Uint8Array.from(bytes.subarray(start, end)),
    open: Buffer.concat([NO_NAME.open, bytes.subarray(start, end)]),
    close: Buffer.concat([NO_NAME.close, bytes.subarray(start, end)]),
  };
  if (nameCount < REMEMBERED) {
    nameCount++;
    if (alike === undefined) names.set(hash, [name]);
    else alike.push(name);
  }
  return name;
}

/** True when the bytes stand at the offset. */
export function occursAt(what: Uint8Array, bytes: Buffer, start: number): boolean {
  for (let i = 0; i < what.length; i++) if (bytes[start + i] !== what[i]) return false;
  return true;
}
