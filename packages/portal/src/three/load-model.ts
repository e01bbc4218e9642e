/** Where a model of the address bar is, and what the scene and the page have to know of it. */
import type { Bounds } from '@citymodel/geo';
import { ApiFailure, api } from '../core/api.ts';
import type { DatasetRow } from '../core/catalogue.ts';
import { config, hereOf } from '../core/config.ts';
import { findDataset, loadCityDatasets } from '../core/data.ts';
import { readSpec } from './choice.ts';
import { boundsOfRegion, focusOf, type Part, type TilesetNode } from './focus.ts';
import { pathOfModel } from './models.ts';
import type { SceneModel } from './scene/scene-model.ts';

/**
 * Asks for the tileset of a model, so that what is wrong with it is told in the service's own words. Throws ApiFailure,
 * and an Error for a tileset that says nothing of where it is.
 */
export async function loadModel(id: string): Promise<SceneModel> {
  const spec = readSpec(id);
  const row = spec === null ? await findDataset(id) : null;
  const path = pathOfModel(id, row);
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
    id,
    url: config.base + below,
    type: spec?.type ?? row?.type_en ?? null,
    bounds: boundsOfRegion(region),
    low: region[4]!,
    high: region[5]!,
    focus: await placeToLookAt(root, config.base + below),
  };
}

/** Degrees of latitude: some 500 m, which one look takes in. */
const SMALL = 0.0045;

function isSmall({ west, south, east, north }: Bounds): boolean {
  return east - west < SMALL && north - south < SMALL;
}

/** Tilesets within tilesets that are followed. */
const MOST_STEPS = 3;

/**
 * Where a model is densest. The tiles of a composite are tilesets, whose middle may be empty, so that the smallest is
 * looked into.
 *
 * @param url of the tileset that the root is of
 */
async function placeToLookAt(root: TilesetNode, url: string): Promise<Part | undefined> {
  let focus = focusOf(root);
  let from = new URL(url, location.href);
  for (let step = 0; step < MOST_STEPS && focus?.uri != null; step++) {
    from = new URL(hereOf(new URL(focus.uri, from).href), location.href);
    if (!from.pathname.endsWith('.json')) break;
    try {
      const inner = focusOf(((await (await fetch(from)).json()) as { root: TilesetNode }).root);
      if (inner === null) break;
      // What lies beside a tile that is small already is not looked into.
      focus = isSmall(focus.bounds) ? { ...inner, bounds: focus.bounds } : inner;
    } catch {
      // What is missing of a model is told when its tiles are drawn.
      break;
    }
  }
  return focus ?? undefined;
}

/**
 * The datasets of the municipality that a model is of; none for one of a prefecture or the country, or that is not
 * known.
 */
export async function datasetsOfModel(model: string): Promise<DatasetRow[]> {
  const area = readSpec(model)?.area ?? (await findDataset(model))?.city_code;
  if (area === undefined || !/^\d{5}$/.test(area)) return [];
  const rows = await loadCityDatasets(area);
  const city = rows[0]?.city_code;
  // The area may be a ward.
  return city === undefined || city === area ? rows : loadCityDatasets(city);
}
