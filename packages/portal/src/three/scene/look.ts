/** Where the camera stands, and where it looks at a model from. */
import type { Bounds } from '@citymodel/geo';
import {
  BoundingSphere,
  type Camera,
  Cartesian3,
  Math as CesiumMath,
  HeadingPitchRange,
  Matrix4,
  type PerspectiveFrustum,
  Rectangle,
} from 'cesium';
import type { Covered } from '../covered.ts';
import type { SceneModel } from './scene-model.ts';

/** Half the extent that is looked at first at most, metres. */
const WIDEST_LOOK = 800;
/** And at least, where a part of a model is looked at. */
const NARROWEST_LOOK = 200;
/** Degrees down at first at most: a view that is higher than wide has the horizon in it then. */
const STEEPEST = -21;
/** Degrees between the upper edge of the view and the horizon, at first. */
const SKY = 3;
/** Degrees down to a part of a model: what stands before it would hide it from a flatter view. */
const TO_PART = -38;
/** Degrees: from the south-south-east, so that two walls of most houses are seen. */
const HEADING = -24;

/** Longitude, latitude (degrees), height (metres), heading, pitch (degrees). */
export function placeOf(camera: Camera): number[] {
  const { longitude, latitude, height } = camera.positionCartographic;
  return [
    CesiumMath.toDegrees(longitude),
    CesiumMath.toDegrees(latitude),
    height,
    CesiumMath.toDegrees(camera.heading),
    CesiumMath.toDegrees(camera.pitch),
  ];
}

/** Moves the camera to a place as `placeOf` has it. */
export function setPlace(camera: Camera, [lng, lat, height, heading, pitch]: readonly number[]): void {
  camera.setView({
    destination: Cartesian3.fromDegrees(lng!, lat!, height!),
    orientation: {
      heading: CesiumMath.toRadians(heading!),
      pitch: CesiumMath.toRadians(pitch!),
      roll: 0,
    },
  });
}

/**
 * Looks at the part of a model to look at first, or at all of it, from the south and above: in the middle of what no
 * panel lies over.
 *
 * @param canvas an upright view is narrower than what it is turned to
 */
export function lookAtModel(
  camera: Camera,
  model: SceneModel,
  whole: boolean,
  { clientWidth, clientHeight }: { clientWidth: number; clientHeight: number },
  covered: Covered,
  pitch = pitchOf(camera),
): void {
  const all = radiusOf(model.bounds, model.high - model.low);
  const isPart = !whole && all > WIDEST_LOOK;
  const { bounds, low, high } = isPart ? (model.focus ?? model) : model;
  const { west, south, east, north } = bounds;
  const radius = isPart ? Math.min(Math.max(radiusOf(bounds, 0), NARROWEST_LOOK), WIDEST_LOOK) : all;
  // A part's one tower is higher than most of it.
  const middle = low + (high - low) * (isPart ? 0.25 : 0.4);
  const centre = Cartesian3.fromDegrees((west + east) / 2, (south + north) / 2, middle);
  const free = { width: clientWidth - covered.left, height: clientHeight - covered.bottom };
  const farther = Math.min(1.6, Math.max(1, Math.sqrt(free.height / free.width)));
  // The view is as much larger than what is free of it.
  const distance = (radius * 1.6 * farther * clientHeight) / free.height;
  camera.viewBoundingSphere(
    new BoundingSphere(centre, radius),
    new HeadingPitchRange(CesiumMath.toRadians(HEADING), CesiumMath.toRadians(pitch), distance),
  );
  camera.lookAtTransform(Matrix4.IDENTITY);
  const { fovy } = camera.frustum as PerspectiveFrustum;
  const metresOfPixel = (2 * distance * Math.tan((fovy ?? Math.PI / 3) / 2)) / clientHeight;
  camera.moveLeft((covered.left / 2) * metresOfPixel);
  camera.moveDown((covered.bottom / 2) * metresOfPixel);
}

/** Degrees down from which the horizon is in the view: a wide one is low. */
function pitchOf({ frustum }: Camera): number {
  const fovy = CesiumMath.toDegrees((frustum as PerspectiveFrustum).fovy ?? Math.PI / 3);
  return Math.max(STEEPEST, SKY - fovy / 2);
}

/** Looks at a part of a model, nearer to its feet than at all of it. */
export function lookAtPart(
  camera: Camera,
  part: SceneModel,
  canvas: { clientWidth: number; clientHeight: number },
  covered: Covered,
): void {
  lookAtModel(camera, part, true, canvas, covered, TO_PART);
}

/**
 * A part of a model as a model, to be looked at.
 *
 * @param low metres above the ellipsoid of the ground there
 */
export function partOf(model: SceneModel, bounds: Bounds, low: number): SceneModel {
  return { ...model, bounds, low, high: low };
}

/** What of a box is in view, degrees; null when the view shows the sky alone, or other land. */
export function boundsInView(camera: Camera, bounds: Bounds): Bounds | null {
  const seen = camera.computeViewRectangle();
  if (seen === undefined) return null;
  const [west, south, east, north] = [seen.west, seen.south, seen.east, seen.north].map(
    CesiumMath.toDegrees,
  ) as [number, number, number, number];
  const both = {
    west: Math.max(west, bounds.west),
    south: Math.max(south, bounds.south),
    east: Math.min(east, bounds.east),
    north: Math.min(north, bounds.north),
  };
  return both.west < both.east && both.south < both.north ? both : null;
}

/** Metres from the middle of a model to its farthest point; a high one needs as much room as a wide one. */
export function radiusOf({ west, south, east, north }: Bounds, height: number): number {
  const rectangle = Rectangle.fromDegrees(west, south, east, north);
  return Math.max(40, BoundingSphere.fromRectangle3D(rectangle).radius, height * 0.8);
}
