/**
 * Coordinate reference systems that city models come in, and their way to longitude and latitude. JGD2000, JGD2011,
 * ETRS89 and WGS 84 differ by less than what the data resolves and are taken as one.
 */
import proj4 from 'proj4';
import { Remembered } from '../xml/remembered.ts';
import { advCodes } from './adv-names.ts';
import { type AreaOfUse, compoundOf, type RegisteredSystem, registeredSystem } from './epsg-table.ts';

export interface Crs {
  /** EPSG code, e.g. 6697. */
  epsg: number;
  /** Numbers of a position: 2, or 3 when a height in metres comes third. */
  dimension: 2 | 3;
  /** True when positions are latitude, longitude in degrees; false for metres. */
  geographic: boolean;
  /** True of degrees that lead elsewhere than the same degrees of WGS 84. */
  isShifted?: boolean;
  /**
   * True for numbers that lead to where people live, or to where the system is used, in the other order alone. Metres
   * are read so by `toLngLat`, degrees are not. Undefined where nothing tells.
   */
  isOtherOrder?(first: number, second: number): boolean;
  /** Longitude and latitude in degrees from the first two numbers of a position, in the order of the CRS. */
  toLngLat(first: number, second: number): [lng: number, lat: number];
  /** True when the first of a position's numbers goes north: latitude or northing. */
  northFirst: boolean;
  /** The way back from degrees: easting and northing in metres, or the degrees themselves in a geographic system. */
  toPlane(lng: number, lat: number): [east: number, north: number];
}

/** Metres from a point of its own: x, y, z stay as they are. */
export const LOCAL_CRS: Crs = {
  epsg: 0,
  dimension: 3,
  geographic: false,
  toLngLat: (x, y) => [x, y],
  northFirst: false,
  toPlane: (x, y) => [x, y],
};

/** Geographic systems with latitude first → dimension. 6697 is 6668 with heights (EPSG registry). */
const GEOGRAPHIC = new Map<number, 2 | 3>([
  [6697, 3],
  // JGD2024 with its heights, which differ from those of JGD2011 by centimetres; places on the map are the same.
  [11_318, 3],
  [6667, 3],
  [4979, 3],
  [4947, 3],
  [4937, 3],
  [4258, 2],
  [6668, 2],
  [4612, 2],
  [4326, 2],
]);

/** Origins of Japan's 19 plane rectangular systems: latitude and longitude in degrees (国土交通省告示第九号, 2002). */
const PLANE_ORIGINS: ReadonlyArray<readonly [lat: number, lng: number]> = [
  [33, 129.5],
  [33, 131],
  [36, 132 + 10 / 60],
  [33, 133.5],
  [36, 134 + 20 / 60],
  [36, 136],
  [36, 137 + 10 / 60],
  [36, 138.5],
  [36, 139 + 50 / 60],
  [40, 140 + 50 / 60],
  [44, 140.25],
  [44, 142.25],
  [44, 144.25],
  [26, 142],
  [26, 127.5],
  [26, 124],
  [26, 131],
  [20, 136],
  [26, 154],
];

const JGD2011_PLANES = 6669;

/** First EPSG code of a run of plane systems, zone I first. */
const PLANE_RUNS: ReadonlyArray<{ first: number; zones: number; dimension: 2 | 3 }> = [
  { first: 2443, zones: 19, dimension: 2 }, // JGD2000
  { first: JGD2011_PLANES, zones: 19, dimension: 2 }, // JGD2011, and JGD2024
  { first: 10162, zones: 13, dimension: 3 }, // JGD2011 with JGD2011 (vertical)
];

/** JGD2024 (vertical) height. */
const REVISED_HEIGHT = 11_317;
/** EPSG codes of plane systems with heights of JGD2024, zone I first (EPSG registry, version 12.055). */
const REVISED_ZONES = [
  ...[11_319, 11_320, 11_321, 11_322, 11_323, 11_324, 11_325, 11_326, 11_327, 11_328, 11_329, 11_330],
  ...[11_333, 11_336, 11_434, 11_442, 11_443, 11_444, 11_445],
];
/** The same systems without heights, by the code of those with. */
const REVISED_PLANES = new Map(REVISED_ZONES.map((code, zone) => [code, JGD2011_PLANES + zone]));

/**
 * `EPSG:6697`, `urn:ogc:def:crs:EPSG::6697`, `http://www.opengis.net/def/crs/EPSG/0/6697`, `…/epsg.xml#6697`,
 * `EPSG:6668+6695`.
 */
const EPSG_CODE = /(?:epsg(?:\.xml)?(?:[:/#][\d.]*)?[:/#]|\+)(\d{4,6})(?!\d)/gi;

/**
 * The EPSG codes that a `srsName` names, horizontal system first; none for a name of more than 500 characters. A code
 * for a system of two, such as 7415, is that of its parts; those of Japan stay.
 */
export function epsgCodesOf(srsName: string): readonly number[] {
  return codesByName.of(srsName);
}

/** Every feature asks, and a file has one name or two. */
const codesByName = new Remembered(findCodes, 200);

function findCodes(srsName: string): readonly number[] {
  const codes = namedCodes(srsName);
  const [only] = codes;
  if (only === undefined || codes.length > 1 || isBuiltIn(only)) return codes;
  const plane = REVISED_PLANES.get(only);
  if (plane !== undefined) return [plane, REVISED_HEIGHT];
  return compoundOf(only) ?? codes;
}

function namedCodes(srsName: string): number[] {
  if (srsName.length > 500) return [];
  const adv = advCodes(srsName);
  if (adv.length > 0) return adv;
  const matches = [...srsName.matchAll(EPSG_CODE)];
  return matches[0]?.[0].startsWith('+') === true ? [] : matches.map((match) => Number(match[1]));
}

/** True for the systems above, which need no table. */
export function isBuiltIn(epsg: number): boolean {
  return GEOGRAPHIC.has(epsg) || PLANE_RUNS.some(({ first, zones }) => epsg >= first && epsg < first + zones);
}

/** The same geographic system in the other order; a projected one as it is, since its numbers tell their order. */
export function turned(crs: Crs): Crs {
  if (!crs.geographic) return crs;
  return {
    ...crs,
    toLngLat: (first, second) => crs.toLngLat(second, first),
    northFirst: !crs.northFirst,
  };
}

const systems = new Remembered(recognise, 200);

/**
 * The CRS that a `srsName` names, in any of the usual spellings; null when it is neither one of those above nor in the
 * table. A compound name (`urn:ogc:def:crs,crs:EPSG::6668,crs:EPSG::6695`) is its horizontal part with heights.
 */
export function crsOf(srsName: string): Crs | null {
  return systems.of(srsName);
}

function recognise(srsName: string): Crs | null {
  const codes = epsgCodesOf(srsName);
  const epsg = codes[0];
  if (epsg === undefined || namedCodes(srsName).length > 2) return null;
  const compound = codes.length === 2;
  const geographic = GEOGRAPHIC.get(epsg);
  if (geographic !== undefined) {
    return {
      epsg,
      dimension: compound ? 3 : geographic,
      geographic: true,
      toLngLat: (lat, lng) => [lng, lat],
      isOtherOrder,
      northFirst: true,
      toPlane: (lng, lat) => [lng, lat],
    };
  }
  for (const run of PLANE_RUNS) {
    const origin = PLANE_ORIGINS[epsg - run.first];
    if (origin === undefined || epsg - run.first >= run.zones) continue;
    const plane = proj4(
      `+proj=tmerc +lat_0=${origin[0]} +lon_0=${origin[1]} +k=0.9999 +x_0=0 +y_0=0 +ellps=GRS80 +units=m +no_defs`,
    );
    return {
      epsg,
      dimension: compound ? 3 : run.dimension,
      geographic: false,
      toLngLat: (northing, easting) => plane.inverse([easting, northing]) as [number, number],
      northFirst: true,
      toPlane: (lng, lat) => plane.forward([lng, lat]) as [number, number],
    };
  }
  const registered = registeredSystem(epsg);
  if (registered === null) return null;
  return {
    ...outside(registered),
    epsg: namedCodes(srsName)[0]!,
    ...(compound && { dimension: 3 as const }),
  };
}

/** No city lies further north, or further south, degrees. */
const NORTHMOST = 75;
const SOUTHMOST = -60;

/** True for degrees, latitude first, where nobody lives. */
export function isSenseless(lat: number, lng: number): boolean {
  return !(lat >= SOUTHMOST && lat <= NORTHMOST && Math.abs(lng) <= 180);
}

function isOtherOrder(first: number, second: number): boolean {
  return isSenseless(first, second) && !isSenseless(second, first);
}

/** Nothing of a city lies farther outside of the area that a system is used in, degrees. */
const MARGIN = 1;

/** True for a place in the area, or near to it. */
function isWithin([lng, lat]: readonly [number, number], [west, south, east, north]: AreaOfUse): boolean {
  const from = (((lng - west + MARGIN) % 360) + 360) % 360;
  const width = (((east - west) % 360) + 360) % 360 || 360;
  return from <= width + 2 * MARGIN && lat >= south - MARGIN && lat <= north + MARGIN;
}

/**
 * A system of the table. Files have metres in either order under one name. The order is the other one where the
 * registered one leads out of the area of use, and the other one into it. CityGML has heights, so positions of a
 * projected system have three numbers unless the file says otherwise.
 */
function outside({
  proj,
  geographic,
  northFirst,
  eitherOrder,
  area,
  dimension,
}: RegisteredSystem): Omit<Crs, 'epsg'> {
  const plane = proj4(proj);
  const at = (east: number, north: number) => plane.inverse([east, north]) as [number, number];
  const toPlane: Crs['toPlane'] = (lng, lat) => plane.forward([lng, lat]) as [number, number];
  if (geographic) {
    const isShifted = /\+(?:towgs84|pm|nadgrids)=/.test(proj);
    const toLngLat: Crs['toLngLat'] = northFirst ? (lat, lng) => at(lng, lat) : at;
    const order = northFirst && { isOtherOrder };
    return { dimension, geographic, isShifted, toLngLat, ...order, northFirst, toPlane };
  }
  const registered = northFirst ? (first: number, second: number) => at(second, first) : at;
  const toLngLat: Crs['toLngLat'] = (first, second) => {
    const place = registered(first, second);
    if (isWithin(place, area)) return place;
    const other = registered(second, first);
    return isWithin(other, area) ? other : place;
  };
  const isOther = (first: number, second: number) =>
    !isWithin(registered(first, second), area) && isWithin(registered(second, first), area);
  return {
    dimension: 3,
    geographic,
    toLngLat,
    ...(!eitherOrder && { isOtherOrder: isOther }),
    northFirst,
    toPlane,
  };
}
