/**
 * Whether there is room where this process writes: looked at by writing, since quotas and mounts are not told
 * otherwise.
 */
import { randomUUID } from 'node:crypto';
import { open, rm, statfs } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { isRemoteStore } from '@citymodel/store';
import type { Settings } from '../../base/settings.ts';

/** What is written, bytes: a database needs a page, an upload a block. */
const TRIED = Buffer.alloc(64 * 1024);
/** With less than this for everybody the next package or page of the database finds no room, bytes. */
const LEAST = 16 * 2 ** 20;
/** So long an answer holds: a caller who asks often does not keep the disk busy, ms. */
const HOLDS_MS = 1_000;

/** Parts of this machine that are written to, each with its directories. */
export type Disks = Readonly<Record<string, readonly string[]>>;

/** How it is on the disk of one part. */
export interface DiskState {
  /** `ok`, or why it cannot be written to. */
  state: string;
  /** Bytes that are left; 0 when nothing can be written, null when the system does not tell. */
  free: number | null;
}

/**
 * `disk`: what the process cannot do without, `cache`: blocks of a bucket, without which it is slower. Directories that
 * are not made yet stand for the one above them.
 */
export function disksOf(
  settings: Pick<Settings, 'DATA_DIR' | 'DATABASE_URL' | 'OBJECT_STORE' | 'CACHE_DIR' | 'CACHE_MB'>,
): Disks {
  const data = resolve(settings.DATA_DIR);
  const file = /^sqlite:(?:\/\/(?=\/))?(.+)$/i.exec(settings.DATABASE_URL)?.[1];
  const isRemote = isRemoteStore(settings.OBJECT_STORE);
  const disk = [
    join(data, 'staging'),
    ...(file === undefined ? [data] : [data, dirname(resolve(file))]),
    ...(isRemote
      ? []
      : [settings.OBJECT_STORE === '' ? join(data, 'store') : resolve(settings.OBJECT_STORE)]),
  ];
  if (!isRemote || settings.CACHE_MB === 0) return { disk };
  return { disk, cache: [settings.CACHE_DIR === '' ? join(data, 'cache') : resolve(settings.CACHE_DIR)] };
}

/** Looks at directories one at a time, however many ask: a disk that hangs keeps one thread of the process, not all. */
export class DiskWatch {
  readonly #disks: Disks;
  readonly #least: number;
  readonly #looking = new Map<string, { since: number; state: Promise<DiskState> }>();

  constructor(disks: Disks, least = LEAST) {
    this.#disks = disks;
    this.#least = least;
  }

  /** The parts that are looked at. */
  get parts(): string[] {
    return Object.keys(this.#disks);
  }

  /** The worst of the directories of a part. A disk that hangs lets it wait. Never rejects. */
  async look(part: string): Promise<DiskState> {
    const states = await Promise.all((this.#disks[part] ?? []).map((directory) => this.#stateOf(directory)));
    const bad = states.find(({ state }) => state !== 'ok');
    const known = states.map(({ free }) => free).filter((free) => free !== null);
    return { state: bad?.state ?? 'ok', free: known.length === 0 ? null : Math.min(...known) };
  }

  #stateOf(directory: string): Promise<DiskState> {
    const known = this.#looking.get(directory);
    if (known !== undefined && performance.now() < known.since + HOLDS_MS) return known.state;
    const looking = { since: Number.POSITIVE_INFINITY, state: tryDisk(directory, this.#least) };
    // It holds from its end: one that hangs is not begun again.
    void looking.state.then(() => {
      looking.since = performance.now();
    });
    this.#looking.set(directory, looking);
    return looking.state;
  }
}

async function tryDisk(directory: string, least: number): Promise<DiskState> {
  for (let at = directory; ; at = dirname(at)) {
    const path = join(at, `.room-${randomUUID()}`);
    try {
      await using file = await open(path, 'wx');
      // Without a name nothing of it stays, whenever the process dies.
      await rm(path, { force: true });
      await file.writeFile(TRIED);
      const free = await freeBytes(at);
      const isFull = free !== null && free < least;
      return { state: isFull ? `has only ${Math.floor(free / 2 ** 20)} MiB left (${at})` : 'ok', free };
    } catch (error) {
      const { code = '' } = error as NodeJS.ErrnoException;
      if (code === 'ENOENT' && at === directory && dirname(at) !== at) continue;
      return { state: `cannot be written to: ${WHY[code] ?? code} (${at})`, free: 0 };
    }
  }
}

/** Bytes that are left for a process without the rights of root. */
async function freeBytes(directory: string): Promise<number | null> {
  try {
    const { bavail, bsize } = await statfs(directory);
    return bavail * bsize;
  } catch {
    return null;
  }
}

const WHY: Record<string, string> = {
  ENOSPC: 'no space is left',
  EDQUOT: 'the quota is used up',
  EROFS: 'it is read-only',
  EACCES: 'access is denied',
  EPERM: 'access is denied',
  ENOENT: 'the directory is gone',
  EIO: 'writing failed',
};
