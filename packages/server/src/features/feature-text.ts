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

/** Pieces of a block from which on all of it is read, on average of an answer. */
const MAX_PIECES = 2;

/** Data of a block, and the buffer that it is in where that is to be given back. */
interface BlockData {
  bytes: Uint8Array;
  buffer: Buffer | null;
}

/** Where the text of a member can be read from: its blocks, and their pieces where it has some. */
export interface TextTables {
  blocks: BlockTable;
  pieces: BlockTable | null;
}

/** A block, or a piece of one. */
interface Place {
  table: BlockTable;
  i: number;
}

/** Ranges that are read together: of one block or piece, or one range of several blocks, with null. */
interface Group {
  place: Place | null;
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
  readonly #pieces: BlockTable | null;
  readonly #key: string;
  /** Data of blocks and pieces that was asked for before it is needed, by their keys. */
  readonly #ahead = new Map<string, Promise<BlockData>>();
  /** What the texts of `readMany` are in. */
  #room: Buffer | null = null;

  /** `key` names the member among all archives, and changes with its bytes. */
  constructor(cache: BlockCache, archive: OpenArchive, member: Member, tables: TextTables, key: string) {
    this.#cache = cache;
    this.#archive = archive;
    this.#member = member;
    this.#blocks = tables.blocks;
    this.#pieces = tables.pieces;
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
        const place = { table: this.#blocks, i };
        if (this.#ahead.has(this.#keyOf(place))) continue;
        bytes += dataLength(place);
        if (bytes > maxBytes) return;
        this.#readAhead(place);
      }
    }
  }

  /** The bytes of a range. What is returned must not be changed. Throws MemberDamaged. */
  async read(range: PartRange): Promise<Uint8Array> {
    const place = (this.#pieces && placeIn(this.#pieces, range)) ?? placeIn(this.#blocks, range);
    if (place !== null) return (await this.#parts(place, [range]))[0]!;
    const parts: Uint8Array[] = [];
    for await (const part of this.stream(range)) parts.push(part);
    return Buffer.concat(parts);
  }

  /** The bytes of a range, block by block; the next block's data is read while the consumer has this one. */
  async *stream({ start, end }: PartRange): AsyncGenerator<Uint8Array, void, void> {
    const last = this.#blocks.find(end - 1);
    const table = this.#blocks;
    for (let i = table.find(start); i <= last; i++) {
      this.#readAhead({ table, i });
      if (i < last) this.#readAhead({ table, i: i + 1 });
      const part = {
        start: Math.max(start, table.textOffset(i)),
        end: Math.min(end, table.textOffset(i + 1)),
      };
      yield* await this.#parts({ table, i }, [part]);
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
        const { place } = groups[reading]!;
        if (place === null) continue;
        bytes += dataLength(place);
        if (reading > g + 1 && bytes > BYTES_AHEAD) break;
        this.#readAhead(place);
      }
      yield* await this.#texts(group, wholeBytes);
    }
  }

  async #texts({ place, ranges }: Group, wholeBytes: number): Promise<Array<Uint8Array | null>> {
    if (place !== null) return this.#parts(place, ranges, true);
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
      groups.map(({ place, ranges }) => (place === null ? null : this.#partsOf(place, ranges))),
    );
  }

  #partsOf(place: Place, ranges: readonly PartRange[]): BlockParts | null {
    const { table, i } = place;
    const key = this.#keyOf(place);
    if (this.#cache.expects(key)) return null;
    const base = table.textOffset(i);
    this.#cache.wants(key, table.textOffset(i + 1) - base);
    return {
      position: this.#member.offset + table.dataOffset(i),
      length: dataLength(place),
      crc32: table.checks?.blocks[i] ?? null,
      head: table.head(i),
      ranges: ranges.map(({ start, end }) => ({ start: start - base, end: end - base })),
    };
  }

  /**
   * Neighbours in the same block or piece together; a range in several blocks, or a large one, by itself, with null.
   * Where most pieces of the blocks are wanted, whole blocks are read: a piece costs its window.
   */
  #groups(ranges: readonly PartRange[], wholeBytes: number): Group[] {
    const blocks = groupsIn(this.#blocks, ranges, wholeBytes);
    if (this.#pieces === null) return blocks;
    const pieces = groupsIn(this.#pieces, ranges, wholeBytes);
    return pieces.length < MAX_PIECES * blocks.length ? pieces : blocks;
  }

  /** Texts of ranges in one block or piece. `passing`: good until the next ones are asked for. */
  async #parts(place: Place, ranges: readonly PartRange[], passing = false): Promise<Uint8Array[]> {
    const { table, i } = place;
    const key = this.#keyOf(place);
    const base = table.textOffset(i);
    const inBlock = ranges.map(({ start, end }) => ({ start: start - base, end: end - base }));
    const kept = this.#cache.get(key);
    if (kept !== undefined) return cut(kept, inBlock);
    // Another caller that wants the block reads it again: memory is given back once.
    const reading = this.#ahead.get(key) ?? this.#data(place);
    this.#ahead.delete(key);
    const data = await reading;
    try {
      const size = table.textOffset(i + 1) - base;
      if (!this.#cache.wants(key, size)) return await this.#inflate(data.bytes, place, inBlock, passing);
      const [text] = await this.#inflate(data.bytes, place, [{ start: 0, end: size }], false);
      this.#cache.put(key, text!);
      return cut(text!, inBlock);
    } finally {
      this.#giveBack(data.buffer);
    }
  }

  async #inflate(
    data: Uint8Array,
    { table, i }: Place,
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
      if (inflater.copyParts(data, table.head(i), ranges, this.#room))
        return textsOf([{ ranges }], this.#room)[0]!;
    }
    return inflater.parts(data, this.#member, table, i, ranges);
  }

  #giveBack(buffer: Buffer | null): void {
    if (buffer !== null) this.#cache.scratch.give(buffer);
  }

  #keyOf({ table, i }: Place): string {
    return `${this.#key}\n${table === this.#blocks ? '' : 'piece '}${i}`;
  }

  #readAhead(place: Place): void {
    const key = this.#keyOf(place);
    if (this.#ahead.has(key) || this.#cache.get(key) !== undefined) return;
    const data = this.#data(place);
    data.catch(() => {});
    this.#ahead.set(key, data);
  }

  /**
   * The data of a block or piece, checked as far as the index tells; read once more when it is damaged. A local file
   * fills memory that is used again.
   */
  #data(place: Place): Promise<BlockData> {
    const { archive } = this.#archive;
    const { table, i } = place;
    const length = dataLength(place);
    const buffer = archive.descriptor === undefined ? null : this.#cache.scratch.take(length);
    const use = (bytes: Uint8Array) => {
      table.checkData(i, bytes, this.#member.path);
      return { bytes, buffer };
    };
    const at = this.#member.offset + table.dataOffset(i);
    return readTwice(archive, at, length, use, buffer?.subarray(0, length));
  }
}

function dataLength({ table, i }: Place): number {
  return table.dataOffset(i + 1) - table.dataOffset(i);
}

/** The block or piece that holds all of a range; null where none does. */
function placeIn(table: BlockTable, { start, end }: PartRange): Place | null {
  const i = table.find(start);
  return end <= table.textOffset(i + 1) ? { table, i } : null;
}

function groupsIn(table: BlockTable, ranges: readonly PartRange[], wholeBytes: number): Group[] {
  const groups: Group[] = [];
  for (const range of ranges) {
    const place = range.end - range.start <= wholeBytes ? placeIn(table, range) : null;
    const group = groups.at(-1);
    if (place !== null && group?.place?.i === place.i) group.ranges.push(range);
    else groups.push({ place, ranges: [range] });
  }
  return groups;
}

/** Parts of the text of a block. */
function cut(text: Uint8Array, ranges: readonly PartRange[]): Uint8Array[] {
  return ranges.map(({ start, end }) => text.subarray(start, end));
}
