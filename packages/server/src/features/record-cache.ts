import { crc32, inflateRawSync, type ZlibOptions } from 'node:zlib';
import type { FeatureEntry } from '@citymodel/citygml';
import { BlockInflater, TextDeflater } from '@citymodel/zip';
import { LRUCache } from 'lru-cache';

/** What a record takes besides its data and its key, bytes. */
const ENTRY_BYTES = 500;
/** This share of the memory is for records that were asked for last, as they are. */
const FRESH_SHARE = 1 / 8;
/** This share is for text that is to be deflated. Longer texts are not kept. */
const MAX_SHARE = 1 / 16;
/** So many bytes of memory for one number of a record that was asked for once: half of what a deflated one takes. */
const BYTES_OF_SEEN = 512;
/** Numbers that share a bucket. Were it one, two records would push each other out for ever. */
const OF_BUCKET = 4;
/** Memory that texts share which come one after the other, and which go in the same order. */
const COPIES_BYTES = 128 * 1024;
/** Text that is deflated at a stretch, bytes: some ten records. */
const TURN_BYTES = 32 * 1024;
/** Kinds of features of which a record is a dictionary for the others. */
const MAX_DICTIONARIES = 256;
/** A longer text would push itself out of the window of 8 KiB, bytes. */
const MAX_DICTIONARY = 6 * 1024;
/** A record takes the place of a dictionary that is of little use to it when it is longer by this factor. */
const LONGER = 1.5;
/** Records of one kind have most of their text in common, so that little work finds most of it. */
const DEFLATE = { level: 3, windowBits: 13, memLevel: 6 };

/** Inflates what was deflated with a dictionary, for as long as there are such records. */
class Inflation {
  readonly #options: ZlibOptions;
  readonly #inflater: BlockInflater;

  constructor(options: ZlibOptions) {
    this.#options = options;
    this.#inflater = new BlockInflater(options);
  }

  /** So many bytes of text. */
  inflate(data: Uint8Array, bytes: number): Buffer {
    const text = Buffer.allocUnsafe(bytes);
    return this.#inflater.fill(data, text) ? text : inflateRawSync(data, this.#options);
  }
}

/** What records of a kind are deflated with. */
class Deflation {
  readonly dictionary: Buffer | undefined;
  readonly inflation: Inflation;
  readonly #deflater: TextDeflater;

  constructor(dictionary?: Buffer) {
    this.dictionary = dictionary;
    const options = dictionary === undefined ? DEFLATE : { ...DEFLATE, dictionary };
    this.inflation = new Inflation(options);
    this.#deflater = new TextDeflater(options);
  }

  deflate(text: Uint8Array): Buffer {
    return this.#deflater.deflate(text);
  }
}

interface KeptRecord {
  /** Raw deflate data. */
  data: Buffer;
  /** Of the text. */
  bytes: number;
  inflation: Inflation;
}

/** A record that is not deflated. */
interface FreshRecord {
  element: string;
  text: Uint8Array;
  /** It was asked for more than once. */
  isWanted: boolean;
}

/** Copies of texts one behind the other: what Node.js shares out would keep all that lies beside a text. */
class Copies {
  #memory = Buffer.alloc(0);
  #used = 0;

  copy(text: Uint8Array): Buffer {
    if (this.#memory.length - this.#used < text.length) {
      this.#memory = Buffer.allocUnsafeSlow(Math.max(COPIES_BYTES, text.length));
      this.#used = 0;
    }
    const copy = this.#memory.subarray(this.#used, this.#used + text.length);
    copy.set(text);
    this.#used += text.length;
    return copy;
  }
}

/** Records that were asked for once, by a hash of their keys, a few of each bucket: the latest ones. */
class SeenOnce {
  readonly #hashes: Uint32Array;
  readonly #buckets: number;

  constructor(size: number) {
    this.#buckets = Math.ceil(size / OF_BUCKET);
    this.#hashes = new Uint32Array(OF_BUCKET * this.#buckets);
  }

  add(key: string): void {
    const hash = crc32(key);
    const bucket = this.#bucketOf(hash);
    bucket.copyWithin(1, 0);
    bucket[0] = hash;
  }

  has(key: string): boolean {
    const hash = crc32(key);
    return this.#bucketOf(hash).includes(hash);
  }

  #bucketOf(hash: number): Uint32Array {
    const at = OF_BUCKET * (hash % this.#buckets);
    return this.#hashes.subarray(at, at + OF_BUCKET);
  }
}

/**
 * Records of features in the plainest form of an answer, as UTF-8, bounded by their bytes: those that were asked for by
 * their ids. To make one, a piece of a block of the archive is inflated and XML is read. A part of the memory has
 * those that were asked for last as they are. Of those that have to leave it, the ones that were asked for again are
 * kept deflated; so one who reads a whole city once neither waits for that nor pushes out what others want (2Q, Johnson
 * and Shasha 1994). Names of attributes and labels are the same in most records of a kind, so each is deflated with
 * another one as its dictionary: ten times as many have room, and a record is there in a tenth of the time that making
 * it takes. Records are deflated once no more come, so that the answer that they were made for does not wait.
 */
export class RecordCache {
  readonly #maxText: number;
  readonly #records: LRUCache<string, KeptRecord> | null;
  /** By the name of their elements. */
  readonly #dictionaries = new Map<string, Deflation>();
  readonly #plain = new Deflation();
  readonly #copies = new Copies();
  /** Those that were asked for last, in the order in which they came. */
  readonly #fresh: LRUCache<string, FreshRecord> | null;
  readonly #seen: SeenOnce;
  /** Those that are to be deflated, oldest first, in memory of their own: most that lay beside them are gone. */
  readonly #copiesOfLeaving = new Copies();
  readonly #leaving = new Map<string, FreshRecord>();
  #leavingBytes = 0;
  /** True when a record came in this round of the event loop. */
  #isFilling = false;
  /** True when the end of this round is waited for. */
  #isWaiting = false;

  /** `maxBytes`: 0 keeps nothing. */
  constructor(maxBytes: number) {
    this.#maxText = maxBytes * MAX_SHARE;
    this.#seen = new SeenOnce(Math.ceil(maxBytes / BYTES_OF_SEEN));
    this.#records =
      maxBytes === 0
        ? null
        : new LRUCache({
            maxSize: Math.ceil(maxBytes * (1 - FRESH_SHARE - MAX_SHARE)),
            sizeCalculation: ({ data }, key) => ENTRY_BYTES + key.length + data.length,
          });
    this.#fresh =
      maxBytes === 0
        ? null
        : new LRUCache({
            maxSize: Math.ceil(maxBytes * FRESH_SHARE),
            sizeCalculation: ({ text }, key) => ENTRY_BYTES + key.length + text.length,
            dispose: (record, key) => this.#leave(key, record),
          });
  }

  /** `file` names the GML among all archives, and changes with its bytes. What is returned must not be changed. */
  get(file: string, entry: FeatureEntry): Uint8Array | undefined {
    const key = keyOf(file, entry);
    const fresh = this.#fresh?.peek(key);
    if (fresh !== undefined) {
      fresh.isWanted = true;
      return fresh.text;
    }
    const kept = this.#records?.get(key);
    return kept === undefined ? this.#leaving.get(key)?.text : kept.inflation.inflate(kept.data, kept.bytes);
  }

  /** Copies the text; one of more than a sixteenth of the memory is not kept. */
  put(file: string, entry: FeatureEntry, text: Uint8Array): void {
    if (this.#fresh === null || text.length > this.#maxText) return;
    const key = keyOf(file, entry);
    if (this.#fresh.has(key) || this.#leaving.has(key)) return;
    const isWanted = this.#seen.has(key);
    this.#fresh.set(key, { element: entry.element, text: this.#copies.copy(text), isWanted });
    this.#isFilling = true;
  }

  #leave(key: string, record: FreshRecord): void {
    if (!record.isWanted) {
      this.#seen.add(key);
      return;
    }
    this.#leaving.set(key, { ...record, text: this.#copiesOfLeaving.copy(record.text) });
    this.#leavingBytes += record.text.length;
    this.#deflateLeaving(this.#leavingBytes - this.#maxText);
    this.#deflateLater();
  }

  #deflateLater(): void {
    if (this.#isWaiting) return;
    this.#isWaiting = true;
    setImmediate(() => {
      this.#isWaiting = false;
      if (!this.#isFilling) this.#deflateLeaving(TURN_BYTES);
      this.#isFilling = false;
      if (this.#leaving.size > 0) this.#deflateLater();
    });
  }

  /** Deflates the oldest, until they are so many bytes of text, or none is left. */
  #deflateLeaving(bytes: number): void {
    let left = bytes;
    for (const [key, record] of this.#leaving) {
      if (left <= 0) return;
      this.#leaving.delete(key);
      this.#leavingBytes -= record.text.length;
      this.#keep(key, record);
      left -= record.text.length;
    }
  }

  #keep(key: string, { element, text }: FreshRecord): void {
    const deflation = this.#dictionaries.get(element) ?? this.#plain;
    const data = deflation.deflate(text);
    this.#records!.set(key, { data, bytes: text.length, inflation: deflation.inflation });
    if (data.length * 4 > text.length) this.#learn(element, text, deflation.dictionary);
  }

  /** Later records of the kind may have more in common with this one. */
  #learn(element: string, text: Uint8Array, known: Buffer | undefined): void {
    if (text.length > MAX_DICTIONARY) return;
    if (
      known === undefined ? this.#dictionaries.size === MAX_DICTIONARIES : text.length < known.length * LONGER
    )
      return;
    this.#dictionaries.set(element, new Deflation(Buffer.from(text)));
  }
}

/** With the id: an entry may have been found by the hash of an id that its feature does not have. */
function keyOf(file: string, { index, id }: FeatureEntry): string {
  return `${file}\n${index}\n${id ?? ''}`;
}
