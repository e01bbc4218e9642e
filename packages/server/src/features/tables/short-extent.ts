/**
 * Extents in tables. They have all digits of the GML, most of which the footprint and the heights of the row have too.
 * So a table has the differences, which take half the bytes.
 */
import type { Extent } from '@citymodel/geo';
import { type Box, boxOfWkb } from '../formats/geoparquet-geometry.ts';
import { EXTENT } from './table-columns.ts';

/** Columns that an extent comes back of. */
export const EXTENT_COLUMNS = ['extent_offset', 'geometry', 'minAlt', 'maxAlt'] as const;

/** What a row has beside its extent: the box of its footprint as the table has it, and heights in metres. */
interface Beside {
  readonly box: Box | null;
  readonly minAlt: number | null;
  readonly maxAlt: number | null;
}

/** The differences, in degrees and metres; null for an extent that would not come back of them. */
export function extentDifference(extent: Extent, beside: Beside): Extent | null {
  const base = baseOf(beside);
  const difference = combined(extent, base, (value, known) => value - known);
  const again = combined(difference, base, (value, known) => known + value);
  return EXTENT.every((key) => again[key] === extent[key]) ? difference : null;
}

/** The extent of a row, out of its values in the columns above; null where it has none there. */
export function extentOf(value: (column: (typeof EXTENT_COLUMNS)[number]) => unknown): Extent | null {
  const difference = value('extent_offset') as Extent | null;
  if (difference === null) return null;
  const wkb = value('geometry') as Uint8Array | null;
  const base = baseOf({
    box: wkb === null ? null : boxOfWkb(wkb),
    minAlt: value('minAlt') as number | null,
    maxAlt: value('maxAlt') as number | null,
  });
  return combined(difference, base, (one, known) => known + one);
}

/** What an extent is compared with: zeros where a row has nothing. */
function baseOf({ box, minAlt, maxAlt }: Beside): Extent {
  return {
    west: box?.xmin ?? 0,
    south: box?.ymin ?? 0,
    east: box?.xmax ?? 0,
    north: box?.ymax ?? 0,
    minAlt: minAlt ?? 0,
    maxAlt: maxAlt ?? 0,
  };
}

function combined(one: Extent, two: Extent, change: (one: number, two: number) => number): Extent {
  return {
    west: change(one.west, two.west),
    south: change(one.south, two.south),
    east: change(one.east, two.east),
    north: change(one.north, two.north),
    minAlt: change(one.minAlt, two.minAlt),
    maxAlt: change(one.maxAlt, two.maxAlt),
  };
}
