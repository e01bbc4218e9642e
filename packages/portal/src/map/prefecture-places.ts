/**
 * Where the names of prefectures stand on the map: about the middle of each, longitude and latitude in degrees, by code
 * from 01.
 */
const PLACES =
  '142.9 43.3,140.8 40.8,141.4 39.6,140.9 38.5,140.4 39.7,140.1 38.5,140.2 37.4,140.3 36.3,139.8 36.7,139.0 36.5,' +
  '139.3 36.0,140.2 35.5,139.4 35.7,139.3 35.4,138.9 37.5,137.2 36.6,136.8 36.7,136.3 35.8,138.6 35.6,138.0 36.1,' +
  '137.0 35.8,138.3 35.0,137.2 35.0,136.4 34.5,136.1 35.2,135.4 35.3,135.5 34.6,134.9 35.0,135.9 34.3,135.5 33.9,' +
  '133.9 35.4,132.5 35.0,133.8 34.9,132.8 34.6,131.5 34.2,134.2 33.9,134.0 34.2,132.9 33.6,133.4 33.5,130.7 33.5,' +
  '130.1 33.3,129.8 32.8,130.8 32.6,131.4 33.2,131.3 32.2,130.5 31.7,127.9 26.5';

/** By prefecture code. */
export const PREFECTURE_PLACES: ReadonlyMap<string, readonly [number, number]> = new Map(
  PLACES.split(',').map((pair, i) => {
    const [lng, lat] = pair.split(' ').map(Number);
    return [String(i + 1).padStart(2, '0'), [lng!, lat!]];
  }),
);
