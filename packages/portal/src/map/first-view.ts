/** Where a map opens that nothing says more of. */
import type { Bounds } from '@citymodel/geo';
import { unite } from '../core/area.ts';
import { boundsOfAll, type SummaryCity } from '../core/summary.ts';

/** The four main islands with their capes, degrees. */
export const MAIN_ISLANDS: Bounds = { west: 129.4, south: 30.9, east: 145.9, north: 45.6 };
/** Data that reaches further is that of a country, degrees of latitude. */
const COUNTRY = 6;
/** A map less wide has no room for the islands in the south as well, pixels. */
const WIDE = 600;

/**
 * What is shown first. Of a country these are the main islands as a whole, also where they have no data. A wide map
 * shows islands far out that have some as well. Of less than a country it is all data. `width`: of the map, pixels.
 */
export function firstBounds(cities: readonly SummaryCity[], width: number): Bounds {
  const all = boundsOfAll(cities);
  if (all === null) return MAIN_ISLANDS;
  if (all.north - all.south < COUNTRY) return all;
  return width < WIDE ? MAIN_ISLANDS : unite(MAIN_ISLANDS, all);
}

/** True for the place that a map has at first, where that is not to be kept; false from the first other one on. */
export function firstPlaceOnly(isWanted: boolean): (place: readonly number[]) => boolean {
  let first: string | null = null;
  let isResting = isWanted;
  return (place) => {
    const text = place.map((part) => part.toFixed(4)).join();
    first ??= text;
    isResting &&= text === first;
    return isResting;
  };
}
