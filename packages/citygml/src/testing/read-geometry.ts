/** Geometry of short texts, for its tests. */
import { geometriesOf, type LodGeometry } from '../geometry/feature-geometry.ts';
import { boxSides, feature, multiSurface, polygon } from './fixtures.ts';

/** What a file says of its coordinates. */
export const DEFAULTS = { srsName: 'http://www.opengis.net/def/crs/EPSG/0/6697', srsDimension: 3 };

/** The geometries of a feature. */
export const read = (xml: string): LodGeometry[] => geometriesOf(feature(xml), DEFAULTS);

/** A geometry as that of a piece of furniture. */
export const furniture = (geometry: string): LodGeometry =>
  read(`<frn:CityFurniture><frn:lod1Geometry>${geometry}</frn:lod1Geometry></frn:CityFurniture>`)[0]!;

/** Positions as lists of numbers. */
export const lists = (positions: Iterable<Float64Array>): number[][] =>
  Array.from(positions, (one) => [...one]);

export const sides = boxSides([139, 35, 5], [140, 36, 9]);

export const square: Array<[number, number, number]> = [
  [139, 35, 1],
  [140, 35, 1],
  [140, 36, 1],
  [139, 36, 1],
];

export const LINE = '<gml:LineString><gml:posList>35 139 1 36 140 2</gml:posList></gml:LineString>';

/** A square at an altitude, m. */
export const at = (z: number) =>
  multiSurface([polygon([square.map(([x, y]) => [x, y, z] as [number, number, number])])]);
