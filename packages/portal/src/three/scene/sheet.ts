/** A plain sheet with the mesh grid below models, where there are no maps of the ground. */

import { type Bounds, countMeshesIn, meshBounds, meshesIn } from '@citymodel/geo';
import {
  Cartesian3,
  Math as CesiumMath,
  Color,
  ColorGeometryInstanceAttribute,
  Ellipsoid,
  GeometryInstance,
  PerInstanceColorAppearance,
  PolylineColorAppearance,
  PolylineGeometry,
  Primitive,
  type PrimitiveCollection,
  Rectangle,
  RectangleGeometry,
} from 'cesium';
import type { Theme } from '../../core/state.ts';

export const COLOURS: Record<Theme, { ground: string; sheet: string; line: string }> = {
  light: { ground: '#e6ecec', sheet: '#f4f7f7', line: '#b9c7ca' },
  dark: { ground: '#10171b', sheet: '#182228', line: '#33444c' },
};

/** A sheet is drawn below models up to this extent, degrees; larger ones curve away. */
const UP_TO = 0.6;
/** Pieces of a line along a side of a mesh. */
const PIECES = 30;
/** Below the lowest point of models, metres. */
const BELOW = 1.2;

/** Draws the sheet anew into a collection of its own. */
export function drawSheet(into: PrimitiveCollection, bounds: Bounds, low: number, theme: Theme): void {
  into.removeAll();
  if (Math.max(bounds.east - bounds.west, bounds.north - bounds.south) > UP_TO) return;
  const meshes = [...meshesIn(bounds, countMeshesIn(bounds, 8) > 400 ? 6 : 8)].map(meshBounds);
  if (meshes.length === 0) return;
  const height = low - BELOW;
  const { sheet, line } = COLOURS[theme];
  const rectangles = meshes.map(
    ({ west, south, east, north }) =>
      new GeometryInstance({
        geometry: new RectangleGeometry({
          rectangle: Rectangle.fromDegrees(west, south, east, north),
          ellipsoid: Ellipsoid.WGS84,
          height,
          vertexFormat: PerInstanceColorAppearance.FLAT_VERTEX_FORMAT,
        }),
        attributes: { color: ColorGeometryInstanceAttribute.fromColor(Color.fromCssColorString(sheet)) },
      }),
  );
  const lines = meshes.map(
    ({ west, south, east, north }) =>
      new GeometryInstance({
        geometry: new PolylineGeometry({
          positions: [
            [west, south],
            [east, south],
            [east, north],
            [west, north],
            [west, south],
          ].map(([lng, lat]) => Cartesian3.fromDegrees(lng!, lat!, height + 0.2)),
          width: 1,
          // In pieces: the depth of a long piece is only right at its ends, and it would shine through buildings.
          granularity: CesiumMath.toRadians((east - west) / PIECES),
          vertexFormat: PolylineColorAppearance.VERTEX_FORMAT,
        }),
        attributes: { color: ColorGeometryInstanceAttribute.fromColor(Color.fromCssColorString(line)) },
      }),
  );
  const common = { asynchronous: false, allowPicking: false };
  into.add(
    new Primitive({
      ...common,
      geometryInstances: rectangles,
      appearance: new PerInstanceColorAppearance({ flat: true, translucent: false }),
    }),
  );
  into.add(
    new Primitive({
      ...common,
      geometryInstances: lines,
      // Without a depth of their own, which would give them dark edges.
      appearance: new PolylineColorAppearance({ translucent: false, renderState: { depthMask: false } }),
    }),
  );
}
