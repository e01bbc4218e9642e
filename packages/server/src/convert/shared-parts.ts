/**
 * Parts that workers on several machines hand to each other, as objects of the store that they share: a zip of the
 * part's directory with its SHA-256 behind it, under `parts/{hash}.part`. Only while a conversion runs; the code that
 * joins the parts deletes them.
 */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type ObjectHandle, ObjectMissing, type ObjectStore, StoreUnavailable } from '@citymodel/store';
import { createZip } from '@citymodel/tiles';
import { openFileSource, readMember, readZipDirectory } from '@citymodel/zip';

/** What a killed conversion left behind is deleted after so long, milliseconds. */
const LEFT_MS = 2 * 86_400_000;
/** Larger members of a part are none of ours, bytes. */
const MAX_MEMBER = 8 * 2 ** 30;
const PREFIX = 'parts/';
const SHA_BYTES = 32;

export class SharedParts {
  readonly #objects: ObjectStore;

  constructor(objects: ObjectStore) {
    this.#objects = objects;
  }

  /** Puts the part of a directory there; `scratch`: a directory on the same disk. */
  async put(hash: string, directory: string, scratch: string): Promise<void> {
    const file = join(scratch, `${hash}.zip`);
    const zip = await createZip(file, 0);
    const entries = await readdir(directory, { recursive: true, withFileTypes: true });
    const files = entries
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => join(parentPath, name));
    for (const path of files.sort()) {
      await zip.addFile(path.slice(directory.length + 1).replaceAll('\\', '/'), path);
    }
    await zip.finish();
    async function* bytes() {
      const sha = createHash('sha256');
      for await (const chunk of createReadStream(file) as AsyncIterable<Buffer>) {
        sha.update(chunk);
        yield chunk;
      }
      yield sha.digest();
    }
    await this.#objects.put(keyOf(hash), bytes());
    await rm(file);
  }

  /**
   * Brings a part into an empty directory; false when it is not there. What comes damaged is read once more;
   * StoreUnavailable is thrown when it stays so.
   */
  async fetch(hash: string, directory: string): Promise<boolean> {
    const file = `${directory}.zip`;
    try {
      await using handle = await this.#objects.open(keyOf(hash));
      for (let isLast = false; !(await isBrought(handle, file)); isLast = true) {
        // A short object may have been kept as it came.
        await handle.damaged?.(0, handle.size);
        if (isLast) throw new StoreUnavailable(`the object store gives ${keyOf(hash)} with damaged bytes`);
      }
      await unpack(file, directory);
      return true;
    } catch (error) {
      if (error instanceof ObjectMissing) return false;
      throw error;
    } finally {
      await rm(file, { force: true });
    }
  }

  async has(hash: string): Promise<boolean> {
    return (await this.#objects.head(keyOf(hash))) !== null;
  }

  async delete(hashes: readonly string[]): Promise<void> {
    await this.#objects.deleteMany(hashes.map(keyOf));
  }

  /** Deletes what conversions left behind that ended early. */
  async sweep(now: number): Promise<void> {
    const old: string[] = [];
    for await (const { key, modified } of this.#objects.list(PREFIX)) {
      if (modified.getTime() < now - LEFT_MS) old.push(key);
    }
    if (old.length > 0) await this.#objects.deleteMany(old);
  }
}

/** Writes the zip of a part into a file. False when its SHA-256 is not the one behind it. */
async function isBrought(handle: ObjectHandle, file: string): Promise<boolean> {
  const end = handle.size - SHA_BYTES;
  if (end < 0) return false;
  const sha = createHash('sha256');
  async function* zip() {
    for await (const chunk of handle.stream(0, end)) {
      sha.update(chunk);
      yield chunk;
    }
  }
  await writeFile(file, zip());
  return sha.digest().equals(await handle.read(end, SHA_BYTES));
}

async function unpack(file: string, directory: string): Promise<void> {
  await using source = await openFileSource(file);
  const zip = await readZipDirectory(source);
  for (const entry of zip.entries()) {
    if (entry.isDirectory) continue;
    const path = join(directory, entry.name);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, readMember(source, entry, { maxSize: MAX_MEMBER }));
  }
}

function keyOf(hash: string): string {
  return `${PREFIX}${hash}.part`;
}
