/**
 * Records of an answer that must wait for its last one: in memory while they are few, then on the disk, deflated. So a
 * table of any city takes little memory, and a bounded part of the disk.
 */
import { randomUUID } from 'node:crypto';
import { type FileHandle, mkdir, open, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { deserialize, serialize } from 'node:v8';
import { constants, deflateRaw, inflateRaw } from 'node:zlib';
import { ServiceError } from '../../base/errors.ts';

const deflate = promisify(deflateRaw);
const inflate = promisify(inflateRaw);

/** Records that are serialised together. */
const TOGETHER = 256;
/** Bytes of memory from which on blocks follow others to the disk. */
const AT_ONCE = 256 * 1024;
const ADVICE =
  'Ask for a smaller area, fewer types or fewer fields, or for format=geojson with flatten=true, which has no such ' +
  'limit.';

/** The part of a disk that all spools share. */
export class SpoolSpace {
  readonly directory: string;
  readonly #bytes: number;
  #taken = 0;

  /** `directory` is made when it is needed first; `bytes`: how much all spools may take together. */
  constructor(directory: string, bytes: number) {
    this.directory = directory;
    this.#bytes = bytes;
  }

  /**
   * Takes `more` bytes for a spool that has `own`. Throws ServiceError 413 `request too large` where the space is too
   * small for it alone, 503 where others have it.
   */
  take(own: number, more: number): void {
    if (own + more > this.#bytes) {
      throw new ServiceError(413, 'request too large', {
        reason:
          `The table of this answer needs more than ${this.#bytes} bytes of the disk (FEATURE_SPOOL_MB). ` +
          `${ADVICE}`,
      });
    }
    if (this.#taken + more > this.#bytes) {
      throw new ServiceError(503, 'unavailable', {
        reason: 'Tables of other answers fill the room for them on the disk. Try again later.',
        retryAfter: 30,
      });
    }
    this.#taken += more;
  }

  give(bytes: number): void {
    this.#taken -= bytes;
  }
}

/**
 * Records are values that `structuredClone` copies. Each would be some hundred objects, which the collector looks at
 * again and again until the last record has come. Serialised, they are bytes that it passes over, and that can be
 * counted.
 */
export class RecordSpool<R> {
  readonly #memoryBytes: number;
  readonly #space: SpoolSpace;
  #waiting: Buffer[] = [];
  #bytes = 0;
  #file: FileHandle | null = null;
  readonly #blocks: number[] = [];
  #written = 0;
  #size = 0;

  /** `memoryBytes`: how much is kept before the disk is used. */
  constructor(memoryBytes: number, space: SpoolSpace) {
    this.#memoryBytes = memoryBytes;
    this.#space = space;
  }

  /** Records that were added. */
  get size(): number {
    return this.#size;
  }

  /** Throws as `SpoolSpace.take`, and ServiceError 503 where the disk cannot be written. */
  async add(records: readonly R[]): Promise<void> {
    for (let at = 0; at < records.length; at += TOGETHER) {
      const block = serialize(records.slice(at, at + TOGETHER));
      this.#waiting.push(block);
      this.#bytes += block.length;
    }
    this.#size += records.length;
    if (this.#bytes <= (this.#file === null ? this.#memoryBytes : AT_ONCE)) return;
    const waiting = this.#waiting;
    this.#waiting = [];
    this.#bytes = 0;
    for (const block of waiting) await this.#write(block);
  }

  /** All records in their order, some at a time. */
  async *records(): AsyncGenerator<readonly R[], void, void> {
    let at = 0;
    for (const length of this.#blocks) {
      const bytes = Buffer.allocUnsafe(length);
      await this.#file!.read(bytes, 0, length, at);
      at += length;
      yield deserialize(await inflate(bytes)) as R[];
    }
    for (const block of this.#waiting) yield deserialize(block) as R[];
  }

  /** Gives the disk back; may be called several times. */
  async close(): Promise<void> {
    this.#space.give(this.#written);
    this.#written = 0;
    this.#waiting = [];
    const file = this.#file;
    this.#file = null;
    await file?.close();
  }

  async #write(block: Buffer): Promise<void> {
    const bytes = await deflate(block, { level: constants.Z_BEST_SPEED });
    this.#space.take(this.#written, bytes.length);
    const at = this.#written;
    this.#written += bytes.length;
    try {
      this.#file ??= await unnamedFile(this.#space.directory);
      await this.#file.write(bytes, 0, bytes.length, at);
    } catch (error) {
      throw new ServiceError(503, 'unavailable', {
        reason: 'The server cannot keep the table of this answer on its disk at the moment. Try again later.',
        retryAfter: 30,
        cause: error,
      });
    }
    this.#blocks.push(bytes.length);
  }
}

/** A file without a name: nothing of it is left when the process ends, however it does. */
async function unnamedFile(directory: string): Promise<FileHandle> {
  await mkdir(directory, { recursive: true });
  const path = join(directory, randomUUID());
  const file = await open(path, 'wx+', 0o600);
  await unlink(path);
  return file;
}
