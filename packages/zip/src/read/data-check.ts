/** Whether the data of a member, as it lies in the archive, is what was packed. */
import { crc32, createInflateRaw, type InflateRaw } from 'node:zlib';
import type { Member } from '../member.ts';
import { MemberDamaged } from '../member-damaged.ts';
import { type RangedSource, readInto } from '../source.ts';
import { STORED } from '../zip-format.ts';
import { badDeflate, checkCrc, checkEnd, inflateWhole, promisedOf, tooFar } from './inflate.ts';

/** A member with more text is inflated in pieces, bytes. */
const WHOLE_TEXT = 2 * 1024 * 1024;
/** A member with more text is inflated on the pool, bytes. */
export const POOLED_TEXT = 512 * 1024;

/**
 * CRC-32 of the deflate data of members, once it was inflated and found right. Indexes have the CRC-32 of the text
 * alone; with this one the data can be compared each time that it is read, a hundred times faster than by inflating it.
 */
export interface KnownData {
  get(member: Member): number | undefined;
  set(member: Member, crc: number): void;
}

/** For the one who reads a member once. */
export const NOTHING_KNOWN: KnownData = { get: () => undefined, set: () => {} };

/**
 * Reads bytes and uses them. When `use` throws MemberDamaged, what is kept of the bytes is dropped, and they are read
 * once more. Throws what the second time throws. `target`: memory of `length` bytes to read into.
 */
export async function readTwice<T>(
  source: RangedSource,
  offset: number,
  length: number,
  use: (bytes: Uint8Array) => T | Promise<T>,
  target?: Uint8Array,
): Promise<T> {
  for (let isLast = false; ; isLast = true) {
    const bytes = target ?? (await source.read(offset, length));
    if (target !== undefined) await readInto(source, target, offset);
    try {
      return await use(bytes);
    } catch (error) {
      if (!(error instanceof MemberDamaged)) throw error;
      await source.damaged?.(offset, length);
      if (isLast) throw error;
    }
  }
}

/** All data of a member, checked. Throws MemberDamaged when it is not what was packed, twice. */
export function readData(archive: RangedSource, member: Member, known: KnownData): Promise<Uint8Array> {
  return readTwice(archive, member.offset, member.compressedSize, async (data) => {
    const check = new DataCheck(member, known);
    await check.whole(data);
    return data;
  });
}

/**
 * All data of a member in chunks, the last of which is passed on when all are found right. Else it is told to the
 * source, and MemberDamaged is thrown in its place.
 */
export async function* streamData(
  archive: RangedSource,
  member: Member,
  known: KnownData,
  lent: boolean,
): AsyncGenerator<Uint8Array, void, void> {
  const check = new DataCheck(member, known);
  try {
    let left = member.compressedSize;
    for await (const chunk of archive.stream(member.offset, member.compressedSize, { lent })) {
      left -= chunk.length;
      await check.push(chunk);
      if (left === 0) await check.end();
      yield chunk;
    }
  } catch (error) {
    if (error instanceof MemberDamaged) await archive.damaged?.(member.offset, member.compressedSize);
    throw error;
  } finally {
    check.close();
  }
}

/** Looks at data as it comes: at its CRC-32 where that is known, else by inflating it. */
class DataCheck {
  readonly #member: Member;
  readonly #known: KnownData;
  /** What the data's CRC-32 has to be; undefined where only its text tells. */
  readonly #expected: number | undefined;
  #crc = 0;
  #inflating: Inflating | null = null;

  constructor(member: Member, known: KnownData) {
    this.#member = member;
    this.#known = known;
    this.#expected = member.method === STORED ? member.crc32 : known.get(member);
  }

  async whole(data: Uint8Array): Promise<void> {
    const member = this.#member;
    if (this.#expected !== undefined || member.size > WHOLE_TEXT) {
      await this.push(data);
      await this.end();
      return;
    }
    const promised = promisedOf(member);
    const text = await inflateWhole(data, promised, { ended: true, pooled: member.size > POOLED_TEXT });
    checkCrc(promised, crc32(text));
    this.#known.set(member, crc32(data));
  }

  async push(chunk: Uint8Array): Promise<void> {
    this.#crc = crc32(chunk, this.#crc);
    if (this.#expected !== undefined) return;
    this.#inflating ??= new Inflating(this.#member);
    await this.#inflating.push(chunk);
  }

  async end(): Promise<void> {
    if (this.#expected !== undefined) {
      checkCrc({ ...promisedOf(this.#member), crc32: this.#expected }, this.#crc);
      return;
    }
    await this.#inflating?.end();
    this.#known.set(this.#member, this.#crc);
  }

  close(): void {
    this.#inflating?.close();
  }
}

/** Inflates for the sake of the CRC-32 and the length of the text, and keeps nothing of it. */
class Inflating {
  readonly #member: Member;
  readonly #inflater: InflateRaw = createInflateRaw({ chunkSize: 256 * 1024 });
  readonly #ended: Promise<void>;
  #crc = 0;
  #size = 0;

  constructor(member: Member) {
    this.#member = member;
    this.#inflater.on('data', (text: Uint8Array) => {
      this.#crc = crc32(text, this.#crc);
      this.#size += text.length;
      if (this.#size > member.size) this.#inflater.destroy(tooFar(promisedOf(member)));
    });
    this.#ended = new Promise((resolve, reject) => {
      this.#inflater.once('end', resolve);
      this.#inflater.once('error', (error) =>
        reject(error instanceof MemberDamaged ? error : badDeflate(promisedOf(member), error)),
      );
      this.#inflater.once('close', () => reject(badDeflate(promisedOf(member), new Error('it was closed'))));
    });
    // A caller who pushes or ends is told.
    this.#ended.catch(() => {});
  }

  /** Resolves when the chunk has been read: its memory may be used again. */
  async push(chunk: Uint8Array): Promise<void> {
    const written = new Promise<void>((resolve) => this.#inflater.write(chunk, () => resolve()));
    await Promise.race([written, this.#ended]);
  }

  async end(): Promise<void> {
    this.#inflater.end();
    await this.#ended;
    const promised = promisedOf(this.#member);
    checkEnd(promised, this.#size, this.#inflater.bytesWritten);
    checkCrc(promised, this.#crc);
  }

  close(): void {
    this.#inflater.destroy();
  }
}
