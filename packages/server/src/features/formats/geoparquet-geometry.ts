/** Footprints in GeoParquet 1.1: as WKB, with a box each, in EPSG:6668 (https://geoparquet.org/releases/v1.1.0). */
import type { Geometry } from 'geojson';
import { geojsonToWkb } from 'hyparquet-writer';

export const BOX = ['xmin', 'ymin', 'xmax', 'ymax'] as const;
/** West, south, east and north in degrees, by the names of the column. */
export type Box = Record<(typeof BOX)[number], number>;

/** OGC 06-103r4, section 8.2.3; the other types are lists of geometries. */
const [WKB_POINT, WKB_LINE, WKB_POLYGON] = [1, 2, 3];

/** A footprint as it is written; null for a feature without one. */
export type Place = { wkb: Uint8Array; box: Box } | null;

/** Null for what has no position. */
export function placeOf(geometry: Geometry | null): Place {
  const box = geometry === null ? null : boxOf(geometry);
  return box === null ? null : { wkb: geojsonToWkb(geometry!), box };
}

/** Null for what has no position. */
export function boxOf(geometry: Geometry): Box | null {
  const box = { xmin: Infinity, ymin: Infinity, xmax: -Infinity, ymax: -Infinity };
  addTo(box, geometry);
  return box.xmin > box.xmax ? null : box;
}

function addTo(box: Box, geometry: Geometry): void {
  if (geometry.type === 'GeometryCollection') {
    for (const part of geometry.geometries) addTo(box, part);
    return;
  }
  const visit = (value: unknown): void => {
    if (!Array.isArray(value)) return;
    if (typeof value[0] !== 'number') {
      for (const part of value) visit(part);
      return;
    }
    const [x, y] = value as [number, number];
    box.xmin = Math.min(box.xmin, x);
    box.ymin = Math.min(box.ymin, y);
    box.xmax = Math.max(box.xmax, x);
    box.ymax = Math.max(box.ymax, y);
  };
  visit(geometry.coordinates);
}

/** The box of a geometry that `placeOf` wrote. */
export function boxOfWkb(wkb: Uint8Array): Box {
  const view = new DataView(wkb.buffer, wkb.byteOffset, wkb.byteLength);
  const box = { xmin: Infinity, ymin: Infinity, xmax: -Infinity, ymax: -Infinity };
  let at = 0;
  const count = () => {
    at += 4;
    return view.getUint32(at - 4, true);
  };
  const positions = (length: number) => {
    for (const end = at + 16 * length; at < end; at += 16) {
      const x = view.getFloat64(at, true);
      const y = view.getFloat64(at + 8, true);
      if (x < box.xmin) box.xmin = x;
      if (y < box.ymin) box.ymin = y;
      if (x > box.xmax) box.xmax = x;
      if (y > box.ymax) box.ymax = y;
    }
  };
  const geometry = () => {
    // The order of bytes comes first, and is always the same.
    at++;
    const type = count();
    if (type === WKB_POINT) return positions(1);
    const length = count();
    if (type === WKB_LINE) return positions(length);
    for (let n = 0; n < length; n++) {
      if (type === WKB_POLYGON) positions(count());
      else geometry();
    }
  };
  geometry();
  return box;
}

export function unionBoxes(a: Box | null, b: Box): Box {
  if (a === null) return b;
  return {
    xmin: Math.min(a.xmin, b.xmin),
    ymin: Math.min(a.ymin, b.ymin),
    xmax: Math.max(a.xmax, b.xmax),
    ymax: Math.max(a.ymax, b.ymax),
  };
}

/** Metadata of the file (GeoParquet 1.1, "File metadata"). */
export function geoMetadata(types: readonly string[], box: Box | null): object {
  return {
    version: '1.1.0',
    primary_column: 'geometry',
    columns: {
      geometry: {
        encoding: 'WKB',
        geometry_types: types,
        crs: JGD2011,
        orientation: 'counterclockwise',
        edges: 'planar',
        ...(box === null ? {} : { bbox: BOX.map((name) => box[name]) }),
        covering: { bbox: Object.fromEntries(BOX.map((name) => [name, ['bbox', name]])) },
      },
    },
  };
}

/** EPSG:6668, longitude and latitude of JGD2011, as PROJJSON. Coordinates have longitude first whatever the axes say. */
const JGD2011 = {
  $schema: 'https://proj.org/schemas/v0.7/projjson.schema.json',
  type: 'GeographicCRS',
  name: 'JGD2011',
  datum: {
    type: 'GeodeticReferenceFrame',
    name: 'Japanese Geodetic Datum 2011',
    ellipsoid: { name: 'GRS 1980', semi_major_axis: 6378137, inverse_flattening: 298.257222101 },
  },
  coordinate_system: {
    subtype: 'ellipsoidal',
    axis: [
      { name: 'Geodetic latitude', abbreviation: 'Lat', direction: 'north', unit: 'degree' },
      { name: 'Geodetic longitude', abbreviation: 'Lon', direction: 'east', unit: 'degree' },
    ],
  },
  id: { authority: 'EPSG', code: 6668 },
};
