/**
 * Rows of the array `latest_datasets`: one per municipality or ward, type, sub name, LOD, format and texture,
 * of the newest year that has it.
 */

import { kindOfFormat, type Slices } from '@citymodel/base';
import type { Bounds } from '@citymodel/geo';
import type { AssetUrls } from '../names/asset-urls.ts';
import { areaColumns, datasetKeys, extentColumns, formatColumns, layersOf, specUrl } from './dataset-rows.ts';
import type { RowKeys } from './row-block.ts';
import { byPreference, type Dataset } from './snapshot-dataset.ts';

/** The newest dataset of each kind that has a spec of its own, in the order given. */
export async function latestDatasets(datasets: readonly Dataset[], slices: Slices): Promise<Dataset[]> {
  const latest = new Map<string, Dataset>();
  await slices.each(datasets, (dataset) => {
    if (dataset.latestSpec === null) return;
    const { summary, place, lodRank, interior } = dataset;
    const key = `${summary.format}/${summary.type}/${place}/${lodRank}/${interior}/${summary.texture}`;
    const other = latest.get(key);
    if (other === undefined || isNewer(dataset, other)) latest.set(key, dataset);
  });
  return [...latest.values()];
}

/** What these rows are sorted by: their URLs without what all begin with. */
export function latestOrder({ summary, latestSpec }: Dataset): string {
  return `${kindOfFormat(summary.format)}/${latestSpec}`;
}

export function latestRow(dataset: Dataset, urls: AssetUrls, bounds: Bounds | null): object {
  return {
    ...areaColumns(dataset),
    url: specUrl(dataset, dataset.latestSpec!, urls),
    layers: layersOf(dataset),
    year: 'latest',
    ...formatColumns(dataset),
    ...extentColumns(bounds, dataset.package.license),
  };
}

/** What filters see of such a row. */
export function latestKeys(dataset: Dataset, bounds: Bounds | null): RowKeys {
  return { ...datasetKeys(dataset, bounds), year: 'latest' };
}

function isNewer(a: Dataset, b: Dataset): boolean {
  return (b.package.year - a.package.year || byPreference(a, b)) < 0;
}
