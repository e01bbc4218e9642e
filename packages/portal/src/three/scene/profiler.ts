/** Heights along a line between two points of a scene, looked at a few at a time so that the page goes on. */
import { Cartesian3, Cartographic, Math as CesiumMath, type Scene } from 'cesium';
import { afterFrame } from '../../core/after-frame.ts';
import { PROFILE_PLACES, type ProfilePoint } from '../profile.ts';

/** Places that are looked at between two frames. */
const AT_ONCE = 4;

/**
 * Heights along the line, from the first point to the second.
 *
 * @param groundAt metres above the ellipsoid of the ground at degrees
 * @param ignored what is drawn and does not count, such as the line itself
 * @returns null where the machine cannot look, and when `isWanted` says no meanwhile
 */
export async function profileBetween(
  scene: Scene,
  [from, to]: readonly [Cartesian3, Cartesian3],
  groundAt: (lng: number, lat: number) => number,
  ignored: object[],
  isWanted: () => boolean,
): Promise<ProfilePoint[] | null> {
  if (!scene.sampleHeightSupported) return null;
  const length = Cartesian3.distance(onGround(from), onGround(to));
  const points: ProfilePoint[] = [];
  const place = new Cartesian3();
  for (let i = 0; i < PROFILE_PLACES; i++) {
    if (i % AT_ONCE === 0) await new Promise<void>((resolve) => afterFrame(resolve));
    if (!isWanted() || scene.isDestroyed()) return null;
    const share = i / (PROFILE_PLACES - 1);
    const at = Cartographic.fromCartesian(Cartesian3.lerp(from, to, share, place));
    const ground = groundAt(CesiumMath.toDegrees(at.longitude), CesiumMath.toDegrees(at.latitude));
    // Where nothing stands there is no height to find.
    const top = scene.sampleHeight(at, ignored) ?? ground;
    points.push({ along: share * length, ground, top: Math.max(ground, top) });
  }
  return points;
}

/** The point below on the ellipsoid. */
function onGround(point: Cartesian3): Cartesian3 {
  const { longitude, latitude } = Cartographic.fromCartesian(point);
  return Cartesian3.fromRadians(longitude, latitude);
}
