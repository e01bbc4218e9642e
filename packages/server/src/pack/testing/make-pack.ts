/** The task of a pack without a worker, for tests. */
import type { Archives, ObjectStore, PackResult, PackRun } from '@citymodel/store';
import { runTask } from '../../base/long-task.ts';
import { packProgress, packTask } from '../make-pack.ts';

export interface MakeOptions {
  archives: Pick<Archives, 'open' | 'openObject' | 'readCost'>;
  objects: ObjectStore;
  materialise: boolean;
  maxBytes: number;
  signal: AbortSignal;
  onProgress(progress: number): void;
}

/** Makes the object of a run, and returns what would be noted of the pack. */
export async function makePack(
  run: PackRun,
  { signal, onProgress, ...options }: MakeOptions,
): Promise<Omit<PackResult, 'now' | 'expiresAt'>> {
  let noted: PackResult | undefined;
  const packs = {
    async succeed(_: PackRun, result: PackResult) {
      noted = result;
      return true;
    },
  };
  await runTask(packTask(run, { ...options, packs, retentionMs: 0 }), {
    signal,
    onProgress: (progress) => onProgress(packProgress(progress, options.materialise)),
  });
  const { now: _now, expiresAt: _expiresAt, ...result } = noted!;
  return result;
}
