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
/** The schemas have 2,000; beyond this (hostile data) names are made anew each time. */
const MAX_NAMES = 10_000;
/** Bytes up to which texts are remembered: codes, years, small numbers. */
const MAX_SHORT = 12;
const SHORT_TEXTS = 1_024;
/** Bytes between a name and the end of its tag that are remembered; `codeSpace` and `uom` take less. */
const MAX_REST = 200;
/** Rests of a name's tags that are remembered; names of generic attributes are the ones that have several. */
const MAX_RESTS = 8;

/**
 * Names, rests of tags and short texts that features had of late, shared by all files that one owner reads; some
 * megabytes at most.
 */
export class XmlMemory {
  /** By a hash of the bytes. */
  readonly #names = new Map<number, Name[]>();
  #count = 0;
  /** Short texts in ASCII without entities by a hash of their bytes, the last one of each hash. */
  readonly #texts = new Array<string>(SHORT_TEXTS).fill('');
  #replaced = 0;

  /** The name that begins at the offset; `NO_NAME` when none does. A name ends at white space or one of `<>/=`. */
  nameAt(bytes: Buffer, start: number): Name {
    let hash = 0;
    let end = start;
    for (; end < bytes.length; end++) {
      const byte = bytes[end]!;
      if (byte <= 0x20 || byte === 0x3c || byte === 0x3e || byte === 0x2f || byte === 0x3d) break;
      hash = (Math.imul(hash, 31) + byte) | 0;
    }
    if (end === start) return NO_NAME;
    const alike = this.#names.get(hash);
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
    if (this.#count < MAX_NAMES) {
      this.#count++;
      if (alike === undefined) this.#names.set(hash, [name]);
      else alike.push(name);
    }
    return name;
  }

  /** Keeps what stands between a name and the end of its tag, unless that is long. */
  keepRest(name: Name, bytes: Buffer, start: number, end: number, rest: Omit<TagRest, 'bytes'>): void {
    if (end - start > MAX_REST) return;
    const { rests } = name;
    const at = rests.length < MAX_RESTS ? rests.length : this.#replaced++ % MAX_RESTS;
    rests[at] = { bytes: new Uint8Array(bytes.subarray(start, end)), ...rest };
  }

  /**
   * What `decode` gives, from memory for a few bytes: most are one of some hundred codes, and calling the decoder costs
   * more than they.
   */
  text(
    bytes: Buffer,
    start: number,
    end: number,
    decode: (bytes: Buffer, start: number, end: number) => string,
  ): string {
    if (end - start > MAX_SHORT) return decode(bytes, start, end);
    let hash = 0;
    for (let at = start; at < end; at++) hash = (Math.imul(hash, 31) + bytes[at]!) | 0;
    const slot = hash & (SHORT_TEXTS - 1);
    const cached = this.#texts[slot]!;
    let same = cached.length === end - start;
    for (let i = 0; same && i < cached.length; i++) same = cached.charCodeAt(i) === bytes[start + i];
    if (same) return cached;
    const text = decode(bytes, start, end);
    let plain = text.length === end - start;
    for (let i = 0; plain && i < text.length; i++) plain = text.charCodeAt(i) < 0x80;
    if (plain) this.#texts[slot] = text;
    return text;
  }
}

/** True when the bytes stand at the offset. */
export function occursAt(pattern: Uint8Array, bytes: Buffer, start: number): boolean {
  const { length } = pattern;
  if (start + length > bytes.length) return false;
  for (let i = 0; i < length; i++) if (bytes[start + i] !== pattern[i]) return false;
  return true;
}

/**
 * The same text as the one string that the engine has for it as a property's key. Maps and objects find such strings by
 * where they are; of others, which are joined or cut from longer ones, every look-up compares the characters.
 */
export function interned(text: string): string {
  return Object.keys({ [text]: null })[0]!;
}
