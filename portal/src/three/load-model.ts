/** Where a model of the address bar is, and what the scene and the page have to know of it. */
import { ApiFailure, api } from '../core/api.ts';
import type { DatasetRow } from '../core/catalogue.ts';
import { config } from '../core/config.ts';
import { findDataset, loadCityDatasets } from '../core/data.ts';
import { readSpec } from './choice.ts';
import { boundsOfRegion, focusOf, type TilesetNode } from './focus.ts';
import { pathOfModel } from './models.ts';
import type { SceneModel } from './scene/scene-model.ts';

/**
 * Asks for the tileset of a model, so that what is wrong with it is told in the service's own words. Throws ApiFailure, and an Error
 * for a tileset that says nothing of where it is.
 */
export async function loadModel(id: string): Promise<SceneModel> {
  const path = pathOfModel(id, readSpec(id) === null ? await findDataset(id) : null);
  if (path === null) {
    throw new ApiFailure(
      'missing',
      404,
      `"${id}" is neither the id of a 3D Tiles dataset nor a spec of a composite.`,
    );
  }
  const below = path.startsWith(config.base) ? path.slice(config.base.length) : path;
  const { root } = await api<{ root: TilesetNode }>(below);
  const { region } = root.boundingVolume;
  if (region === undefined) throw new Error('The root of the tileset has no region.');
  return {
    url: config.base + below,
    bounds: boundsOfRegion(region),
    low: region[4]!,
    high: region[5]!,
    focus: focusOf(root) ?? undefined,
  };
}

/** The datasets of the municipality that a model is of; none for one of a prefecture or the country, or that is not known. */
export async function datasetsOfModel(model: string): Promise<DatasetRow[]> {
  const area = readSpec(model)?.area ?? (await findDataset(model))?.city_code;
  if (area === undefined || !/^\d{5}$/.test(area)) return [];
  const rows = await loadCityDatasets(area);
  const city = rows[0]?.city_code;
  // The area may be a ward.
  return city === undefined || city === area ? rows : loadCityDatasets(city);
}
