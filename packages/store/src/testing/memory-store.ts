import { createReadStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { assertKey, assertRange } from '../object-key.ts';
import {
  ObjectExists,
  type ObjectHandle,
  type ObjectInfo,
  ObjectMissing,
  type ObjectStore,
  type PutOptions,
  type StoreTraits,
} from '../object-store.ts';

interface Stored {
  bytes: Uint8Array;
  modified: Date;
}

/** Objects in memory, for tests. */
export class MemoryStore implements ObjectStore {
  readonly traits: StoreTraits = { handleOutlivesDelete: true, movesLocalFiles: false, readCost: 'local' };
  readonly #objects = new Map<string, Stored>();

  async put(
    key: string,
    from: string | AsyncIterable<Uint8Array>,
    { once = false }: PutOptions = {},
  ): Promise<ObjectInfo> {
    assertKey(key);
    const chunks: Uint8Array[] = [];
    for await (const chunk of typeof from === 'string' ? createReadStream(from) : from) {
      chunks.push(Uint8Array.from(chunk));
    }
    if (once && this.#objects.has(key)) throw new ObjectExists(key);
    if (typeof from === 'string') await rm(from);
    const stored = { bytes: Buffer.concat(chunks), modified: new Date() };
    this.#objects.set(key, stored);
    return info(key, stored);
  }

  async head(key: string): Promise<ObjectInfo | null> {
    assertKey(key);
    const stored = this.#objects.get(key);
    return stored === undefined ? null : info(key, stored);
  }

  async open(key: string): Promise<ObjectHandle> {
    assertKey(key);
    const bytes = this.#objects.get(key)?.bytes;
    if (bytes === undefined) throw new ObjectMissing(key);
    const slice = (offset: number, length: number) => {
      assertRange(key, bytes.length, offset, length);
      return bytes.subarray(offset, offset + length);
    };
    return {
      size: bytes.length,
      async read(offset, length) {
        return slice(offset, length);
      },
      async *stream(offset, length) {
        yield slice(offset, length);
      },
      async [Symbol.asyncDispose]() {},
    };
  }

  async *list(prefix: string): AsyncGenerator<ObjectInfo> {
    // Keys are ASCII, so the order of code units is that of bytes.
    for (const key of [...this.#objects.keys()].sort()) {
      const stored = this.#objects.get(key);
      if (stored !== undefined && key.startsWith(prefix)) yield info(key, stored);
    }
  }

  async delete(key: string): Promise<void> {
    await this.deleteMany([key]);
  }

  async deleteMany(keys: readonly string[]): Promise<void> {
    for (const key of keys) assertKey(key);
    for (const key of keys) this.#objects.delete(key);
  }

  async probe(): Promise<void> {}

  async close(): Promise<void> {}
}

function info(key: string, stored: Stored): ObjectInfo {
  return { key, size: stored.bytes.length, modified: stored.modified };
}
