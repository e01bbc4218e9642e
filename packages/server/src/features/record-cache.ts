import { deflateRawSync, inflateRawSync } from 'node:zlib';
import type { FeatureEntry } from '@citymodel/citygml';
import { LRUCache } from 'lru-cache';

/** What a record takes besides its data and its key, bytes. */
const ENTRY_BYTES = 500;
/** Texts of more than this share of the memory are not kept. */
const MAX_SHARE = 1 / 16;
/** Kinds of features of which a record is a dictionary for the others. */
const MAX_DICTIONARIES = 256;
/** A longer text would push itself out of the window of 8 KiB, bytes. */
const MAX_DICTIONARY = 6 * 1024;
/** A record takes the place of a dictionary that is of little use to it when it is longer by this factor. */
const LONGER = 1.5;
/** Records of one kind have most of their text in common, so that little work finds most of it. */
const DEFLATE = { level: 3, windowBits: 13, memLevel: 6 };

interface KeptRecord {
  /** Raw deflate data. */
  data: Buffer;
  /** Of the text. */
  bytes: number;
  dictionary: Buffer | undefined;
}

/**
 * Records of features in the plainest form of an answer, as text, bounded by their bytes: those that were asked for by
 * their ids last. To make one, half a block of the archive is inflated and XML is read. Names of attributes and labels
 * are the same in most records of a kind, so each is deflated with another one as its dictionary: ten times as many
 * have room, and a record is there in a tenth of the time that making it takes.
 */
export class RecordCache {
  readonly #maxText: number;
  readonly #records: LRUCache<string, KeptRecord> | null;
  /** By the name of their elements. */
  readonly #dictionaries = new Map<string, Buffer>();

  /** `maxBytes`: 0 keeps nothing. */
  constructor(maxBytes: number) {
    this.#maxText = maxBytes * MAX_SHARE;
    this.#records =
      maxBytes === 0
        ? null
        : new LRUCache({
            maxSize: maxBytes,
            sizeCalculation: ({ data }, key) => ENTRY_BYTES + key.length + data.length,
          });
  }

  /** `file` names the GML among all archives, and changes with its bytes. */
  get(file: string, entry: FeatureEntry): string | undefined {
    const kept = this.#records?.get(keyOf(file, entry));
    if (kept === undefined) return undefined;
    const { data, bytes, dictionary } = kept;
    const chunkSize = Math.max(64, bytes + 1);
    return inflateRawSync(data, { ...DEFLATE, chunkSize, ...(dictionary && { dictionary }) }).toString();
  }

  put(file: string, entry: FeatureEntry, record: string): void {
    if (this.#records === null || record.length > this.#maxText) return;
    const text = Buffer.from(record);
    const dictionary = this.#dictionaries.get(entry.element);
    const deflated = deflateRawSync(text, { ...DEFLATE, ...(dictionary && { dictionary }) });
    // In memory of its own: a piece of what Node.js shares out would keep all of that.
    const data = Buffer.allocUnsafeSlow(deflated.length);
    data.set(deflated);
    this.#records.set(keyOf(file, entry), { data, bytes: text.length, dictionary });
    if (data.length * 4 > text.length) this.#learn(entry.element, text, dictionary);
  }

  /** Later records of the kind may have more in common with this one. */
  #learn(element: string, text: Buffer, known: Buffer | undefined): void {
    if (text.length > MAX_DICTIONARY) return;
    if (
      known === undefined ? this.#dictionaries.size === MAX_DICTIONARIES : text.length < known.length * LONGER
    )
      return;
    this.#dictionaries.set(element, Buffer.from(text));
  }
}

/** With the id: an entry may have been found by the hash of an id that its feature does not have. */
function keyOf(file: string, { index, id }: FeatureEntry): string {
  return `${file}\n${index}\n${id ?? ''}`;
}
