/** A section along a line on the ground: how high ground and buildings are there. Independent of what draws. */

/** One place of a section. */
export interface ProfilePoint {
  /** Metres from the beginning. */
  along: number;
  /** Height of the ground and of what stands on it, metres above the ellipsoid; never below the ground. */
  ground: number;
  top: number;
}

/** Places that are looked at along a line: each takes the time of a small picture. */
export const PROFILE_PLACES = 64;

/** What a section looks like, in pixels from the upper left. */
export interface ProfileDrawing {
  /** Outline of what stands on the ground, closed along the ground; and the ground's own, closed below. */
  tops: string;
  ground: string;
  /** Heights above the lowest ground that have a line, with where it is. */
  lines: Array<{ height: number; y: number }>;
  /** Of the highest place: metres above the ground there, and where. */
  highest: { height: number; x: number; y: number };
}

/** Steps of the lines of height, metres. */
const STEPS = [2, 5, 10, 20, 50, 100, 200, 500];
/** Lines at most. */
const MOST_LINES = 4;
/** Part of the height that is left free above. */
const HEADROOM = 1.15;

/** Draws a section into a box. The height is as large as it fits, so that it is steeper than the place. */
export function drawProfile(points: readonly ProfilePoint[], width: number, height: number): ProfileDrawing {
  const [first] = points;
  const last = points.at(-1);
  const length = Math.max(1, (last?.along ?? 1) - (first?.along ?? 0));
  const low = points.reduce((least, { ground }) => Math.min(least, ground), Number.POSITIVE_INFINITY);
  const high = points.reduce((most, { top }) => Math.max(most, top), Number.NEGATIVE_INFINITY);
  const range = Math.max(5, (high - low) * HEADROOM || 0);
  const x = (along: number) => round(((along - (first?.along ?? 0)) / length) * width);
  const y = (level: number) => round(height - ((level - low) / range) * height * 0.9);
  const path = (of: 'ground' | 'top') => points.map((point) => `${x(point.along)} ${y(point[of])}`);
  const step = STEPS.find((one) => range / one <= MOST_LINES) ?? STEPS.at(-1)!;
  const lines = Array.from({ length: Math.floor(range / step) + 1 }, (_, i) => ({
    height: i * step,
    y: y(low + i * step),
  }));
  const best = points.reduce<ProfilePoint | null>(
    (found, point) => (found === null || point.top - point.ground > found.top - found.ground ? point : found),
    null,
  );
  return {
    tops: points.length === 0 ? '' : `M${path('top').join('L')}L${path('ground').reverse().join('L')}z`,
    ground: points.length === 0 ? '' : `M${path('ground').join('L')}V${height}H0z`,
    lines,
    highest:
      best === null
        ? { height: 0, x: 0, y: height }
        : { height: best.top - best.ground, x: x(best.along), y: y(best.top) },
  };
}

function round(pixels: number): number {
  return Math.round(pixels * 10) / 10;
}
