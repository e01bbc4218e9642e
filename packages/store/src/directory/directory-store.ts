import { createReadStream, type Stats } from 'node:fs';
import {
  type FileHandle,
  link,
  lstat,
  mkdir,
  open,
  readdir,
  rename,
  rm,
  stat,
  unlink,
} from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { FileSource, type OpenFile, openFile } from '@citymodel/zip';
import { StoreUnavailable } from '../catalogue-store.ts';
import { LeaseCache } from '../lease-cache.ts';
import { assertKey } from '../object-key.ts';
import {
  ObjectExists,
  type ObjectHandle,
  type ObjectInfo,
  ObjectMissing,
  type ObjectStore,
  type PutOptions,
  type StoreTraits,
} from '../object-store.ts';
import { removeLeftovers, tempName } from './temp-files.ts';

/** Files kept open for the next reader. */
const MAX_OPEN = 256;
/** Bytes that are written to a file before they are sent to the disk. */
const STEADY_BYTES = 32 * 1024 * 1024;

export interface DirectoryStoreOptions {
  /** Files kept open when nobody reads them; default 256. */
  maxOpen?: number;
}

/**
 * Objects as files: `objects/{key}`, written in `tmp/` beside it. An object appears by renaming a file whose bytes are
 * on the disk. `put` returns when the name is on the disk too, so the object survives a loss of power. Any number of
 * processes may use one directory.
 */
export class DirectoryStore implements ObjectStore {
  readonly traits: StoreTraits = { handleOutlivesDelete: true, movesLocalFiles: true, readCost: 'local' };
  readonly #objects: string;
  readonly #temp: string;
  /** By key and identity of the file, so that an object that another process replaced is opened anew. */
  readonly #files: LeaseCache<OpenFile>;

  private constructor(directory: string, options: DirectoryStoreOptions) {
    this.#objects = join(directory, 'objects');
    this.#temp = join(directory, 'tmp');
    this.#files = new LeaseCache<OpenFile>({
      max: options.maxOpen ?? MAX_OPEN,
      open: async (cacheKey) => openFile(this.#path(cacheKey.slice(0, cacheKey.indexOf('\0')))),
      close: ({ handle }) => handle.close(),
    });
  }

  /**
   * Opens a directory, which is made when it is not there, and removes what killed writers left. Throws
   * StoreUnavailable.
   */
  static async open(directory: string, options: DirectoryStoreOptions = {}): Promise<DirectoryStore> {
    const store = new DirectoryStore(directory, options);
    try {
      await makeDirectory(store.#objects);
      await makeDirectory(store.#temp);
      await removeLeftovers(store.#temp);
    } catch (error) {
      throw new StoreUnavailable(
        `the directory ${directory} of the object store cannot be made or written to`,
        {
          cause: error,
        },
      );
    }
    return store;
  }

  async put(
    key: string,
    from: string | AsyncIterable<Uint8Array>,
    { once = false }: PutOptions = {},
  ): Promise<ObjectInfo> {
    assertKey(key);
    try {
      return await (typeof from === 'string' ? this.#move(key, from, once) : this.#write(key, from, once));
    } catch (error) {
      throw unavailable(error);
    }
  }

  async head(key: string): Promise<ObjectInfo | null> {
    assertKey(key);
    const file = await this.#stat(key);
    return file === null ? null : info(key, file);
  }

  async open(key: string): Promise<ObjectHandle> {
    assertKey(key);
    const file = await this.#stat(key);
    if (file === null) throw new ObjectMissing(key);
    try {
      const lease = await this.#files.lease(`${key}\0${file.dev}:${file.ino}:${file.mtimeMs}`);
      return new FileSource(lease.value, `the object ${key}`, () => lease[Symbol.asyncDispose]());
    } catch (error) {
      // Deleted between the two calls.
      throw isMissing(error) ? new ObjectMissing(key) : unavailable(error);
    }
  }

  async *list(prefix: string): AsyncGenerator<ObjectInfo> {
    yield* this.#walk('', prefix);
  }

  async delete(key: string): Promise<void> {
    await this.deleteMany([key]);
  }

  async deleteMany(keys: readonly string[]): Promise<void> {
    for (const key of keys) assertKey(key);
    const changed = new Set<string>();
    for (const key of keys) {
      // Unlinking a directory, which is no object, fails in another way on each system.
      if ((await this.#stat(key)) === null) continue;
      try {
        await unlink(this.#path(key));
      } catch (error) {
        if (!isMissing(error)) throw unavailable(error);
      }
      this.#forget(key);
      changed.add(dirname(this.#path(key)));
    }
    for (const directory of changed) {
      try {
        await syncDirectory(directory);
      } catch (error) {
        throw unavailable(error);
      }
    }
  }

  async probe(): Promise<void> {
    try {
      await readdir(this.#temp);
      await stat(this.#objects);
      // Files that another process deleted keep their place on the disk as long as they are open here.
      for (const [cacheKey, { handle }] of [...this.#files.values()]) {
        if ((await linkCount(handle)) === 0) this.#files.drop((other) => other === cacheKey);
      }
    } catch (error) {
      throw isMissing(error)
        ? new StoreUnavailable('the directory of the object store is gone', { cause: error })
        : unavailable(error);
    }
  }

  async close(): Promise<void> {
    await this.#files.close();
  }

  #path(key: string): string {
    return join(this.#objects, key);
  }

  #forget(key: string): void {
    this.#files.drop((cacheKey) => cacheKey.startsWith(`${key}\0`));
  }

  async #stat(key: string): Promise<Stats | null> {
    try {
      const file = await stat(this.#path(key));
      return file.isFile() ? file : null;
    } catch (error) {
      if (isMissing(error)) return null;
      throw unavailable(error);
    }
  }

  async #move(key: string, source: string, once: boolean): Promise<ObjectInfo> {
    if (!(await lstat(source)).isFile()) throw new RangeError(`${source} is not a regular file`);
    // The writer of the file may have left its bytes to the system's cache.
    const handle = await open(source, 'r+');
    try {
      await handle.sync();
    } finally {
      await handle.close();
    }
    try {
      return await this.#publish(key, source, once);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EXDEV') throw error;
    }
    // Renaming does not reach across file systems.
    const stored = await this.#write(key, readFile(source), once);
    await rm(source);
    return stored;
  }

  async #write(key: string, chunks: AsyncIterable<Uint8Array>, once: boolean): Promise<ObjectInfo> {
    const path = join(this.#temp, tempName());
    try {
      const handle = await open(path, 'wx');
      try {
        await writeSteadily(handle, chunks);
        await handle.sync();
      } finally {
        await handle.close();
      }
      return await this.#publish(key, path, once);
    } catch (error) {
      await rm(path, { force: true });
      throw error;
    }
  }

  /** Gives a file that is on the disk its name as an object. */
  async #publish(key: string, file: string, once: boolean): Promise<ObjectInfo> {
    const path = this.#path(key);
    await makeDirectory(dirname(path));
    if (once) await renameOnce(file, path, key);
    else await rename(file, path);
    await syncDirectory(dirname(path));
    this.#forget(key);
    return info(key, await stat(path));
  }

  /** Objects below the directory `at` (empty, or with `/` at its end) whose keys begin with the prefix, by key. */
  async *#walk(at: string, prefix: string): AsyncGenerator<ObjectInfo> {
    const names: string[] = [];
    try {
      for (const entry of await readdir(this.#path(at), { withFileTypes: true })) {
        // With its `/`, a directory sorts where the keys in it belong: `a-b` before `a/b`.
        names.push(entry.isDirectory() ? `${entry.name}/` : entry.name);
      }
    } catch (error) {
      if (isMissing(error) && at !== '') return;
      throw unavailable(error);
    }
    names.sort();
    for (const name of names) {
      const key = at + name;
      if (name.endsWith('/')) {
        if (key.startsWith(prefix) || prefix.startsWith(key)) yield* this.#walk(key, prefix);
      } else if (key.startsWith(prefix)) {
        const file = await this.#stat(key);
        if (file !== null) yield info(key, file);
      }
    }
  }
}

/** Renames a file unless there is one of the new name. Throws ObjectExists. */
async function renameOnce(file: string, path: string, key: string): Promise<void> {
  try {
    // Renaming would replace what is there; a second name is refused.
    await link(file, path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') throw new ObjectExists(key);
    if (code !== 'EPERM' && code !== 'ENOTSUP' && code !== 'ENOSYS') throw error;
    // File systems without second names, such as FAT, are used by one program at a time.
    if (await stat(path).catch(() => null)) throw new ObjectExists(key);
    return rename(file, path);
  }
  await unlink(file);
}

/**
 * Writes the chunks, and what was written goes to the disk meanwhile: the system stops a writer who leaves it
 * gigabytes, and all of them would have to be waited for at the end.
 */
async function writeSteadily(handle: FileHandle, chunks: AsyncIterable<Uint8Array>): Promise<void> {
  let unsent = 0;
  let sending: Promise<void> | null = null;
  try {
    for await (const chunk of chunks) {
      await handle.writeFile(chunk);
      unsent += chunk.length;
      if (unsent < STEADY_BYTES || sending !== null) continue;
      unsent = 0;
      sending = handle.datasync().then(() => {
        sending = null;
      });
      sending.catch(() => {});
    }
  } finally {
    await sending;
  }
}

/** The bytes of a file; it is opened when they are first asked for. */
async function* readFile(path: string): AsyncGenerator<Uint8Array> {
  yield* createReadStream(path);
}

/** Number of names that the file has; 0 also when the handle was closed meanwhile. */
async function linkCount(handle: OpenFile['handle']): Promise<number> {
  try {
    return (await handle.stat()).nlink;
  } catch {
    return 0;
  }
}

/** Makes a directory and those above it, and has their names on the disk. */
async function makeDirectory(path: string): Promise<void> {
  const first = await mkdir(path, { recursive: true });
  if (first === undefined) return;
  for (let created = path; ; created = dirname(created)) {
    await syncDirectory(dirname(created));
    if (created === first || created === dirname(created)) return;
  }
}

/**
 * Has the names in a directory on the disk. Windows cannot open directories; its file system keeps a journal of names.
 */
async function syncDirectory(path: string): Promise<void> {
  if (process.platform === 'win32') return;
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

function info(key: string, file: Stats): ObjectInfo {
  return { key, size: file.size, modified: file.mtime };
}

function isMissing(error: unknown): boolean {
  const code = (error as NodeJS.ErrnoException).code;
  // ENOTDIR: a part of the key is itself an object.
  return code === 'ENOENT' || code === 'ENOTDIR';
}

/** StoreUnavailable for what the file system cannot do now; other errors, such as the source's own, as they are. */
function unavailable(error: unknown): unknown {
  const { code, syscall } = error as NodeJS.ErrnoException;
  const store =
    /^(EACCES|EBUSY|EDQUOT|EFBIG|EIO|EMFILE|ENFILE|ENODEV|ENOSPC|ENXIO|EPERM|EROFS|ESTALE|ETIMEDOUT)$/;
  if (code === undefined || syscall === undefined || !store.test(code)) return error;
  return new StoreUnavailable(`the object store cannot ${syscall}: ${code}`, { cause: error });
}
