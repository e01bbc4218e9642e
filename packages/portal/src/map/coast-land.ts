/** The table of fine coasts as areas for the map. */
import type { FeatureCollection, Position } from 'geojson';

/** From this zoom on the fine coasts are drawn. */
export const COAST_ZOOM = 8;
/** Parts of a degree that the table counts in. */
const STEPS = 10_000;

/** Rings of land, and of lakes in it; each is its first place and then the way from point to point, in steps. */
export interface Coasts {
  land: ReadonlyArray<readonly number[]>;
  lakes: ReadonlyArray<readonly number[]>;
}

/** Land and lakes as areas, told apart by `isLake`. */
export function coastLand({ land, lakes }: Coasts): FeatureCollection {
  return {
    type: 'FeatureCollection',
    features: [land, lakes].map((rings, i) => ({
      type: 'Feature',
      properties: { isLake: i === 1 },
      geometry: { type: 'MultiPolygon', coordinates: rings.map((steps) => [ringOf(steps)]) },
    })),
  };
}

function ringOf(steps: readonly number[]): Position[] {
  const ring: Position[] = [];
  let [x, y] = [0, 0];
  for (let i = 0; i < steps.length; i += 2) {
    x += steps[i]!;
    y += steps[i + 1]!;
    ring.push([x / STEPS, y / STEPS]);
  }
  return [...ring, ring[0]!];
}
