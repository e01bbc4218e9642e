/** What views share of the catalogue: a summary first, datasets a page at a time. */
import areasUrl from 'virtual:areas';
import { ApiFailure, api } from './api.ts';
import type { CompositeRow, DatasetRow } from './catalogue.ts';
import { type AreaEntry, Places } from './gazetteer.ts';
import type { Filters } from './state.ts';
import { rememberNames, type Summary } from './summary.ts';

/** Runs a request once; a failure is forgotten, so that the next caller tries again. */
export function once<T>(load: () => Promise<T>): () => Promise<T> {
  let kept: Promise<T> | null = null;
  return () => {
    kept ??= load().catch((error) => {
      kept = null;
      throw error;
    });
    return kept;
  };
}

/** Composite tilesets, which only the 3D view needs. */
export const loadComposites = once(async () => {
  const path = '/datacatalog/citymodel-datasets?fields=composite_tilesets';
  return (await api<{ composite_tilesets: CompositeRow[] }>(path)).composite_tilesets;
});

/** Municipalities in short, and sums of everything. */
export const loadSummary = once(async () => {
  const summary = await api<Summary>('/datacatalog/summary');
  rememberNames(
    summary.cities.flatMap(({ code, romaji }) => (romaji === null ? [] : [[code, romaji] as const])),
  );
  return summary;
});

/** Every municipality of the country with its readings, and what there is of it. */
export const loadPlaces = once(async () => {
  const [entries, { cities }] = await Promise.all([fetchTable<AreaEntry[]>(areasUrl), loadSummary()]);
  return Places.inSlices(entries, cities);
});

/** A table of the build. */
export async function fetchTable<T>(url: string): Promise<T> {
  const response = await fetch(url).catch((error) => {
    throw new ApiFailure('offline', 0, String(error));
  });
  if (!response.ok) throw new ApiFailure('busy', response.status, '');
  return response.json();
}

/** A value of a filter with how many datasets have it, and the name of an area. */
export type FacetValue = [value: string, count: number, name?: string];

export interface DatasetPage {
  total: number;
  offset: number;
  facets: Record<string, FacetValue[]>;
  datasets: DatasetRow[];
}

export type DatasetOrder = 'place' | 'type' | 'lod' | 'year' | 'size';

/** The address of a page of datasets. */
export function datasetPagePath(
  filters: Filters,
  { sort = 'place', offset = 0, limit = 100 }: { sort?: DatasetOrder; offset?: number; limit?: number } = {},
): string {
  const query = Object.entries(filters)
    .filter(([, value]) => value !== undefined && value !== '')
    .map(([key, value]) => `${key}=${encodeURIComponent(value).replaceAll('%2C', ',')}`);
  if (sort !== 'place') query.push(`sort=${sort}`);
  if (offset > 0) query.push(`offset=${offset}`);
  query.push(`limit=${limit}`);
  return `/datacatalog/datasets?${query.join('&')}`;
}

export function loadDatasets(
  filters: Filters,
  options: Parameters<typeof datasetPagePath>[1] = {},
  signal?: AbortSignal,
): Promise<DatasetPage> {
  return api<DatasetPage>(datasetPagePath(filters, options), { signal });
}

/** A dataset by its id; null when there is none. */
export async function findDataset(id: string, signal?: AbortSignal): Promise<DatasetRow | null> {
  const { datasets } = await loadDatasets({ text: id, map_symbols: 'true' }, { limit: 500 }, signal);
  return datasets.find((row) => row.id === id) ?? null;
}

/** Rows of a page at most. */
const PAGE = 500;

const byCity = new Map<string, () => Promise<DatasetRow[]>>();

/** All datasets of a municipality or ward, asked for once. */
export function loadCityDatasets(code: string): Promise<DatasetRow[]> {
  let load = byCity.get(code);
  if (load === undefined) {
    load = once(async () => {
      const rows: DatasetRow[] = [];
      for (let total = 1; rows.length < total; ) {
        const page = await loadDatasets({ city_code: code }, { offset: rows.length, limit: PAGE });
        if (page.datasets.length === 0) break;
        rows.push(...page.datasets);
        total = page.total;
      }
      return rows;
    });
    byCity.set(code, load);
  }
  return load();
}
