import type { Bounds } from '@citymodel/geo';
import type { ByteRange, PartRange, RangedSource } from '@citymodel/zip';
import { decodeFootprint, type Footprint } from '../geometry/footprint.ts';
import { checkIndex, crsLines, elementNames, entryTouches, readEntry, searchTree } from './feature-index.ts';
import {
  Entry,
  type FeatureEntry,
  Hashed,
  HEADER_SIZE,
  hashOf,
  type IndexHeader,
  isHeader,
  readHeader,
  type Section,
} from './feature-index-format.ts';

/**
 * First read, at the end, bytes. It has the header, and in most files the three small sections before it. Of up to some
 * 3,000 features it has `hashes`, which are less than a ninth of the index. Of more it is `alone`, without these, or
 * has those behind the id that is looked for.
 */
const TAIL = { least: 6 * 1024, share: 1 / 9, most: 84 * 1024, alone: 16 * 1024 };
/** First read of an index of the first version. */
const HEAD = 16 * 1024;
/**
 * Hashes read at once, among so many: eight times the deviation that chance gives to an interpolated place at most,
 * which is half of the root of their number.
 */
function windowOf(count: number): number {
  return Math.ceil(4 * Math.sqrt(count)) + 16;
}
/** Bytes at the end of an index of `size` bytes that are read first. */
function tailOf(size: number, wanted: WantedId | undefined): number {
  const all = TAIL.least + Math.ceil(size * TAIL.share);
  if (all <= TAIL.most) return all;
  if (wanted === undefined) return TAIL.alone;
  const { id, featureBytes = 0 } = wanted;
  const count = Math.min(size * TAIL.share, (size / featureBytes) * Hashed.size) / Hashed.size;
  const behind = count * (1 - hashOf(Buffer.from(id)) / 2 ** 32);
  // Half of the window lies before the place where the hash is expected.
  const fromId = Math.ceil(TAIL.least + Math.min(count, behind + windowOf(count) / 2) * Hashed.size);
  return fromId <= TAIL.most ? Math.max(TAIL.alone, fromId) : TAIL.alone;
}
/** Neighbouring features whose entries and ids are read at once, 80 bytes and an id each. */
const NEIGHBOURS = 1024;
/** Features up to which a search reads the R-tree; of more, it goes through all entries, which takes no memory. */
const MAX_TREE = 100_000;

/** An id that will be looked for. */
export interface WantedId {
  id: string;
  /** What a feature takes in indexes like this one, bytes; less than a few hundred. */
  featureBytes?: number | undefined;
}

/** A feature whose gml:id has the hash of one that is looked for. */
export interface Candidate {
  index: number;
  /** Where its text is; null where the index does not say that beside the hash. */
  place: PartRange | null;
}

/**
 * The feature index of one GML, read by ranges: finding an id in 70,000 features reads some twenty kilobytes, a
 * search the R-tree and the entries of its hits. Of what is read the hashes are kept where they came with opening.
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
  /** The last of the hashes, from this one on; none where `bytes` is empty. */
  readonly #kept: { from: number; bytes: Buffer };

  private constructor(
    source: RangedSource,
    base: number,
    header: IndexHeader,
    small: Buffer[],
    kept: { from: number; bytes: Buffer },
  ) {
    this.#source = source;
    this.#base = base;
    this.header = header;
    this.rootTag = Uint8Array.from(small[0]!);
    this.#names = elementNames(small[1]!);
    this.crs = crsLines(small[2]!);
    this.#kept = kept;
  }

  /**
   * Opens the index that lies in `range` of a source. Of many features, the hashes from that of the wanted id on come
   * along where they are few enough. Throws a RangeError when there is none, or one of another version.
   */
  static async open(
    source: RangedSource,
    range: ByteRange = { offset: 0, length: source.size },
    wanted?: WantedId,
  ): Promise<FeatureIndexFile> {
    const { offset: base, length: size } = range;
    const expected = Math.min(size, tailOf(size, wanted));
    let known = await readPart(source, base, size - expected, expected);
    const last = known.bytes.subarray(Math.max(0, known.bytes.length - HEADER_SIZE));
    const isFirstVersion = !isHeader(last);
    if (isFirstVersion && known.from > 0) known = await readPart(source, base, 0, Math.min(HEAD, size));
    const header = readHeader(isFirstVersion ? known.bytes.subarray(0, HEADER_SIZE) : last, size);
    const isKnown = ({ offset, length }: ByteRange) =>
      offset >= known.from && offset + length <= known.from + known.bytes.length;
    const small: Buffer[] = [];
    for (const name of ['rootTag', 'elements', 'crs'] as const) {
      const section = header.sections[name];
      const from = section.offset - known.from;
      small.push(
        isKnown(section)
          ? known.bytes.subarray(from, from + section.length)
          : (await readPart(source, base, section.offset, section.length)).bytes,
      );
    }
    const { hashes } = header.sections;
    const end = hashes.offset + hashes.length;
    const count = hashes.length / header.hashedSize;
    // Of an index of the first version they may begin in what is known, and end behind it.
    const isEndKnown = end >= known.from && end <= known.from + known.bytes.length;
    const from = isEndKnown
      ? Math.max(0, Math.ceil((known.from - hashes.offset) / header.hashedSize))
      : count;
    const first = hashes.offset + from * header.hashedSize - known.from;
    const bytes = Buffer.from(isEndKnown ? known.bytes.subarray(first, end - known.from) : []);
    return new FeatureIndexFile(source, base, header, small, { from, bytes });
  }

  /** True when the place of a text stands beside the hash of its id, so that both are read at once. */
  get hasPlaces(): boolean {
    return this.header.hashedSize === Hashed.size;
  }

  /** What it keeps in memory of hashes, bytes. */
  get keptBytes(): number {
    return this.#kept.bytes.length;
  }

  /** Number of features. */
  get size(): number {
    return this.header.features;
  }

  /** Features whose gml:id has the hash of this one, in the order of the text: mostly one or none. */
  async candidates(id: string): Promise<Candidate[]> {
    return this.#featuresOfHash(hashOf(Buffer.from(id)));
  }

  /**
   * The entry of a candidate by one read, with the id that is looked for, which its text has to be compared with.
   * Throws a RangeError for one that is not there.
   */
  async assumed({ index }: Candidate, id: string): Promise<FeatureEntry> {
    checkIndex(index, this.size);
    const entry = await this.#entries(index, index + 1);
    return { ...readEntry(entry, 0, index, this.#names, () => id), id, idIsAssumed: true };
  }

  /** Features with this gml:id, in the order of the text; normally one or none. */
  async find(id: string): Promise<FeatureEntry[]> {
    const found: FeatureEntry[] = [];
    for await (const entries of this.features(numbersOf(await this.candidates(id)))) {
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

  /** Hashes of all gml:ids (`hashOf`), ascending: they tell which files an id cannot be in. */
  async idHashes(): Promise<Uint32Array> {
    const size = this.header.hashedSize;
    const count = this.header.sections.hashes.length / size;
    const table = await this.#hashes(0, count);
    return Uint32Array.from({ length: count }, (_, i) => table.readUInt32LE(i * size));
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
  async #featuresOfHash(hash: number): Promise<Candidate[]> {
    const size = this.header.hashedSize;
    const count = this.header.sections.hashes.length / size;
    const width = windowOf(count);
    // Invariant: hashes below `low` are smaller, hashes from `high` on are larger.
    let low = 0;
    let high = count;
    let lowHash = 0;
    let highHash = 2 ** 32;
    let halve = false;
    while (low < high) {
      const share = halve ? 0.5 : (hash - lowHash) / (highHash - lowHash);
      const middle = low + Math.floor(share * (high - low));
      const from = Math.max(low, Math.min(middle - (width >> 1), high - width));
      const to = Math.min(high, from + width);
      const window = await this.#hashes(from, to);
      const at = (i: number) => window.readUInt32LE((i - from) * size);
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
        const found: Candidate[] = [];
        for (let i = first; i < to && at(i) === hash; i++) found.push(this.#candidate(window, i - from));
        return first + found.length === to && to < count ? this.#runOf(hash, first, low, count) : found;
      }
      halve = !halve;
    }
    return [];
  }

  /** All features of a hash that stands at `at`; its run begins at `low` or later. */
  async #runOf(hash: number, at: number, low: number, count: number): Promise<Candidate[]> {
    const size = this.header.hashedSize;
    const width = windowOf(count);
    let first = at;
    while (first > low) {
      const from = Math.max(low, first - width);
      const window = await this.#hashes(from, first);
      const end = first;
      while (first > from && window.readUInt32LE((first - 1 - from) * size) === hash) first--;
      if (first > from || first === end) break;
    }
    const found: Candidate[] = [];
    for (let from = first; from < count; from += width) {
      const window = await this.#hashes(from, Math.min(count, from + width));
      for (let k = 0; k < window.length / size; k++) {
        if (window.readUInt32LE(k * size) !== hash) return found;
        found.push(this.#candidate(window, k));
      }
    }
    return found;
  }

  #candidate(window: Buffer, k: number): Candidate {
    const at = k * this.header.hashedSize;
    const index = window.readUInt32LE(at + Hashed.feature);
    if (!this.hasPlaces) return { index, place: null };
    const start = window.readUIntLE(at + Hashed.start, 6);
    return { index, place: { start, end: start + window.readUIntLE(at + Hashed.length, 6) } };
  }

  #hashes(from: number, to: number): Buffer | Promise<Buffer> {
    const size = this.header.hashedSize;
    const { from: first, bytes } = this.#kept;
    if (from >= first) return bytes.subarray((from - first) * size, (to - first) * size);
    return this.#part('hashes', from * size, (to - from) * size);
  }

  #entries(from: number, to: number): Promise<Buffer> {
    return this.#part('entries', from * Entry.size, (to - from) * Entry.size);
  }

  async #part(name: Section, offset: number, length: number): Promise<Buffer> {
    if (length === 0) return Buffer.alloc(0);
    return toBuffer(await this.#source.read(this.#base + this.header.sections[name].offset + offset, length));
  }
}

/** Numbers of candidates, ascending. */
export function numbersOf(candidates: readonly Candidate[]): number[] {
  return candidates.map(({ index }) => index);
}

async function readPart(
  source: RangedSource,
  base: number,
  from: number,
  length: number,
): Promise<{ from: number; bytes: Buffer }> {
  return { from, bytes: toBuffer(await source.read(base + from, length)) };
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
