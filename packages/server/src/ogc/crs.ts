/**
 * Coordinate reference systems of the OGC API: how requests name them, and the order of their axes (OGC API – Features,
 * Part 2, OGC 18-058r1). JGD2011 and WGS 84 differ by less than what the data resolves and are taken as one.
 */
import { quoted } from '@citymodel/base';
import { crsOf } from '@citymodel/citygml';
import type { Geometry, Position } from 'geojson';

export interface OgcCrs {
  readonly uri: string;
  /** EPSG code; null for CRS84. */
  readonly epsg: number | null;
  /** Numbers of a position: 3 where a height in metres comes third. */
  readonly dimension: 2 | 3;
  /** Longitude and latitude in degrees of a position in the order of the system's axes. */
  toLngLat(first: number, second: number): [lng: number, lat: number];
  /** The first two numbers of a position, in the order of the system's axes. */
  fromLngLat(lng: number, lat: number): [first: number, second: number];
}

const OGC = 'http://www.opengis.net/def/crs/OGC';
const EPSG = 'http://www.opengis.net/def/crs/EPSG/0/';
export const CRS84_URI = `${OGC}/1.3/CRS84`;
/** The system of the data itself. */
export const STORAGE_URI = `${EPSG}6697`;
/** Radius of the sphere of Web Mercator, metres (EPSG:3857). */
const RADIUS = 6_378_137;
const RADIANS = Math.PI / 180;
/** Numbers after the point: a tenth of a millimetre. */
const DEGREE_DECIMALS = 1e9;
const METRE_DECIMALS = 1e4;

const CRS84: OgcCrs = {
  uri: CRS84_URI,
  epsg: null,
  dimension: 2,
  toLngLat: (lng, lat) => [lng, lat],
  fromLngLat: (lng, lat) => [lng, lat],
};

const WEB_MERCATOR: OgcCrs = {
  uri: `${EPSG}3857`,
  epsg: 3857,
  dimension: 2,
  toLngLat: (x, y) => [x / RADIUS / RADIANS, Math.atan(Math.sinh(y / RADIUS)) / RADIANS],
  fromLngLat: (lng, lat) => [
    rounded(lng * RADIANS * RADIUS, METRE_DECIMALS),
    rounded(Math.asinh(Math.tan(lat * RADIANS)) * RADIUS, METRE_DECIMALS),
  ],
};

/** Degrees with latitude first: 6697 with heights, 6668 and 4326 without. */
const GEOGRAPHIC = [6697, 6668, 4326];
/** The 19 plane rectangular systems of JGD2011, whose first axis goes north. */
const PLANES = Array.from({ length: 19 }, (_, zone) => 6669 + zone);

/** The first is what answers have when none is asked for. */
export const CRS_LIST: readonly OgcCrs[] = [
  CRS84,
  ...GEOGRAPHIC.map(registered),
  WEB_MERCATOR,
  ...PLANES.map(registered),
];

const BY_URI = new Map(CRS_LIST.map((crs) => [crs.uri, crs]));
const BY_CODE = new Map(CRS_LIST.map((crs) => [crs.epsg, crs]));
/** `https`, the older version of CRS84, CRS84h of boxes with heights, URNs, and CURIEs with brackets or without. */
const OTHER_NAMES =
  /^(?:https?:\/\/www\.opengis\.net\/def\/crs\/EPSG\/(?:0|9\.9\.1)\/|urn:ogc:def:crs:EPSG::|\[?EPSG:)(\d{4,5})\]?$/;
const OTHER_CRS84 =
  /^(?:https?:\/\/www\.opengis\.net\/def\/crs\/OGC\/(?:1\.3|0)\/CRS84h?|urn:ogc:def:crs:OGC:1\.3:CRS84h?|\[?OGC:CRS84h?\]?)$/;

/** The system of a name; `word` is the parameter that has it. Throws a RangeError for one that is not offered. */
export function crsNamed(name: string, word: string): OgcCrs {
  const known = BY_URI.get(name);
  if (known !== undefined) return known;
  if (OTHER_CRS84.test(name)) return CRS84;
  const code = OTHER_NAMES.exec(name)?.[1];
  const crs = code === undefined ? undefined : BY_CODE.get(Number(code));
  if (crs !== undefined) return crs;
  throw new RangeError(
    `${word} is ${quoted(name)}; expected one of the systems that the collection lists, such as ${STORAGE_URI}.`,
  );
}

/** A geometry in longitude and latitude as one of the system; `height` in metres is the third number where it has one. */
export function inCrs<G extends Geometry | null>(geometry: G, crs: OgcCrs, height: number): G {
  if (geometry === null || crs === CRS84) return geometry;
  const place = ([lng, lat]: Position): Position => {
    const [first, second] = crs.fromLngLat(lng!, lat!);
    return crs.dimension === 3 ? [first, second, height] : [first, second];
  };
  return mapped(geometry, place) as G;
}

function mapped(geometry: Geometry, place: (position: Position) => Position): Geometry {
  if (geometry.type === 'GeometryCollection') {
    return { ...geometry, geometries: geometry.geometries.map((part) => mapped(part, place)) };
  }
  return { ...geometry, coordinates: mapPositions(geometry.coordinates, place) } as Geometry;
}

type Nested = Position | Nested[];

function mapPositions(nested: Nested, place: (position: Position) => Position): Nested {
  return typeof nested[0] === 'number'
    ? place(nested as Position)
    : (nested as Nested[]).map((part) => mapPositions(part, place));
}

/** What the table of systems says of an EPSG code. */
function registered(epsg: number): OgcCrs {
  const crs = crsOf(`EPSG:${epsg}`)!;
  const decimals = crs.geographic ? DEGREE_DECIMALS : METRE_DECIMALS;
  return {
    uri: `${EPSG}${epsg}`,
    epsg,
    dimension: crs.dimension,
    toLngLat: (first, second) => crs.toLngLat(first, second),
    fromLngLat(lng, lat) {
      const [east, north] = crs.toPlane(lng, lat);
      return [rounded(north, decimals), rounded(east, decimals)];
    },
  };
}

function rounded(value: number, factor: number): number {
  return Math.round(value * factor) / factor;
}
