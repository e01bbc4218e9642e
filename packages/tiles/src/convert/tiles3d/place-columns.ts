/**
 * Where a feature lies, as columns: `_x`, `_y` the middle of its box, `_xmin` to `_ymax` its edges in degrees, `_zmin`,
 * `_zmax` heights of the data.
 */
import type { Column } from '../read/column.ts';
import type { FeatureFacts } from '../read/feature-facts.ts';

/** Steps of degrees, 0.8 mm: whole ones in binary have half of the bytes, deflated. */
const STEPS = 2 ** 27;

/** Bytes of these columns in a row. */
export const PLACE_BYTES = 8 * 8;

const NAMES = ['_x', '_y', '_xmin', '_xmax', '_ymin', '_ymax', '_zmin', '_zmax'] as const;

/** Adds to the columns of a feature where it lies at a level of detail that it has. */
export function addPlace(
  columns: Column[],
  { bodies, whole }: Pick<FeatureFacts, 'bodies' | 'whole'>,
  lod: number,
): void {
  const box = whole?.[lod] ?? bodies[lod];
  if (box == null) return;
  const [west, east] = [degrees(box.west), degrees(box.east)];
  const [south, north] = [degrees(box.south), degrees(box.north)];
  const [bottom, top] = [metres(box.bottom), metres(box.top)];
  const values = [(west + east) / 2, (south + north) / 2, west, east, south, north, bottom, top];
  for (let i = 0; i < NAMES.length; i++)
    columns.push({ name: NAMES[i]!, type: 'FLOAT64', value: values[i]! });
}

function degrees(value: number): number {
  return Math.round(value * STEPS) / STEPS;
}

function metres(value: number): number {
  return Math.round(value * 1_000) / 1_000;
}
