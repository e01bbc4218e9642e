import type { Steps } from '@citymodel/base';
import type { Feature, Geometry, Position } from 'geojson';
import { dissolve } from '../geometry/dissolve.ts';
import { closed, type FeatureShape, signedArea } from '../geometry/feature-shape.ts';
import type { Footprint } from '../geometry/footprint.ts';

const NOTHING: Drawn = { geometry: null, dissolved: true, leftOut: 0 };

/** Decimals of a degree that are kept: a tenth of a millimetre, more than the data resolves. */
const DECIMALS = 1e9;

/**
 * A GeoJSON feature (RFC 7946): the footprint as MultiPolygon (lines and points where the feature has no areas; a
 * GeometryCollection where it has several kinds), in longitude and latitude, exterior rings counter-clockwise (section
 * 3.1.6). The properties are the attributes; where heights are known also `height`, `minAlt` and `maxAlt` in metres.
 * Polygons are valid as they are written and cover each place once; where a union would take too long, they are a
 * GeometryCollection of polygons that may overlap, and the property `footprintDissolved` is false; those that would
 * take too long even alone are counted in `footprintPolygonsLeftOut`. The id is the `gml:id`. A feature without
 * geometry has `null` for it (section 3.2). In steps of at most some tens of milliseconds.
 */
export function* geoJsonInSteps(
  attributes: Record<string, unknown>,
  footprint: Footprint | null,
  altitudes: FeatureShape['altitudes'],
): Steps<Feature<Geometry | null, Record<string, unknown>>> {
  const id = attributes['gml:id'];
  const { geometry, dissolved, leftOut } = footprint === null ? NOTHING : yield* geometryOf(footprint);
  return {
    type: 'Feature',
    ...(typeof id === 'string' ? { id } : {}),
    geometry,
    properties: {
      ...attributes,
      ...altitudeProperties(altitudes),
      ...(dissolved ? {} : { footprintDissolved: false }),
      ...(leftOut === 0 ? {} : { footprintPolygonsLeftOut: leftOut }),
    },
  };
}

/** `height`, `minAlt` and `maxAlt` in metres, where heights are known. */
export function altitudeProperties(altitudes: FeatureShape['altitudes']): Record<string, number> {
  if (altitudes === null) return {};
  const { min, max } = altitudes;
  return { height: rounded(max - min, 1e6), minAlt: min, maxAlt: max };
}

/** The geometry, and whether its polygons are dissolved. */
interface Drawn {
  geometry: Geometry | null;
  dissolved: boolean;
  /** Polygons that are too large even alone. */
  leftOut: number;
}

function* geometryOf({ polygons, lines, points }: Footprint): Steps<Drawn> {
  const rings = polygons.map(polygonOf).filter((polygon) => polygon !== null);
  yield;
  const union = yield* dissolve(rings);
  yield;
  const geometries: Geometry[] = [];
  let leftOut = 0;
  if (union === null) {
    // Polygons of a collection may overlap, those of a MultiPolygon may not (OGC 06-103r4, section 6.1.14).
    for (const polygon of rings) {
      const alone = yield* dissolve([polygon]);
      if (alone === null) leftOut++;
      else geometries.push(...alone.map((one): Geometry => ({ type: 'Polygon', coordinates: wound(one) })));
      yield;
    }
  } else if (union.length > 0) {
    geometries.push({ type: 'MultiPolygon', coordinates: union.map(wound) });
  }
  // A line that is a point after rounding is drawn only where there is nothing else.
  const written = lines.map((line) => withoutRepeats(positionsOf(line)));
  // So is the outline of what has no area on the grid.
  if (geometries.length + written.length + points.length === 0) {
    written.push(...polygons.map(([exterior]) => withoutRepeats(positionsOf(closed(exterior!)))));
  }
  const long = written.filter((line) => line.length > 1);
  const single = written.filter((line) => line.length === 1).map((line) => line[0]!);
  if (long.length > 0) geometries.push({ type: 'MultiLineString', coordinates: long });
  const dots = [...points.map(positionOf), ...(geometries.length === 0 ? single : [])];
  if (dots.length > 0) geometries.push({ type: 'MultiPoint', coordinates: dots });
  return {
    geometry: geometries.length < 2 ? (geometries[0] ?? null) : { type: 'GeometryCollection', geometries },
    dissolved: union !== null,
    leftOut,
  };
}

/** Null when the exterior ring is nothing but a line after rounding; such holes are left out. */
function polygonOf([exterior, ...holes]: Float64Array[]): Position[][] | null {
  const outer = ringOf(exterior!);
  if (outer === null) return null;
  return [outer, ...holes.map(ringOf).filter((hole) => hole !== null)];
}

function ringOf(ring: Float64Array): Position[] | null {
  const positions = withoutRepeats(positionsOf(closed(ring)));
  return positions.length < 4 ? null : positions;
}

function withoutRepeats(positions: readonly Position[]): Position[] {
  return positions.filter(
    (position, i, all) => i === 0 || position[0] !== all[i - 1]![0] || position[1] !== all[i - 1]![1],
  );
}

/** The exterior ring counter-clockwise, holes clockwise (RFC 7946, section 3.1.6). */
function wound(polygon: Position[][]): Position[][] {
  return polygon.map((ring, i) => (isCounterClockwise(ring) === (i === 0) ? ring : ring.toReversed()));
}

/** By the positions as they are written, in units of the last decimal. */
function isCounterClockwise(ring: readonly Position[]): boolean {
  const [west, south] = ring[0] as [number, number];
  return (
    signedArea(
      Float64Array.from(ring.flatMap(([lng, lat]) => [(lng! - west) * DECIMALS, (lat! - south) * DECIMALS])),
    ) > 0
  );
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
