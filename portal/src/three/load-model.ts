/** What the scene has to know of a model before it is opened. */
import { ApiFailure, api } from '../core/api.ts';
import type { DatasetRow } from '../core/catalogue.ts';
import { config } from '../core/config.ts';
import { boundsOfRegion, focusOf, type TilesetNode } from './focus.ts';
import { modelOf } from './models.ts';
import type { SceneModel } from './scene/scene-model.ts';

/**
 * Asks for the tileset of a model, so that what is wrong with it is told in the service's own words. Throws ApiFailure, and an Error
 * for a tileset that says nothing of where it is.
 */
export async function loadModel(id: string, datasets: readonly DatasetRow[]): Promise<SceneModel> {
  const model = modelOf(id, datasets);
  if (model === null) {
    throw new ApiFailure(
      'missing',
      404,
      `"${id}" is neither the id of a 3D Tiles dataset nor a spec of a composite.`,
    );
  }
  const below = model.path.startsWith(config.base) ? model.path.slice(config.base.length) : model.path;
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
