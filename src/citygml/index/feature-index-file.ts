import type { Bounds } from '../../geo/bounds.ts';
import type { ByteRange } from '../../zip/member.ts';
import type { RangedSource } from '../../zip/source.ts';
import { decodeFootprint, type Footprint } from '../geometry/footprint.ts';
import {
  checkIndex,
  crsLines,
  elementNames,
  entryTouches,
  FeatureIndex,
  footprintRange,
  readEntry,
  searchTree,
} from './feature-index.ts';
import {
  Entry,
  type FeatureEntry,
  Flag,
  HEADER_SIZE,
  hashOf,
  type IndexHeader,
  readHeader,
  type Section,
} from './feature-index-format.ts';

/** An index up to this size is read whole, in one go. */
const WHOLE = 256 * 1024;
/** First read of a larger one: the header and, in most files, the three small sections behind it. */
const HEAD = 16 * 1024;
/** Entries of the hash table read at once: several times the spread that chance gives to an interpolated place. */
const WINDOW = 1024;

/**
 * The feature index of one GML, read by ranges: finding an id in 70,000 features reads some ten kilobytes, a
 * search the R-tree and the entries of its hits. Sections that a search needs are read once and kept.
 */
export class FeatureIndexFile {
  readonly header: IndexHeader;
  /** Start tag of the root element as written. */
  readonly rootTag: Uint8Array;
  /** srsName and srsDimension that hold where a feature states none; '' where unknown. */
  readonly crs: { srsName: string; srsDimension: string };
  private readonly source: RangedSource;
  private readonly base: number;
  private readonly names: string[];
  private readonly whole: FeatureIndex | null;
  private readonly sections = new Map<Section, Promise<Buffer>>();

  private constructor(
    source: RangedSource,
    base: number,
    header: IndexHeader,
    small: Buffer[],
    whole: FeatureIndex | null,
  ) {
    this.source = source;
    this.base = base;
    this.header = header;
    this.rootTag = small[0]!;
    this.names = elementNames(small[1]!);
    this.crs = crsLines(small[2]!);
    this.whole = whole;
  }

  /**
   * Opens the index that lies in `range` of a source. Throws a RangeError when there is none, or one of another
   * version.
   */
  static async open(
    source: RangedSource,
    range: ByteRange = { offset: 0, length: source.size },
  ): Promise<FeatureIndexFile> {
    const whole = range.length <= WHOLE;
    const head = toBuffer(await source.read(range.offset, whole ? range.length : HEAD));
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
    return new FeatureIndexFile(source, range.offset, header, small, whole ? FeatureIndex.open(head) : null);
  }

  /** Number of features. */
  get size(): number {
    return this.header.features;
  }

  /** Features with this gml:id, in the order of the text; normally one or none. */
  async find(id: string): Promise<FeatureEntry[]> {
    if (this.whole !== null) {
      const { whole } = this;
      return whole.find(id).map((i) => whole.feature(i));
    }
    const wanted = Buffer.from(id);
    const candidates = await this.featuresOfHash(hashOf(wanted));
    const entries = await Promise.all(candidates.map((i) => this.feature(i)));
    return entries.filter((entry) => entry.id === id);
  }

  /** The entry of a feature, 0 to `size - 1`. Throws a RangeError for others. */
  async feature(index: number): Promise<FeatureEntry> {
    checkIndex(index, this.size);
    if (this.whole !== null) return this.whole.feature(index);
    return this.decode(await this.entry(index), 0, index);
  }

  /** Features whose extent touches the bounds, in the order of the text. */
  async search(bounds: Bounds): Promise<FeatureEntry[]> {
    if (this.whole !== null) {
      const { whole } = this;
      return whole.search(bounds).map((i) => whole.feature(i));
    }
    const candidates = searchTree(await this.section('tree'), this.header, bounds);
    // Few hits are read one by one, many with all entries.
    if (candidates.length > 16) await this.section('entries');
    const entries = await Promise.all(
      candidates.map(async (i) => {
        const entry = await this.entry(i);
        return entryTouches(entry, 0, bounds) ? this.decode(entry, 0, i) : null;
      }),
    );
    return entries.filter((entry) => entry !== null);
  }

  /** All gml:ids in the order of the text; features without one are left out, duplicates are not. */
  async *ids(): AsyncGenerator<string> {
    if (this.whole !== null) {
      yield* this.whole.ids();
      return;
    }
    const entries = await this.section('entries');
    const ids = await this.section('ids');
    for (let at = 0; at < entries.length; at += Entry.size) {
      if ((entries[at + Entry.flags]! & Flag.id) === 0) continue;
      const from = entries.readUInt32LE(at + Entry.id);
      yield ids.toString('utf8', from, from + entries.readUInt16LE(at + Entry.idLength));
    }
  }

  /** Horizontal projection of the geometry that `extent` is of; null when the feature has none or it is in the text only. */
  async footprint(index: number): Promise<Footprint | null> {
    checkIndex(index, this.size);
    if (this.whole !== null) return this.whole.footprint(index);
    const entry = await this.entry(index);
    const range = footprintRange(entry, 0);
    if (range === null) return null;
    return decodeFootprint(
      await this.part('footprints', range.offset, range.length),
      entry.readDoubleLE(Entry.box),
      entry.readDoubleLE(Entry.box + 8),
    );
  }

  /** Features whose id has the hash, by narrowing an interval of the table around the place where it is expected. */
  private async featuresOfHash(hash: number): Promise<number[]> {
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
      const window = await this.part('hashes', from * 8, (to - from) * 8);
      const at = (i: number) => window.readUInt32LE((i - from) * 8);
      if (at(from) >= hash && from > low) {
        if (at(from) > hash) {
          high = from;
          highHash = at(from);
        } else {
          // A run of equal hashes begins before the window.
          low = Math.max(low, from - WINDOW);
          return this.runOf(hash, low, count);
        }
      } else if (at(to - 1) < hash) {
        low = to;
        lowHash = at(to - 1);
      } else {
        let first = from;
        while (first < to && at(first) < hash) first++;
        const found: number[] = [];
        for (let i = first; i < to && at(i) === hash; i++)
          found.push(window.readUInt32LE((i - from) * 8 + 4));
        return first + found.length === to && to < count ? this.runOf(hash, first, count) : found;
      }
      halve = !halve;
    }
    return [];
  }

  /** All features of a hash whose run begins at or after `from`, or in a window before it: many equal ids. */
  private async runOf(hash: number, from: number, count: number): Promise<number[]> {
    const hashes = await this.section('hashes');
    let first = from;
    while (first > 0 && hashes.readUInt32LE((first - 1) * 8) >= hash) first--;
    const found: number[] = [];
    for (let i = first; i < count && hashes.readUInt32LE(i * 8) <= hash; i++) {
      if (hashes.readUInt32LE(i * 8) === hash) found.push(hashes.readUInt32LE(i * 8 + 4));
    }
    return found;
  }

  private async decode(entry: Buffer, at: number, index: number): Promise<FeatureEntry> {
    const length = entry.readUInt16LE(at + Entry.idLength);
    const id =
      length === 0 ? '' : (await this.part('ids', entry.readUInt32LE(at + Entry.id), length)).toString();
    return readEntry(entry, at, index, this.names, () => id);
  }

  private entry(index: number): Promise<Buffer> {
    return this.part('entries', index * Entry.size, Entry.size);
  }

  /** A range of a section: from the section where that has been read, else from the source. */
  private async part(name: Section, offset: number, length: number): Promise<Buffer> {
    const section = this.sections.get(name);
    if (section !== undefined) return (await section).subarray(offset, offset + length);
    return toBuffer(await this.source.read(this.base + this.header.sections[name].offset + offset, length));
  }

  /** A whole section, read once; a failed read is not remembered. */
  private section(name: Section): Promise<Buffer> {
    let section = this.sections.get(name);
    if (section === undefined) {
      const { offset, length } = this.header.sections[name];
      section = this.source.read(this.base + offset, length).then(toBuffer);
      section.catch(() => this.sections.delete(name));
      this.sections.set(name, section);
    }
    return section;
  }
}

function toBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
