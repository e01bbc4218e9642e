/** The lines of the mesh grid (JIS X 0410) that a view of the map crosses, with the codes of the meshes. */

import { type Bounds, countMeshesIn, type MeshDigits, meshBounds, meshesIn } from '@citymodel/geo';
import type { Feature, FeatureCollection } from 'geojson';
import { EMPTY } from './map-data.ts';
import { GRID_ZOOM } from './map-style.ts';

/** More meshes than this would be a texture instead of a grid. */
const MOST = 900;

/** The grid for a view: 2nd meshes from afar, 3rd meshes near by. Empty where it is not drawn, or would be too many. */
export function gridFor(view: Bounds, zoom: number): FeatureCollection {
  if (zoom < GRID_ZOOM) return EMPTY;
  const digits: MeshDigits = zoom >= 12.2 ? 8 : 6;
  const features: Feature[] = [];
  if (countMeshesIn(view, digits) <= MOST) {
    for (const code of meshesIn(view, digits)) {
      const { west, south, east, north } = meshBounds(code);
      features.push(
        {
          type: 'Feature',
          properties: {},
          geometry: {
            type: 'LineString',
            coordinates: [
              [east, south],
              [west, south],
              [west, north],
            ],
          },
        },
        {
          type: 'Feature',
          properties: { code },
          geometry: { type: 'Point', coordinates: [west, south] },
        },
      );
    }
  }
  return { type: 'FeatureCollection', features };
}
