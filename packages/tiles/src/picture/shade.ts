/** Light on what a z-buffer holds: of a sun, and of a sky that streets see less of than roofs; haze far away. */
import { SKY_COLOURS } from '@citymodel/base';
import type { Camera } from './camera.ts';
import { type Exposure, SUN } from './exposure.ts';
import type { Pixels } from './raster.ts';

export type Theme = 'light' | 'dark';

/** Red, green, blue, 0 to 1, as they are shown (sRGB). */
type Rgb = readonly [number, number, number];

interface Air {
  zenith: Rgb;
  horizon: Rgb;
  land: Rgb;
  roof: Rgb;
  wall: Rgb;
  /** Light from above, from below and of the sun, linear. */
  sky: Rgb;
  bounce: Rgb;
  sun: Rgb;
}

/** The sky of the 3D view; land, roofs and walls a little stronger than there, as pictures are small. */
const AIR: Record<Theme, Air> = {
  light: {
    zenith: hex(SKY_COLOURS.light.zenith),
    horizon: hex(SKY_COLOURS.light.horizon),
    land: hex('#d6dacb'),
    roof: hex('#f0e2cc'),
    wall: hex('#c3cfd9'),
    sky: [0.42, 0.47, 0.55],
    bounce: [0.27, 0.26, 0.25],
    sun: [0.78, 0.72, 0.61],
  },
  dark: {
    zenith: hex(SKY_COLOURS.dark.zenith),
    horizon: hex(SKY_COLOURS.dark.horizon),
    land: hex('#26323a'),
    roof: hex('#b9a994'),
    wall: hex('#8794a0'),
    sky: [0.3, 0.34, 0.4],
    bounce: [0.16, 0.17, 0.19],
    sun: [0.6, 0.58, 0.55],
  },
};
/** Photographs keep this much of their brightness in the dark. */
const DARK_PHOTOGRAPH = 0.7;

/**
 * The picture in a theme, `times` times smaller: red, green, blue in 8 bits.
 *
 * @param options level: height of the ground far away, metres; haze: metres between which what is seen fades into the
 *   horizon
 */
export function shade(
  { width, height, depth, colour, normal }: Pixels,
  exposure: Exposure,
  { eye, ahead, up, halfHeight, shift }: Camera,
  {
    theme,
    level,
    haze,
    times,
  }: { theme: Theme; level: number; haze: readonly [number, number]; times: number },
): Uint8Array {
  const air = AIR[theme];
  const [zenith, horizon, land] = [linear(air.zenith), linear(air.horizon), linear(air.land)];
  const photographs = theme === 'dark' ? DARK_PHOTOGRAPH : 1;
  const outWidth = width / times;
  const sums = new Float32Array((height / times) * outWidth * 3);
  const own = new Float64Array(3);
  for (let y = 0, at = 0; y < height; y++) {
    const down = (1 - (2 * y + 1) / height + shift) * halfHeight;
    // The camera is level, so that all of a row rises alike.
    const rise = ahead[2] + up[2] * down;
    const high = Math.min(1, Math.max(0, rise / 0.3)) ** 0.7;
    for (let x = 0; x < width; x++, at++) {
      const to = 3 * (Math.floor(y / times) * outWidth + Math.floor(x / times));
      let far = depth[at]!;
      let [upward, open, lit, facing] = [1, 1, 1, SUN[2]];
      if (far < Infinity) {
        upward = normal[3 * at + 2]! / 127;
        facing = (normal[3 * at]! * SUN[0] + normal[3 * at + 1]! * SUN[1]) / 127 + upward * SUN[2];
        open = exposure.sky[at]! / 255;
        lit = exposure.sun[at]! / 255;
        ownColour(own, colour, 4 * at, upward, air, land, photographs);
      } else if (rise < -1e-4) {
        far = (level - eye[2]) / rise;
        own.set(land);
      }
      const fog = far === Infinity ? 1 : smooth(haze[0], haze[1], far);
      const above = 0.5 + 0.5 * upward;
      const direct = lit * Math.max(0, facing);
      for (let i = 0; i < 3; i++) {
        const ambient = (air.bounce[i]! * (1 - above) + air.sky[i]! * above) * (0.25 + 0.75 * open);
        const behind = horizon[i]! + (zenith[i]! - horizon[i]!) * (far === Infinity ? high : 0);
        const seen = far === Infinity ? 0 : own[i]! * (ambient + air.sun[i]! * direct);
        sums[to + i]! += seen * (1 - fog) + behind * fog;
      }
    }
  }
  const scale = 1 / (times * times);
  return Uint8Array.from(sums, (value) => Math.round(255 * Math.min(1, value * scale) ** (1 / 2.2)));
}

const LINEAR = Float64Array.from({ length: 256 }, (_, i) => (i / 255) ** 2.2);

/** The colour of a pixel before light falls on it, linear: its own, or that of roofs, walls and the ground. */
function ownColour(
  own: Float64Array,
  colour: Uint8Array,
  at: number,
  upward: number,
  { roof, wall }: Air,
  land: Rgb,
  photographs: number,
): void {
  const [red, green, blue] = [colour[at]!, colour[at + 1]!, colour[at + 2]!];
  // The ground alone is as dark as that (`Raster`).
  if (red + green + blue === 0) {
    own.set(land);
    return;
  }
  const plain = colour[at + 3]! / 255;
  const steep = smooth(0.2, 0.7, upward);
  const bright = 0.9 + 0.1 * (Math.max(red, green, blue) / 255);
  for (let i = 0; i < 3; i++) {
    const painted = (wall[i]! + (roof[i]! - wall[i]!) * steep) ** 2.2 * bright;
    own[i] = LINEAR[colour[at + i]!]! * photographs * (1 - plain) + painted * plain;
  }
}

function smooth(from: number, to: number, value: number): number {
  const t = Math.min(1, Math.max(0, (value - from) / (to - from)));
  return t * t * (3 - 2 * t);
}

function linear(colour: Rgb): Rgb {
  return colour.map((part) => part ** 2.2) as unknown as Rgb;
}

/** Of `#rrggbb`. */
function hex(text: string): Rgb {
  return [1, 3, 5].map((at) => Number.parseInt(text.slice(at, at + 2), 16) / 255) as unknown as Rgb;
}
