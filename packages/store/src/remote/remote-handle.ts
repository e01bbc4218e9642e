import type { StreamOptions } from '@citymodel/zip';
import { JoinedReads } from '../joined-reads.ts';
import { assertRange } from '../object-key.ts';
import type { ObjectHandle } from '../object-store.ts';
import { type RemoteObject, readRange, streamRange } from './read-range.ts';

/** Ranges with no more between them are read as one: so much comes in the time that one more request takes, bytes. */
const GAP = 256 * 1024;
/** Longest request, bytes; longer reads are made of several that run side by side. */
const PART = 8 * 2 ** 20;
/** Requests of one object at the same time. */
const AT_ONCE = 8;
/** How long bytes that came with opening are kept, ms: they are for who opens. */
const KNOWN_MS = 5_000;
/** A shorter stream is read at once, bytes. */
const SMALL = 256 * 1024;

/** Bytes of an object that are in memory already. */
export interface KnownRange {
  offset: number;
  bytes: Uint8Array;
}

/** Ranged reads of one object of a remote store. */
export class RemoteHandle implements ObjectHandle {
  readonly size: number;
  /** Changes with the bytes of the object. */
  readonly etag: string;
  readonly #object: RemoteObject;
  readonly #joined: JoinedReads;
  #known: KnownRange[];

  /** `known` are ranges that came with opening. */
  constructor(object: RemoteObject, known: KnownRange[] = []) {
    this.#object = object;
    this.size = object.size;
    this.etag = object.etag;
    this.#known = known;
    if (known.length > 0) {
      setTimeout(() => {
        this.#known = [];
      }, KNOWN_MS).unref();
    }
    this.#joined = new JoinedReads({
      read: (offset, length) => this.#fetch(offset, length),
      gap: GAP,
      maxLength: PART,
      atOnce: AT_ONCE,
    });
  }

  async read(offset: number, length: number): Promise<Uint8Array> {
    assertRange(this.#object.key, this.size, offset, length);
    if (length === 0) return new Uint8Array(0);
    const known = this.known(offset, length);
    if (known !== null) return known;
    if (length <= PART) return this.#joined.read(offset, length);
    const whole = Buffer.allocUnsafeSlow(length);
    await this.readInto(whole, offset);
    return whole;
  }

  /** Bytes that came with opening, and are still here; null for others. */
  known(offset: number, length: number): Uint8Array | null {
    for (const { offset: start, bytes } of this.#known) {
      if (offset >= start && offset + length <= start + bytes.length) {
        return bytes.subarray(offset - start, offset - start + length);
      }
    }
    return null;
  }

  async readInto(target: Uint8Array, offset: number): Promise<void> {
    assertRange(this.#object.key, this.size, offset, target.length);
    const parts: number[] = [];
    for (let at = 0; at < target.length; at += PART) parts.push(at);
    const work = Array.from({ length: Math.min(AT_ONCE, parts.length) }, async () => {
      for (let at = parts.shift(); at !== undefined; at = parts.shift()) {
        await readRange(this.#object, target.subarray(at, Math.min(at + PART, target.length)), offset + at);
      }
    });
    await Promise.all(work);
  }

  async *stream(offset: number, length: number, options?: StreamOptions): AsyncGenerator<Uint8Array> {
    assertRange(this.#object.key, this.size, offset, length);
    if (length <= SMALL) yield await this.read(offset, length);
    else yield* streamRange(this.#object, offset, length, options);
  }

  async damaged(): Promise<void> {
    this.#known = [];
  }

  async [Symbol.asyncDispose](): Promise<void> {}

  async #fetch(offset: number, length: number): Promise<Uint8Array> {
    const target = Buffer.allocUnsafeSlow(length);
    await readRange(this.#object, target, offset);
    return target;
  }
}
