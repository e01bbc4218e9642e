/**
 * Parts that are complete, kept in a directory under a hash of what they were made of: a conversion that was killed
 * finds them again, and so does one of a package of which a few files have changed.
 *
 *   work/{hash}~{host}~{process}~{thread}-{number}/  ──complete: rename──▶  parts/{2 hex}/{hash}/part.json, files
 *
 * A directory below `parts` is complete. Processes share the directory; when two have made the same part, the first one
 * stays, and both are the same.
 */
import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { threadId } from 'node:worker_threads';
import { THIS_HOST } from '@citymodel/base';
import type { ObjectStore } from '@citymodel/store';
import type { ConvertIssue, GmlFacts, Part, PartAccount, PartOutput } from '@citymodel/tiles';
import type { PackageSource } from './package-source.ts';
import { SharedParts } from './shared-parts.ts';

/** What is known of a part beside its files. */
export interface PartRecord {
  outputs: readonly PartOutput[];
  issues: readonly ConvertIssue[];
  account: PartAccount;
  /**
   * Other members that its makers asked for, as they were: GML files, images, code lists. Null for one that was not
   * there.
   */
  others: ReadonlyArray<{ path: string; stamp: string | null }>;
}

/** Tells a member of the package from another one of the same path; null for one that is not there. */
export type StampOf = (path: string) => Promise<string | null>;

/** Parts that no conversion has asked for that long are deleted, milliseconds. */
const UNUSED_MS = 30 * 86_400_000;
/** Work of a process on another machine is given up after so long, milliseconds. */
const FOREIGN_MS = 86_400_000;
const RECORD = 'part.json';
/** Between the words of a work directory's name; none of them has it. */
const BETWEEN = '~';

/** The hash of what a part is made of: everything that its bytes follow from. */
export function partHash(ingredients: readonly unknown[]): string {
  return createHash('sha256').update(JSON.stringify(ingredients)).digest('hex');
}

export class PartStore {
  readonly #root: string;
  readonly #shared: SharedParts | null;
  readonly #stampOf: StampOf;
  static #made = 0;

  /** `root`: a directory of its own. `shared`: where workers on other machines find parts, and put theirs. */
  constructor(root: string, stampOf: StampOf, shared: SharedParts | null = null) {
    this.#root = root;
    this.#stampOf = stampOf;
    this.#shared = shared;
  }

  /** The directory of a part. */
  directory(hash: string): string {
    return join(this.#root, 'parts', hash.slice(0, 2), hash);
  }

  /** What is known of a part that is complete; null when it is not there. */
  async find(hash: string): Promise<PartRecord | null> {
    return (await this.#findHere(hash)) ?? (this.#shared === null ? null : this.#fetch(hash, this.#shared));
  }

  async #findHere(hash: string): Promise<PartRecord | null> {
    const path = join(this.directory(hash), RECORD);
    const text = await readFile(path, 'utf8').catch(() => null);
    if (text === null) return null;
    const record = JSON.parse(text) as PartRecord;
    for (const { path: other, stamp } of record.others) {
      if ((await this.#stampOf(other)) === stamp) continue;
      await rm(this.directory(hash), { recursive: true, force: true });
      return null;
    }
    return record;
  }

  async #fetch(hash: string, shared: SharedParts): Promise<PartRecord | null> {
    if (!(await shared.has(hash))) return null;
    const work = await this.begin(hash);
    try {
      if (await shared.fetch(hash, work)) await this.#moveInto(work, hash);
    } finally {
      await rm(work, { recursive: true, force: true });
    }
    return this.#findHere(hash);
  }

  /** The part as makers join it. Throws an Error when it is not complete. */
  async part(hash: string, gml: GmlFacts): Promise<Part> {
    const record = await this.find(hash);
    if (record === null) throw new Error(`The part ${hash} of ${gml.path} is not there.`);
    return { gml, directory: this.directory(hash), outputs: record.outputs };
  }

  /** An empty directory in which to make a part, or anything else that is moved or removed when it is done. */
  async begin(name: string): Promise<string> {
    const number = `${threadId}-${PartStore.#made++}-${Math.random().toString(36).slice(2, 8)}`;
    const own = [name, THIS_HOST, process.pid, number].join(BETWEEN);
    const directory = join(this.#root, 'work', own);
    await mkdir(directory, { recursive: true });
    return directory;
  }

  /** Makes the content of a work directory the part. */
  async complete(work: string, hash: string, record: PartRecord): Promise<void> {
    await writeFile(join(work, RECORD), JSON.stringify(record));
    await this.#shared?.put(hash, work, join(work, '..'));
    await this.#moveInto(work, hash);
  }

  async #moveInto(work: string, hash: string): Promise<void> {
    const target = this.directory(hash);
    await mkdir(join(target, '..'), { recursive: true });
    try {
      await rename(work, target);
    } catch (error) {
      if ((await this.#findHere(hash)) === null) throw error;
      await rm(work, { recursive: true, force: true });
    }
  }

  /** Takes parts away from where workers share them; they stay here. */
  async unshare(hashes: readonly string[]): Promise<void> {
    await this.#shared?.delete(hashes);
  }

  /** Notes that a part was of use. */
  async touch(hash: string): Promise<void> {
    const now = new Date();
    await utimes(join(this.directory(hash), RECORD), now, now);
  }

  /** Deletes parts that were of no use for long, and what processes that have ended left behind. */
  async sweep(now: number): Promise<void> {
    await this.#shared?.sweep(now);
    for (const name of await entries(join(this.#root, 'work'))) {
      const path = join(this.#root, 'work', name);
      const [, host, pid] = name.split(BETWEEN);
      const isOver = host === THIS_HOST ? !isAlive(Number(pid)) : await isOlder(path, now - FOREIGN_MS);
      if (isOver) await rm(path, { recursive: true, force: true });
    }
    for (const prefix of await entries(join(this.#root, 'parts'))) {
      for (const hash of await entries(join(this.#root, 'parts', prefix))) {
        const path = join(this.#root, 'parts', prefix, hash);
        if (await isOlder(join(path, RECORD), now - UNUSED_MS))
          await rm(path, { recursive: true, force: true });
      }
    }
  }
}

/** Deletes what threads of this process, which have ended, left behind in the directory. */
export async function sweepThreads(directory: string, threads: ReadonlySet<number>): Promise<void> {
  for (const name of await entries(join(directory, 'work'))) {
    const [, host, pid, number = ''] = name.split(BETWEEN);
    if (host !== THIS_HOST || Number(pid) !== process.pid) continue;
    if (threads.has(Number.parseInt(number, 10)))
      await rm(join(directory, 'work', name), { recursive: true, force: true });
  }
}

/** The parts of a directory, and where `objects` are given those that workers share. */
export function partStoreOf(
  directory: string,
  source: Pick<PackageSource, 'stampOf'>,
  objects: ObjectStore | null,
): PartStore {
  const stampOf: StampOf = (path) => source.stampOf(path);
  return new PartStore(directory, stampOf, objects === null ? null : new SharedParts(objects));
}

async function entries(directory: string): Promise<string[]> {
  return readdir(directory).catch(() => []);
}

async function isOlder(path: string, time: number): Promise<boolean> {
  const info = await stat(path).catch(() => null);
  return info !== null && info.mtimeMs < time;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
