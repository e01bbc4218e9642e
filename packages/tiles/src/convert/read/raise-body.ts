/** From heights as the data has them to those above the ellipsoid. */
import { heightKindOf, isRevised } from '../heights/vertical.ts';
import type { PartContext } from '../part-maker.ts';
import type { Body } from './bodies.ts';
import { areaOf } from './body-area.ts';
import type { BodyFacts } from './feature-facts.ts';

/** Metres by which heights at a place in degrees are raised. */
export type Raising = (lng: number, lat: number) => number;

/**
 * By how many metres heights of this reference system are raised to the ellipsoid at a place in degrees. Throws
 * VerticalRefused for a system whose heights cannot be.
 */
export function raisingOf(
  srsName: string | null,
  { heights, options }: Pick<PartContext, 'heights' | 'options'>,
): Raising {
  if (options.heights === 'elevation') {
    heights.elevations.add(isRevised(srsName) ? 'jgd2024' : 'jgd2011');
    return () => 0;
  }
  const kind = heightKindOf(srsName);
  if (kind === 'ellipsoid') return () => 0;
  const datum = kind === 'jgd2024' ? 'jgd2024' : 'jgd2011';
  return (lng, lat) => heights.offset(lng, lat, datum);
}

/** Raises the body to the ellipsoid and tells where it is then. */
export function raise(body: Body, raisedBy: Raising): BodyFacts {
  const { positions, polygonEnds } = body;
  let [west, south, east, north] = [Infinity, Infinity, -Infinity, -Infinity];
  let [low, high, bottom, top] = [Infinity, -Infinity, Infinity, -Infinity];
  for (let i = 0; i < positions.length; i += 3) {
    const lng = positions[i]!;
    const lat = positions[i + 1]!;
    const own = positions[i + 2]!;
    const height = own + raisedBy(lng, lat);
    positions[i + 2] = height;
    bottom = Math.min(bottom, own);
    top = Math.max(top, own);
    west = Math.min(west, lng);
    south = Math.min(south, lat);
    east = Math.max(east, lng);
    north = Math.max(north, lat);
    low = Math.min(low, height);
    high = Math.max(high, height);
  }
  return {
    ...{ west, south, east, north, low, high, bottom, top },
    ...{ positions: positions.length / 3, polygons: polygonEnds.length, area: areaOf(body) },
  };
}
