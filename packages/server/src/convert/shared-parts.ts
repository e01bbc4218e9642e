/**
 * Parts that workers on several machines hand to each other, as objects of the store that they share: a zip of the part's directory,
 * under `parts/{hash}.zip`. Only while a conversion runs; whoever joins the parts deletes them.
 */
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { ObjectMissing, type ObjectStore } from '@citymodel/store';
import { createZip } from '@citymodel/tiles';
import { readMember, readZipDirectory } from '@citymodel/zip';

/** What a killed conversion left behind is deleted after so long, milliseconds. */
const LEFT_MS = 2 * 86_400_000;
/** Larger members of a part are none of ours, bytes. */
const MAX_MEMBER = 8 * 2 ** 30;
const PREFIX = 'parts/';

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
    await this.#objects.put(keyOf(hash), file);
  }

  /** Brings a part into an empty directory; false when it is not there. */
  async fetch(hash: string, directory: string): Promise<boolean> {
    try {
      await using source = await this.#objects.open(keyOf(hash));
      const zip = await readZipDirectory(source);
      for (const entry of zip.entries()) {
        if (entry.isDirectory) continue;
        const path = join(directory, entry.name);
        await mkdir(dirname(path), { recursive: true });
        await writeFile(path, readMember(source, entry, { maxSize: MAX_MEMBER }));
      }
      return true;
    } catch (error) {
      if (error instanceof ObjectMissing) return false;
      throw error;
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

function keyOf(hash: string): string {
  return `${PREFIX}${hash}.zip`;
}
