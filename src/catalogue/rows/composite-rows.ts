/**
 * Rows of the array `composite_tilesets`: for the whole country and each prefecture, type and LOD one per
 * year and one for `latest`; each again per texture where there are both.
 */

import type { Slices } from '../../base/turns.ts';
import { type Bounds, boundsToArray, unionBounds } from '../../geo/bounds.ts';
import type { AssetUrls } from '../names/asset-urls.ts';
import { typeName } from '../names/feature-types.ts';
import { formatTilesSpec, type TilesChoice, type TilesSpec } from '../specs/tiles-spec.ts';
import { chooseTiles } from './choose-tiles.ts';
import type { Dataset } from './snapshot-dataset.ts';
import type { RowKeys } from './snapshot-table.ts';

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

/** Every composite that the catalogue lists; each has at least one child. Datasets are 3D Tiles only. */
export async function listComposites(datasets: readonly Dataset[], slices: Slices): Promise<Composite[]> {
  const groups = new Map<string, Dataset[]>();
  await slices.each(datasets, (dataset) => {
    if (dataset.volume === null || !/^[a-z]+$/.test(dataset.facts.type)) return;
    for (const area of ['all', dataset.package.prefCode]) {
      if (!/^(all|\d{2})$/.test(area)) continue;
      const key = `${area}/${dataset.facts.type}/${dataset.lod}/${dataset.interior}`;
      const group = groups.get(key);
      if (group) group.push(dataset);
      else groups.set(key, [dataset]);
    }
  });
  const composites: Composite[] = [];
  for (const [key, group] of groups) {
    const area = key.slice(0, key.indexOf('/'));
    const byYear = new Map<number | 'latest', Dataset[]>([['latest', group]]);
    for (const dataset of group) {
      const { year } = dataset.package;
      const ofYear = byYear.get(year);
      if (ofYear) ofYear.push(dataset);
      else byYear.set(year, [dataset]);
    }
    for (const [year, candidates] of byYear) {
      if (typeof year === 'number' && !/^\d{4}$/.test(String(year))) continue;
      const both = new Set(candidates.map((dataset) => dataset.facts.texture)).size === 2;
      for (const texture of both ? [null, true, false] : [null]) {
        composites.push(describe(area, candidates, texture, year));
        if (slices.due()) await slices.pause();
      }
    }
  }
  return composites;
}

function describe(
  area: string,
  candidates: readonly Dataset[],
  texture: boolean | null,
  year: number | 'latest',
): Composite {
  const first = candidates[0]!;
  const lod = { max: false, value: first.lod };
  const choice: TilesChoice = { sub: null, lod, interior: first.interior, texture, year };
  const spec: TilesSpec = { ...choice, area, type: first.facts.type };
  let bounds: Bounds | null = null;
  let formatVersion = '1.0';
  for (const { package: row, facts } of chooseTiles(candidates, choice)) {
    bounds = unionBounds(bounds, row.bounds);
    if (facts.formatVersion === '1.1') formatVersion = '1.1';
  }
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
