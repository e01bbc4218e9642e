/** What the MVT packages that the program writes have in common. */

/** The metadata document of MBTiles 1.3, section 3, with the layers as JSON text under `json`. */
export interface VectorMetadata {
  name: string;
  description: string;
  version: number;
  minzoom: number;
  maxzoom: number;
  center: string;
  bounds: string;
  type: 'overlay';
  format: 'pbf';
  json: string;
}

export const MIN_ZOOM = 8;
export const MAX_ZOOM = 16;
