/** Rows of the array `datasets`: every year of every tile package. */

import { factsOfFormat, kindOfFormat } from '@citymodel/base';
import { typeName } from '@citymodel/citygml';
import { type Bounds, boundsToArray } from '@citymodel/geo';
import type { PackageRow } from '@citymodel/store';
import type { AssetUrls } from '../names/asset-urls.ts';
import type { RowKeys } from './row-block.ts';
import type { Dataset } from './snapshot-dataset.ts';

/**
 * The row of one dataset, keys in the order of the interface specification. `bounds` are those of the
 * dataset or, where they are unknown, of its municipality.
 */
export function datasetRow(dataset: Dataset, urls: AssetUrls, bounds: Bounds | null): object {
  const { package: row, summary, spec } = dataset;
  return {
    ...areaColumns(dataset),
    url: urls.member(row, summary.entry),
    layers: layersOf(dataset),
    year: row.year,
    registration_year: row.registrationYear,
    spec: row.spec,
    ...formatColumns(dataset),
    composite_url: spec === null ? null : specUrl(dataset, spec, urls),
    file_size: row.archiveSize,
    ...extentColumns(bounds, row.license),
    ...pictureColumn(row, urls),
  };
}

/** `picture_url` where the package was drawn. */
function pictureColumn(row: PackageRow, urls: AssetUrls): object {
  const url = urls.picture(row, 'light', 'small');
  return url === null ? {} : { picture_url: url };
}

/** What filters see of a dataset's row. */
export function datasetKeys(dataset: Dataset, bounds: Bounds | null): Required<RowKeys> {
  const { package: row, summary } = dataset;
  return {
    pref: row.prefCode,
    city: row.cityCode,
    ward: row.wardCode ?? '',
    types: summary.type,
    format: summary.format,
    lod: String(dataset.lod),
    year: String(row.year),
    bounds,
  };
}

/** The columns that say what and where a dataset is. */
export function areaColumns(dataset: Dataset): object {
  const { package: row, summary } = dataset;
  return {
    id: dataset.id,
    name: dataset.name,
    pref: row.pref,
    pref_code: row.prefCode,
    city: row.city,
    city_code: row.cityCode,
    ...(row.wardCode === null ? {} : { ward: row.ward ?? row.city, ward_code: row.wardCode }),
    type: typeName(summary.type),
    type_en: summary.type,
  };
}

export function layersOf({ summary }: Dataset): string[] | null {
  return factsOfFormat(summary.format).hasLayers
    ? (summary.vectorLayers?.map((layer) => layer.id) ?? null)
    : null;
}

/** `format` to `interior`: the columns that describe the data itself. */
export function formatColumns(dataset: Dataset): object {
  const { summary } = dataset;
  const { hasVersion, isTextured } = factsOfFormat(summary.format);
  return {
    format: summary.format,
    ...(hasVersion ? { format_version: summary.formatVersion } : {}),
    lod: String(dataset.lod),
    ...(summary.interior === null ? {} : { interior: summary.interior }),
    texture: isTextured && summary.texture,
  };
}

/** `bbox` always, `license` where it is known. */
export function extentColumns(bounds: Bounds | null, license: string | null): object {
  return {
    bbox: bounds === null ? null : boundsToArray(bounds),
    ...(license === null ? {} : { license }),
  };
}

/** Where the document behind a spec is served. */
export function specUrl(dataset: Dataset, spec: string, urls: AssetUrls): string {
  return urls.ofSpec(kindOfFormat(dataset.summary.format), spec);
}
