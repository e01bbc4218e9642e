/** The text of features out of the blocks of a GML member, with blocks that are asked for repeatedly kept. */
import type { OpenArchive } from '../store/archives.ts';
import { BlockInflater } from '../zip/block-inflater.ts';
import type { BlockTable } from '../zip/block-table.ts';
import type { Member } from '../zip/member.ts';

/**
 * Blocks of which it is remembered that they were asked for: about as many as are kept. With more, callers all over a file of
 * many blocks would find each of them seen, and fill the cache with what is not asked for again.
 */
const MAX_SEEN = 50;

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
   * Texts of many features in the order of the file, those of one block from one inflation, with the data of the next
   * blocks being read meanwhile. A feature that lies in several blocks and is larger than `wholeBytes` gets null: it is
   * to be read by itself.
   */
  async *readMany(
    ranges: readonly TextRange[],
    { blocksAhead, wholeBytes }: { blocksAhead: number; wholeBytes: number },
  ): AsyncGenerator<Uint8Array | null, void, void> {
    const groups = this.#groups(ranges);
    for (const [g, group] of groups.entries()) {
      for (const { block } of groups.slice(g + 1, g + 1 + blocksAhead)) this.#readAhead(block);
      if (group.block !== null) {
        yield* await this.#parts(group.block, group.ranges);
        continue;
      }
      const range = group.ranges[0]!;
      yield range.end - range.start > wholeBytes ? null : await this.read(range);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.allSettled(this.#ahead.values());
  }

  /** Neighbours in the same block together; a range in several blocks by itself, with null. */
  #groups(ranges: readonly TextRange[]): Array<{ block: number | null; ranges: TextRange[] }> {
    const groups: Array<{ block: number | null; ranges: TextRange[] }> = [];
    for (const range of ranges) {
      const found = this.#blocks.find(range.start);
      const block = range.end <= this.#blocks.textOffset(found + 1) ? found : null;
      const group = groups.at(-1);
      if (block !== null && group?.block === block) group.ranges.push(range);
      else groups.push({ block, ranges: [range] });
    }
    return groups;
  }

  /** Texts of ranges in one block, offsets in the file. */
  async #parts(i: number, ranges: readonly TextRange[]): Promise<Uint8Array[]> {
    const key = `${this.#key}\n${i}`;
    const base = this.#blocks.textOffset(i);
    const inBlock = ranges.map(({ start, end }) => ({ start: start - base, end: end - base }));
    let text = this.#cache.get(key);
    if (text === undefined) {
      const data = await (this.#ahead.get(i) ?? this.#data(i));
      this.#ahead.delete(i);
      const size = this.#blocks.textOffset(i + 1) - base;
      const { inflater } = this.#cache;
      if (!this.#cache.wants(key, size)) return inflater.parts(data, this.#member, this.#blocks, i, inBlock);
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
