/** A name as it is written, made once for all its occurrences: that is what most of the bytes of tags are. */
export interface Name {
  text: string;
  bytes: Uint8Array;
  /** The bytes as a Buffer, to search for. */
  search: Buffer;
  /** What stood behind the name in start tags of late, which is mostly what stands there the next time. */
  rests: TagRest[];
}

/** What stands behind the name of a start tag, when that says the same in every file. */
export interface TagRest {
  /** To the `>`, which is the last byte. */
  bytes: Uint8Array;
  attributes: Readonly<Record<string, string>>;
  /** True for `<a/>`. */
  closed: boolean;
}

/** Where no name stands. */
export const NO_NAME: Name = {
  text: '',
  bytes: new Uint8Array(0),
  search: Buffer.alloc(0),
  rests: [],
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
  const name: Name = {
    text: interned(bytes.toString('utf8', start, end)),
    bytes: Uint8Array.from(bytes.subarray(start, end)),
    search: Buffer.from(bytes.subarray(start, end)),
    rests: [],
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
  const { length } = what;
  if (start + length > bytes.length) return false;
  for (let i = 0; i < length; i++) if (bytes[start + i] !== what[i]) return false;
  return true;
}

/**
 * The same text as the one string that the engine has for it as a property's key. Maps and objects find such strings by
 * where they are; of others, which are joined or cut from longer ones, every look-up compares the characters.
 */
export function interned(text: string): string {
  return Object.keys({ [text]: null })[0]!;
}
