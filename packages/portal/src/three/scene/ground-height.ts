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
  const nearestOf = nearestIn(samples);
  return (lng, lat) => {
    const nearest = nearestOf(lng, lat);
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

/** Samples in a square of the grid below, on average. */
const IN_SQUARE = 3;

/** Squares along a side of the grid at most. */
const MOST_SQUARES = 150;

/** Finds the nearest samples of a place: thousands of places are asked for, so samples lie in squares. */
function nearestIn(
  samples: readonly GroundSample[],
): (lng: number, lat: number) => Array<{ low: number; distance: number }> {
  const shrink = Math.cos((samples[0]!.lat * Math.PI) / 180);
  const east = samples.map(({ lng }) => lng * shrink);
  const north = samples.map(({ lat }) => lat);
  const [left, right, bottom, top] = [
    least(east),
    -least(east.map((x) => -x)),
    least(north),
    -least(north.map((y) => -y)),
  ];
  const area = Math.max(right - left, 1e-7) * Math.max(top - bottom, 1e-7);
  const side = Math.max(
    Math.sqrt((area * IN_SQUARE) / samples.length),
    // Samples in a row would have a grid of thousands of squares.
    Math.max(right - left, top - bottom) / MOST_SQUARES,
  );
  const [columns, rows] = [Math.ceil((right - left) / side), Math.ceil((top - bottom) / side)];
  const squares = new Map<number, number[]>();
  const keyOf = (column: number, row: number) => row * (columns + 1) + column;
  const columnOf = (x: number) => Math.min(columns, Math.max(0, Math.floor((x - left) / side)));
  const rowOf = (y: number) => Math.min(rows, Math.max(0, Math.floor((y - bottom) / side)));
  for (let i = 0; i < samples.length; i++) {
    const key = keyOf(columnOf(east[i]!), rowOf(north[i]!));
    const square = squares.get(key);
    if (square === undefined) squares.set(key, [i]);
    else square.push(i);
  }
  return (lng, lat) => {
    const [x, y] = [lng * shrink, lat];
    const [column, row] = [columnOf(x), rowOf(y)];
    const nearest: Array<{ low: number; distance: number }> = [];
    const look = (i: number) => {
      const distance = (east[i]! - x) ** 2 + (north[i]! - y) ** 2;
      if (nearest.length === NEAREST && distance >= nearest[NEAREST - 1]!.distance) return;
      const after = nearest.findIndex((other) => other.distance > distance);
      nearest.splice(after === -1 ? nearest.length : after, 0, { low: samples[i]!.low, distance });
      if (nearest.length > NEAREST) nearest.pop();
    };
    // Rings of squares outwards, until no farther one can have a nearer sample
    for (let ring = 0; ring <= columns + rows + 1; ring++) {
      const isFull = nearest.length === NEAREST;
      if (isFull && (ring - 1) * side > Math.sqrt(nearest[NEAREST - 1]!.distance)) break;
      for (let r = row - ring; r <= row + ring; r++) {
        if (r < 0 || r > rows) continue;
        const isEdge = r === row - ring || r === row + ring;
        for (let c = column - ring; c <= column + ring; c += isEdge || ring === 0 ? 1 : 2 * ring) {
          if (c < 0 || c > columns) continue;
          for (const i of squares.get(keyOf(c, r)) ?? []) look(i);
        }
      }
    }
    return nearest;
  };
}

function least(values: readonly number[]): number {
  return values.reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY);
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
