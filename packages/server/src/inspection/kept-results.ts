/**
 * What an inspection of a served package has found in its files so far, kept on the disk of the worker: one that was
 * killed goes on with the files that are left.
 *
 *   {root}/{hash of the package}/{hash of the file and of all that its result follows from}
 *
 * A file there is complete: a CRC-32, then the result as V8 writes it. All of a package goes when its findings are
 * published.
 */
import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { deserialize, serialize } from 'node:v8';
import { crc32 } from 'node:zlib';
import type { FileResult, GmlFile } from '@citymodel/inspect';
import { VERSION } from '../base/version.ts';

/** Results that no inspection has asked for that long are deleted, milliseconds. */
const UNUSED_MS = 7 * 86_400_000;
/** To be raised when results of files change their shape or meaning. */
const SHAPE = 2;

export class KeptResults {
  readonly #directory: string;
  #written = 0;

  constructor(root: string, packageId: string) {
    this.#directory = join(root, hashOf([packageId]));
  }

  /** The result of a file; null where none is kept, or what is there is damaged. */
  async find(file: GmlFile, ingredients: readonly unknown[]): Promise<FileResult | null> {
    const bytes = await readFile(this.#pathOf(file, ingredients)).catch(() => null);
    if (bytes === null || bytes.length < 4) return null;
    if (bytes.readUInt32LE(0) !== crc32(bytes.subarray(4))) return null;
    return deserialize(bytes.subarray(4)) as FileResult;
  }

  /** Keeps a result. A disk that does not take it costs no more than its work once more. */
  async keep(result: FileResult, ingredients: readonly unknown[]): Promise<void> {
    const { path, bytes } = result;
    const target = this.#pathOf({ path, bytes }, ingredients);
    const unfinished = `${target}.${process.pid}-${this.#written++}`;
    try {
      await mkdir(this.#directory, { recursive: true });
      const content = serialize(result);
      const head = Buffer.alloc(4);
      head.writeUInt32LE(crc32(content));
      await writeFile(unfinished, Buffer.concat([head, content]));
      await rename(unfinished, target);
    } catch {
      await rm(unfinished).catch(() => {});
    }
  }

  /** Notes that the results are of use. */
  async touch(): Promise<void> {
    const now = new Date();
    await utimes(this.#directory, now, now).catch(() => {});
  }

  /** Deletes all results of the package. */
  async drop(): Promise<void> {
    await rm(this.#directory, { recursive: true }).catch(() => {});
  }

  #pathOf({ path, bytes }: GmlFile, ingredients: readonly unknown[]): string {
    const { v8 } = process.versions;
    return join(this.#directory, hashOf([SHAPE, VERSION, v8, path, bytes, ...ingredients]));
  }
}

/** Deletes results of inspections that nobody went on with. */
export async function sweepKeptResults(root: string, now: number): Promise<void> {
  for (const name of await readdir(root).catch(() => [])) {
    const path = join(root, name);
    const info = await stat(path).catch(() => null);
    if (info !== null && info.mtimeMs < now - UNUSED_MS) await rm(path, { recursive: true, force: true });
  }
}

function hashOf(parts: readonly unknown[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 40);
}
