/** Puts what is new of the objects into a backup. */
import { type ObjectInfo, ObjectMissing, type ObjectStore } from '../object-store.ts';
import { type KeptObject, keyOfData } from './backup-format.ts';
import { copyChecked, factsOf, OtherBytes } from './checked-copy.ts';
import type { WantedObject } from './wanted-objects.ts';

export interface KeeperParts {
  objects: ObjectStore;
  place: ObjectStore;
  /** Bytes that are in the place, by SHA-256, with their sizes. */
  there: ReadonlyMap<string, number>;
  /** Objects of the backup before this one, by key; what it has was compared when it was made. */
  before: ReadonlyMap<string, KeptObject>;
}

/** What became of one object. */
export type Kept =
  | { object: KeptObject; copied: boolean }
  /** Why it is not in the backup. */
  | { fault: string; isGone: boolean };

export class ObjectKeeper {
  readonly #parts: KeeperParts;
  /** Bytes that are known to be right, with their sizes. */
  readonly #right = new Map<string, number>();
  /** Several keys may have the same bytes. */
  readonly #copying = new Map<string, Promise<boolean>>();

  constructor(parts: KeeperParts) {
    this.#parts = parts;
    for (const { sha256, size } of parts.before.values()) {
      if (parts.there.get(sha256) === size) this.#right.set(sha256, size);
    }
  }

  /** Makes sure that the backup has an object; `info` is what the store lists of it. Throws StoreUnavailable. */
  async keep({ key, sha256: published }: WantedObject, info: ObjectInfo | undefined): Promise<Kept> {
    try {
      const sha256 =
        published ?? this.#knownAs(info) ?? (await factsOf({ store: this.#parts.objects, key })).sha256;
      const copied = await this.#has(key, sha256);
      const size = this.#right.get(sha256)!;
      return { object: { key, size, sha256, modified: info?.modified.getTime() ?? 0 }, copied };
    } catch (error) {
      if (error instanceof ObjectMissing) return { fault: 'it is not in the object store', isGone: true };
      if (error instanceof OtherBytes) return { fault: error.message, isGone: false };
      throw error;
    }
  }

  /** The SHA-256 of an object that has not changed since the backup before. */
  #knownAs(info: ObjectInfo | undefined): string | undefined {
    const before = info && this.#parts.before.get(info.key);
    const isSame = before?.size === info?.size && before?.modified === info?.modified.getTime();
    return isSame ? before?.sha256 : undefined;
  }

  /** True when the bytes had to be copied. */
  async #has(key: string, sha256: string): Promise<boolean> {
    if (this.#right.has(sha256)) return false;
    const other = this.#copying.get(sha256);
    if (other !== undefined) {
      await other;
      return false;
    }
    const copying = this.#copy(key, sha256).finally(() => this.#copying.delete(sha256));
    this.#copying.set(sha256, copying);
    return copying;
  }

  async #copy(key: string, sha256: string): Promise<boolean> {
    const { objects, place, there } = this.#parts;
    const copy = { store: place, key: keyOfData(sha256) };
    // Written by a program that was killed before it could compare them, or of a backup further back.
    if (there.has(sha256)) {
      const facts = await factsOf(copy);
      if (facts.sha256 === sha256) {
        this.#right.set(sha256, facts.size);
        return false;
      }
    }
    this.#right.set(sha256, await copyChecked({ store: objects, key }, copy, sha256));
    return true;
  }
}
