/**
 * Fine coasts and lakes, which take the place of coarser land where people look closely. The map gets those around its
 * view alone: cut into tiles, the coasts of the whole country would take longer than all else that a city shows.
 */
import { type Bounds, boundsIntersect } from '@citymodel/geo';
import type { Feature, FeatureCollection, MultiPolygon, Position } from 'geojson';
import { clipRing } from './clip-ring.ts';

/** From this zoom on the fine coasts are drawn. */
export const COAST_ZOOM = 8;
/** Parts of a degree that the table counts in. */
export const COAST_STEPS = 10_000;
/** Widths and heights of a view that are drawn beside it, so that small moves need no new cut. */
const AROUND = 1;

/** Rings of land, and of lakes in it; each is its first place and then the way from point to point, in steps. */
export interface Coasts {
  land: ReadonlyArray<readonly number[]>;
  lakes: ReadonlyArray<readonly number[]>;
}

interface Shore extends Bounds {
  steps: readonly number[];
}

export class Shores {
  readonly #land: readonly Shore[];
  readonly #lakes: readonly Shore[];

  constructor({ land, lakes }: Coasts) {
    this.#land = land.map(shoreOf);
    this.#lakes = lakes.map(shoreOf);
  }

  /** Land and lakes as areas that end at the sides of a box, told apart by `isLake`. */
  within(box: Bounds): FeatureCollection<MultiPolygon> {
    return {
      type: 'FeatureCollection',
      features: [this.#land, this.#lakes].map(
        (shores, i): Feature<MultiPolygon> => ({
          type: 'Feature',
          properties: { isLake: i === 1 },
          geometry: {
            type: 'MultiPolygon',
            coordinates: shores
              .filter((shore) => boundsIntersect(shore, box))
              .map((shore) => clipRing(ringOf(shore.steps), box))
              .filter((ring) => ring.length > 2)
              .map((ring) => [[...ring, ring[0]!]]),
          },
        }),
      ),
    };
  }
}

/** What is cut out for a view: the view and as much again at each side. */
export function around({ west, south, east, north }: Bounds): Bounds {
  const [x, y] = [AROUND * (east - west), AROUND * (north - south)];
  return { west: west - x, south: south - y, east: east + x, north: north + y };
}

/** Whether a box reaches beyond another one. */
export function reachesBeyond(view: Bounds, box: Bounds): boolean {
  return view.west < box.west || view.south < box.south || view.east > box.east || view.north > box.north;
}

function shoreOf(steps: readonly number[]): Shore {
  const [xs, ys] = [0, 1].map((axis) => {
    let [at, least, most] = [0, Infinity, -Infinity];
    for (let i = axis; i < steps.length; i += 2) {
      at += steps[i]!;
      least = Math.min(least, at);
      most = Math.max(most, at);
    }
    return [least / COAST_STEPS, most / COAST_STEPS] as const;
  });
  return { steps, west: xs![0], south: ys![0], east: xs![1], north: ys![1] };
}

/** The places of a ring; the last one is not the first one again. */
function ringOf(steps: readonly number[]): Position[] {
  const ring: Position[] = [];
  let [x, y] = [0, 0];
  for (let i = 0; i < steps.length; i += 2) {
    x += steps[i]!;
    y += steps[i + 1]!;
    ring.push([x / COAST_STEPS, y / COAST_STEPS]);
  }
  return ring;
}
