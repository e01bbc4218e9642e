import { createHash, randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';

/**
 * A file of the cache, little-endian:
 *
 *     0  4 bytes  "CMCB"
 *     4  u32      CRC-32 of the block
 *     8  the block
 */
const MAGIC = 'CMCB';
const HEADER_BYTES = 8;
/** Writes that may wait; what comes on top is not kept. */
const MAX_WRITES = 64;
/** After a write has failed, as on a full disk, nothing is written for so long, ms. */
const REST_MS = 30_000;
/** A use of a file is noted on the disk at most so often, ms. */
const TOUCH_MS = 60_000;
/** Share of the limit that is left when files are deleted. */
const KEPT_SHARE = 0.9;
/** The directory is looked through again when so large a share of the limit was written: other processes write, too. */
const SCAN_SHARE = 0.1;
/** A file that was being written for so long has no writer any more, ms. */
const STALE_MS = 60 * 60 * 1_000;

/**
 * Blocks of bytes as files of a directory, bounded by their sum. Any number of processes may use one directory. A block
 * is written beside and renamed, and each reader checks its checksum: a program killed at any moment leaves
 * nothing that is served. Nothing here ever throws: a disk that is full or gone only means that nothing is kept.
 */
export class DiskCache {
  readonly #directory: string;
  readonly #maxBytes: number;
  readonly #touched = new Map<string, number>();
  readonly #writes = new Set<Promise<void>>();
  #written = 0;
  #restUntil = 0;
  #scanning: Promise<void> | null = null;

  /** `maxBytes`: of all files together; a tenth more for each further process. */
  constructor(directory: string, maxBytes: number) {
    this.#directory = directory;
    this.#maxBytes = maxBytes;
    this.#scanning = this.#scan();
  }

  /** The block that was kept under a name, or null. */
  async get(name: string): Promise<Uint8Array | null> {
    const path = this.#path(name);
    let file: Buffer;
    try {
      file = await readFile(path);
    } catch {
      return null;
    }
    const block = file.subarray(HEADER_BYTES);
    const isWhole =
      file.length > HEADER_BYTES &&
      file.toString('latin1', 0, 4) === MAGIC &&
      file.readUInt32LE(4) === crc32(block);
    if (isWhole) this.#touch(path);
    else await rm(path).catch(() => {});
    return isWhole ? block : null;
  }

  /** Keeps a block, some time later, where there is room. The bytes must not change. */
  put(name: string, block: Uint8Array): void {
    if (this.#writes.size >= MAX_WRITES || Date.now() < this.#restUntil) return;
    const writing = this.#write(this.#path(name), block).then(
      () => {
        this.#writes.delete(writing);
      },
      () => {
        this.#writes.delete(writing);
        this.#restUntil = Date.now() + REST_MS;
        // Perhaps it is our own files that fill the disk.
        this.#scanning ??= this.#scan();
      },
    );
    this.#writes.add(writing);
  }

  /** Deletes a block whose bytes are wrong, also one that is being written. */
  async drop(name: string): Promise<void> {
    await Promise.all(this.#writes);
    await rm(this.#path(name)).catch(() => {});
  }

  /** Resolves when nothing is being written any more. */
  async settle(): Promise<void> {
    while (this.#writes.size > 0) await Promise.all(this.#writes);
    await this.#scanning;
  }

  #path(name: string): string {
    const hash = createHash('sha256').update(name).digest('hex').slice(0, 40);
    return join(this.#directory, hash.slice(0, 2), hash.slice(2));
  }

  async #write(path: string, block: Uint8Array): Promise<void> {
    const header = Buffer.alloc(HEADER_BYTES);
    header.write(MAGIC, 'latin1');
    header.writeUInt32LE(crc32(block), 4);
    const temporary = join(this.#directory, 'tmp', randomUUID());
    try {
      await mkdir(join(path, '..'), { recursive: true });
      await mkdir(join(this.#directory, 'tmp'), { recursive: true });
      await writeFile(temporary, Buffer.concat([header, block]));
      await rename(temporary, path);
    } catch (error) {
      await rm(temporary).catch(() => {});
      throw error;
    }
    this.#written += HEADER_BYTES + block.length;
    if (this.#written > this.#maxBytes * SCAN_SHARE) this.#scanning ??= this.#scan();
  }

  #touch(path: string): void {
    const now = Date.now();
    if (now - (this.#touched.get(path) ?? 0) < TOUCH_MS) return;
    if (this.#touched.size > 100_000) this.#touched.clear();
    this.#touched.set(path, now);
    utimes(path, now / 1_000, now / 1_000).catch(() => {});
  }

  /** Deletes the files that were used longest ago, when all together are too large, and what killed writers left. */
  async #scan(): Promise<void> {
    this.#written = 0;
    try {
      const files: { path: string; bytes: number; used: number }[] = [];
      for (const directory of await readdir(this.#directory)) {
        const isTemporary = directory === 'tmp';
        if (!isTemporary && !/^[0-9a-f]{2}$/.test(directory)) continue;
        for (const name of await readdir(join(this.#directory, directory))) {
          const path = join(this.#directory, directory, name);
          const file = await stat(path).catch(() => null);
          if (file === null) continue;
          if (!isTemporary) files.push({ path, bytes: file.size, used: file.mtimeMs });
          else if (file.mtimeMs < Date.now() - STALE_MS) await rm(path, { force: true });
        }
      }
      let bytes = files.reduce((sum, file) => sum + file.bytes, 0);
      if (bytes <= this.#maxBytes) return;
      files.sort((a, b) => a.used - b.used);
      for (const file of files) {
        if (bytes <= this.#maxBytes * KEPT_SHARE) break;
        await rm(file.path, { force: true });
        bytes -= file.bytes;
      }
    } catch {
      // The directory is not made yet, or another process deletes the same files.
    } finally {
      this.#scanning = null;
    }
  }
}
