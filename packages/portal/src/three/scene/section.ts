/** A level cut through models: what lies above a height is not drawn. */
import {
  Cartesian3,
  type Cesium3DTileset,
  ClippingPlane,
  ClippingPlaneCollection,
  Color,
  Matrix4,
  Transforms,
} from 'cesium';

/** Of the line where models are cut: a roof at that height has its colour as a whole, which must not glow. */
const EDGE = '#55636b';

/**
 * Cuts a tileset at a height; null takes the cut away.
 *
 * @param place longitude, latitude (degrees) and height of the ground (metres above the ellipsoid)
 * @param above metres above that ground
 */
export function cutTileset(
  tileset: Cesium3DTileset,
  [lng, lat, ground]: readonly [number, number, number],
  above: number | null,
): void {
  const known = tileset.clippingPlanes;
  if (above === null) {
    if (known !== undefined) known.enabled = false;
    return;
  }
  const plane = new ClippingPlane(new Cartesian3(0, 0, -1), above);
  // Planes lie in the frame that CesiumJS chose for the tileset; ours is level at the place.
  const frame = Transforms.eastNorthUpToFixedFrame(Cartesian3.fromDegrees(lng, lat, ground));
  const { clippingPlanesOriginMatrix } = tileset as unknown as { clippingPlanesOriginMatrix: Matrix4 };
  const toTileset = Matrix4.inverse(clippingPlanesOriginMatrix, new Matrix4());
  const modelMatrix = Matrix4.multiply(toTileset, frame, new Matrix4());
  if (known !== undefined) {
    // The ground may be another one than at the last cut: a link cuts before its height is known.
    known.modelMatrix = modelMatrix;
    known.removeAll();
    known.add(plane);
    known.enabled = true;
    return;
  }
  tileset.clippingPlanes = new ClippingPlaneCollection({
    planes: [plane],
    modelMatrix,
    edgeColor: Color.fromCssColorString(EDGE),
    edgeWidth: 1,
  });
}
