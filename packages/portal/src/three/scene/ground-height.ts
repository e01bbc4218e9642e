/** The height of the ground, guessed from where the lowest points of tiles are: there is no terrain to ask. */

export interface GroundSample {
  /** Middle of a tile, degrees. */
  lng: number;
  lat: number;
  /** Metres above the ellipsoid of its lowest point. */
  low: number;
}

/** Samples around a place that decide. */
const NEAREST = 6;

/**
 * A function that gives the height of the ground at a place. Of the nearest samples the lowest and the highest do not
 * count, so that a cellar makes no pit; the others weigh by nearness. Without samples the ground is flat.
 *
 * @param otherwise metres above the ellipsoid where there are no samples
 */
export function groundHeight(
  samples: readonly GroundSample[],
  otherwise: number,
): (lng: number, lat: number) => number {
  if (samples.length === 0) return () => otherwise;
  return (lng, lat) => {
    const shrink = Math.cos((lat * Math.PI) / 180);
    const nearest: Array<{ low: number; distance: number }> = [];
    for (const sample of samples) {
      const distance = ((sample.lng - lng) * shrink) ** 2 + (sample.lat - lat) ** 2;
      if (nearest.length === NEAREST && distance >= nearest[NEAREST - 1]!.distance) continue;
      // Thousands of places are asked for, so the samples are gone through once, not sorted.
      const after = nearest.findIndex((other) => other.distance > distance);
      nearest.splice(after === -1 ? nearest.length : after, 0, { low: sample.low, distance });
      if (nearest.length > NEAREST) nearest.pop();
    }
    nearest.sort((a, b) => a.low - b.low);
    const counted = nearest.length >= 4 ? nearest.slice(1, -1) : nearest;
    let sum = 0;
    let weights = 0;
    for (const { low, distance } of counted) {
      const weight = 1 / (distance + 1e-9);
      sum += low * weight;
      weights += weight;
    }
    return sum / weights;
  };
}

/** Samples around a place whose middle one is its ground. */
const AROUND = 9;

/**
 * The height of the ground at one place, for what has to be level: the median of the samples around it.
 *
 * @param samples at least one
 */
export function localGround(samples: readonly GroundSample[], lng: number, lat: number): number {
  const shrink = Math.cos((lat * Math.PI) / 180);
  const nearest = samples
    .map((sample) => ({
      low: sample.low,
      distance: Math.hypot((sample.lng - lng) * shrink, sample.lat - lat),
    }))
    .sort((a, b) => a.distance - b.distance || a.low - b.low)
    .slice(0, AROUND)
    .sort((a, b) => a.low - b.low);
  return nearest[Math.floor(nearest.length / 2)]!.low;
}
