/** The surface of a tile of the ground. */
import { type Bounds, WGS84_A, WGS84_B } from '@citymodel/geo';
import { BoundingSphere, ComponentDatatype, Geometry, GeometryAttribute, PrimitiveType } from 'cesium';
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
/** Square of the first eccentricity of the ellipsoid. */
const E2 = 1 - (WGS84_B / WGS84_A) ** 2;

/** A grid over a tile at the heights of the ground; null where all of it is left out. */
export function meshOf(
  bounds: Bounds,
  heightAt: (lng: number, lat: number) => number,
  { squares, below, slopes, hasSkirts, isLeftOut }: MeshForm,
): Geometry | null {
  const { columns, rows } = linesOf(bounds, squares);
  const side = squares + 1;
  const edges = skirtsOf(squares, (row, column) =>
    isLeftOut({
      west: columns[column]!.degrees,
      south: rows[row]!.degrees,
      east: columns[column + 1]!.degrees,
      north: rows[row + 1]!.degrees,
    }),
  );
  if (edges.inner.length === 0) return null;
  const skirts = hasSkirts ? edges.skirts : [];
  const count = side * side + 2 * skirts.length;
  const positions = new Float64Array(3 * count);
  const normals = new Float32Array(3 * count);
  const st = new Float32Array(2 * count);
  const put = (at: number, row: number, column: number, height: number) => {
    putPlace(positions, 3 * at, columns[column]!, rows[row]!, height);
    st[2 * at] = column / squares;
    st[2 * at + 1] = row / squares;
  };
  const levels = new Float64Array(side * side);
  for (let row = 0; row < side; row++) {
    for (let column = 0; column < side; column++) {
      const at = row * side + column;
      levels[at] = heightAt(columns[column]!.degrees, rows[row]!.degrees) - below;
      put(at, row, column, levels[at]!);
    }
  }
  // The normals at the edges of a tile are those of the tile beside it.
  const levelAt = (row: number, column: number) =>
    row < 0 || column < 0 || row > squares || column > squares
      ? heightAt(lineAt(columns, column, squares), lineAt(rows, row, squares)) - below
      : levels[row * side + column]!;
  const wide = 2 * (columns[1]!.degrees - columns[0]!.degrees) * METRES_PER_DEGREE;
  const high = 2 * (rows[1]!.degrees - rows[0]!.degrees) * METRES_PER_DEGREE;
  for (let row = 0; row < side; row++) {
    for (let column = 0; column < side; column++) {
      const [x, y] = [columns[column]!, rows[row]!];
      const shown = slopes(x.degrees, y.degrees);
      const [east, north] =
        shown === 0
          ? [0, 0]
          : [
              (shown * (levelAt(row, column + 1) - levelAt(row, column - 1))) / (wide * y.cos),
              (shown * (levelAt(row + 1, column) - levelAt(row - 1, column))) / high,
            ];
      putNormal(normals, 3 * (row * side + column), x, y, east, north);
    }
  }
  const indices = new Uint16Array(6 * (edges.inner.length + skirts.length));
  for (const [i, corner] of edges.inner.entries()) {
    indices.set([corner, corner + 1, corner + side + 1, corner, corner + side + 1, corner + side], 6 * i);
  }
  const depth = Math.max(LEAST_SKIRT, (SKIRT * high) / 2);
  for (const [i, ends] of skirts.entries()) {
    const first = side * side + 2 * i;
    for (const [k, corner] of ends.entries()) {
      put(first + k, Math.floor(corner / side), corner % side, levels[corner]! - depth);
      normals.copyWithin(3 * (first + k), 3 * corner, 3 * corner + 3);
    }
    const [a, b] = ends;
    indices.set([a, first, first + 1, a, first + 1, b], 6 * (edges.inner.length + i));
  }
  return geometryOf(positions, normals, st, indices);
}

/** The squares that are there, by their south-western corners, and the edges between them and what is not. */
function skirtsOf(
  squares: number,
  isLeftOut: (row: number, column: number) => boolean,
): { inner: number[]; skirts: Array<readonly [number, number]> } {
  const side = squares + 1;
  const isThere = Array.from(
    { length: squares ** 2 },
    (_, i) => !isLeftOut(Math.floor(i / squares), i % squares),
  );
  const isOpen = (row: number, column: number) =>
    row < 0 || column < 0 || row === squares || column === squares || !isThere[row * squares + column];
  const inner: number[] = [];
  const skirts: Array<readonly [number, number]> = [];
  for (let row = 0; row < squares; row++) {
    for (let column = 0; column < squares; column++) {
      if (isOpen(row, column)) continue;
      const corner = row * side + column;
      inner.push(corner);
      if (isOpen(row - 1, column)) skirts.push([corner, corner + 1]);
      if (isOpen(row + 1, column)) skirts.push([corner + side + 1, corner + side]);
      if (isOpen(row, column - 1)) skirts.push([corner + side, corner]);
      if (isOpen(row, column + 1)) skirts.push([corner + 1, corner + side + 1]);
    }
  }
  return { inner, skirts };
}

/** A line of a grid, along a meridian or a parallel. */
interface Line {
  degrees: number;
  sin: number;
  cos: number;
}

/** The lines of a tile's grid: as far from each other as in Web Mercator. */
function linesOf({ west, south, east, north }: Bounds, squares: number): { columns: Line[]; rows: Line[] } {
  const [low, high] = [south, north].map((lat) => Math.asinh(Math.tan(radians(lat)))) as [number, number];
  const line = (degrees: number): Line => ({
    degrees,
    sin: Math.sin(radians(degrees)),
    cos: Math.cos(radians(degrees)),
  });
  return {
    columns: Array.from({ length: squares + 1 }, (_, i) => line(west + ((east - west) * i) / squares)),
    rows: Array.from({ length: squares + 1 }, (_, i) =>
      line((Math.atan(Math.sinh(low + ((high - low) * i) / squares)) * 180) / Math.PI),
    ),
  };
}

/** Degrees of a line, which may be the next one beyond the grid. */
function lineAt(lines: readonly Line[], at: number, last: number): number {
  if (at < 0) return 2 * lines[0]!.degrees - lines[1]!.degrees;
  if (at > last) return 2 * lines[last]!.degrees - lines[last - 1]!.degrees;
  return lines[at]!.degrees;
}

/** From the middle of the Earth, metres. */
function putPlace(into: Float64Array, at: number, lng: Line, lat: Line, height: number): void {
  const normal = WGS84_A / Math.sqrt(1 - E2 * lat.sin * lat.sin);
  const away = (normal + height) * lat.cos;
  into[at] = away * lng.cos;
  into[at + 1] = away * lng.sin;
  into[at + 2] = (normal * (1 - E2) + height) * lat.sin;
}

/** The normal of a surface that rises so many metres in a metre to the east and to the north. */
function putNormal(into: Float32Array, at: number, lng: Line, lat: Line, east: number, north: number): void {
  const length = Math.hypot(east, north, 1);
  const [e, n, up] = [-east / length, -north / length, 1 / length];
  const away = lat.cos * up - lat.sin * n;
  into[at] = away * lng.cos - lng.sin * e;
  into[at + 1] = away * lng.sin + lng.cos * e;
  into[at + 2] = lat.cos * n + lat.sin * up;
}

function radians(degrees: number): number {
  return (degrees * Math.PI) / 180;
}

function geometryOf(
  positions: Float64Array,
  normals: Float32Array,
  st: Float32Array,
  indices: Uint16Array,
): Geometry {
  const attribute = (values: Float64Array | Float32Array, componentsPerAttribute: number) =>
    new GeometryAttribute({
      componentDatatype: values instanceof Float64Array ? ComponentDatatype.DOUBLE : ComponentDatatype.FLOAT,
      componentsPerAttribute,
      values,
    });
  return new Geometry({
    attributes: {
      position: attribute(positions, 3),
      normal: attribute(normals, 3),
      st: attribute(st, 2),
    } as never,
    indices,
    primitiveType: PrimitiveType.TRIANGLES,
    boundingSphere: BoundingSphere.fromVertices(positions as never),
  });
}
