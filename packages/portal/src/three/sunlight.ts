/** Colour and strength of the light by the height of the sun. Independent of what draws. */

export interface Sunlight {
  /** Red, green, blue, 0 to 1. */
  colour: [number, number, number];
  /** Strength of the direct light; 1.55 is a clear day. */
  direct: number;
  /** Strength of the light from everywhere, 1 on a clear day. */
  ambient: number;
}

const NOON: [number, number, number] = [1, 1, 1];
const LOW: [number, number, number] = [1, 0.72, 0.45];

/** @param altitude degrees above the horizon */
export function sunlightAt(altitude: number): Sunlight {
  // The sun is gone when its upper edge is; its warm colour fades until it is 25 degrees high.
  const up = smooth(-1, 12, altitude);
  const high = smooth(0, 25, altitude);
  return {
    colour: [0, 1, 2].map((i) => LOW[i]! + (NOON[i]! - LOW[i]!) * high) as [number, number, number],
    direct: 1.55 * up,
    // The sky still lights a little in the dusk, down to 12 degrees below the horizon.
    ambient: 0.3 + 0.7 * smooth(-12, 15, altitude),
  };
}

function smooth(low: number, high: number, value: number): number {
  const t = Math.min(1, Math.max(0, (value - low) / (high - low)));
  return t * t * (3 - 2 * t);
}

/** Midsummer's day and the like are not asked for: the sun of an equinox stands for the year. */
const DAY = '2024-09-22';

/** The moment of an hour of the day in Japan, ISO 8601. */
export function momentOf(hour: number): string {
  const minutes = Math.round(hour * 60) % (24 * 60);
  const two = (n: number) => String(n).padStart(2, '0');
  return `${DAY}T${two(Math.floor(minutes / 60))}:${two(minutes % 60)}:00+09:00`;
}
