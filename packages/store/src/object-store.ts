import type { RangedSource } from '@citymodel/zip';
import type { ObjectStoreFigures } from './store-figures.ts';

/** One stored object. */
export interface ObjectInfo {
  key: string;
  /** Bytes. */
  size: number;
  modified: Date;
}

/** A source that must be given back, so that its handle can be reused or closed. */
export interface ObjectHandle extends RangedSource, AsyncDisposable {}

/** Thrown when an object is asked for that is not there. */
export class ObjectMissing extends Error {
  constructor(key: string) {
    super(`no object ${key} in the store`);
    this.name = 'ObjectMissing';
  }
}

/** Thrown by `put` with `once` when another writer has put an object of the key before. */
export class ObjectExists extends Error {
  constructor(key: string) {
    super(`another writer has put the object ${key} before`);
    this.name = 'ObjectExists';
  }
}

/** What stores do differently. */
export interface StoreTraits {
  /**
   * Whether a handle stays readable when its object is deleted or replaced; if not, its reads throw ObjectMissing then.
   */
  readonly handleOutlivesDelete: boolean;
  /** Whether `put` of a local file renames it, so that it should lie on the file system of the store. */
  readonly movesLocalFiles: boolean;
  /** `remote`: each read is a request over a network, whose number counts more than its bytes. */
  readonly readCost: 'local' | 'remote';
}

export interface PutOptions {
  /** Throw ObjectExists, and change nothing, when there is an object of the key already. */
  once?: boolean;
}

/** What a caller will read of an object right after opening it; a remote store reads it in the same round trip. */
export interface OpenHint {
  /** So many bytes from the start of the object. */
  first?: number;
  /** So many bytes at its end. */
  last?: number;
  /**
   * Bytes of the pieces in which a cache reads and keeps the object: those who read small pieces here and there want
   * small ones.
   */
  block?: number;
}

/**
 * Where archives and their indexes are kept. Keys are `/`-separated ASCII without empty, `.` or `..` parts;
 * anything else throws a RangeError. An object appears whole or not at all, and is never changed.
 */
export interface ObjectStore {
  readonly traits: StoreTraits;
  /**
   * Stores an object, replacing one of the same key. A string is the path of a local file, which is moved
   * where that is possible and is gone afterwards; otherwise the bytes are streamed. Of a stream, a chunk is done with
   * when the next one is asked for: its memory may be used again then.
   */
  put(key: string, from: string | AsyncIterable<Uint8Array>, options?: PutOptions): Promise<ObjectInfo>;
  head(key: string): Promise<ObjectInfo | null>;
  /**
   * Opens an object for ranged reads. Throws ObjectMissing. Bytes of two objects never mix: a handle reads the object
   * that it was opened for, or throws ObjectMissing (`traits.handleOutlivesDelete`).
   */
  open(key: string, hint?: OpenHint): Promise<ObjectHandle>;
  /** Objects whose key starts with the prefix, by key. */
  list(prefix: string): AsyncIterable<ObjectInfo>;
  /** Deletes an object; one that is not there is no error. */
  delete(key: string): Promise<void>;
  /**
   * Deletes objects. When it throws StoreUnavailable, some of them may be gone; a RangeError for a key deletes nothing.
   */
  deleteMany(keys: readonly string[]): Promise<void>;
  /**
   * Gives up uploads that were begun before the time and never finished, of keys for which `isWanted` is false; their
   * parts take room although no object shows them. Says how many. Absent where a store has no such thing.
   */
  abortUploads?(before: Date, isWanted: (key: string) => boolean): Promise<number>;
  /**
   * An address at which anybody may read an object for so many seconds, by ranges if wanted, with this
   * `Content-Disposition`. The object need not be there. Absent where a store has no such thing.
   */
  sign?(key: string, options: { seconds: number; disposition: string }): Promise<string>;
  /** Cheap check that the store answers, for `/health/ready`. Throws when it does not. */
  probe(): Promise<void>;
  /** Absent where a store is not reached over a network. Asks the store for nothing. */
  figures?(): Promise<ObjectStoreFigures>;
  /**
   * Ends every wait for the store, now and from now on, with StoreUnavailable: for a process that stops while the store
   * is silent. Absent where a store answers or fails by itself.
   */
  giveUp?(): void;
  close(): Promise<void>;
}
