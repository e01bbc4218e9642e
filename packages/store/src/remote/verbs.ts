/**
 * What a remote object store has to be able to do, and nothing more. Patience, places, retries of broken reads, hints,
 * parts of an upload and the answers that get lost are in `RemoteStore`, for all of them alike. A new store is these
 * verbs.
 */
import type { Readable } from 'node:stream';
import type { ObjectInfo } from '../object-store.ts';
import type { AskOptions } from './ask.ts';
import type { StoreFaults } from './store-faults.ts';

/** What a store tells of an object. */
export interface StoredFacts {
  /** Changes with the bytes of the object; as the store gives it, with its quotes. */
  etag: string;
  /** Bytes. */
  size: number;
  modified: Date;
  /** What `put` said of its writer; null for objects of others. */
  writer: string | null;
}

/** Bytes `[offset, offset + length)`, or the `last` ones. */
export type ByteRange = { offset: number; length: number } | { last: number };

/** An answer that has begun. */
export interface RangeAnswer {
  body: Readable;
  /** Where its bytes lie, as the store says; those of an answer with the whole object begin at 0. */
  offset: number;
  length: number;
  etag: string;
  /** Bytes of the object. */
  size: number;
  /** False where the store sends the whole object, because it knows no ranges. */
  isPart: boolean;
}

/** An object as it was when it was opened. */
export interface OpenedObject {
  key: string;
  etag: string;
  /** Bytes. */
  size: number;
}

/** What is to become of the bytes that are sent. */
export interface PutTarget {
  key: string;
  /** Have the store refuse when there is an object of the key. */
  once: boolean;
  contentType: string;
  /** Is kept with the object: by it, a write whose answer was lost is told from that of another writer. */
  writer: string;
}

/** Part of an object, as the store names it. */
export interface SentPart {
  /** From 1. */
  number: number;
  tag: string;
}

/** Every verb rejects with what `faults` can read. Keys are checked, and without the prefix of the store. */
export interface RemoteVerbs {
  readonly faults: StoreFaults;
  /** Parts that an object has at most. */
  readonly maxParts: number;
  /** Keys of one `delete`. */
  readonly deletesAtOnce: number;
  head(key: string, options: AskOptions): Promise<StoredFacts>;
  /** Resolves when the answer begins. With an entity tag it rejects for any other object. */
  get(key: string, range: ByteRange, etag: string | null, options: AskOptions): Promise<RangeAnswer>;
  /**
   * A long range in chunks that are overwritten once the next one is asked for, faster than `get` is; null when that
   * does not work here. Absent where a store has no such way.
   */
  stream?(object: OpenedObject, offset: number, length: number): Promise<AsyncIterable<Uint8Array> | null>;
  /** Stores an object of these bytes. */
  put(target: PutTarget, body: Uint8Array): Promise<void>;
  /** Begins an object of parts, which appears with `joinParts`; gives the name of the upload. */
  beginParts(target: PutTarget): Promise<string>;
  putPart(target: PutTarget, upload: string, number: number, body: Uint8Array): Promise<string>;
  joinParts(target: PutTarget, upload: string, parts: readonly SentPart[]): Promise<void>;
  /** Lets go of what was sent. Absent where a store forgets it by itself. */
  dropParts?(target: PutTarget, upload: string): Promise<void>;
  /** Gives up uploads as `ObjectStore.abortUploads`. */
  abortUploads?(before: Date, isWanted: (key: string) => boolean): Promise<number>;
  /** By key. */
  list(prefix: string): AsyncIterable<ObjectInfo>;
  /** Deletes objects, those that are not there too. */
  delete(keys: readonly string[], options: AskOptions): Promise<void>;
  /** Absent where the keys do not allow it. */
  sign?(key: string, options: { seconds: number; disposition: string; contentType: string }): Promise<string>;
  /** Asks once whether the place of the objects is there, within a time, ms. */
  look(ms: number): Promise<void>;
  /** When the keys end, ms since 1970; null when they do not, or that is not known. */
  credentialsEnd?(): Promise<number | null>;
  /** Ends all connections. */
  close(): void;
}
