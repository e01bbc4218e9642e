/** Colours of sky, haze and light of a theme, at an hour of the day. Independent of what draws. */
import { SKY_COLOURS } from '@citymodel/base';
import type { Theme } from '../../core/state.ts';

/** Red, green, blue, 0 to 1. */
export type Rgb = readonly [number, number, number];

export interface Air {
  /** As they are shown (sRGB). */
  zenith: Rgb;
  horizon: Rgb;
  land: Rgb;
  /** Plain roofs and walls, sRGB. */
  roof: Rgb;
  wall: Rgb;
  /** Light from above and from below, linear. */
  sky: Rgb;
  bounce: Rgb;
  /** The ground is shown so bright, 1 by day. */
  tint: Rgb;
  /** Metres from the eye between which things fade into the horizon. */
  hazeFrom: number;
  hazeTo: number;
}

const BY_DAY: Record<Theme, { land: Rgb; roof: Rgb; wall: Rgb }> = {
  light: {
    land: rgbOf('#e0e4da'),
    roof: rgbOf('#efe0c9'),
    wall: rgbOf('#bccad6'),
  },
  dark: {
    land: rgbOf('#1c262b'),
    roof: rgbOf('#b9a994'),
    wall: rgbOf('#8794a0'),
  },
};
/** Of what is cut through, sRGB, in every light: like that of drawings, darker than walls and roofs. */
export const CUT_SURFACE = rgbOf('#56646c');
/** By night the sky keeps this much of its light. */
const NIGHT = 0.16;
const SKY: Rgb = [0.5, 0.53, 0.58];
const BOUNCE: Rgb = [0.27, 0.26, 0.25];

/**
 * @param ambient strength of the light from everywhere, 0.3 by night to 1 by day
 * @param glow colour of the sun, which the horizon takes on
 * @param size metres from the middle of what is shown to its edge
 */
export function airOf(theme: Theme, ambient: number, glow: Rgb, size: number): Air {
  const { land, roof, wall } = BY_DAY[theme];
  const [zenith, horizon] = [rgbOf(SKY_COLOURS[theme].zenith), rgbOf(SKY_COLOURS[theme].horizon)];
  // 0 by night, 1 by day
  const day = Math.max(0, (ambient - 0.3) / 0.7);
  const shown = NIGHT + (1 - NIGHT) * day;
  const bright = (colour: Rgb): Rgb => by(colour, (part) => part * shown);
  const warm: Rgb = [0, 1, 2].map((i) => 0.45 + 0.55 * glow[i]!) as unknown as Rgb;
  const tint = by([shown, shown, shown], (part, i) => part * (0.7 + 0.3 * warm[i]!));
  return {
    zenith: bright(zenith),
    horizon: by(bright(horizon), (part, i) => part * warm[i]!),
    land: by(land, (part, i) => part * tint[i]!),
    roof,
    wall,
    sky: SKY,
    bounce: BOUNCE,
    tint,
    hazeFrom: Math.max(1_500, size * 0.8),
    hazeTo: Math.max(9_000, size * 4),
  };
}

/** Metres above the ground from which a whole city is seen through: this many times as far, it begins to fade. */
const SEEN = 15;
/** Sizes that are told apart: each is so many times the one before. */
const STEP = 1.25;

/**
 * The part of a large model that an eye sees before it fades, metres: near the ground a haze that begins at the edge of
 * a city would be a line at the horizon.
 *
 * @param size metres from the middle of the model to its edge
 * @param height of the eye above the ground, metres
 */
export function sizeSeen(size: number, height: number): number {
  const seen = STEP ** Math.round(Math.log(Math.max(1_900, height * SEEN)) / Math.log(STEP));
  return Math.min(size, seen);
}

/** Linear parts of an sRGB colour (IEC 61966-2-1, without its straight piece). */
export function linear(colour: Rgb): Rgb {
  return by(colour, (part) => part ** 2.2);
}

function by(colour: Rgb, change: (part: number, i: number) => number): Rgb {
  return [change(colour[0], 0), change(colour[1], 1), change(colour[2], 2)];
}

/** `#rrggbb`. */
export function hexOf(colour: Rgb): string {
  const two = (part: number) =>
    Math.round(part * 255)
      .toString(16)
      .padStart(2, '0');
  return `#${colour.map(two).join('')}`;
}

/** Of `#rrggbb`. */
export function rgbOf(text: string): Rgb {
  const part = (at: number) => Number.parseInt(text.slice(at, at + 2), 16) / 255;
  return [part(1), part(3), part(5)];
}
