/** Places that requests search in, in any of the systems, as regions of the feature search. */
import type { SearchPolygon } from '@citymodel/citygml';
import type { Bounds } from '@citymodel/geo';
import { Region } from '../features/region.ts';
import type { OgcCrs } from './crs.ts';

/** Parts of an edge of a box: a straight line of one system is a curve in another, by millimetres between these. */
const EDGE_PARTS = 32;

/**
 * The region of a box: four numbers, or six with the lowest and highest height in metres, in the order of the system's
 * axes. West may be more than east in degrees: the box then goes over the meridian of 180 degrees. `word` names the
 * parameter. Throws a RangeError that says what is expected.
 */
export function boxRegion(numbers: readonly number[], crs: OgcCrs, word = 'bbox'): Region {
  if ((numbers.length !== 4 && numbers.length !== 6) || !numbers.every(Number.isFinite)) {
    throw new RangeError(`${word} has ${numbers.length} numbers; expected 4, or 6 with heights.`);
  }
  const half = numbers.length / 2;
  const [low, high] = [numbers.slice(0, half), numbers.slice(half)] as [number[], number[]];
  const altitudes = half === 3 ? { min: low[2]!, max: high[2]! } : null;
  if (altitudes !== null && altitudes.min > altitudes.max)
    throw new RangeError(`${word} has a lowest height above the highest.`);
  const isDegrees = crs.epsg === null || [4326, 6668, 6697].includes(crs.epsg);
  if (!isDegrees) {
    if (low[0]! > high[0]! || low[1]! > high[1]!)
      throw new RangeError(`${word} has its second corner below the first.`);
    return polygonRegion([[planeRing(low, high, crs)]], altitudes, word);
  }
  const [west, south] = crs.toLngLat(low[0]!, low[1]!);
  const [east, north] = crs.toLngLat(high[0]!, high[1]!);
  for (const [lng, lat] of [
    [west, south],
    [east, north],
  ] as const)
    checkPlace(lng, lat, word);
  if (south > north) throw new RangeError(`${word} has south > north; expected south <= north.`);
  if (west <= east)
    return new Region({
      ids: null,
      box: { bounds: { west, south, east, north }, altitudes },
      polygons: null,
    });
  return polygonRegion(
    [[ringOf({ west, south, east: 180, north })], [ringOf({ west: -180, south, east, north })]],
    altitudes,
    word,
  );
}

/** The region of polygons in longitude and latitude. Throws a RangeError for places outside of the world. */
export function polygonRegion(
  polygons: readonly SearchPolygon[],
  altitudes: { min: number; max: number } | null,
  word: string,
): Region {
  for (const [lng, lat] of polygons.flat(2)) checkPlace(lng, lat, word);
  const world: Bounds = { west: -180, south: -90, east: 180, north: 90 };
  return new Region({ ids: null, box: altitudes === null ? null : { bounds: world, altitudes }, polygons });
}

/** The region of one point in longitude and latitude. */
export function pointRegion(lng: number, lat: number, word: string): Region {
  checkPlace(lng, lat, word);
  const bounds = { west: lng, south: lat, east: lng, north: lat };
  return new Region({ ids: null, box: { bounds, altitudes: null }, polygons: null });
}

function checkPlace(lng: number, lat: number, word: string): void {
  if (Math.abs(lng) <= 180 && Math.abs(lat) <= 90) return;
  throw new RangeError(
    `${word} lies outside of the world; expected numbers in the order of the axes of its system.`,
  );
}

function ringOf({ west, south, east, north }: Bounds): Array<[number, number]> {
  return [
    [west, south],
    [east, south],
    [east, north],
    [west, north],
  ];
}

/** The edges of a box of metres, as degrees. */
function planeRing(low: readonly number[], high: readonly number[], crs: OgcCrs): Array<[number, number]> {
  const corners = [
    [low[0]!, low[1]!],
    [high[0]!, low[1]!],
    [high[0]!, high[1]!],
    [low[0]!, high[1]!],
  ] as const;
  return corners.flatMap(([a, b], n) => {
    const [c, d] = corners[(n + 1) % 4]!;
    return Array.from({ length: EDGE_PARTS }, (_, part) => {
      const share = part / EDGE_PARTS;
      return crs.toLngLat(a + (c - a) * share, b + (d - b) * share);
    });
  });
}
