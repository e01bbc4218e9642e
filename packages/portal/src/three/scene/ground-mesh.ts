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

/** Squares along a side of a tile's mesh. */
const GRID = 20;

/**
 * A grid over a box at the heights of the ground.
 *
 * @param below metres below these heights
 * @param hole what lies wholly in it is left out
 */
export function meshOf(
  { west, south, east, north }: Bounds,
  heightAt: (lng: number, lat: number) => number,
  below: number,
  hole: Bounds | null,
): Geometry {
  const side = GRID + 1;
  const positions = new Float64Array(side * side * 3);
  const st = new Float32Array(side * side * 2);
  const point = new Cartesian3();
  for (let row = 0; row < side; row++) {
    for (let column = 0; column < side; column++) {
      const [s, t] = [column / GRID, row / GRID];
      const lng = west + (east - west) * s;
      const lat = south + (north - south) * t;
      Cartesian3.fromDegrees(lng, lat, heightAt(lng, lat) - below, undefined, point);
      const at = row * side + column;
      positions.set([point.x, point.y, point.z], at * 3);
      st.set([s, t], at * 2);
    }
  }
  const isLeftOut = (row: number, column: number) =>
    hole !== null &&
    west + ((east - west) * column) / GRID >= hole.west &&
    west + ((east - west) * (column + 1)) / GRID <= hole.east &&
    south + ((north - south) * row) / GRID >= hole.south &&
    south + ((north - south) * (row + 1)) / GRID <= hole.north;
  const indices: number[] = [];
  for (let row = 0; row < GRID; row++) {
    for (let column = 0; column < GRID; column++) {
      if (isLeftOut(row, column)) continue;
      const at = row * side + column;
      indices.push(at, at + 1, at + side + 1, at, at + side + 1, at + side);
    }
  }
  return new Geometry({
    attributes: {
      position: new GeometryAttribute({
        componentDatatype: ComponentDatatype.DOUBLE,
        componentsPerAttribute: 3,
        values: positions,
      }),
      normal: new GeometryAttribute({
        componentDatatype: ComponentDatatype.FLOAT,
        componentsPerAttribute: 3,
        values: normals(positions),
      }),
      st: new GeometryAttribute({
        componentDatatype: ComponentDatatype.FLOAT,
        componentsPerAttribute: 2,
        values: st,
      }),
    } as never,
    indices: new Uint16Array(indices),
    primitiveType: PrimitiveType.TRIANGLES,
    boundingSphere: BoundingSphere.fromVertices([...positions]),
  });
}

/** Up, at every point. */
function normals(positions: Float64Array): Float32Array {
  const values = new Float32Array(positions.length);
  for (let i = 0; i < positions.length; i += 3) {
    const up = Cartesian3.normalize(Cartesian3.unpack(positions as never, i), new Cartesian3());
    values.set([up.x, up.y, up.z], i);
  }
  return values;
}
