import type { RangedSource } from '../zip/source.ts';

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

/**
 * Where archives and their indexes are kept. Keys are `/`-separated ASCII without empty, `.` or `..` parts;
 * anything else throws a RangeError. An object appears whole or not at all, and is never changed.
 */
export interface ObjectStore {
  /**
   * Stores an object, replacing one of the same key. A string is the path of a local file, which is moved
   * where that is possible and is gone afterwards; otherwise the bytes are streamed. Of a stream, a chunk is done with
   * when the next one is asked for: its memory may be used again then.
   */
  put(key: string, from: string | AsyncIterable<Uint8Array>): Promise<ObjectInfo>;
  head(key: string): Promise<ObjectInfo | null>;
  /** Opens an object for ranged reads. Throws ObjectMissing. A handle stays readable when the object is deleted meanwhile. */
  open(key: string): Promise<ObjectHandle>;
  /** Objects whose key starts with the prefix, by key. */
  list(prefix: string): AsyncIterable<ObjectInfo>;
  /** Deletes an object; one that is not there is no error. */
  delete(key: string): Promise<void>;
  /** Deletes objects. When it throws StoreUnavailable, some of them may be gone; a RangeError for a key deletes nothing. */
  deleteMany(keys: readonly string[]): Promise<void>;
  /** Cheap check that the store answers, for `/health/ready`. Throws when it does not. */
  probe(): Promise<void>;
  close(): Promise<void>;
}
