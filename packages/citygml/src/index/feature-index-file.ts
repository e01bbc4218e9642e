import type { Bounds } from '@citymodel/geo';
import type { ByteRange, RangedSource } from '@citymodel/zip';
import { decodeFootprint, type Footprint } from '../geometry/footprint.ts';
import { checkIndex, crsLines, elementNames, entryTouches, readEntry, searchTree } from './feature-index.ts';
import {
  Entry,
  type FeatureEntry,
  HEADER_SIZE,
  hashOf,
  type IndexHeader,
  readHeader,
  type Section,
} from './feature-index-format.ts';

/** First read: the header and, in most files, the three small sections behind it. */
const HEAD = 16 * 1024;
/** Entries of the hash table read at once: several times the spread that chance gives to an interpolated place. */
const WINDOW = 1024;
/** Neighbouring features whose entries and ids are read at once, 80 bytes and an id each. */
const NEIGHBOURS = 1024;
/** Features up to which a search reads the R-tree; of more, it goes through all entries, which takes no memory. */
const MAX_TREE = 100_000;

/**
 * The feature index of one GML, read by ranges: finding an id in 70,000 features reads some ten kilobytes, a
 * search the R-tree and the entries of its hits. Nothing of what is read is kept.
 */
export class FeatureIndexFile {
  readonly header: IndexHeader;
  /** Start tag of the root element as written. */
  readonly rootTag: Uint8Array;
  /** srsName and srsDimension that hold where a feature states none; '' where unknown. */
  readonly crs: { srsName: string; srsDimension: string };
  readonly #source: RangedSource;
  readonly #base: number;
  readonly #names: string[];

  private constructor(source: RangedSource, base: number, header: IndexHeader, small: Buffer[]) {
    this.#source = source;
    this.#base = base;
    this.header = header;
    this.rootTag = Uint8Array.from(small[0]!);
    this.#names = elementNames(small[1]!);
    this.crs = crsLines(small[2]!);
  }

  /**
   * Opens the index that lies in `range` of a source. Throws a RangeError when there is none, or one of another
   * version.
   */
  static async open(
    source: RangedSource,
    range: ByteRange = { offset: 0, length: source.size },
  ): Promise<FeatureIndexFile> {
    const head = toBuffer(await source.read(range.offset, Math.min(HEAD, range.length)));
    const header = readHeader(head.subarray(0, HEADER_SIZE), range.length);
    const small: Buffer[] = [];
    for (const name of ['rootTag', 'elements', 'crs'] as const) {
      const { offset, length } = header.sections[name];
      small.push(
        offset + length <= head.length
          ? head.subarray(offset, offset + length)
          : toBuffer(await source.read(range.offset + offset, length)),
      );
    }
    return new FeatureIndexFile(source, range.offset, header, small);
  }

  /** Number of features. */
  get size(): number {
    return this.header.features;
  }

  /** Numbers of the features whose gml:id has the hash of this one, in the order of the text: mostly one or none. */
  async candidates(id: string): Promise<number[]> {
    return this.#featuresOfHash(hashOf(Buffer.from(id)));
  }

  /** Features with this gml:id, in the order of the text; normally one or none. */
  async find(id: string): Promise<FeatureEntry[]> {
    const found: FeatureEntry[] = [];
    for await (const entries of this.features(await this.candidates(id))) {
      for (const entry of entries) if (entry.id === id) found.push(entry);
    }
    return found;
  }

  /** Entries of features by their ascending numbers, some at a time. Throws a RangeError for numbers that none has. */
  async *features(numbers: Iterable<number>): AsyncGenerator<FeatureEntry[], void, void> {
    for (const group of neighbours(numbers)) {
      const first = group[0]!;
      checkIndex(first, this.size);
      checkIndex(group.at(-1)!, this.size);
      const entries = await this.#entries(first, group.at(-1)! + 1);
      const from = entries.readUInt32LE(Entry.id);
      const last = entries.length - Entry.size;
      const to = entries.readUInt32LE(last + Entry.id) + entries.readUInt16LE(last + Entry.idLength);
      const ids = await this.#part('ids', from, to - from);
      yield group.map((i) =>
        readEntry(entries, (i - first) * Entry.size, i, this.#names, (at, length) =>
          ids.toString('utf8', at - from, at - from + length),
        ),
      );
    }
  }

  /** Numbers of features whose extent touches the bounds, ascending. */
  async search(bounds: Bounds): Promise<number[]> {
    const { tree } = this.header.sections;
    const candidates =
      this.size > MAX_TREE
        ? numbersBelow(this.size)
        : searchTree(await this.#part('tree', 0, tree.length), this.header, bounds);
    const found: number[] = [];
    for (const group of neighbours(candidates)) {
      const first = group[0]!;
      const entries = await this.#entries(first, group.at(-1)! + 1);
      for (const i of group) if (entryTouches(entries, (i - first) * Entry.size, bounds)) found.push(i);
    }
    return found;
  }

  /** All gml:ids in the order of the text, some at a time; features without one are left out, duplicates are not. */
  async *ids(): AsyncGenerator<string[], void, void> {
    for await (const entries of this.features(numbersBelow(this.size))) {
      yield entries.flatMap(({ id }) => (id === null ? [] : [id]));
    }
  }

  /**
   * Horizontal projection of the geometry that `extent` is of; null when the feature has none or it is in the text
   * only.
   */
  async footprint({ extent, footprintOffset, footprintLength }: FeatureEntry): Promise<Footprint | null> {
    if (extent === null || footprintLength === 0) return null;
    const encoded = await this.#part('footprints', footprintOffset, footprintLength);
    return decodeFootprint(encoded, extent.west, extent.south);
  }

  /** Features whose id has the hash, by narrowing an interval of the table around the place where it is expected. */
  async #featuresOfHash(hash: number): Promise<number[]> {
    const count = this.header.sections.hashes.length / 8;
    // Invariant: hashes below `low` are smaller, hashes from `high` on are larger.
    let low = 0;
    let high = count;
    let lowHash = 0;
    let highHash = 2 ** 32;
    let halve = false;
    while (low < high) {
      const share = halve ? 0.5 : (hash - lowHash) / (highHash - lowHash);
      const middle = low + Math.floor(share * (high - low));
      const from = Math.max(low, Math.min(middle - WINDOW / 2, high - WINDOW));
      const to = Math.min(high, from + WINDOW);
      const window = await this.#hashes(from, to);
      const at = (i: number) => window.readUInt32LE((i - from) * 8);
      if (at(from) >= hash && from > low) {
        // A run of equal hashes may begin before the window.
        if (at(from) === hash) return this.#runOf(hash, from, low, count);
        high = from;
        highHash = at(from);
      } else if (at(to - 1) < hash) {
        low = to;
        lowHash = at(to - 1);
      } else {
        let first = from;
        while (at(first) < hash) first++;
        const found: number[] = [];
        for (let i = first; i < to && at(i) === hash; i++)
          found.push(window.readUInt32LE((i - from) * 8 + 4));
        return first + found.length === to && to < count ? this.#runOf(hash, first, low, count) : found;
      }
      halve = !halve;
    }
    return [];
  }

  /** All features of a hash that stands at `at`; its run begins at `low` or later. */
  async #runOf(hash: number, at: number, low: number, count: number): Promise<number[]> {
    let first = at;
    while (first > low) {
      const from = Math.max(low, first - WINDOW);
      const window = await this.#hashes(from, first);
      const end = first;
      while (first > from && window.readUInt32LE((first - 1 - from) * 8) === hash) first--;
      if (first > from || first === end) break;
    }
    const found: number[] = [];
    for (let from = first; from < count; from += WINDOW) {
      const window = await this.#hashes(from, Math.min(count, from + WINDOW));
      for (let k = 0; k < window.length; k += 8) {
        if (window.readUInt32LE(k) !== hash) return found;
        found.push(window.readUInt32LE(k + 4));
      }
    }
    return found;
  }

  #hashes(from: number, to: number): Promise<Buffer> {
    return this.#part('hashes', from * 8, (to - from) * 8);
  }

  #entries(from: number, to: number): Promise<Buffer> {
    return this.#part('entries', from * Entry.size, (to - from) * Entry.size);
  }

  async #part(name: Section, offset: number, length: number): Promise<Buffer> {
    if (length === 0) return Buffer.alloc(0);
    return toBuffer(await this.#source.read(this.#base + this.header.sections[name].offset + offset, length));
  }
}

/** Ascending numbers in groups that lie close together. */
function* neighbours(numbers: Iterable<number>): Generator<number[]> {
  let group: number[] = [];
  for (const i of numbers) {
    if (group.length > 0 && i - group[0]! >= NEIGHBOURS) {
      yield group;
      group = [];
    }
    group.push(i);
  }
  if (group.length > 0) yield group;
}

function* numbersBelow(count: number): Generator<number> {
  for (let i = 0; i < count; i++) yield i;
}

function toBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
