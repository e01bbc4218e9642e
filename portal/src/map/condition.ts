/** What a condition of operation 7 is called, and where it lies. */
import type { Bounds } from '../../../src/geo/bounds.ts';
import { isMeshCode, meshBounds } from '../../../src/geo/mesh.ts';
import { parseSpatialId, spatialIdBounds } from '../../../src/geo/spatial-id.ts';
import { ApiFailure, api, countsPath } from '../core/api.ts';
import { unite } from '../core/area.ts';
import { loadPlaces, loadSummary } from '../core/data.ts';
import type { FileCounts } from '../core/files.ts';
import { prefectureCode } from '../core/prefectures.ts';
import { useWords } from '../core/store.ts';
import { areaName, cityBounds, type Summary } from '../core/summary.ts';
import { useLoaded } from '../core/use-loaded.ts';

const POINT = /^r:(-?[\d.]+),(-?[\d.]+)$/;

/** A condition without its prefix, a point with its latitude first, as people write it. */
export function plainName(condition: string): string {
  const point = POINT.exec(condition);
  return point === null ? condition.replace(/^\w+:/, '') : `${point[2]}, ${point[1]}`;
}

/** The name in the language of the page; null until that of a municipality is loaded, what was searched for where none is known. */
export function useConditionName(condition: string): string | null {
  const { language, prefecture } = useWords();
  const isCity = /^\d{5}$/.test(condition);
  const loaded = useLoaded(isCity ? 'summary' : null, loadSummary);
  const summary = loaded.value;
  const city = summary?.cities.find(({ code }) => code === condition);
  const places = useLoaded(isCity && summary !== null && city === undefined ? 'places' : null, loadPlaces);
  const known = city ?? places.value?.named(condition);
  if (known) return areaName(known, language);
  // The list of names is asked for once the summary has come without the municipality.
  const isSummaryDue = summary === null && loaded.error === null;
  if (isCity && (isSummaryDue || (summary !== null && places.value === null && places.error === null)))
    return null;
  const pref = condition.startsWith('g:') ? prefectureCode(condition.slice(2)) : null;
  return pref === null ? plainName(condition) : prefecture(pref);
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

/** Where a condition lies that says so itself. */
export function conditionBounds(condition: string): Bounds | null {
  const text = condition.slice(2);
  if (condition.startsWith('m:') && isMeshCode(text)) return meshBounds(text);
  if (condition.startsWith('s:')) return spatialIdBounds(parseSpatialId(text));
  const point = POINT.exec(condition);
  if (point === null) return null;
  const [lng, lat] = [Number(point[1]), Number(point[2])];
  return { west: lng, south: lat, east: lng, north: lat };
}

/** Where the data of a municipality or of a prefecture lie; null for other conditions. */
export function dataBounds(condition: string, { cities }: Pick<Summary, 'cities'>): Bounds | null {
  const pref = condition.startsWith('g:') ? prefectureCode(condition.slice(2)) : null;
  const boxes = cities
    .filter((city) => city.code === condition || city.pref_code === pref)
    .map(cityBounds)
    .filter((box) => box !== null);
  return boxes.length === 0 ? null : boxes.reduce(unite);
}
