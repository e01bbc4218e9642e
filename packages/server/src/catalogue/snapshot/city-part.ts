/**
 * What the packages of one city give to the catalogue. No row of a dataset or zip depends on another city. So a
 * publication changes the part of its own city and the composites above it only.
 */

import type { Slices } from '@citymodel/base';
import { compareTexts } from '@citymodel/base';
import { isMapSymbols } from '@citymodel/citygml';
import { type Bounds, unionBounds } from '@citymodel/geo';
import type { PackageRow } from '@citymodel/store';
import type { AssetUrls } from '../names/asset-urls.ts';
import { PartNames } from '../names/part-names.ts';
import {
  areaOf,
  cityGmlByArea,
  cityGmlKeys,
  cityGmlRow,
  latestCityGmlRow,
  withIds,
} from '../rows/citygml-rows.ts';
import { datasetKeys, datasetRow } from '../rows/dataset-rows.ts';
import { assignSpecs } from '../rows/dataset-spec.ts';
import { latestDatasets, latestKeys, latestOrder, latestRow } from '../rows/latest-rows.ts';
import { type ColumnValues, type RowBlock, rowBlock } from '../rows/row-block.ts';
import { assignIds, type Dataset, toDataset } from '../rows/snapshot-dataset.ts';

/** Arrays whose rows come from cities. `all_years` is `citygml` with every year; sets of map symbols stand apart. */
export type CityArray =
  | 'datasets'
  | 'citygml'
  | 'latest_datasets'
  | 'latest_citygml'
  | 'all_years'
  | 'map_symbols'
  | 'latest_map_symbols';

export interface CityPart {
  /** Live packages, by `no`. */
  readonly packages: readonly PackageRow[];
  /** Of each area, by id; areas stand in the order of their ids when sorted by `key`. */
  readonly datasets: ReadonlyArray<{ key: string; datasets: readonly Dataset[] }>;
  /** Sets of map symbols, by id: no list has them unless somebody asks. */
  readonly symbols: readonly Dataset[];
  /** CityGML packages by area, each list newest first. */
  readonly cityGml: ReadonlyMap<string, readonly PackageRow[]>;
  /** Extents of the packages by prefecture, municipality and ward code. */
  readonly bounds: ReadonlyMap<string, Bounds>;
  /** City by ward, as the packages say. */
  readonly cityOfWard: ReadonlyMap<string, string>;
  readonly blocks: Readonly<Record<CityArray, readonly RowBlock[]>>;
}

/** What the ids of an area's datasets begin with, and the key of their block. */
export function areaKey(area: string): string {
  return `${area}_`;
}

/** Makes the part of a city from its live packages, which are given by `no`. */
export async function cityPart(
  packages: readonly PackageRow[],
  urls: AssetUrls,
  values: ColumnValues,
  slices: Slices,
): Promise<CityPart> {
  const bounds = new Map<string, Bounds>();
  const cityOfWard = new Map<string, string>();
  for (const row of packages) {
    if (row.wardCode !== null) cityOfWard.set(row.wardCode, row.cityCode);
    if (row.bounds === null) continue;
    for (const code of [row.prefCode, row.cityCode, row.wardCode]) {
      if (code) bounds.set(code, unionBounds(bounds.get(code) ?? null, row.bounds)!);
    }
  }
  const partNames = new PartNames(packages);
  const every = packages.map((row) => toDataset(row, partNames)).filter((dataset) => dataset !== null);
  await assignIds(every, slices);
  await assignSpecs(every, slices);
  const { shown: datasets = [], symbols = [] } = Object.groupBy(every, ({ summary }) =>
    isMapSymbols(summary.sub) ? 'symbols' : 'shown',
  );
  symbols.sort((a, b) => compareTexts(a.id, b.id));
  const byArea = Map.groupBy(datasets, (dataset) => dataset.area);
  const sorted = [...byArea].map(([area, list]) => ({
    key: areaKey(area),
    datasets: list.sort((a, b) => compareTexts(a.id, b.id)),
  }));
  const cityGml = cityGmlByArea(packages);
  const boundsOf = (row: PackageRow) =>
    row.bounds ?? bounds.get(areaOf(row)) ?? bounds.get(row.cityCode) ?? null;
  const blocks: Record<CityArray, RowBlock[]> = {
    datasets: [],
    citygml: [],
    latest_datasets: [],
    latest_citygml: [],
    all_years: [],
    map_symbols: [],
    latest_map_symbols: [],
  };
  const add = (array: CityArray, key: string, rows: Parameters<typeof rowBlock>[1]) => {
    const block = rowBlock(key, rows, values);
    if (block !== null) blocks[array].push(block);
  };
  const row = (dataset: Dataset) => {
    const extent = boundsOf(dataset.package);
    return { row: datasetRow(dataset, urls, extent), keys: datasetKeys(dataset, extent) };
  };
  for (const { key, datasets: list } of sorted) {
    add('datasets', key, list.map(row));
    if (slices.due()) await slices.pause();
  }
  for (const symbol of symbols) add('map_symbols', symbol.id, [row(symbol)]);
  const newestRow = (dataset: Dataset) => {
    const extent = boundsOf(dataset.package);
    return { row: latestRow(dataset, urls, extent), keys: latestKeys(dataset, extent) };
  };
  const latest = await latestDatasets(datasets, slices);
  // The URL of a row begins with its format and area.
  const byUrl = Map.groupBy(latest, (dataset) => latestOrder(dataset).replace(/-.*$/s, '-'));
  for (const [key, list] of byUrl) {
    list.sort((a, b) => compareTexts(latestOrder(a), latestOrder(b)));
    add('latest_datasets', key, list.map(newestRow));
    if (slices.due()) await slices.pause();
  }
  for (const symbol of await latestDatasets(symbols, slices))
    add('latest_map_symbols', latestOrder(symbol), [newestRow(symbol)]);
  for (const [area, newestFirst] of cityGml) {
    const zipRow = ({ row, id }: { row: PackageRow; id: string }) => {
      const extent = boundsOf(row);
      return {
        row: cityGmlRow(row, id, urls, extent),
        keys: cityGmlKeys(row, String(row.year), extent),
      };
    };
    const [first, ...older] = withIds(newestFirst);
    add('citygml', area, [zipRow(first!)]);
    add('all_years', area, [zipRow(first!)]);
    // An older year's id begins with the code and `_`.
    add('all_years', `${area}_`, older.sort((a, b) => compareTexts(a.id, b.id)).map(zipRow));
    const newest = first!.row;
    const extent = boundsOf(newest);
    add('latest_citygml', area, [
      { row: latestCityGmlRow(newest, urls, extent), keys: cityGmlKeys(newest, 'latest', extent) },
    ]);
  }
  return { packages, datasets: sorted, symbols, cityGml, bounds, cityOfWard, blocks };
}
