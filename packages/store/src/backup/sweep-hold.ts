/**
 * Holds back what sweeps delete: objects that an intent names stay, no matter who sweeps. A backup that was killed
 * holds nothing any more once its intents are found dead.
 */
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { sharedNow, THIS_HOST } from '@citymodel/base';
import { CatalogueConflict, type CatalogueStore } from '../catalogue-store.ts';
import { intentIsAlive } from '../sweep.ts';

/** The id of the intent of a backup that runs begins with it. */
const RUNNING = 'backup-';
/** A sign of life so often, ms. */
const HEARTBEAT_MS = 15_000;

/** Another backup of the same database runs. */
export class BackupRunning extends Error {
  constructor(host: string, pid: number) {
    super(
      `another backup of this database runs (process ${pid} at ${host.split('#')[0]}); only one may at a time`,
    );
    this.name = 'BackupRunning';
  }
}

type Catalogue = Pick<CatalogueStore, 'beginIntent' | 'touchIntent' | 'endIntent' | 'intents'>;

export class SweepHold implements AsyncDisposable {
  /** For files of this backup; a sweep that finds the intent dead deletes it. Not made yet. */
  readonly directory: string;
  readonly #catalogue: Catalogue;
  readonly #intents: string[] = [];
  readonly #heartbeat: NodeJS.Timeout;

  private constructor(catalogue: Catalogue, directory: string) {
    this.#catalogue = catalogue;
    this.directory = directory;
    this.#heartbeat = setInterval(() => {
      for (const id of this.#intents) catalogue.touchIntent(id, sharedNow()).catch(() => {});
    }, HEARTBEAT_MS);
    this.#heartbeat.unref();
  }

  /** Begins, holding nothing yet. Throws BackupRunning. */
  static async begin(catalogue: Catalogue, stagingDir: string): Promise<SweepHold> {
    const id = randomUUID();
    const hold = new SweepHold(catalogue, join(stagingDir, id));
    try {
      await hold.#begin(RUNNING + id, [], null);
      const other = (await catalogue.intents()).find(
        (intent) => intent.id.startsWith(RUNNING) && intent.id !== RUNNING + id && intentIsAlive(intent),
      );
      if (other !== undefined) throw new BackupRunning(other.host, other.pid);
      await hold.#begin(id, [], hold.directory);
      return hold;
    } catch (error) {
      await hold[Symbol.asyncDispose]();
      throw error;
    }
  }

  /**
   * Holds objects, beside those that are held already. False when one of them is being deleted just now: no row refers
   * to it any more.
   */
  async cover(keys: readonly string[]): Promise<boolean> {
    try {
      await this.#begin(randomUUID(), keys, null);
      return true;
    } catch (error) {
      if (error instanceof CatalogueConflict) return false;
      throw error;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#heartbeat);
    for (const id of this.#intents) await this.#catalogue.endIntent(id);
  }

  async #begin(id: string, keys: readonly string[], staging: string | null): Promise<void> {
    await this.#catalogue.beginIntent({
      id,
      keys: [...new Set(keys)],
      staging,
      host: THIS_HOST,
      pid: process.pid,
      heartbeatAt: sharedNow(),
    });
    this.#intents.push(id);
  }
}
