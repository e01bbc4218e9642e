/** Parameters and answers that several operations declare. */

import { TILE_FORMATS } from '@citymodel/base';
import type { Bounds } from '@citymodel/geo';
import { YEAR } from '../../catalogue/search/years.ts';
import { boxOf, FILTERS, filterValues } from '../../catalogue/snapshot/catalogue-filter.ts';
import type { Examples } from './examples.ts';
import { type Answer, failure, type Json } from './operation.ts';
import { flag, list, type QueryParameter } from './query-parameters.ts';

export const CONDITIONAL = ['ETag', 'Cache-Control'] as const;

/** A filter of the catalogue, with the grammar that its values have; null for none. */
export function catalogueFilter(
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

const FORMATS = list('format', 'Keeps these formats.', { type: 'string', enum: [...TILE_FORMATS] });

/** A filter of the catalogue and of its datasets. */
export const FORMAT: QueryParameter<string[] | null> = {
  ...FORMATS,
  read: (query) => filterValues('format', FORMATS.read(query)),
};

const BOX = list('bbox', 'Keeps what touches this box: `west,south,east,north` in degrees.', {
  type: 'number',
});

/** A filter of the catalogue and of the areas. */
export const BBOX: QueryParameter<Bounds | null> = {
  ...BOX,
  schema: { ...BOX.schema, minItems: 4, maxItems: 4 },
  read: (query) => boxOf(BOX.read(query)),
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
