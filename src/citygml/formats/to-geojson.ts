import type { Feature, Geometry, Position } from 'geojson';
import { closed, type FeatureShape, signedArea } from '../geometry/feature-shape.ts';
import type { Footprint } from '../geometry/footprint.ts';

/** Decimals of a degree that are kept: a tenth of a millimetre, more than the data resolves. */
const DECIMALS = 1e9;

/**
 * A GeoJSON feature (RFC 7946): the footprint as MultiPolygon (lines and points where the feature has no areas; a
 * GeometryCollection where it has several kinds), in longitude and latitude, exterior rings counter-clockwise
 * (section 3.1.6). The properties are the attributes; where heights are known also `height`, `minAlt` and `maxAlt`
 * in metres. The id is the `gml:id`. A feature without geometry has `null` for it (section 3.2).
 */
export function toGeoJson(
  attributes: Record<string, unknown>,
  footprint: Footprint | null,
  altitudes: FeatureShape['altitudes'],
): Feature<Geometry | null> {
  const id = attributes['gml:id'];
  return {
    type: 'Feature',
    ...(typeof id === 'string' ? { id } : {}),
    geometry: footprint === null ? null : geometryOf(footprint),
    properties: {
      ...attributes,
      ...(altitudes === null
        ? {}
        : {
            height: rounded(altitudes.max - altitudes.min, 1e6),
            minAlt: altitudes.min,
            maxAlt: altitudes.max,
          }),
    },
  };
}

function geometryOf({ polygons, lines, points }: Footprint): Geometry | null {
  const geometries: Geometry[] = [];
  const coordinates = polygons.map(polygonOf).filter((polygon) => polygon !== null);
  if (coordinates.length > 0) geometries.push({ type: 'MultiPolygon', coordinates });
  if (lines.length > 0) geometries.push({ type: 'MultiLineString', coordinates: lines.map(positionsOf) });
  if (points.length > 0) geometries.push({ type: 'MultiPoint', coordinates: points.map(positionOf) });
  return geometries.length < 2 ? (geometries[0] ?? null) : { type: 'GeometryCollection', geometries };
}

/** Null when the exterior ring is nothing but a line after rounding; such holes are left out. */
function polygonOf([exterior, ...holes]: Float64Array[]): Position[][] | null {
  const outer = ringOf(exterior!, true);
  if (outer === null) return null;
  return [outer, ...holes.map((hole) => ringOf(hole, false)).filter((hole) => hole !== null)];
}

function ringOf(ring: Float64Array, exterior: boolean): Position[] | null {
  const positions = positionsOf(closed(ring)).filter(
    (position, i, all) => i === 0 || position[0] !== all[i - 1]![0] || position[1] !== all[i - 1]![1],
  );
  if (positions.length < 4) return null;
  return isCounterClockwise(positions) === exterior ? positions : positions.reverse();
}

/** By the positions as they are written, in units of the last decimal: rounding may turn a sliver of a triangle over. */
function isCounterClockwise(ring: Position[]): boolean {
  return signedArea(Float64Array.from(ring.flat(), (degrees) => Math.round(degrees * DECIMALS))) > 0;
}

function positionsOf(positions: Float64Array): Position[] {
  const list: Position[] = [];
  for (let i = 0; i < positions.length; i += 2) list.push(positionOf(positions.subarray(i, i + 2)));
  return list;
}

function positionOf(position: Float64Array): Position {
  return [rounded(position[0]!, DECIMALS), rounded(position[1]!, DECIMALS)];
}

function rounded(value: number, factor: number): number {
  return Math.round(value * factor) / factor;
}
