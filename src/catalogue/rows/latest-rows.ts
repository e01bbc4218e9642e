/**
 * Rows of the array `latest_datasets`: one per municipality or ward, type, sub name, LOD, format and texture,
 * of the newest year that has it.
 */

import type { Slices } from '../../base/turns.ts';
import type { Bounds } from '../../geo/bounds.ts';
import type { AssetUrls } from '../names/asset-urls.ts';
import {
  areaColumns,
  datasetKeys,
  extentColumns,
  formatColumns,
  layersOf,
  specText,
  specUrl,
  type TexturePairs,
} from './dataset-rows.ts';
import { byPreference, type Dataset } from './snapshot-dataset.ts';
import type { RowKeys } from './snapshot-table.ts';

export interface LatestDataset {
  dataset: Dataset;
  /** Spec that finds it, ending in `-latest`. */
  spec: string;
}

/** The newest dataset of each kind that a spec can name. */
export async function latestDatasets(
  datasets: readonly Dataset[],
  textures: TexturePairs,
  slices: Slices,
): Promise<LatestDataset[]> {
  const latest = new Map<string, LatestDataset>();
  await slices.each(datasets, (dataset) => {
    const spec = specText(dataset, 'latest', textures);
    if (spec === null) return;
    const key = `${dataset.facts.format}/${spec}`;
    const other = latest.get(key);
    if (other === undefined || isNewer(dataset, other.dataset)) latest.set(key, { dataset, spec });
  });
  return [...latest.values()];
}

export function latestRow({ dataset, spec }: LatestDataset, urls: AssetUrls, bounds: Bounds | null): object {
  return {
    ...areaColumns(dataset),
    url: specUrl(dataset, spec, urls),
    layers: layersOf(dataset),
    year: 'latest',
    ...formatColumns(dataset),
    ...extentColumns(bounds, dataset.package.license),
  };
}

/** What filters see of such a row. */
export function latestKeys({ dataset }: LatestDataset, bounds: Bounds | null): RowKeys {
  return { ...datasetKeys(dataset, bounds), year: 'latest' };
}

function isNewer(a: Dataset, b: Dataset): boolean {
  return (b.package.year - a.package.year || byPreference(a, b)) < 0;
}
