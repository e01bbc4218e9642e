/** What the commands about backups share: the place, progress, and what ends them. */
import { relative, resolve } from 'node:path';
import {
  BackupDamaged,
  BackupRunning,
  DatabaseInUse,
  ForeignBackups,
  ForeignObjects,
  type ObjectStore,
  OtherBytes,
  openObjectStore,
  remotePlace,
} from '@citymodel/store';
import { InvalidSettings, type Settings } from '../base/settings.ts';

/** How often progress is written where it cannot rewrite a line, ms. */
const QUIET_MS = 10_000;

/**
 * Opens the directory or the prefix that backups are in. Throws InvalidSettings, also when it is within the objects, or
 * they in it.
 */
export async function openPlace(settings: Settings, place: string): Promise<ObjectStore> {
  const objects = settings.OBJECT_STORE === '' ? resolve(settings.DATA_DIR, 'store') : settings.OBJECT_STORE;
  try {
    if (place === '') throw new RangeError('the place of backups is empty');
    if (overlap(place, objects)) {
      throw new RangeError(
        `the place of backups, ${place}, and the objects, ${objects}, are within each other`,
      );
    }
    return await openObjectStore({ dataDir: settings.DATA_DIR, databaseUrl: '', objectStore: place });
  } catch (error) {
    if (error instanceof RangeError)
      throw new InvalidSettings([error.message.replace(/^OBJECT_STORE/, 'the place of backups')]);
    throw error;
  }
}

/** Whether one of two stores is within the other; each is an address of a remote store, or a directory. */
function overlap(a: string, b: string): boolean {
  const [one, two] = [remotePlace(a), remotePlace(b)];
  if (one === null && two === null)
    return isWithin(resolve(a), resolve(b)) || isWithin(resolve(b), resolve(a));
  if (one === null || two === null || one.root !== two.root) return false;
  return one.prefix.startsWith(two.prefix) || two.prefix.startsWith(one.prefix);
}

function isWithin(inner: string, outer: string): boolean {
  const path = relative(outer, inner);
  return path === '' || !(path.startsWith('..') || path.startsWith('/'));
}

/** The command was stopped by a signal. */
export class Stopped extends Error {
  constructor() {
    super('stopped; the same command goes on where it was');
  }
}

/**
 * Runs work that SIGINT and SIGTERM stop, and says in one sentence what ended it. Exit codes: 1 for a fault, 130 when
 * it was stopped.
 */
export async function runStoppable(work: (signal: AbortSignal) => Promise<void>): Promise<void> {
  const stopping = new AbortController();
  const stop = () => stopping.abort(new Stopped());
  process.once('SIGINT', stop);
  process.once('SIGTERM', stop);
  try {
    await work(stopping.signal);
  } catch (error) {
    if (!EXPECTED.some((kind) => error instanceof kind)) throw error;
    console.error(`citymodel: ${(error as Error).message}`);
    process.exitCode = error instanceof Stopped ? 130 : 1;
  }
}

const EXPECTED = [
  Stopped,
  BackupDamaged,
  BackupRunning,
  DatabaseInUse,
  ForeignBackups,
  ForeignObjects,
  OtherBytes,
];

/** One line that rewrites itself on a terminal; elsewhere a line now and then. */
export class CountLine {
  readonly #text: string;
  #last = Date.now();

  /** `text`: what is counted. */
  constructor(text: string) {
    this.#text = text;
  }

  readonly update = (done: number, total: number): void => {
    const text = `${this.#text}: ${done} of ${total}`;
    if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K${text}`);
    else if (Date.now() - this.#last >= QUIET_MS) {
      this.#last = Date.now();
      process.stderr.write(`${text}\n`);
    }
  };

  clear(): void {
    if (process.stderr.isTTY) process.stderr.write('\r\x1b[K');
  }
}
