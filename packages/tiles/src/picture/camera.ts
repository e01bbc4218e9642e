/** Where a picture is looked at from, in metres east, north and up of the place in its middle. */
import type { Vec3 } from '@citymodel/geo';

export interface Camera {
  eye: Vec3;
  /** Unit vectors: into the picture, to its right, to its top. */
  ahead: Vec3;
  right: Vec3;
  up: Vec3;
  /** Half the width and height of what is seen one metre ahead, metres. */
  halfWidth: number;
  halfHeight: number;
  /** How far the picture is moved up, in halves of its height: upright lines stay upright, and the sky is seen. */
  shift: number;
}

/** Degrees: from the south-south-east, so that two walls of most houses are seen; as the 3D view opens. */
const HEADING = -24;
/** Degrees down, as in the 3D view. */
const PITCH = -20;
/** Degrees that are seen from left to right. */
const WIDTH = 54;
/** See `Camera.shift`. */
const SHIFT = 0.2;

/**
 * A camera that looks down at a place.
 *
 * @param target what is in the middle
 * @param radius of what is to be seen, metres
 * @param aspect width by height of the picture
 */
export function cameraAt(target: Vec3, radius: number, aspect: number): Camera {
  const [heading, pitch] = [HEADING, PITCH].map((degrees) => (degrees * Math.PI) / 180) as [number, number];
  const flat = Math.cos(pitch);
  const ahead: Vec3 = [Math.sin(heading) * flat, Math.cos(heading) * flat, Math.sin(pitch)];
  const right: Vec3 = [Math.cos(heading), -Math.sin(heading), 0];
  // The cross product; what is to the right is level.
  const up: Vec3 = [right[1] * ahead[2], -right[0] * ahead[2], right[0] * ahead[1] - right[1] * ahead[0]];
  const halfWidth = Math.tan((WIDTH * Math.PI) / 360);
  const distance = (radius * 1.05) / halfWidth;
  const eye = target.map((value, i) => value - ahead[i]! * distance) as Vec3;
  return { eye, ahead, right, up, halfWidth, halfHeight: halfWidth / aspect, shift: SHIFT };
}
