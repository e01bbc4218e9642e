/** What the map asks the service for, by where it looks. */

import { type Bounds, boundsIntersect } from '@citymodel/geo';
import { MAP_TILES, SOURCES } from '../core/output-kinds.ts';
import { cityBounds, type Summary } from '../core/summary.ts';
import { GROUND_ZOOM } from './base-layers.ts';
import { FINE_ZOOM, MESH_ZOOM } from './map-style.ts';

/**
 * The request for the meshes that a view needs: 2nd meshes of the whole country once, closer in 3rd meshes of the view.
 * The view is widened to whole hundredths of a degree, so that small moves need no new answer. Null where there is
 * nothing to ask for.
 */
export function coveragePath(
  at: { bounds: Bounds; zoom: number } | null,
  cities: Summary['cities'],
): string | null {
  if (at === null || at.zoom < MESH_ZOOM) return null;
  if (at.zoom < FINE_ZOOM) return '/datacatalog/coverage?digits=6';
  const box = widened(at.bounds);
  if ((box.east - box.west) * (box.north - box.south) > 1) return '/datacatalog/coverage?digits=6';
  const isThere = cities.some((city) => {
    const bounds = cityBounds(city);
    return city.formats.includes(SOURCES) && (bounds === null || boundsIntersect(bounds, box));
  });
  return isThere
    ? `/datacatalog/coverage?digits=8&bbox=${box.west},${box.south},${box.east},${box.north}`
    : null;
}

/** The box whose streets are drawn; null where the map is too far away or nothing lies. */
export function baseArea(
  at: { bounds: Bounds; zoom: number } | null,
  cities: Summary['cities'],
): Bounds | null {
  if (at === null || at.zoom < GROUND_ZOOM) return null;
  const box = widened(at.bounds);
  const isThere = cities.some((city) => {
    const bounds = cityBounds(city);
    return city.formats.includes(MAP_TILES) && bounds !== null && boundsIntersect(bounds, box);
  });
  return isThere ? box : null;
}

function widened({ west, south, east, north }: Bounds): Bounds {
  const down = (n: number) => Math.floor(n * 20) / 20;
  const up = (n: number) => Math.ceil(n * 20) / 20;
  return { west: down(west), south: down(south), east: up(east), north: up(north) };
}
