/** The request of operation 12 that gives the features that the view shows. */
import type { Bounds } from '../../../src/geo/bounds.ts';

export const TABLE_FORMATS = ['geojson', 'csv', 'flatgeobuf'] as const;
export type TableFormat = (typeof TABLE_FORMATS)[number];

export interface FeatureQuery {
  bounds: Bounds;
  /** Feature-type code, e.g. `bldg`. */
  type: string;
  /** Null: the newest. */
  year: number | null;
  where: string;
}

/** Path and query below the service's address. */
export function featuresPath({ bounds, type, year, where }: FeatureQuery, format: TableFormat): string {
  const { west, south, east, north } = bounds;
  const box = [west, south, east, north].map((n) => Number(n.toFixed(6)));
  const query = new URLSearchParams({ bbox: box.join(','), type });
  if (year !== null) query.set('year', String(year));
  if (where !== '') query.set('where', where);
  query.set('format', format);
  if (format === 'geojson') query.set('flatten', 'true');
  // Commas and colons may stand in a query as they are.
  return `/citygml/features?${query.toString().replace(/%(2C|3A)/g, decodeURIComponent)}`;
}
