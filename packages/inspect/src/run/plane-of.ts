/** Which of Japan's plane rectangular systems areas and lengths are measured in. */
import { type Crs, crsOf } from '@citymodel/citygml';

/** Zones by prefecture (国土交通省告示第九号, 2002); prefectures in several zones are told apart below. */
const ZONES: ReadonlyArray<readonly [zone: number, prefectures: string]> = [
  [1, '42'],
  [2, '40 41 43 44 45 46'],
  [3, '32 34 35'],
  [4, '36 37 38 39'],
  [5, '28 31 33'],
  [6, '18 24 25 26 27 29 30'],
  [7, '16 17 21 23'],
  [8, '15 19 20 22'],
  [9, '07 08 09 10 11 12 13 14'],
  [10, '02 03 04 05 06'],
];
const BY_PREFECTURE = new Map(
  ZONES.flatMap(([zone, prefectures]) => prefectures.split(' ').map((code) => [code, zone] as const)),
);
/** EPSG code before that of zone I of JGD2011. */
const BEFORE_FIRST = 6668;
/** Central meridians of the zones of the main islands but for Hokkaido, in degrees. */
const MERIDIANS = [129.5, 131, 132.1667, 133.5, 134.3333, 136, 137.1667, 138.5, 139.8333, 140.8333];

/** EPSG code of the system for a prefecture (`null`: not known) and a place in degrees. */
export function planeOf(prefecture: string | null, lng: number, lat: number): number {
  return BEFORE_FIRST + zoneOf(prefecture, lng, lat);
}

function zoneOf(prefecture: string | null, lng: number, lat: number): number {
  if (lat < 28 && lng > 134) return lng < 140.5 ? 18 : lng > 143 ? 19 : 14;
  if (lat < 28 && (prefecture === '47' || prefecture === null) && lat < 27.1) {
    return lng < 126 ? 16 : lng > 130 ? 17 : 15;
  }
  if (prefecture === '46' && lat < 32 && lng < 130 && lat < 29.5) return 1;
  if (prefecture === '01' || (prefecture === null && lat > 41.3 && lng < 146)) {
    return lng < 141.25 ? 11 : lng < 143.25 ? 12 : 13;
  }
  const zone = prefecture === null ? undefined : BY_PREFECTURE.get(prefecture);
  return zone ?? nearest(lng);
}

/** The zone of those islands whose meridian is nearest. */
function nearest(lng: number): number {
  const distances = MERIDIANS.map((meridian) => Math.abs(meridian - lng));
  return distances.indexOf(Math.min(...distances)) + 1;
}

/** Throws a RangeError for a code that is no projected system that is known. */
export function planeSystem(epsg: number): Crs {
  const crs = crsOf(`EPSG:${epsg}`);
  if (crs === null || crs.geographic) throw new RangeError(`EPSG:${epsg} is no plane system that is known.`);
  return crs;
}
