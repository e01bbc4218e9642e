/** Asks the service what a condition of operation 7 is called, and what it finds. */
import { ApiFailure, api, countsPath } from '../core/api.ts';
import { loadPlaces, loadSummary } from '../core/data.ts';
import type { FileCounts } from '../core/files.ts';
import { useWords } from '../core/store.ts';
import { useLoaded } from '../core/use-loaded.ts';
import { conditionName, isCityCode, isUnknownCity } from './condition-place.ts';

/** The name in the language of the page; null until that of a municipality is loaded. */
export function useConditionName(condition: string): string | null {
  const words = useWords();
  const summary = useLoaded(isCityCode(condition) ? 'summary' : null, loadSummary);
  const places = useLoaded(isUnknownCity(condition, summary.value) ? 'places' : null, loadPlaces);
  return conditionName(condition, words, summary, places);
}

const NOTHING: FileCounts = { cities: [], meshes: 0, meshes_km2: 0 };

/** What the service counts; nothing for a condition that it does not understand or know. */
export async function countCondition(condition: string, signal?: AbortSignal): Promise<FileCounts> {
  try {
    return await api<FileCounts>(countsPath(condition), { signal });
  } catch (error) {
    if (error instanceof ApiFailure && (error.kind === 'refused' || error.kind === 'missing')) return NOTHING;
    throw error;
  }
}
