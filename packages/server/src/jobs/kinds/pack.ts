/**
 * The kind `pack`: makes a pack that was accepted. How an attempt ends:
 *
 *   made ──▶ succeed                              another run followed ──▶ nothing but its object deleted
 *   cannot be made, time over ──▶ fail for good   stopping, cancelled, job lost ──▶ its object deleted; worker ends job
 *   store away ──▶ the job waits; the attempt does not count
 *   bytes came damaged ──▶ the job is tried again, as often as packs are
 *
 * A pack fails by `fail` here, or by `mend` when its job was given up or cancelled without it.
 */

import { sharedNow } from '@citymodel/base';
import { type Archives, PACK_KIND, type PackRun, type PackStore, StoreUnavailable } from '@citymodel/store';
import { LeaseLost, runTask } from '../../base/long-task.ts';
import type { Settings } from '../../base/settings.ts';
import {
  damageIn,
  type PackEnd,
  PackRefused,
  packProgress,
  packTask,
  reasonFor,
} from '../../pack/make-pack.ts';
import { materialises, quotaOf } from '../../pack/pack-limits.ts';
import { deleteRuns, keepWithin } from '../../pack/pack-retention.ts';
import { type JobContext, JobFailed, type JobKind, JobRefused } from '../job-kind.ts';

export interface PackPayload {
  /** Its id. */
  pack: string;
}

export interface PackKindParts {
  archives: Pick<Archives, 'open' | 'openObject' | 'readCost'>;
  /** Called when a pack has succeeded or failed; its job ends a moment later. */
  onFinished?(): void;
  /** How often progress is written, ms. */
  progressMs?: number;
}

/** What a job gives. */
interface PackOutcome {
  status: 'succeeded' | 'gone';
  /** Bytes of the zip. */
  size?: number | null;
  files?: number | null;
}

/** Progress of a pack and of its job is written so often, ms. */
const PROGRESS_MS = 1_000;

/** Progress that is written: a hundredth more than before. */
const WORTH_TELLING = 0.01;

/** The kind over these archives. */
export function packKind(parts: PackKindParts): JobKind<PackPayload> {
  return {
    name: PACK_KIND,
    atOnce: Number.POSITIVE_INFINITY,
    memoryMb: 100,
    retention: { attempt: 'own' },
    readPayload(json) {
      const { pack } = (json ?? {}) as Partial<PackPayload>;
      if (typeof pack !== 'string') throw new JobRefused('OTHER_VERSION', 'It does not say which pack.');
      return { pack };
    },
    mend: ({ stores, settings }) => mendPacks(stores, settings),
    async run({ pack: id }, context) {
      const { packs } = context.stores;
      const run = await packs.begin(id, context.claim, sharedNow());
      return run === null ? outcomeOf(id, packs) : workOn(run, context, parts);
    },
  };
}

/** See `PackStore.mend`. */
export function mendPacks(
  { packs }: { packs: PackStore },
  { PACK_RETENTION_S }: Pick<Settings, 'PACK_RETENTION_S'>,
): Promise<number> {
  const now = sharedNow();
  return packs.mend({ now, expiresAt: now + PACK_RETENTION_S * 1_000 });
}

/**
 * Of a pack on which no work can begin: an attempt that was killed has finished it, or nobody wants it from this job
 * any more.
 */
async function outcomeOf(id: string, packs: PackStore): Promise<PackOutcome> {
  const [pack] = await packs.find([id], sharedNow());
  if (pack?.status === 'failed') {
    throw new JobRefused(
      'PACK_FAILED',
      `The pack has failed, and starts again when its files are asked for again: ${pack.reason}`,
    );
  }
  if (pack?.status !== 'succeeded') return { status: 'gone' };
  return { status: 'succeeded', size: pack.size, files: pack.files };
}

async function workOn(
  run: PackRun,
  { settings, stores, signal, log, progress }: JobContext,
  { archives, onFinished = () => {}, progressMs = PROGRESS_MS }: PackKindParts,
): Promise<PackOutcome> {
  const { packs, objects } = stores;
  const retentionMs = settings.PACK_RETENTION_S * 1_000;
  const materialise = materialises(settings, objects);
  const task = packTask(run, {
    ...{ archives, objects, packs, materialise, retentionMs },
    maxBytes: settings.PACK_MAX_BYTES,
  });
  const failed = async (error: unknown): Promise<PackEnd> => {
    if (signal.aborted || error instanceof StoreUnavailable) throw error;
    if (error instanceof LeaseLost) return { status: 'gone' };
    // What came damaged twice may come right the next time.
    const damage = damageIn(error);
    if (damage !== null) throw new JobFailed('DAMAGED_BYTES', `Bytes of a package came damaged: ${damage}`);
    const known = reasonFor(error);
    if (known === null) log.error({ err: error, pack: run.id }, 'a pack could not be made');
    const reason = known ?? 'Something went wrong inside the service; it has been logged.';
    const now = sharedNow();
    if (!(await packs.fail(run, reason, { now, expiresAt: now + retentionMs }))) return { status: 'gone' };
    onFinished();
    throw new JobRefused('PACK_FAILED', reason);
  };
  /** From 0 to 1, growing; and what others know of it. */
  let done = 0;
  let shown = 0;
  const renew = async (): Promise<boolean> => {
    if (done - shown < WORTH_TELLING) return true;
    shown = done;
    progress({ done: Math.floor(100 * done), total: 100, unit: 'percent', text: 'making the zip' });
    try {
      return await packs.advance(run, done);
    } catch (error) {
      log.warn({ err: error, pack: run.id }, 'writing the progress of a pack failed');
      return true;
    }
  };
  const { PACK_TIMEOUT_S } = settings;
  const outcome = await runTask(
    { ...task, failed },
    {
      signal,
      onProgress(now) {
        done = Math.max(done, packProgress(now, materialise));
      },
      lease: { everyMs: progressMs, renew },
      limit: { ms: PACK_TIMEOUT_S * 1_000, error: () => new PackRefused(tooLate(PACK_TIMEOUT_S)) },
    },
  );
  if (outcome.status === 'gone') return outcome;
  onFinished();
  // The first run has nothing behind it.
  if (run.run > 1) await deleteRuns(objects, run.id, run.run - 1);
  await keepWithin(quotaOf(settings, objects), stores, sharedNow());
  return outcome;
}

function tooLate(seconds: number): string {
  return `It was not done within ${seconds} s. Ask for fewer files, or again later.`;
}
