/** Parameters and answers that several operations declare. */
import { YEAR } from '../../catalogue/search/years.ts';
import { FILTERS } from '../../catalogue/snapshot/catalogue-filter.ts';
import type { Examples } from './examples.ts';
import { type Answer, failure, flag, type Json, type Parameter, query, queryList } from './operation.ts';

export const CONDITIONAL = ['ETag', 'Cache-Control'] as const;

/** A filter of the catalogue, with the grammar that its parser has. */
export function catalogueFilter(
  name: keyof typeof FILTERS,
  description: string,
  example?: (examples: Examples) => Json,
): Parameter {
  const { pattern, accepted } = FILTERS[name];
  return queryList(
    name,
    `${description} Accepted are ${accepted}.`,
    { type: 'string', pattern: pattern.source },
    example === undefined ? {} : { example },
  );
}

/** A filter of the catalogue and of the areas. */
export const BBOX = query(
  'bbox',
  'Keeps what touches this box: `west,south,east,north` in degrees.',
  { type: 'array', items: { type: 'number' }, minItems: 4, maxItems: 4 },
  { list: true },
);

/** Which years of a municipality's CityGML a search looks at. */
export const YEARS: readonly Parameter[] = [
  queryList(
    'year',
    'Keeps these years. The default is, for each municipality and feature type, the newest year that has the type.',
    { type: 'string', pattern: YEAR.source },
  ),
  flag('all_years', 'Takes every year, the newest first.'),
  flag('latest', 'Is accepted and has no effect, because the newest year is the default.'),
];

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
