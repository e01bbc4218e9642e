/** Rows of the array `datasets`: every year of every tile package. */

import type { Slices } from '../../base/turns.ts';
import type { Bounds } from '../../geo/bounds.ts';
import { boundsToArray } from '../../geo/bounds.ts';
import type { AssetUrls } from '../names/asset-urls.ts';
import { typeName } from '../names/feature-types.ts';
import { formatMvtSpec, mvtSpecOfDataset } from '../specs/mvt-spec.ts';
import { formatTilesSpec, specOfDataset } from '../specs/tiles-spec.ts';
import type { Dataset } from './snapshot-dataset.ts';
import type { RowKeys } from './snapshot-table.ts';

/**
 * The row of one dataset, keys in the order of the interface specification. `bounds` are those of the
 * dataset or, where they are unknown, of its municipality.
 */
export function datasetRow(
  dataset: Dataset,
  urls: AssetUrls,
  textures: TexturePairs,
  bounds: Bounds | null,
): object {
  const { package: row, facts } = dataset;
  const spec = specText(dataset, row.year, textures);
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

/**
 * Which specs have data in both textures. A `composite_url` names the texture only then, and otherwise
 * leaves the choice to the rule that takes the one there is.
 */
export class TexturePairs {
  /** Kind of dataset → year → 1 for textured, 2 for untextured, 3 for both. */
  readonly #seen = new Map<string, Map<number | 'latest', number>>();

  static async of(datasets: readonly Dataset[], slices: Slices): Promise<TexturePairs> {
    const pairs = new TexturePairs();
    await slices.each(datasets, (dataset) => {
      if (dataset.facts.format === '3D Tiles') pairs.#add(dataset);
    });
    return pairs;
  }

  /** The texture that a spec has to name to find this dataset; null when there is no choice. */
  toName(dataset: Dataset, year: number | 'latest'): boolean | null {
    return this.#seen.get(dataset.kind)?.get(year) === 3 ? dataset.facts.texture : null;
  }

  #add(dataset: Dataset): void {
    const texture = dataset.facts.texture ? 1 : 2;
    for (const kind of [dataset.kind, dataset.namedKind]) {
      if (kind === null) continue;
      let years = this.#seen.get(kind);
      if (years === undefined) {
        years = new Map();
        this.#seen.set(kind, years);
      }
      for (const year of [dataset.package.year, 'latest'] as const) {
        years.set(year, (years.get(year) ?? 0) | texture);
      }
    }
  }
}

/**
 * The spec, as text, that finds one dataset. Null when a part of it is missing: a municipality code, a year,
 * or the volume that a composite needs.
 */
export function specText(dataset: Dataset, year: number | 'latest', textures: TexturePairs): string | null {
  if (dataset.facts.format === 'MVT') {
    const spec = mvtSpecOfDataset(dataset, year);
    return spec && formatMvtSpec(spec);
  }
  if (dataset.volume === null) return null;
  const spec = specOfDataset(dataset, textures.toName(dataset, year), year);
  return spec && formatTilesSpec(spec);
}

export function specUrl(dataset: Dataset, spec: string, urls: AssetUrls): string {
  return dataset.facts.format === 'MVT' ? urls.tileJson(spec) : urls.tileset(spec);
}
