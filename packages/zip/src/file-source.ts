import { type FileHandle, open } from 'node:fs/promises';
import type { RangedSource, StreamOptions } from './source.ts';

/** Bytes per read of a stream. */
const CHUNK = 256 * 1024;

/** An open file with the size that it had when it was opened. */
export interface OpenFile {
  handle: FileHandle;
  size: number;
}

/**
 * Ranged reads of an open file by positions, so that any number of readers share it. The file must not change.
 * Disposing gives it back to the one who opened it.
 */
export class FileSource implements RangedSource, AsyncDisposable {
  readonly size: number;
  readonly #handle: FileHandle;
  readonly #name: string;
  readonly #close: () => PromiseLike<void>;

  /** `name` is what messages call the file. */
  constructor({ handle, size }: OpenFile, name: string, close: () => PromiseLike<void>) {
    this.#handle = handle;
    this.size = size;
    this.#name = name;
    this.#close = close;
  }

  get descriptor(): number {
    return this.#handle.fd;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#close();
  }

  async read(offset: number, length: number): Promise<Uint8Array> {
    this.#assertRange(offset, length);
    return this.#fill(Buffer.allocUnsafe(length), offset);
  }

  async readInto(target: Uint8Array, offset: number): Promise<void> {
    this.#assertRange(offset, target.length);
    await this.#fill(target, offset);
  }

  async *stream(
    offset: number,
    length: number,
    { lent = false }: StreamOptions = {},
  ): AsyncGenerator<Uint8Array> {
    this.#assertRange(offset, length);
    const end = offset + length;
    let position = offset;
    // Not from Node's shared pool: a chunk that is not lent is the consumer's, who may hold it for long.
    const fresh = () => Buffer.allocUnsafeSlow(Math.min(CHUNK, length));
    const lendable = lent ? [fresh(), fresh()] : null;
    let reads = 0;
    const readNext = () => {
      const size = Math.min(CHUNK, end - position);
      position += size;
      const target =
        lendable === null ? Buffer.allocUnsafeSlow(size) : lendable[reads++ % 2]!.subarray(0, size);
      return this.#fill(target, position - size);
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
      // The file must not be closed under a read that is still going on.
      await next?.catch(() => {});
    }
  }

  #assertRange(offset: number, length: number): void {
    const areWhole = Number.isSafeInteger(offset) && Number.isSafeInteger(length);
    if (!areWhole || offset < 0 || length < 0 || offset + length > this.size) {
      throw new RangeError(`bytes ${offset}+${length} lie outside ${this.#name} of ${this.size} bytes`);
    }
  }

  async #fill(target: Uint8Array, offset: number): Promise<Uint8Array> {
    let filled = 0;
    while (filled < target.length) {
      const { bytesRead } = await this.#handle.read(target, filled, target.length - filled, offset + filled);
      if (bytesRead === 0) {
        throw new Error(
          `${this.#name} ends at byte ${offset + filled}; it had ${this.size} bytes when it was opened: ` +
            'something changed the file',
        );
      }
      filled += bytesRead;
    }
    return target;
  }
}

/** Opens a local file. Throws what opening throws. */
export async function openFile(path: string): Promise<OpenFile> {
  const handle = await open(path, 'r');
  try {
    return { handle, size: (await handle.stat()).size };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/** Opens a local file for ranged reads; disposing closes it. Throws what opening throws. */
export async function openFileSource(path: string): Promise<FileSource> {
  const file = await openFile(path);
  return new FileSource(file, path, () => file.handle.close());
}
