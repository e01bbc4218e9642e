/** Where a feature lies, as columns: `_x`, `_y` the middle of its box, `_xmin` to `_ymax` its edges in degrees, `_zmin`, `_zmax` heights of the data. */
import type { Column } from '../read/column.ts';
import type { FeatureHead } from '../read/pack-head.ts';
import type { FeatureFacts, WholeFacts } from '../read/read-records.ts';

/** Steps of degrees, 0.8 mm: whole ones in binary have half of the bytes, deflated. */
const STEPS = 2 ** 27;

/** Bytes of these columns in a row. */
export const PLACE_BYTES = 8 * 8;

/** What the feature is, with where it lies at a level of detail that it has. */
export function placedHead(
  head: FeatureHead,
  { bodies, whole }: Pick<FeatureFacts, 'bodies' | 'whole'>,
  lod: number,
): FeatureHead {
  const box = whole?.[lod] ?? bodies[lod];
  return box == null ? head : { ...head, columns: [...head.columns, ...placeColumns(box)] };
}

function placeColumns({ west, south, east, north, bottom, top }: WholeFacts): Column[] {
  const degrees = (value: number) => Math.round(value * STEPS) / STEPS;
  const metres = (value: number) => Math.round(value * 1_000) / 1_000;
  const [xmin, xmax, ymin, ymax] = [west, east, south, north].map(degrees) as [
    number,
    number,
    number,
    number,
  ];
  const values = {
    _x: (xmin + xmax) / 2,
    _y: (ymin + ymax) / 2,
    _xmin: xmin,
    _xmax: xmax,
    _ymin: ymin,
    _ymax: ymax,
    _zmin: metres(bottom),
    _zmax: metres(top),
  };
  return Object.entries(values).map(([name, value]) => ({ name, type: 'FLOAT64', value }));
}
