import type { StreamOptions } from '@citymodel/zip';
import { assertRange } from '../object-key.ts';
import type {
  ObjectHandle,
  ObjectInfo,
  ObjectStore,
  OpenHint,
  PutOptions,
  StoreTraits,
} from '../object-store.ts';
import type { BlockMemory } from './block-memory.ts';

/**
 * Bytes of a block, unless a hint says otherwise. A read of a remote store takes longer to begin than to bring as many.
 */
const BLOCK = 32 * 1024;
/** A longer read is not kept: it would push out what many small reads need. */
const MAX_READ = 512 * 1024;
/** A stream up to this length is read as a whole. */
const MAX_STREAM = 256 * 1024;

/** A handle that tells its object from any other of the same key. */
export interface TaggedHandle extends ObjectHandle {
  readonly etag: string;
  /** Bytes that came with opening; null for others. */
  known?(offset: number, length: number): Uint8Array | null;
}

/** A store whose handles are tagged. */
export interface TaggedStore extends ObjectStore {
  open(key: string, hint?: OpenHint): Promise<TaggedHandle>;
}

/**
 * A remote store with the blocks of objects that are read in small pieces, indexes above all, kept here. Blocks are
 * kept by key and entity tag, so that they are never those of another object; opening asks the store each time.
 */
export class CachedStore implements ObjectStore {
  readonly #inner: TaggedStore;
  readonly #blocks: BlockMemory;
  readonly abortUploads?: NonNullable<ObjectStore['abortUploads']>;
  readonly sign?: NonNullable<ObjectStore['sign']>;
  readonly figures?: NonNullable<ObjectStore['figures']>;

  constructor(inner: TaggedStore, blocks: BlockMemory) {
    this.#inner = inner;
    this.#blocks = blocks;
    const { abortUploads, sign } = inner;
    const ofInner = inner.figures?.bind(inner);
    if (ofInner !== undefined) {
      this.figures = async () => ({ ...(await ofInner()), cache: blocks.figures() });
    }
    if (abortUploads !== undefined) this.abortUploads = abortUploads.bind(inner);
    if (sign !== undefined) this.sign = sign.bind(inner);
  }

  get traits(): StoreTraits {
    return this.#inner.traits;
  }

  put(key: string, from: string | AsyncIterable<Uint8Array>, options?: PutOptions): Promise<ObjectInfo> {
    return this.#inner.put(key, from, options);
  }

  head(key: string): Promise<ObjectInfo | null> {
    return this.#inner.head(key);
  }

  async open(key: string, hint?: OpenHint): Promise<ObjectHandle> {
    return new CachedHandle(key, await this.#inner.open(key, hint), this.#blocks, hint?.block ?? BLOCK);
  }

  list(prefix: string): AsyncIterable<ObjectInfo> {
    return this.#inner.list(prefix);
  }

  delete(key: string): Promise<void> {
    return this.#inner.delete(key);
  }

  deleteMany(keys: readonly string[]): Promise<void> {
    return this.#inner.deleteMany(keys);
  }

  probe(): Promise<void> {
    return this.#inner.probe();
  }

  giveUp(): void {
    this.#inner.giveUp?.();
  }

  async close(): Promise<void> {
    await this.#blocks.settle();
    await this.#inner.close();
  }
}

class CachedHandle implements ObjectHandle {
  readonly size: number;
  readonly #key: string;
  readonly #inner: TaggedHandle;
  readonly #blocks: BlockMemory;
  readonly #block: number;
  /** Blocks that are being read, for all who want them. */
  readonly #reading = new Map<number, Promise<Uint8Array>>();

  constructor(key: string, inner: TaggedHandle, blocks: BlockMemory, block: number) {
    this.#key = key;
    this.#inner = inner;
    this.#blocks = blocks;
    this.#block = block;
    this.size = inner.size;
  }

  async read(offset: number, length: number): Promise<Uint8Array> {
    assertRange(this.#key, this.size, offset, length);
    if (length === 0) return new Uint8Array(0);
    if (length > MAX_READ) return this.#inner.read(offset, length);
    const first = Math.floor(offset / this.#block);
    const last = Math.floor((offset + length - 1) / this.#block);
    // A header that came without the rest of its block is not worth a request for that.
    const known = this.#inner.known?.(offset, length) ?? null;
    if (known !== null && this.#inner.known?.(first * this.#block, this.#lengthOf(first)) == null)
      return known;
    const numbers = Array.from({ length: last - first + 1 }, (_, i) => first + i);
    const kept = await Promise.all(numbers.map((i) => this.#kept(i)));
    // What is missing is asked for together, for the store to join it.
    const blocks = await Promise.all(kept.map((block, i) => block ?? this.#missing(first + i)));
    const start = offset - first * this.#block;
    const [only] = blocks;
    if (blocks.length === 1 && only !== undefined) return only.subarray(start, start + length);
    return Buffer.concat(blocks).subarray(start, start + length);
  }

  /** A caller that brings memory along reads much, and once. */
  async readInto(target: Uint8Array, offset: number): Promise<void> {
    if (this.#inner.readInto !== undefined) return this.#inner.readInto(target, offset);
    target.set(await this.#inner.read(offset, target.length));
  }

  async *stream(offset: number, length: number, options?: StreamOptions): AsyncGenerator<Uint8Array> {
    if (length > 0 && length <= MAX_STREAM) yield await this.read(offset, length);
    else yield* this.#inner.stream(offset, length, options);
  }

  async damaged(offset: number, length: number): Promise<void> {
    await this.#inner.damaged?.(offset, length);
    const last = Math.floor((offset + Math.max(length, 1) - 1) / this.#block);
    for (let i = Math.floor(offset / this.#block); i <= last; i++) await this.#blocks.drop(this.#name(i));
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#inner[Symbol.asyncDispose]() as Promise<void>;
  }

  /** With its place in bytes: a disk cache may have blocks of another length from an earlier version. */
  #name(i: number): string {
    return `${this.#key}\n${this.#inner.etag}\n${i * this.#block}+${this.#lengthOf(i)}`;
  }

  #lengthOf(i: number): number {
    return Math.min(this.#block, this.size - i * this.#block);
  }

  async #kept(i: number): Promise<Uint8Array | null> {
    if (this.#reading.has(i)) return null;
    const block = await this.#blocks.get(this.#name(i));
    return block?.length === this.#lengthOf(i) ? block : null;
  }

  #missing(i: number): Promise<Uint8Array> {
    let reading = this.#reading.get(i);
    if (reading === undefined) {
      reading = this.#load(i).finally(() => this.#reading.delete(i));
      this.#reading.set(i, reading);
    }
    return reading;
  }

  async #load(i: number): Promise<Uint8Array> {
    // A copy: the bytes may be part of a longer read, which would stay in memory as long as they do.
    const block = Uint8Array.from(await this.#inner.read(i * this.#block, this.#lengthOf(i)));
    this.#blocks.put(this.#name(i), block);
    return block;
  }
}
