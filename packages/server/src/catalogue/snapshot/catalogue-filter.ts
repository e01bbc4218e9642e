/** The catalogue by query parameters (interface decisions, section 3): which rows of which arrays. */

import { EVERY_OUTPUT_KIND, OUTPUT_KINDS, quoted, readDecimal, TILE_FORMATS } from '@citymodel/base';
import { TYPE_CODE } from '@citymodel/citygml';
import type { Bounds } from '@citymodel/geo';
import { ServiceError } from '../../base/errors.ts';
import { keyOf } from '../../base/filter.ts';
import type { ReadyDocument } from '../../base/generated-document.ts';
import { membersOf } from '../names/areas.ts';
import type { ColumnName } from '../rows/row-block.ts';
import { columnFilter, keptRows, type RowFilter, type RowFilters } from '../rows/row-filter.ts';
import { joinTables, type RowTable } from '../rows/snapshot-table.ts';
import { filteredDocument } from './filtered-document.ts';
import { ARRAYS, type ArrayName, type Snapshot } from './snapshot.ts';

/** What is asked of the catalogue: everything that the answer depends on, besides the snapshot. */
export interface CatalogueQuery {
  filters: RowFilters;
  /** Arrays to keep, in the document's order; null keeps all five. */
  fields: ArrayName[] | null;
  /** Lists every year of CityGML. */
  allYears: boolean;
  /** Lists sets of map symbols among datasets, too. */
  mapSymbols: boolean;
}

/** A filter by values that a row may have, as its parameter declares it. */
interface DeclaredFilter {
  /** The columns of rows that it looks at; one of them has to have a value. */
  columns: readonly ColumnName[];
  /** What a value must look like. */
  pattern: RegExp;
  /** The same in words. */
  accepted: string;
  /** A value as the rows have it, out of one as callers write it. */
  normalise?: (value: string) => string;
  /** The values of rows that are meant. */
  widen?: (value: string) => readonly string[];
}

/** Every filter by its parameter; the description of the interface is made from it too. */
export const FILTERS = {
  pref_code: {
    columns: ['pref'],
    pattern: /^\d{2}$/,
    accepted: '2-digit prefecture codes',
  },
  city_code: {
    columns: ['city', 'ward'],
    pattern: /^(\d{5}|\d{2})$/,
    accepted: '5-digit municipality or ward codes',
    widen: membersOf,
  },
  type_en: {
    columns: ['types'],
    pattern: new RegExp(`^${TYPE_CODE}$`),
    accepted: 'feature-type codes in small letters such as bldg',
  },
  format: {
    columns: ['format'],
    pattern: new RegExp(`^(${TILE_FORMATS.join('|')})$`),
    accepted: TILE_FORMATS.join(' and '),
    normalise: (value) => FORMATS.get(value.toLowerCase().replaceAll(' ', '')) ?? value,
  },
  lod: { columns: ['lod'], pattern: /^\d$/, accepted: 'LODs from 0 to 9' },
  year: {
    columns: ['year'],
    pattern: /^(\d{4}|latest)$/,
    accepted: '4-digit years or latest',
  },
} as const satisfies Record<string, DeclaredFilter>;

const FORMATS = new Map<string, string>(EVERY_OUTPUT_KIND.map((kind) => [kind, OUTPUT_KINDS[kind].format]));

/** The catalogue that a query asks for, made once per snapshot and query as long as it is kept. */
export function catalogueFor(snapshot: Snapshot, query: CatalogueQuery): ReadyDocument {
  const { filters, allYears, mapSymbols, fields } = query;
  const symbols = mapSymbols ? snapshot.withMapSymbols : null;
  const isFiltered = filters.all.length > 0;
  if (!isFiltered && !allYears && symbols === null && fields === null) return snapshot.document;
  return snapshot.generated.get(keyOf('catalogue', query), () => {
    const tables = (fields ?? ARRAYS).map((name): [ArrayName, RowTable] => {
      if (name === 'citygml' && allYears) return [name, snapshot.allYears];
      const isListed = name === 'datasets' || name === 'latest_datasets';
      return [name, (isListed ? symbols?.[name] : null) ?? snapshot.tables[name]];
    });
    if (!isFiltered) return joinTables(Object.fromEntries(tables));
    return filteredDocument(tables.map(([name, table]) => ({ name, table, keep: keptRows(table, filters) })));
  });
}

/** Values of one filter: more than there are municipalities and wards. */
const MAX_VALUES = 2_000;

/**
 * The values of a filter, sorted and without repetition; null for none. Throws ServiceError 400 `invalid parameter`
 * naming the parameter, what was found and what is accepted.
 */
export function filterValues(name: keyof typeof FILTERS, wanted: readonly string[]): string[] | null {
  const { pattern, accepted, normalise }: DeclaredFilter = FILTERS[name];
  if (wanted.length === 0) return null;
  if (wanted.length > MAX_VALUES) {
    throw new ServiceError(400, 'invalid parameter', {
      reason: `${name} has ${wanted.length} values; at most ${MAX_VALUES} are accepted.`,
    });
  }
  const values = wanted.map((value) => normalise?.(value) ?? value);
  for (const value of values) if (!pattern.test(value)) refuse(name, value, accepted);
  return [...new Set(values)].sort();
}

/** The filter by values that `filterValues` has read; null for none. */
export function declaredFilter(name: keyof typeof FILTERS, values: string[] | null): RowFilter | null {
  if (values === null) return null;
  const { columns, widen }: DeclaredFilter = FILTERS[name];
  return columnFilter(name, values, {
    columns,
    valuesOf: () => new Set(widen === undefined ? values : values.flatMap(widen)),
  });
}

/** The arrays to keep, in the document's order; null for all. Throws like `filterValues`. */
export function fieldsOf(values: readonly string[]): ArrayName[] | null {
  for (const value of values) {
    if (!ARRAYS.some((name) => name === value)) refuse('fields', value, ARRAYS.join(', '));
  }
  const kept = ARRAYS.filter((name) => values.includes(name));
  return kept.length === 0 || kept.length === ARRAYS.length ? null : kept;
}

/** A box out of its four numbers; null for none. Throws like `filterValues`. */
export function boxOf(values: readonly string[]): Bounds | null {
  if (values.length === 0) return null;
  const [west, south, east, north] = values.map((value) => readDecimal(value) ?? Number.NaN);
  const isBox =
    values.length === 4 &&
    west! >= -180 &&
    west! <= east! &&
    east! <= 180 &&
    south! >= -90 &&
    south! <= north! &&
    north! <= 90;
  if (!isBox) {
    refuse(
      'bbox',
      values.join(','),
      'west,south,east,north in degrees with west not east of east, and south not north of north',
    );
  }
  return { west: west!, south: south!, east: east!, north: north! };
}

function refuse(name: string, value: string, accepted: string): never {
  throw new ServiceError(400, 'invalid parameter', {
    reason: `${name} has ${quoted(value, 100)}; accepted are ${accepted}.`,
  });
}
