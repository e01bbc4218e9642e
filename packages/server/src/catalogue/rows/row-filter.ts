/** Filters of the catalogue: what callers ask of rows, tested on one row or on all rows of a table at once. */

import type { Bounds } from '@citymodel/geo';
import type { Filter, Filters } from '../../base/filter.ts';
import type { ColumnName, RowKeys } from './row-block.ts';
import type { RowTable } from './snapshot-table.ts';

export interface RowFilter extends Filter {
  /** Whether a row passes; one that lacks what the filter looks at does. */
  accepts(keys: Partial<RowKeys>): boolean;
  /** The same for every row of a table: sets `keep` to 0 where it does not pass. */
  narrow(keep: Uint8Array, table: RowTable): void;
}

export type RowFilters = Filters<RowFilter>;

/**
 * Rows of which one of the columns has, or as a list of types contains, one of the values. These are made when the
 * first row is tested: an answer that is kept needs the key alone.
 */
export function columnFilter(
  name: string,
  asked: readonly string[],
  { columns, valuesOf }: { columns: readonly ColumnName[]; valuesOf: () => ReadonlySet<string> },
): RowFilter {
  let values: ReadonlySet<string> | null = null;
  const accepts = (value: string) => {
    values ??= valuesOf();
    const meant = values;
    return value.split(',').some((item) => meant.has(item));
  };
  return {
    name,
    key: JSON.stringify([name, ...asked]),
    words: `${name} ${asked.join(', ')}`,
    accepts(keys) {
      const carried = columns.filter((column) => keys[column] !== undefined);
      return carried.length === 0 || carried.some((column) => accepts(keys[column]!));
    },
    narrow(keep, table) {
      const masks = columns.flatMap((column) => {
        const codes = table.columns[column];
        if (codes === undefined) return [];
        const mask = Uint8Array.from(table.values.valuesOf(column), (value) => (accepts(value) ? 1 : 0));
        return [{ codes, mask }];
      });
      if (masks.length === 0) return;
      for (let i = 0; i < keep.length; i++) {
        if (!masks.some(({ codes, mask }) => mask[codes[i]!])) keep[i] = 0;
      }
    },
  };
}

/** Rows that touch a box; those without known bounds do not. */
export function boundsFilter(box: Bounds): RowFilter {
  const touches = (west: number, south: number, east: number, north: number) =>
    west <= box.east && east >= box.west && south <= box.north && north >= box.south;
  return {
    name: 'bbox',
    key: JSON.stringify(['bbox', box.west, box.south, box.east, box.north]),
    words: `bbox ${box.west},${box.south},${box.east},${box.north}`,
    accepts({ bounds }) {
      if (bounds === undefined) return true;
      return bounds !== null && touches(bounds.west, bounds.south, bounds.east, bounds.north);
    },
    narrow(keep, { bounds }) {
      for (let i = 0, at = 0; i < keep.length; i++, at += 4) {
        if (!touches(bounds[at]!, bounds[at + 1]!, bounds[at + 2]!, bounds[at + 3]!)) keep[i] = 0;
      }
    },
  };
}

/** For each row of a table 1 when every filter lets it through. */
export function keptRows(table: RowTable, { all }: RowFilters): Uint8Array {
  const keep = new Uint8Array(table.count).fill(1);
  for (const filter of all) filter.narrow(keep, table);
  return keep;
}
