/** Files and named places of an area of the basket. */
import { ApiFailure, api, filesPath } from '../core/api.ts';
import type { FileList } from '../core/files.ts';
import { namedPlaces } from '../core/named-place.ts';
import type { AreaCounts } from './counts.ts';

/** Nothing found is an empty list here, not a failure. */
export async function filesOfArea(condition: string, signal?: AbortSignal): Promise<FileList> {
  try {
    return await api<FileList>(filesPath(condition, { everyYear: true }), { signal });
  } catch (error) {
    if (error instanceof ApiFailure && error.kind === 'missing') return { cities: [] };
    throw error;
  }
}

/** The places whose name an area is. */
export function namedPlacesOf(counted: AreaCounts | undefined) {
  return (counted && namedPlaces(counted.counts)) ?? [];
}
