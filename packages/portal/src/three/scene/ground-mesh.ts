/** The surface of a tile of the ground. */
import type { Bounds } from '@citymodel/geo';
import {
  BoundingSphere,
  Cartesian3,
  ComponentDatatype,
  Geometry,
  GeometryAttribute,
  PrimitiveType,
} from 'cesium';
import { METRES_PER_DEGREE } from './ground-tiles.ts';

/** How a tile's surface is made. */
export interface MeshForm {
  /** Along a side. */
  squares: number;
  /** Metres below the heights of the ground. */
  below: number;
  /** How much light shows the slopes of the ground at a place, 0 to 1. */
  slopes(lng: number, lat: number): number;
  /** Whether skirts hide what gapes between the tile and those beside it. */
  hasSkirts: boolean;
  isLeftOut(square: Bounds): boolean;
}

/** A skirt reaches down this part of a square, and at least so many metres. */
const SKIRT = 0.5;
const LEAST_SKIRT = 2;

/** A grid over a tile at the heights of the ground; null where all of it is left out. */
export function meshOf(
  bounds: Bounds,
  heightAt: (lng: number, lat: number) => number,
  { squares, below, slopes, hasSkirts, isLeftOut }: MeshForm,
): Geometry | null {
  const { lngs, lats } = linesOf(bounds, squares);
  const side = squares + 1;
  const heights = (row: number, column: number) => heightAt(lngs(column), lats(row));
  const [positions, normals, st] = [[], [], []] as [number[], number[], number[]];
  const point = new Cartesian3();
  const put = (row: number, column: number, height: number) => {
    Cartesian3.fromDegrees(lngs(column), lats(row), height, undefined, point);
    positions.push(point.x, point.y, point.z);
    st.push(column / squares, row / squares);
  };
  const levels = new Float64Array(side * side);
  for (let row = 0; row < side; row++) {
    for (let column = 0; column < side; column++) {
      const level = heights(row, column) - below;
      levels[row * side + column] = level;
      put(row, column, level);
    }
  }
  // The normals at the edges of a tile are those of the tile beside it.
  const at = (row: number, column: number) =>
    row < 0 || column < 0 || row > squares || column > squares
      ? heights(row, column) - below
      : levels[row * side + column]!;
  for (let row = 0; row < side; row++) {
    for (let column = 0; column < side; column++) {
      const [lng, lat] = [lngs(column), lats(row)];
      const shown = slopes(lng, lat);
      if (shown === 0) {
        normals.push(...normalOf(lng, lat, 0, 0));
        continue;
      }
      const wide = (lngs(column + 1) - lngs(column - 1)) * METRES_PER_DEGREE * Math.cos(radians(lat));
      const high = (lats(row + 1) - lats(row - 1)) * METRES_PER_DEGREE;
      const east = (at(row, column + 1) - at(row, column - 1)) / wide;
      const north = (at(row + 1, column) - at(row - 1, column)) / high;
      normals.push(...normalOf(lng, lat, east * shown, north * shown));
    }
  }
  const isThere = Array.from({ length: squares ** 2 }, (_, i) => {
    const [row, column] = [Math.floor(i / squares), i % squares];
    return !isLeftOut({
      west: lngs(column),
      south: lats(row),
      east: lngs(column + 1),
      north: lats(row + 1),
    });
  });
  const indices: number[] = [];
  const depth = Math.max(LEAST_SKIRT, SKIRT * (lats(1) - lats(0)) * METRES_PER_DEGREE);
  /** From one corner to the next, with the tile at the left. */
  const skirt = (from: [row: number, column: number], to: [row: number, column: number]) => {
    const first = positions.length / 3;
    for (const [row, column] of [from, to]) {
      const corner = row * side + column;
      put(row, column, levels[corner]! - depth);
      normals.push(...normals.slice(corner * 3, corner * 3 + 3));
    }
    const [a, b] = [from[0] * side + from[1], to[0] * side + to[1]];
    indices.push(a, first, first + 1, a, first + 1, b);
  };
  for (let row = 0; row < squares; row++) {
    for (let column = 0; column < squares; column++) {
      if (!isThere[row * squares + column]) continue;
      const corner = row * side + column;
      indices.push(corner, corner + 1, corner + side + 1, corner, corner + side + 1, corner + side);
      if (!hasSkirts) continue;
      const [south, north, west, east] = [row, row + 1, column, column + 1];
      if (row === 0 || !isThere[(row - 1) * squares + column]) skirt([south, west], [south, east]);
      if (north === squares || !isThere[north * squares + column]) skirt([north, east], [north, west]);
      if (column === 0 || !isThere[row * squares + column - 1]) skirt([north, west], [south, west]);
      if (east === squares || !isThere[row * squares + east]) skirt([south, east], [north, east]);
    }
  }
  return indices.length === 0 ? null : geometryOf(positions, normals, st, indices);
}

/** Where the lines of a tile's grid are, also beyond its edges: as far from each other as in Web Mercator. */
function linesOf(
  { west, south, east, north }: Bounds,
  squares: number,
): { lngs: (column: number) => number; lats: (row: number) => number } {
  const [low, high] = [south, north].map((lat) => Math.asinh(Math.tan(radians(lat)))) as [number, number];
  return {
    lngs: (column) => west + ((east - west) * column) / squares,
    lats: (row) => (Math.atan(Math.sinh(low + ((high - low) * row) / squares)) * 180) / Math.PI,
  };
}

/** The normal of a surface that rises so many metres in a metre to the east and to the north. */
function normalOf(lng: number, lat: number, east: number, north: number): [number, number, number] {
  const [sinLng, cosLng] = [Math.sin(radians(lng)), Math.cos(radians(lng))];
  const [sinLat, cosLat] = [Math.sin(radians(lat)), Math.cos(radians(lat))];
  const length = Math.hypot(east, north, 1);
  const [e, n, up] = [-east / length, -north / length, 1 / length];
  return [
    -sinLng * e - sinLat * cosLng * n + cosLat * cosLng * up,
    cosLng * e - sinLat * sinLng * n + cosLat * sinLng * up,
    cosLat * n + sinLat * up,
  ];
}

function radians(degrees: number): number {
  return (degrees * Math.PI) / 180;
}

function geometryOf(positions: number[], normals: number[], st: number[], indices: number[]): Geometry {
  const attribute = (values: Float64Array | Float32Array, componentsPerAttribute: number) =>
    new GeometryAttribute({
      componentDatatype: values instanceof Float64Array ? ComponentDatatype.DOUBLE : ComponentDatatype.FLOAT,
      componentsPerAttribute,
      values,
    });
  return new Geometry({
    attributes: {
      position: attribute(new Float64Array(positions), 3),
      normal: attribute(new Float32Array(normals), 3),
      st: attribute(new Float32Array(st), 2),
    } as never,
    indices: new Uint16Array(indices),
    primitiveType: PrimitiveType.TRIANGLES,
    boundingSphere: BoundingSphere.fromVertices(positions),
  });
}
