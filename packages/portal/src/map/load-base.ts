import type { Bounds } from '@citymodel/geo';
import { api } from '../core/api.ts';
import { config } from '../core/config.ts';
import { loadDatasets } from '../core/data.ts';
import { MAP_TILES } from '../core/output-kinds.ts';
import { BASE_TYPES, type BaseLayer, type BaseType, newestOf } from './base-layers.ts';
import type { TileJson } from './tilejson.ts';

/** The newest dataset of each type and municipality that meets a box; with `year` those of that year. */
export async function baseLayersIn(box: Bounds, signal: AbortSignal, year?: number): Promise<BaseLayer[]> {
  const filters = {
    format: MAP_TILES,
    type_en: BASE_TYPES.join(','),
    bbox: [box.west, box.south, box.east, box.north].join(','),
    ...(year === undefined ? {} : { year: String(year) }),
  };
  const { datasets } = await loadDatasets(filters, { limit: 100 }, signal);
  return Promise.all(
    newestOf(datasets).map(async (row) => ({
      id: row.id,
      type: row.type_en as BaseType,
      tileJson: await api<TileJson>(new URL(row.composite_url!).pathname.slice(config.base.length), {
        signal,
      }),
    })),
  );
}
