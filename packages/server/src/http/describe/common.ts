/** Parameters and answers that several operations declare. */

import { TILE_FORMATS } from '@citymodel/base';
import type { Bounds } from '@citymodel/geo';
import { boundsFilter, type RowFilter } from '../../catalogue/rows/row-filter.ts';
import { YEAR } from '../../catalogue/search/years.ts';
import { boxOf, declaredFilter, FILTERS, filterValues } from '../../catalogue/snapshot/catalogue-filter.ts';
import type { Examples } from './examples.ts';
import { type Answer, failure, type Json } from './operation.ts';
import { flag, list, type QueryParameter } from './query-parameters.ts';

export const CONDITIONAL = ['ETag', 'Cache-Control'] as const;

/** The values of a filter of the catalogue, in the grammar that they have; null for none. */
export function catalogueValues(
  name: keyof typeof FILTERS,
  description: string,
  example?: (examples: Examples) => Json,
): QueryParameter<string[] | null> {
  const { pattern, accepted } = FILTERS[name];
  const parameter = list(
    name,
    `${description} Accepted are ${accepted}.`,
    { type: 'string', pattern: pattern.source },
    example === undefined ? {} : { example },
  );
  return { ...parameter, read: (query) => filterValues(name, parameter.read(query)) };
}

/** A filter of the catalogue; null for none. */
export function catalogueFilter(
  name: keyof typeof FILTERS,
  description: string,
  example?: (examples: Examples) => Json,
): QueryParameter<RowFilter | null> {
  const values = catalogueValues(name, description, example);
  return { ...values, read: (query) => declaredFilter(name, values.read(query)) };
}

const FORMATS = list('format', 'Keeps these formats.', { type: 'string', enum: [...TILE_FORMATS] });

/** A filter of the catalogue and of its datasets. */
export const FORMAT: QueryParameter<RowFilter | null> = {
  ...FORMATS,
  read: (query) => declaredFilter('format', filterValues('format', FORMATS.read(query))),
};

const BOX = list('bbox', 'Keeps what touches this box: `west,south,east,north` in degrees.', {
  type: 'number',
});

/** The box that answers about places are narrowed to; null for none. */
export const BBOX: QueryParameter<Bounds | null> = {
  ...BOX,
  schema: { ...BOX.schema, minItems: 4, maxItems: 4 },
  read: (query) => boxOf(BOX.read(query)),
};

/** The same as a filter of rows. */
export const BBOX_FILTER: QueryParameter<RowFilter | null> = {
  ...BBOX,
  read(query) {
    const box = BBOX.read(query);
    return box === null ? null : boundsFilter(box);
  },
};

/** Which years of a municipality's CityGML a search looks at. */
export const YEARS = {
  year: list(
    'year',
    'Keeps these years. The default is, for each municipality and feature type, the newest year that has the type.',
    { type: 'string', pattern: YEAR.source },
  ),
  allYears: flag('all_years', 'Takes every year, the newest first.'),
  latest: flag('latest', 'Is accepted and has no effect, because the newest year is the default.'),
};

export const NOT_MODIFIED: Answer = {
  description: '`If-None-Match` names the current answer, so there is no body.',
};
export const NO_CATALOGUE = failure('The server has not read the catalogue yet.', ['Retry-After']);
export const MALFORMED_SPEC = failure('The spec is malformed.');
export const NO_MATCH = failure('Nothing matches. `reason` names the nearest that exists.');
export const STORE_FAILURES: Record<string, Answer> = {
  500: failure('The server has a fault and has logged it.'),
  503: failure('A store cannot answer now.', ['Retry-After']),
};
