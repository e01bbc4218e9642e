/** The text of features out of the blocks of a GML member. */
import type { OpenArchive } from '@citymodel/store';
import {
  type BlockParts,
  type BlockTable,
  type Member,
  type PartRange,
  partsBytes,
  readTwice,
} from '@citymodel/zip';
import type { BlockCache } from './block-cache.ts';
import { PartsAhead, textsOf } from './parts-ahead.ts';

/**
 * Blocks whose data is read before their turn: so many at once when fewer than the least are left. Asked for one by
 * one, each read wakes a thread, which on a machine with few processors takes its turn from this one.
 */
const BLOCKS_AHEAD = { least: 4, most: 24 };
/** Data of blocks that is read before their turn, bytes; one block is read in any case. */
const BYTES_AHEAD = 1024 * 1024;

/** Data of blocks that one request has in memory before it is wanted, where reading takes long, bytes. */
const EXPECTED_BYTES = 16 * 1024 * 1024;

/** Blocks from which on another thread reads and inflates them: for fewer, waking it takes longer than it saves. */
const THREAD_BLOCKS = 16;

/** Data of a block, and the buffer that it is in where that is to be given back. */
interface BlockData {
  bytes: Uint8Array;
  buffer: Buffer | null;
}

/** Ranges that are read together: of one block, or one range of several blocks, with null. */
interface Group {
  block: number | null;
  ranges: PartRange[];
}

/**
 * One GML member whose features are read; ranges are offsets in its text. The archive must stay open until this has
 * been closed: data that is being read ahead may outlive the caller's interest.
 */
export class FeatureText implements AsyncDisposable {
  readonly #cache: BlockCache;
  readonly #archive: OpenArchive;
  readonly #member: Member;
  readonly #blocks: BlockTable;
  readonly #key: string;
  /** Data of blocks that was asked for before it is needed. */
  readonly #ahead = new Map<number, Promise<BlockData>>();
  /** What the texts of `readMany` are in. */
  #room: Buffer | null = null;

  /** `key` names the member among all archives, and changes with its bytes. */
  constructor(cache: BlockCache, archive: OpenArchive, member: Member, blocks: BlockTable, key: string) {
    this.#cache = cache;
    this.#archive = archive;
    this.#member = member;
    this.#blocks = blocks;
    this.#key = key;
  }

  /**
   * Tells which ranges will be read soon. Of an archive that is far away their data is asked for at once, as far as
   * `maxBytes` go; the next block of a near one is there faster than it is inflated.
   */
  expect(ranges: readonly PartRange[], maxBytes = EXPECTED_BYTES): void {
    if (this.#archive.readCost === 'local') return;
    let bytes = 0;
    for (const { start, end } of ranges.toSorted((a, b) => a.start - b.start)) {
      // A damaged index may tell any place; reading it says so.
      if (end <= start || end > this.#blocks.textOffset(this.#blocks.count)) continue;
      const last = this.#blocks.find(end - 1);
      for (let i = this.#blocks.find(start); i <= last; i++) {
        if (this.#ahead.has(i)) continue;
        bytes += this.#dataLength(i);
        if (bytes > maxBytes) return;
        this.#readAhead(i);
      }
    }
  }

  /** The bytes of a range. What is returned must not be changed. Throws MemberDamaged. */
  async read({ start, end }: PartRange): Promise<Uint8Array> {
    const first = this.#blocks.find(start);
    if (end <= this.#blocks.textOffset(first + 1)) return (await this.#parts(first, [{ start, end }]))[0]!;
    const parts: Uint8Array[] = [];
    for await (const part of this.stream({ start, end })) parts.push(part);
    return Buffer.concat(parts);
  }

  /** The bytes of a range, block by block; the next block's data is read while the consumer has this one. */
  async *stream({ start, end }: PartRange): AsyncGenerator<Uint8Array, void, void> {
    const last = this.#blocks.find(end - 1);
    for (let i = this.#blocks.find(start); i <= last; i++) {
      this.#readAhead(i);
      if (i < last) this.#readAhead(i + 1);
      const part = {
        start: Math.max(start, this.#blocks.textOffset(i)),
        end: Math.min(end, this.#blocks.textOffset(i + 1)),
      };
      yield* await this.#parts(i, [part]);
    }
  }

  /**
   * Texts of many features in the order of the file, those of one block from one inflation. A text may be overwritten
   * once the next one is asked for. A feature that is larger than `wholeBytes` gets null: it is to be read by itself.
   */
  async *readMany(
    ranges: readonly PartRange[],
    { wholeBytes }: { wholeBytes: number },
  ): AsyncGenerator<Uint8Array | null, void, void> {
    const groups = this.#groups(ranges, wholeBytes);
    if (groups.length === 1) {
      yield* await this.#texts(groups[0]!, wholeBytes);
      return;
    }
    await using parts = this.#partsAhead(groups);
    let reading = 0;
    for (const [g, group] of groups.entries()) {
      const texts = parts === null ? null : await parts.texts(g);
      if (texts !== null) {
        yield* texts;
        continue;
      }
      // What the thread has left may have been passed over.
      if (parts !== null) reading = g;
      const ahead = reading <= g + BLOCKS_AHEAD.least ? BLOCKS_AHEAD.most : 0;
      for (let bytes = 0; reading < groups.length && reading <= g + ahead; reading++) {
        if (parts?.has(reading) === true) continue;
        bytes += this.#dataLength(groups[reading]!.block);
        if (reading > g + 1 && bytes > BYTES_AHEAD) break;
        this.#readAhead(groups[reading]!.block);
      }
      yield* await this.#texts(group, wholeBytes);
    }
  }

  async #texts({ block, ranges }: Group, wholeBytes: number): Promise<Array<Uint8Array | null>> {
    if (block !== null) return this.#parts(block, ranges, true);
    const range = ranges[0]!;
    return [range.end - range.start > wholeBytes ? null : await this.read(range)];
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#ahead.size > 0) {
      const left = await Promise.allSettled(this.#ahead.values());
      this.#ahead.clear();
      for (const data of left) if (data.status === 'fulfilled') this.#giveBack(data.value.buffer);
    }
    this.#giveBack(this.#room);
    this.#room = null;
  }

  /**
   * What another thread reads of the groups: all but those whose blocks are kept, or will be. Null where it does not
   * help.
   */
  #partsAhead(groups: readonly Group[]): PartsAhead | null {
    const { thread } = this.#cache;
    const { descriptor } = this.#archive.archive;
    if (descriptor === undefined || groups.length < THREAD_BLOCKS) return null;
    thread.start();
    if (!thread.isReady) return null;
    return new PartsAhead(
      thread,
      descriptor,
      groups.map(({ block, ranges }) => (block === null ? null : this.#partsOf(block, ranges))),
    );
  }

  #partsOf(i: number, ranges: readonly PartRange[]): BlockParts | null {
    const base = this.#blocks.textOffset(i);
    const key = `${this.#key}\n${i}`;
    if (this.#cache.expects(key)) return null;
    this.#cache.wants(key, this.#blocks.textOffset(i + 1) - base);
    return {
      position: this.#member.offset + this.#blocks.dataOffset(i),
      length: this.#dataLength(i),
      crc32: this.#blocks.checks?.blocks[i] ?? null,
      ranges: ranges.map(({ start, end }) => ({ start: start - base, end: end - base })),
    };
  }

  /** Neighbours in the same block together; a range in several blocks, or a large one, by itself, with null. */
  #groups(ranges: readonly PartRange[], wholeBytes: number): Group[] {
    const groups: Group[] = [];
    for (const range of ranges) {
      const found = this.#blocks.find(range.start);
      const fits = range.end <= this.#blocks.textOffset(found + 1) && range.end - range.start <= wholeBytes;
      const group = groups.at(-1);
      if (fits && group?.block === found) group.ranges.push(range);
      else groups.push({ block: fits ? found : null, ranges: [range] });
    }
    return groups;
  }

  /** Texts of ranges in one block. `passing`: good until the next ones are asked for. */
  async #parts(i: number, ranges: readonly PartRange[], passing = false): Promise<Uint8Array[]> {
    const key = `${this.#key}\n${i}`;
    const base = this.#blocks.textOffset(i);
    const inBlock = ranges.map(({ start, end }) => ({ start: start - base, end: end - base }));
    const kept = this.#cache.get(key);
    if (kept !== undefined) return cut(kept, inBlock);
    // Another caller that wants the block reads it again: memory is given back once.
    const reading = this.#ahead.get(i) ?? this.#data(i);
    this.#ahead.delete(i);
    const data = await reading;
    try {
      const size = this.#blocks.textOffset(i + 1) - base;
      if (!this.#cache.wants(key, size)) return await this.#inflate(data.bytes, i, inBlock, passing);
      const [text] = await this.#inflate(data.bytes, i, [{ start: 0, end: size }], false);
      this.#cache.put(key, text!);
      return cut(text!, inBlock);
    } finally {
      this.#giveBack(data.buffer);
    }
  }

  async #inflate(
    data: Uint8Array,
    i: number,
    ranges: readonly PartRange[],
    passing: boolean,
  ): Promise<Uint8Array[]> {
    const { inflater, scratch } = this.#cache;
    if (passing) {
      const bytes = partsBytes([{ ranges }]);
      if (this.#room === null || this.#room.length < bytes) {
        this.#giveBack(this.#room);
        this.#room = scratch.take(bytes);
      }
      if (inflater.copyParts(data, ranges, this.#room)) return textsOf([{ ranges }], this.#room)[0]!;
    }
    return inflater.parts(data, this.#member, this.#blocks, i, ranges);
  }

  #giveBack(buffer: Buffer | null): void {
    if (buffer !== null) this.#cache.scratch.give(buffer);
  }

  #readAhead(i: number | null): void {
    if (i === null || this.#ahead.has(i) || this.#cache.get(`${this.#key}\n${i}`) !== undefined) return;
    const data = this.#data(i);
    data.catch(() => {});
    this.#ahead.set(i, data);
  }

  #dataLength(i: number | null): number {
    return i === null ? 0 : this.#blocks.dataOffset(i + 1) - this.#blocks.dataOffset(i);
  }

  /**
   * The data of a block, checked as far as the index tells; read once more when it is damaged. A local file fills
   * memory that is used again.
   */
  #data(i: number): Promise<BlockData> {
    const { archive } = this.#archive;
    const length = this.#dataLength(i);
    const buffer = archive.descriptor === undefined ? null : this.#cache.scratch.take(length);
    const use = (bytes: Uint8Array) => {
      this.#blocks.checkData(i, bytes, this.#member.path);
      return { bytes, buffer };
    };
    const at = this.#member.offset + this.#blocks.dataOffset(i);
    return readTwice(archive, at, length, use, buffer?.subarray(0, length));
  }
}

/** Parts of the text of a block. */
function cut(text: Uint8Array, ranges: readonly PartRange[]): Uint8Array[] {
  return ranges.map(({ start, end }) => text.subarray(start, end));
}
