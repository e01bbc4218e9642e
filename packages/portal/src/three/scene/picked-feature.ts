/** A feature that was clicked or found, as the page knows it. */
import type { Bounds } from '@citymodel/geo';
import type { Cesium3DTileFeature } from 'cesium';
import type { Properties } from '../colouring.ts';

export interface PickedFeature {
  properties: Properties;
  /** URL of the tile that it is in. */
  tile: string;
  /** Where to look for its file: around the click, or the tile's extent. */
  around: Bounds;
  /** Where it was clicked, degrees; null when it was found by its id. */
  at: [lng: number, lat: number] | null;
}

/** What a feature says of itself, with where it is looked for. */
export function pickedFeature(
  feature: Cesium3DTileFeature,
  around: Bounds,
  at: PickedFeature['at'],
): PickedFeature {
  const properties: Properties = {};
  for (const name of feature.getPropertyIds()) properties[name] = feature.getProperty(name);
  const { content } = feature as unknown as { content: { url: string } };
  return { properties, tile: content.url, around, at };
}
