/** Rows of the array `datasets`: every year of every tile package. */

import type { Bounds } from '../../geo/bounds.ts';
import { boundsToArray } from '../../geo/bounds.ts';
import type { AssetUrls } from '../names/asset-urls.ts';
import { typeName } from '../names/feature-types.ts';
import type { RowKeys } from './row-block.ts';
import type { Dataset } from './snapshot-dataset.ts';

/**
 * The row of one dataset, keys in the order of the interface specification. `bounds` are those of the
 * dataset or, where they are unknown, of its municipality.
 */
export function datasetRow(dataset: Dataset, urls: AssetUrls, bounds: Bounds | null): object {
  const { package: row, facts, spec } = dataset;
  return {
    ...areaColumns(dataset),
    url: urls.member(row, facts.entry),
    layers: layersOf(dataset),
    year: row.year,
    registration_year: row.registrationYear,
    spec: row.spec,
    ...formatColumns(dataset),
    composite_url: spec === null ? null : specUrl(dataset, spec, urls),
    file_size: row.archiveSize,
    ...extentColumns(bounds, row.license),
  };
}

/** What filters see of a dataset's row. */
export function datasetKeys(dataset: Dataset, bounds: Bounds | null): Required<RowKeys> {
  const { package: row, facts } = dataset;
  return {
    pref: row.prefCode,
    city: row.cityCode,
    ward: row.wardCode ?? '',
    types: facts.type,
    format: facts.format,
    lod: String(dataset.lod),
    year: String(row.year),
    bounds,
  };
}

/** The columns that say what and where a dataset is. */
export function areaColumns(dataset: Dataset): object {
  const { package: row, facts } = dataset;
  return {
    id: dataset.id,
    name: dataset.name,
    pref: row.pref,
    pref_code: row.prefCode,
    city: row.city,
    city_code: row.cityCode,
    ...(row.wardCode === null ? {} : { ward: row.ward ?? row.city, ward_code: row.wardCode }),
    type: typeName(facts.type),
    type_en: facts.type,
  };
}

export function layersOf({ facts }: Dataset): string[] | null {
  return facts.format === 'MVT' ? (facts.vectorLayers?.map((layer) => layer.id) ?? null) : null;
}

/** `format` to `interior`: the columns that describe the data itself. */
export function formatColumns(dataset: Dataset): object {
  const { facts } = dataset;
  return {
    format: facts.format,
    ...(facts.format === '3D Tiles' ? { format_version: facts.formatVersion } : {}),
    lod: String(dataset.lod),
    ...(facts.interior === null ? {} : { interior: facts.interior }),
    texture: facts.format === '3D Tiles' && facts.texture,
  };
}

/** `bbox` always, `license` where it is known. */
export function extentColumns(bounds: Bounds | null, license: string | null): object {
  return {
    bbox: bounds === null ? null : boundsToArray(bounds),
    ...(license === null ? {} : { license }),
  };
}

/** Where the composite tileset or the TileJSON of a spec is served. */
export function specUrl(dataset: Dataset, spec: string, urls: AssetUrls): string {
  return dataset.facts.format === 'MVT' ? urls.tileJson(spec) : urls.tileset(spec);
}
