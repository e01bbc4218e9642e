/** What the address asks to be shown: the model, and what stands beside it. What is not there any more is left out. */
import type { Bounds } from '@citymodel/geo';
import { formatTilesSpec } from 'citymodel-server/shared';
import { useEffect, useState } from 'preact/hooks';
import { ApiFailure } from '../core/api.ts';
import { loadCityDatasets } from '../core/data.ts';
import { current, leaveOut, usePart } from '../core/store.ts';
import { bestOf, keyOf, kindsOf, readSpec } from './choice.ts';
import { datasetsOfModel, loadModel } from './load-model.ts';
import { groundDatasets } from './scene/ground-style.ts';
import type { SceneModel } from './scene/scene-model.ts';
import { terrainDatasets } from './terrain-datasets.ts';
import type { SceneState } from './use-scene.ts';

export interface Models {
  /** The model that is open; null before the first. */
  shown: { model: string; bounds: Bounds } | null;
  /** Why something beside it could not be fetched; null when nothing is missing. */
  besideFailure: unknown;
  /** Opens again what failed. */
  retry(): void;
}

/** @param older model of the older of two editions, which is shown beside without a place in the address */
export function useModels(state: SceneState, older: string | null): Models {
  const { scene, setPicked, setWaiting, setFailure } = state;
  const model = usePart((s) => s.model);
  const beside = usePart((s) => s.also.join(','));
  const also = older === null || beside.split(',').includes(older) ? beside : `${older},${beside}`;
  const [shown, setShown] = useState<Models['shown']>(null);
  const [besideFailure, setBesideFailure] = useState<unknown>(null);
  const [tries, setTries] = useState(0);

  // Opened again when another model is chosen, or after a failure
  useEffect(() => {
    if (scene === null || model === null) return;
    let live = true;
    setFailure(null);
    setPicked(null);
    setWaiting(true);
    loadModel(model)
      .then(async (found) => {
        if (!live) return;
        await scene.open(found, current().camera);
        if (!live) return;
        scene.select(current().feature);
        setShown({ model, bounds: found.bounds });
        const around = await datasetsOfModel(model);
        const terrains = terrainDatasets(model, around, found.bounds);
        if (live) await scene.showGround({ maps: groundDatasets(around), terrains });
      })
      .catch(async (error) => {
        const other = isMissing(error) ? await replacementOf(model) : null;
        if (!live) return;
        if (other !== null) {
          leaveOut(`model=${model}`, { model: other });
          return;
        }
        setFailure(error);
        setWaiting(false);
      });
    return () => {
      live = false;
    };
  }, [scene, model, tries]);
  useEffect(() => {
    if (scene === null || shown === null || shown.model !== model) return;
    let live = true;
    setBesideFailure(null);
    showBeside(also.split(',').filter(Boolean), (models) => (live ? scene.beside(models) : undefined)).catch(
      (error) => live && setBesideFailure(error),
    );
    return () => {
      live = false;
    };
  }, [scene, shown, also, tries]);
  return { shown, besideFailure, retry: () => setTries(tries + 1) };
}

/**
 * Shows those of the models that are there. The others are removed from the address, with a word. Throws what could not
 * be fetched, after the rest is shown.
 */
async function showBeside(
  specs: readonly string[],
  show: (models: SceneModel[]) => Promise<void> | undefined,
): Promise<void> {
  const results = await Promise.allSettled(specs.map((spec) => loadModel(spec)));
  await show(results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : [])));
  const failures = results.map((result) => (result.status === 'rejected' ? result.reason : null));
  for (const [i, spec] of specs.entries()) {
    if (!isMissing(failures[i])) continue;
    leaveOut(`also=${spec}`, { also: current().also.filter((one) => one !== spec) });
  }
  const failure = failures.find((error) => error !== null && !isMissing(error));
  if (failure !== undefined) throw failure;
}

function isMissing(error: unknown): boolean {
  return error instanceof ApiFailure && (error.kind === 'missing' || error.kind === 'refused');
}

/**
 * What stands in for a model that is not there: the best of its municipality, of the same kind where there is one; null
 * where nothing of it has models. Another city would not be what the link shows.
 */
async function replacementOf(model: string): Promise<string | null> {
  const area = readSpec(model)?.area ?? /^\d{5}/.exec(model)?.[0];
  if (area === undefined || !/^\d{5}$/.test(area)) return null;
  const rows = await loadCityDatasets(area).catch(() => []);
  const kinds = kindsOf(rows);
  const spec = readSpec(model);
  const kind = kinds.find(({ key }) => spec !== null && key === keyOf(spec)) ?? kinds[0];
  const found = kind === undefined ? null : formatTilesSpec(bestOf(area, kind));
  return found === model ? null : found;
}
