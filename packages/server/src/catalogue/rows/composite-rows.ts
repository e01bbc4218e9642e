/**
 * Rows of the array `composite_tilesets`: for the whole country and each prefecture, type and LOD one per
 * year and one for `latest`; each again per texture where there are both.
 */

import type { Slices } from '@citymodel/base';
import { isTypeCode, typeName } from '@citymodel/citygml';
import { type Bounds, boundsToArray, unionBounds } from '@citymodel/geo';
import type { AssetUrls } from '../names/asset-urls.ts';
import { formatTilesSpec, type TilesChoice, type TilesSpec } from '../specs/tiles-spec.ts';
import { chooseTiles } from './choose-tiles.ts';
import type { RowKeys } from './row-block.ts';
import type { Dataset } from './snapshot-dataset.ts';

export interface Composite {
  /** The spec as text. */
  id: string;
  spec: TilesSpec;
  /** LOD of the row. */
  lod: number;
  /** Name of the prefecture; null for the whole country. */
  pref: string | null;
  /** asset.version of the composite. */
  formatVersion: string;
  bounds: Bounds | null;
}

/** Composites of one area, type, LOD and interior or not differ in year and texture only. */
export type CompositeGroup = string;

/** The groups whose composites a dataset is in: the country's and its prefecture's; none where it has no volume. */
export function compositeGroups(dataset: Dataset): CompositeGroup[] {
  const { summary, kind, package: row } = dataset;
  if (dataset.volume === null || !isTypeCode(summary.type)) return [];
  return /^\d{2}$/.test(row.prefCode) ? [`all/${kind}`, `${row.prefCode}/${kind}`] : [`all/${kind}`];
}

/** Every composite that the catalogue lists of a group, which has at least one dataset; each has at least one child. */
export async function listComposites(
  group: CompositeGroup,
  datasets: readonly Dataset[],
  slices: Slices,
): Promise<Composite[]> {
  const area = group.slice(0, group.indexOf('/'));
  const composites: Composite[] = [];
  // What a city gives does not depend on others, and a whole country at once would be a long step.
  const cities = [...Map.groupBy(datasets, (dataset) => dataset.city).values()];
  const byYear = new Map<number | 'latest', Candidates>([['latest', cities]]);
  await slices.each(cities, (city) => {
    for (const [year, list] of Map.groupBy(city, (dataset) => dataset.package.year)) {
      const others = byYear.get(year);
      if (others === undefined) byYear.set(year, [list]);
      else others.push(list);
    }
  });
  for (const [year, candidates] of byYear) {
    if (typeof year === 'number' && !/^\d{4}$/.test(String(year))) continue;
    const textures = new Set<boolean>();
    await slices.each(candidates, (city) => {
      for (const { summary } of city) textures.add(summary.texture);
    });
    for (const texture of textures.size === 2 ? [null, true, false] : [null]) {
      composites.push(await describe(area, candidates, texture, year, slices));
    }
  }
  return composites;
}

/** Datasets of each city. */
type Candidates = Array<readonly Dataset[]>;

async function describe(
  area: string,
  candidates: Candidates,
  texture: boolean | null,
  year: number | 'latest',
  slices: Slices,
): Promise<Composite> {
  const first = candidates[0]![0]!;
  const lod = { max: false, value: first.lod };
  const choice: TilesChoice = { sub: null, lod, interior: first.interior, texture, year };
  const spec: TilesSpec = { ...choice, area, type: first.summary.type };
  let bounds: Bounds | null = null;
  let formatVersion = '1.0';
  await slices.each(candidates, (city) => {
    for (const { package: row, summary } of chooseTiles(city, choice)) {
      bounds = unionBounds(bounds, row.bounds);
      if (summary.formatVersion === '1.1') formatVersion = '1.1';
    }
  });
  return {
    id: formatTilesSpec(spec),
    spec,
    lod: first.lod,
    pref: area === 'all' ? null : first.package.pref,
    formatVersion,
    bounds,
  };
}

export function compositeRow(composite: Composite, urls: AssetUrls): object {
  const { spec } = composite;
  return {
    id: composite.id,
    url: urls.tileset(composite.id),
    area: composite.pref === null ? 'all' : 'pref',
    ...(composite.pref === null ? {} : { pref_code: spec.area, pref: composite.pref }),
    type: typeName(spec.type),
    type_en: spec.type,
    lod: composite.lod,
    ...(spec.interior ? { interior: true } : {}),
    texture: spec.texture,
    year: String(spec.year),
    format_version: composite.formatVersion,
    bbox: composite.bounds === null ? null : boundsToArray(composite.bounds),
  };
}

/** What filters see of such a row; the nationwide ones have no prefecture. */
export function compositeKeys(composite: Composite): RowKeys {
  const { spec } = composite;
  return {
    pref: composite.pref === null ? '' : spec.area,
    types: spec.type,
    lod: String(composite.lod),
    year: String(spec.year),
    bounds: composite.bounds,
  };
}
