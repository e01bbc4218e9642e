import type { FileHandle } from 'node:fs/promises';
import type { Lease } from '../lease-cache.ts';
import { assertRange } from '../object-key.ts';
import type { ObjectHandle } from '../object-store.ts';

/** Bytes per read of a stream. */
const CHUNK = 256 * 1024;

/** An open file with the size that it had when it was opened; objects never change. */
export interface OpenFile {
  handle: FileHandle;
  size: number;
}

/** Ranged reads of one file by positions, so that any number of readers share the open file. */
export class DirectoryHandle implements ObjectHandle {
  readonly size: number;
  readonly #key: string;
  readonly #lease: Lease<OpenFile>;

  constructor(key: string, lease: Lease<OpenFile>) {
    this.#key = key;
    this.#lease = lease;
    this.size = lease.value.size;
  }

  async read(offset: number, length: number): Promise<Uint8Array> {
    assertRange(this.#key, this.size, offset, length);
    return this.#readFully(Buffer.allocUnsafe(length), offset);
  }

  async readInto(target: Uint8Array, offset: number): Promise<void> {
    assertRange(this.#key, this.size, offset, target.length);
    await this.#readFully(target, offset);
  }

  async *stream(offset: number, length: number): AsyncGenerator<Uint8Array> {
    assertRange(this.#key, this.size, offset, length);
    const end = offset + length;
    let position = offset;
    const readNext = () => {
      const size = Math.min(CHUNK, end - position);
      position += size;
      // Not from Node's shared pool: the chunk is the consumer's, who may hold it for long.
      return this.#readFully(Buffer.allocUnsafeSlow(size), position - size);
    };
    let next = position < end ? readNext() : null;
    try {
      while (next !== null) {
        const chunk = await next;
        // The next chunk is read while the consumer is busy with this one.
        next = position < end ? readNext() : null;
        next?.catch(() => {});
        yield chunk;
      }
    } finally {
      // The file must not be given back under a read that is still going on.
      await next?.catch(() => {});
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#lease[Symbol.asyncDispose]();
  }

  async #readFully(buffer: Uint8Array, offset: number): Promise<Uint8Array> {
    let filled = 0;
    while (filled < buffer.length) {
      const { handle } = this.#lease.value;
      const { bytesRead } = await handle.read(buffer, filled, buffer.length - filled, offset + filled);
      if (bytesRead === 0) {
        throw new Error(
          `the object ${this.#key} ends at byte ${offset + filled}, it had ${this.size} bytes when it was opened: ` +
            'something changed its file',
        );
      }
      filled += bytesRead;
    }
    return buffer;
  }
}
