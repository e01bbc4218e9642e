/** The light on models: one that shows shapes, or the sun's at an hour of the day. */
import {
  Cartesian2,
  Cartesian3,
  type Cesium3DTileset,
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
import { momentOf, sunlightAt } from '../sunlight.ts';

/** From the south-south-east, 50 degrees high: east, north, up; where light goes to. */
const DRAWING = new Cartesian3(-0.45, 0.55, -0.77);
/** Light of the sky from everywhere, without a sun. */
const SKY: [number, number, number] = [0.36, 0.37, 0.39];

export interface Light {
  /** Where the light goes to, in fixed axes. */
  direction: Cartesian3;
  colour: Color;
  intensity: number;
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
    return { direction, colour: Color.WHITE, intensity: 1.55, ambient: 1 };
  }
  const sun = sunDirection(hour);
  const up = Matrix4.getColumn(frame, 2, { x: 0, y: 0, z: 0, w: 0 } as never) as unknown as Cartesian3;
  const { colour, direct, ambient } = sunlightAt(CesiumMath.toDegrees(Math.asin(Cartesian3.dot(sun, up))));
  return {
    direction: Cartesian3.negate(sun, new Cartesian3()),
    colour: new Color(...colour),
    intensity: direct,
    ambient,
  };
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

export function lightScene(scene: Scene, { direction, colour, intensity }: Light): void {
  scene.light = new DirectionalLight({ direction, color: colour, intensity: Math.max(intensity, 0.001) });
}

/**
 * The same light from everywhere and a little more from above, so that walls in the shade can be read; the sun adds the
 * shape. No reflections: they would wash out the colours of materials.
 */
export function lightTileset(tileset: Cesium3DTileset, { ambient }: Light): void {
  const [red, green, blue] = SKY.map((part) => part * ambient) as [number, number, number];
  tileset.imageBasedLighting.sphericalHarmonicCoefficients = Array.from({ length: 9 }, (_, i) =>
    i === 0 ? new Cartesian3(red, green, blue) : Cartesian3.ZERO,
  );
  tileset.imageBasedLighting.imageBasedLightingFactor = new Cartesian2(1, 0);
}
