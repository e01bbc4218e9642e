/** The text of features out of the blocks of a GML member, with blocks that are asked for repeatedly kept. */
import type { OpenArchive } from '../store/archives.ts';
import type { BlockTable } from '../zip/block-table.ts';
import type { Member } from '../zip/member.ts';
import { BlockInflater } from '../zip/read/block-inflater.ts';
import { InflateThread } from '../zip/read/inflate-thread.ts';

/**
 * Blocks of which it is remembered that they were asked for: about as many as are kept. With more, callers all over a file of
 * many blocks would find each of them seen, and fill the cache with what is not asked for again.
 */
const MAX_SEEN = 50;

/** Blocks that are read at once, and inflated in one visit to the other thread. */
const WINDOW_BLOCKS = 16;
/** A window of blocks that hardly deflate is shorter, bytes of data. */
const WINDOW_BYTES = 1024 * 1024;
/** Windows that the other thread has before their turn; of one more the data is being read. */
const WINDOWS_AHEAD = 2;
/** From so many windows on it pays to have the other thread at all, which takes some 19 MB. */
const MANY_WINDOWS = 3;

/** Where a feature's element lies in the text of its file, bytes; `end` is exclusive. */
export interface TextRange {
  start: number;
  end: number;
}

/**
 * Inflated blocks of all archives, bounded by their bytes. A block is kept when it is asked for a second time: what is
 * asked for once, as by those who list a city, pushes nothing out, and only as much of it is inflated as is needed.
 */
export class BlockCache {
  readonly inflater = new BlockInflater();
  /** Inflates what is needed next in long answers. */
  readonly thread = new InflateThread();
  readonly #maxBytes: number;
  /** Least recently used first. */
  readonly #blocks = new Map<string, Uint8Array>();
  readonly #seen = new Set<string>();
  #bytes = 0;

  /** `maxBytes`: of text. */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  get(key: string): Uint8Array | undefined {
    const text = this.#blocks.get(key);
    if (text === undefined) return undefined;
    this.#blocks.delete(key);
    this.#blocks.set(key, text);
    return text;
  }

  /** True when the block has been asked for before and would be worth keeping. */
  wants(key: string, bytes: number): boolean {
    if (bytes > this.#maxBytes / 2) return false;
    if (this.#seen.delete(key)) return true;
    this.#seen.add(key);
    if (this.#seen.size > MAX_SEEN) this.#seen.delete(this.#seen.values().next().value!);
    return false;
  }

  put(key: string, text: Uint8Array): void {
    if (this.#blocks.has(key)) return;
    this.#blocks.set(key, text);
    this.#bytes += text.length;
    for (const [oldest, { length }] of this.#blocks) {
      if (this.#bytes <= this.#maxBytes) break;
      this.#blocks.delete(oldest);
      this.#bytes -= length;
    }
  }
}

/** Ranges that are read together: of one block, or one range of several blocks, with null. */
interface Group {
  block: number | null;
  ranges: TextRange[];
}

/**
 * One GML member whose features are read. The archive must stay open until this has been closed: data that is being
 * read ahead may outlive the caller's interest.
 */
export class FeatureText implements AsyncDisposable {
  readonly #cache: BlockCache;
  readonly #archive: OpenArchive;
  readonly #member: Member;
  readonly #blocks: BlockTable;
  readonly #key: string;
  /** Data of blocks that was asked for before it is needed. */
  readonly #ahead = new Map<number, Promise<Uint8Array>>();
  /** Of blocks whose turn is still to come, whether they will be kept. */
  readonly #willKeep = new Map<number, boolean>();

  /** `key` names the member among all archives, and changes with its bytes. */
  constructor(cache: BlockCache, archive: OpenArchive, member: Member, blocks: BlockTable, key: string) {
    this.#cache = cache;
    this.#archive = archive;
    this.#member = member;
    this.#blocks = blocks;
    this.#key = key;
  }

  /** The bytes of a range. What is returned must not be changed. */
  async read({ start, end }: TextRange): Promise<Uint8Array> {
    const first = this.#blocks.find(start);
    if (end <= this.#blocks.textOffset(first + 1)) return (await this.#parts(first, [{ start, end }]))[0]!;
    const parts: Uint8Array[] = [];
    for await (const part of this.stream({ start, end })) parts.push(part);
    return Buffer.concat(parts);
  }

  /** The bytes of a range, block by block; the next block's data is read while the consumer has this one. */
  async *stream({ start, end }: TextRange): AsyncGenerator<Uint8Array, void, void> {
    const last = this.#blocks.find(end - 1);
    for (let i = this.#blocks.find(start); i <= last; i++) {
      if (i < last) this.#readAhead(i + 1);
      const part = {
        start: Math.max(start, this.#blocks.textOffset(i)),
        end: Math.min(end, this.#blocks.textOffset(i + 1)),
      };
      yield* await this.#parts(i, [part]);
    }
  }

  /**
   * Texts of many features in the order of the file, those of one block from one inflation. A feature that lies in several
   * blocks and is larger than `wholeBytes` gets null: it is to be read by itself.
   *
   * The work goes on in windows of some blocks. While the caller has the texts of one, the next ones are with the other
   * thread, when there are many, and the data of one more is being read:
   *
   *     caller        │ window 0 (inflated here) │ window 1 │ window 2 │
   *     other thread  │ window 1      window 2   │ window 3 │ …
   *     disk          │ window 3                 │ window 4 │ …
   */
  async *readMany(
    ranges: readonly TextRange[],
    { wholeBytes }: { wholeBytes: number },
  ): AsyncGenerator<Uint8Array | null, void, void> {
    const windows = this.#windows(this.#groups(ranges));
    if (windows.length >= MANY_WINDOWS) this.#cache.thread.start();
    const inflating: Array<Promise<Map<number, Uint8Array[]>>> = [];
    let reading = 0;
    for (const [w, window] of windows.entries()) {
      for (; reading < Math.min(w + WINDOWS_AHEAD + 2, windows.length); reading++) {
        for (const { block } of windows[reading]!) this.#readAhead(block);
      }
      for (
        let next = Math.max(1, inflating.length);
        next <= w + WINDOWS_AHEAD && next < windows.length;
        next++
      ) {
        inflating[next] = this.#inflateAhead(windows[next]!);
        inflating[next]!.catch(() => {});
      }
      const inflated = await inflating[w];
      for (const { block, ranges } of window) {
        if (block !== null) {
          yield* inflated?.get(block) ?? (await this.#parts(block, ranges));
          continue;
        }
        const range = ranges[0]!;
        yield range.end - range.start > wholeBytes ? null : await this.read(range);
      }
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.allSettled(this.#ahead.values());
  }

  /** Neighbours in the same block together; a range in several blocks by itself, with null. */
  #groups(ranges: readonly TextRange[]): Group[] {
    const groups: Group[] = [];
    for (const range of ranges) {
      const found = this.#blocks.find(range.start);
      const block = range.end <= this.#blocks.textOffset(found + 1) ? found : null;
      const group = groups.at(-1);
      if (block !== null && group?.block === block) group.ranges.push(range);
      else groups.push({ block, ranges: [range] });
    }
    return groups;
  }

  #windows(groups: readonly Group[]): Group[][] {
    const windows: Group[][] = [];
    let bytes = 0;
    for (const group of groups) {
      const { block } = group;
      const length = block === null ? 0 : this.#blocks.dataOffset(block + 1) - this.#blocks.dataOffset(block);
      const window = windows.at(-1);
      if (window !== undefined && window.length < WINDOW_BLOCKS && bytes + length <= WINDOW_BYTES) {
        window.push(group);
        bytes += length;
      } else {
        windows.push([group]);
        bytes = length;
      }
    }
    return windows;
  }

  /** Parts by block, of those that the other thread has taken; the others are inflated when their turn comes. */
  async #inflateAhead(groups: readonly Group[]): Promise<Map<number, Uint8Array[]>> {
    const { thread } = this.#cache;
    const given: Array<{ block: number; data: Promise<Uint8Array>; ranges: TextRange[] }> = [];
    for (const { block, ranges } of thread.isFree ? groups : []) {
      const data = block === null ? undefined : this.#ahead.get(block);
      if (block === null || data === undefined || this.#keeps(block)) continue;
      given.push({ block, data, ranges: this.#inBlock(block, ranges) });
    }
    const blocks = await Promise.all(given.map(async ({ data, ranges }) => ({ data: await data, ranges })));
    const parts = await thread.parts(blocks);
    if (parts === null) return new Map();
    for (const { block } of given) {
      this.#ahead.delete(block);
      this.#willKeep.delete(block);
    }
    return new Map(given.map(({ block }, i) => [block, parts[i]!]));
  }

  /** Whether the block is to be kept; asked as often as one likes until its turn comes. */
  #keeps(i: number): boolean {
    let keeps = this.#willKeep.get(i);
    if (keeps === undefined) {
      keeps = this.#cache.wants(
        `${this.#key}\n${i}`,
        this.#blocks.textOffset(i + 1) - this.#blocks.textOffset(i),
      );
      this.#willKeep.set(i, keeps);
    }
    return keeps;
  }

  #inBlock(i: number, ranges: readonly TextRange[]): TextRange[] {
    const base = this.#blocks.textOffset(i);
    return ranges.map(({ start, end }) => ({ start: start - base, end: end - base }));
  }

  /** Texts of ranges in one block, offsets in the file. */
  async #parts(i: number, ranges: readonly TextRange[]): Promise<Uint8Array[]> {
    const key = `${this.#key}\n${i}`;
    const inBlock = this.#inBlock(i, ranges);
    let text = this.#cache.get(key);
    if (text === undefined) {
      const data = await (this.#ahead.get(i) ?? this.#data(i));
      this.#ahead.delete(i);
      const keeps = this.#keeps(i);
      this.#willKeep.delete(i);
      const { inflater } = this.#cache;
      if (!keeps) return inflater.parts(data, this.#member, this.#blocks, i, inBlock);
      const size = this.#blocks.textOffset(i + 1) - this.#blocks.textOffset(i);
      text = (await inflater.parts(data, this.#member, this.#blocks, i, [{ start: 0, end: size }]))[0]!;
      this.#cache.put(key, text);
    }
    const whole = text;
    return inBlock.map(({ start, end }) => whole.subarray(start, end));
  }

  #readAhead(i: number | null): void {
    if (i === null || this.#ahead.has(i) || this.#cache.get(`${this.#key}\n${i}`) !== undefined) return;
    const data = this.#data(i);
    data.catch(() => {});
    this.#ahead.set(i, data);
  }

  #data(i: number): Promise<Uint8Array> {
    const start = this.#blocks.dataOffset(i);
    return this.#archive.archive.read(this.#member.offset + start, this.#blocks.dataOffset(i + 1) - start);
  }
}
