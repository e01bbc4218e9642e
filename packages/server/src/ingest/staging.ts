/**
 * Work that may be killed at any moment and leaves nothing behind: an intent in the catalogue names the directory and
 * the object keys before either exists, and a heartbeat keeps it alive.
 *
 *   open: begin intent ─▶ make directory ─▶ (the caller writes) ─▶ commit: directory deleted ─▶ change ends intent
 *                                               │
 *                                     dispose: directory and objects deleted, intent ended
 *
 * Of a process that dies in between, the sweep of the next start deletes directory and objects.
 */
import { randomUUID } from 'node:crypto';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { sharedNow, THIS_HOST } from '@citymodel/base';
import type { CatalogueStore, ObjectStore } from '@citymodel/store';
import { Repeated } from '../base/repeated.ts';

export interface StagingContext {
  catalogue: Pick<CatalogueStore, 'beginIntent' | 'touchIntent' | 'endIntent'>;
  objects: Pick<ObjectStore, 'delete'>;
  /** Local directory for unfinished work, on the object store's file system where that is a directory. */
  stagingDir: string;
}

const HEARTBEAT_MS = 15_000;

/** One piece of such work. Dispose of it in any case. */
export class Staging implements AsyncDisposable {
  /** The intent's id. */
  readonly id: string;
  /** Existing local directory of this work alone. */
  readonly directory: string;
  readonly #context: StagingContext;
  readonly #keys: readonly string[];
  readonly #heartbeat: Repeated;
  #committed = false;

  private constructor(context: StagingContext, id: string, keys: readonly string[]) {
    this.#context = context;
    this.id = id;
    this.directory = join(context.stagingDir, id);
    this.#keys = keys;
    this.#heartbeat = new Repeated(HEARTBEAT_MS, () =>
      context.catalogue.touchIntent(id, sharedNow()).catch(() => {}),
    );
  }

  /** Begins an intent for an own directory and for the objects whose keys `keysOf` makes from the intent's id. */
  static async open(
    context: StagingContext,
    keysOf: (id: string) => readonly string[] = () => [],
  ): Promise<Staging> {
    const id = randomUUID();
    const keys = keysOf(id);
    await context.catalogue.beginIntent({
      id,
      keys: [...keys],
      staging: join(context.stagingDir, id),
      host: THIS_HOST,
      pid: process.pid,
      heartbeatAt: sharedNow(),
    });
    const staging = new Staging(context, id, keys);
    try {
      await mkdir(staging.directory, { recursive: true });
      return staging;
    } catch (error) {
      await staging[Symbol.asyncDispose]();
      throw error;
    }
  }

  /** Makes the change that ends the intent in one transaction; from then on the objects belong to the catalogue. */
  async commit<T>(change: () => Promise<T>): Promise<T> {
    // The change ends the intent, and without an intent nobody would clean up after this process.
    await rm(this.directory, { recursive: true, force: true });
    const result = await change();
    this.#committed = true;
    return result;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#heartbeat.stop();
    await rm(this.directory, { recursive: true, force: true });
    if (this.#committed) return;
    for (const key of this.#keys) await this.#context.objects.delete(key);
    await this.#context.catalogue.endIntent(this.id);
  }
}
