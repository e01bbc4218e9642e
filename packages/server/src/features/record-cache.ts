import type { FeatureEntry } from '@citymodel/citygml';
import { LRUCache } from 'lru-cache';

/** What a record takes besides its text and its key, bytes. */
const ENTRY_BYTES = 400;
/** Texts of more than this share of the memory are not kept. */
const MAX_SHARE = 1 / 16;

/**
 * Records of features in the plainest form of an answer, as text, bounded by their bytes: those that were asked for by
 * their ids last. To make one, half a block of the archive is inflated and XML is read. The block takes some fifty
 * times the memory of the record.
 */
export class RecordCache {
  readonly #maxText: number;
  readonly #records: LRUCache<string, Buffer> | null;

  /** `maxBytes`: 0 keeps nothing. */
  constructor(maxBytes: number) {
    this.#maxText = maxBytes * MAX_SHARE;
    this.#records =
      maxBytes === 0
        ? null
        : new LRUCache({
            maxSize: maxBytes,
            sizeCalculation: (text, key) => ENTRY_BYTES + key.length + text.length,
          });
  }

  /** `file` names the GML among all archives, and changes with its bytes. */
  get(file: string, entry: FeatureEntry): string | undefined {
    return this.#records?.get(keyOf(file, entry))?.toString();
  }

  put(file: string, entry: FeatureEntry, record: string): void {
    if (this.#records === null || record.length > this.#maxText) return;
    // In memory of its own: a piece of what Node.js shares out would keep all of that.
    const text = Buffer.allocUnsafeSlow(Buffer.byteLength(record));
    text.write(record);
    this.#records.set(keyOf(file, entry), text);
  }
}

/** With the id: an entry may have been found by the hash of an id that its feature does not have. */
function keyOf(file: string, { index, id }: FeatureEntry): string {
  return `${file}\n${index}\n${id ?? ''}`;
}
