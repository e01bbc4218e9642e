/** The most expensive GraphQL requests that are just below one limit each (`GRAPHQL_MAX_…` of the settings). */
import { EVERYTHING } from './graphql-queries.ts';

export interface LimitRequest {
  query: string;
  variables?: Record<string, unknown>;
}

/** Words and signs of the longest query, a few fewer. */
const TOKENS = 3_990;
/** Aliases of a field with arguments that fit into such a query. */
const ALIASES = 325;

const times = (count: number, part: (i: number) => string) =>
  Array.from({ length: count }, (_, i) => part(i)).join(' ');

/** The same filter under many aliases. */
function filters(field: string, type: string, input: Record<string, unknown>): LimitRequest {
  return {
    query: `query($i:${type}){${times(ALIASES, (i) => `a${i}:${field}(input:$i){id}`)}}`,
    variables: { i: input },
  };
}

/** Requests by what they are near to. */
export function limitRequests(): Record<string, LimitRequest> {
  const token = (i: number) => `${'ｶﾞ'.repeat(147)}${i}`;
  const tokens = Array.from({ length: 200 }, (_, i) => token(i));
  const codes = Array.from({ length: 1_000 }, (_, i) => String(10_000 + i * 37).slice(0, 5));
  const prefectures = Array.from({ length: 47 }, (_, i) => String(i + 1).padStart(2, '0'));
  const types = Array.from({ length: 1_000 }, (_, i) => `${'ガ'.repeat(290)}${i}`);
  const fat = `fragment T on __Type{name description fields{name description type{name ofType{name}} args{name \
description}}
    inputFields{name description} enumValues{name description} possibleTypes{name}}`;
  return {
    'fields of one name': { query: `{${times(TOKENS / 4 - 1, () => 'datasets{id}')}}` },
    'fields of one name, nested': {
      query: `{${times(TOKENS / 12 - 1, () => 'datasets{a:items{parent{id}}}')}}`,
    },
    'fragments beside each other': {
      query:
        `{datasets{${times(290, (i) => `...F${i}`)}}} ` +
        `${times(290, (i) => `fragment F${i} on Dataset{items{id}}`)}`,
    },
    'inline fragments': {
      query:
        `{datasets{` +
        `${times(TOKENS / 18 - 1, () => '...on PlateauDataset{items{id}}...on RelatedDataset{items{id}}')}}}`,
    },
    'a list of 90,000 in variables': {
      query: 'query($c:[AreaCode!]){datasets(input:{areaCodes:$c}){id}}',
      variables: { c: Array.from({ length: 90_000 }, () => '13101') },
    },
    'ten wrong lists of 9,000 in variables': {
      query: `query(${times(10, (i) => `$c${i}:[AreaCode!]`)}){datasets(input:{areaCodes:$c0}){id}}`,
      variables: Object.fromEntries(
        Array.from({ length: 10 }, (_, i) => [`c${i}`, Array.from({ length: 9_000 }, () => 1.5)]),
      ),
    },
    'search tokens, the whole country': filters('datasets', 'DatasetsInput', { searchTokens: tokens }),
    'search tokens, an area without datasets': filters('datasets', 'DatasetsInput', {
      areaCodes: '99999',
      searchTokens: tokens,
    }),
    'search tokens, areas': filters('areas', 'AreasInput', { searchTokens: tokens }),
    'area codes': filters('datasets', 'DatasetsInput', { areaCodes: codes, year: 1 }),
    'codes of prefectures': filters('datasets', 'DatasetsInput', { areaCodes: prefectures, year: 1 }),
    'types, an area without datasets': filters('datasets', 'DatasetsInput', {
      areaCodes: '99999',
      includeTypes: types,
    }),
    'codes of CityGML': filters('citygmlDatasets', 'CitygmlDatasetsInput', {
      cityCodes: codes,
      prefectureCodes: prefectures,
    }),
    'areas with their parents': filters('areas', 'AreasInput', {
      datasetTypes: ['nothing'],
      includeEmpty: true,
      includeParents: true,
    }),
    ids: {
      query: `query($i:[ID!]!){${times(ALIASES, (i) => `a${i}:nodes(ids:$i){id}`)}}`,
      variables: { i: Array.from({ length: 1_000 }, (_, i) => `c_${10_000 + i}`) },
    },
    'types with their datasets': {
      query: '{datasetTypes{id datasets{id type{id datasets(input:{year:1}){id}}}}}',
    },
    introspection: { query: `{${times(370, (i) => `a${i}:__schema{types{...T}}`)}} ${fat}` },
    'every field': { query: EVERYTHING },
    'every field, by search tokens': {
      query: EVERYTHING.replace('datasets {', 'datasets(input:{searchTokens:["a"],year:2023}) {'),
    },
  };
}
