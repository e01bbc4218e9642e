/** The light on models: one that shows shapes, or the sun's at an hour of the day. */
import type { Bounds } from '@citymodel/geo';
import {
  Cartesian3,
  Math as CesiumMath,
  Color,
  DirectionalLight,
  JulianDate,
  Matrix3,
  Matrix4,
  type Scene,
  Simon1994PlanetaryPositions,
  Transforms,
} from 'cesium';
import type { Theme } from '../../core/state.ts';
import { momentOf, sunlightAt } from '../sunlight.ts';
import { airOf, type Rgb } from './air.ts';
import type { ModelLight } from './model-shader.ts';
import { middleOf } from './tile-tree.ts';

/** From the south-south-east, 50 degrees high: east, north, up; where light goes to. */
const DRAWING = new Cartesian3(-0.45, 0.55, -0.77);
/** Strength of the direct light by day, of the 1.55 that `sunlightAt` gives. */
const STRENGTH = 0.36;
/** A little warmer than the light of the sky. */
const WARM: Rgb = [1, 0.94, 0.83];

export interface Light {
  /** Where the light goes to, in fixed axes. */
  direction: Cartesian3;
  /** Colour of the sun, and the direct light: that colour times its strength. */
  glow: Rgb;
  sunlight: Rgb;
  /** Strength of the light from everywhere, 1 by day. */
  ambient: number;
}

/**
 * The light at a place.
 *
 * @param place longitude and latitude, degrees
 * @param hour of the day in Japan; null for the light of drawings
 */
export function lightAt([lng, lat]: readonly [number, number], hour: number | null): Light {
  const frame = Transforms.eastNorthUpToFixedFrame(Cartesian3.fromDegrees(lng, lat));
  if (hour === null) {
    const direction = Matrix4.multiplyByPointAsVector(frame, DRAWING, new Cartesian3());
    return { direction, glow: [1, 1, 1], sunlight: times(WARM, 1.55), ambient: 1 };
  }
  const sun = sunDirection(hour);
  const up = Matrix4.getColumn(frame, 2, { x: 0, y: 0, z: 0, w: 0 } as never) as unknown as Cartesian3;
  const { colour, direct, ambient } = sunlightAt(CesiumMath.toDegrees(Math.asin(Cartesian3.dot(sun, up))));
  const direction = Cartesian3.negate(sun, new Cartesian3());
  return { direction, glow: colour, sunlight: times(colour, direct), ambient };
}

function times([red, green, blue]: Rgb, strength: number): Rgb {
  const by = strength * STRENGTH;
  return [red * by, green * by, blue * by];
}

/** Where the sun is, in fixed axes. */
function sunDirection(hour: number): Cartesian3 {
  const time = JulianDate.fromIso8601(momentOf(hour));
  const inertial = Simon1994PlanetaryPositions.computeSunPositionInEarthInertialFrame(time);
  // Without the tables of the Earth's wobble, which are wrong by less than the sun is wide.
  const toFixed = Transforms.computeTemeToPseudoFixedMatrix(time) as Matrix3;
  return Cartesian3.normalize(
    Matrix3.multiplyByVector(toFixed, inertial, new Cartesian3()),
    new Cartesian3(),
  );
}

/** Shadows fall along the light of the scene; how bright models are is the business of their shader. */
export function lightScene(scene: Scene, { direction }: Light): void {
  scene.light = new DirectionalLight({ direction, color: Color.WHITE, intensity: 1 });
}

/** The light of a theme on models between these bounds, with the air that what is far fades into. @param size metres, of the air */
export function lightOnModels(
  { direction, sunlight, ambient, glow }: Light,
  theme: Theme,
  bounds: Bounds,
  size: number,
): ModelLight {
  const air = airOf(theme, ambient, glow, size);
  const up = Cartesian3.normalize(Cartesian3.fromDegrees(...middleOf(bounds)), new Cartesian3());
  const sun = Cartesian3.negate(direction, new Cartesian3());
  return { air, up, sun, sunlight, ambient };
}
