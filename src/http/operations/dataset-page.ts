/** `GET /datacatalog/datasets`: the datasets of the catalogue a page at a time. */
import type { RouteHandlerMethod } from 'fastify';
import { ServiceError } from '../../base/errors.ts';
import { readDecimal } from '../../base/numbers.ts';
import { flagParameter, quoted } from '../../base/parameters.ts';
import { DATASET_ORDERS, type DatasetPageQuery, datasetPage } from '../../catalogue/coverage/dataset-page.ts';
import { parseCatalogueQuery } from '../../catalogue/snapshot/catalogue-filter.ts';
import { sendGenerated } from '../answers/send.ts';
import type { ServiceContext } from '../context.ts';
import { BBOX, CONDITIONAL, catalogueFilter, NO_CATALOGUE, NOT_MODIFIED } from '../describe/common.ts';
import { failure, flag, json, type Operation, query, queryList, TEXT } from '../describe/operation.ts';

/** Rows of a page. */
const PAGE_SIZE = 100;
const MAX_PAGE_SIZE = 500;
const MAX_TEXT = 200;
const MAX_WORDS = 10;

export const getDatasetPage: Operation = {
  id: 'getDatasetPage',
  method: 'get',
  path: '/datacatalog/datasets',
  number: null,
  tag: 'Catalogue',
  summary: 'Datasets a page at a time, with counts',
  description:
    'The rows of `datasets` of the catalogue, sorted. `facets` has the values that each filter could have, with how many datasets pass it and all other filters.',
  parameters: [
    catalogueFilter('pref_code', 'Keeps these prefectures.'),
    catalogueFilter('city_code', 'Keeps these municipalities and wards; a designated city with its wards.'),
    catalogueFilter('type_en', 'Keeps these feature types.', ({ type }) => [type]),
    queryList('format', 'Keeps these formats.', { type: 'string', enum: ['3D Tiles', 'MVT'] }),
    catalogueFilter('lod', 'Keeps these LODs.'),
    catalogueFilter('year', 'Keeps these years of production.'),
    BBOX,
    flag('texture', 'Keeps textured or untextured datasets.'),
    query('text', 'Words, all of which id, names or their readings must have.', {
      ...TEXT,
      maxLength: MAX_TEXT,
    }),
    query('sort', 'Order of the rows.', { type: 'string', enum: [...DATASET_ORDERS], default: 'place' }),
    query('offset', 'How many rows come before the page.', { type: 'integer', minimum: 0, default: 0 }),
    query('limit', 'How many rows the page has at most.', {
      type: 'integer',
      minimum: 0,
      maximum: MAX_PAGE_SIZE,
      default: PAGE_SIZE,
    }),
  ],
  answers: {
    200: json('The page.', 'DatasetPage', CONDITIONAL),
    304: NOT_MODIFIED,
    400: failure('A parameter has a value that is not accepted.'),
    503: NO_CATALOGUE,
  },
};

export function serveDatasetPage({ watch }: ServiceContext): RouteHandlerMethod {
  return (request, reply) => {
    const raw = request.query as Record<string, string | string[]>;
    return sendGenerated(request, reply, datasetPage(watch.current(), parsePageQuery(raw)));
  };
}

function parsePageQuery(raw: Record<string, string | string[]>): DatasetPageQuery {
  const { prefCodes, cityCodes, types, formats, lods, years, bbox } = parseCatalogueQuery(raw);
  return {
    prefCodes,
    cityCodes,
    types,
    formats,
    lods,
    years,
    bbox,
    texture: raw.texture === undefined ? null : flagParameter(raw, 'texture'),
    words: wordsOf(raw),
    order: orderOf(raw),
    offset: whole(raw, 'offset', 0, 1_000_000),
    limit: whole(raw, 'limit', PAGE_SIZE, MAX_PAGE_SIZE),
  };
}

function wordsOf({ text = '' }: Record<string, unknown>): string[] {
  const words = String(text)
    .split(/\s+/)
    .filter((word) => word !== '');
  if (String(text).length > MAX_TEXT || words.length > MAX_WORDS) {
    refuse(`text is longer than ${MAX_TEXT} characters or has more than ${MAX_WORDS} words.`);
  }
  return words;
}

function orderOf({ sort = 'place' }: Record<string, unknown>): DatasetPageQuery['order'] {
  const order = DATASET_ORDERS.find((each) => each === sort);
  return order ?? refuse(`sort is ${quoted(String(sort))}; accepted are ${DATASET_ORDERS.join(', ')}.`);
}

function whole(raw: Record<string, unknown>, name: string, otherwise: number, most: number): number {
  const text = raw[name];
  if (text === undefined) return otherwise;
  const value = readDecimal(String(text));
  if (value !== null && Number.isInteger(value) && value >= 0 && value <= most) return value;
  return refuse(`${name} is ${quoted(String(text))}; it must be a whole number from 0 to ${most}.`);
}

function refuse(reason: string): never {
  throw new ServiceError(400, 'invalid parameter', { reason });
}
