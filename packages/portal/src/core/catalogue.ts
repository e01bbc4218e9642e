/** Rows of the catalogue as operation 3 gives them, and what the page makes of them. */
import type { Bounds } from '@citymodel/geo';
import type * as interfaceTypes from './interface-types.ts';

export type Box = [west: number, south: number, east: number, north: number];

/** A row with its extent as four numbers: west, south, east, north in degrees; null where unknown. */
type WithBox<T> = Omit<T, 'bbox'> & { bbox: Box | null };

export type DatasetRow = WithBox<interfaceTypes.Dataset>;
export type CompositeRow = WithBox<interfaceTypes.CompositeTileset>;

export function toBounds([west, south, east, north]: Box): Bounds {
  return { west, south, east, north };
}
