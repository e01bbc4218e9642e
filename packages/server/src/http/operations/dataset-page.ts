/** `GET /datacatalog/datasets`: the datasets of the catalogue a page at a time. */

import { quoted, Turns } from '@citymodel/base';
import type { RouteHandlerMethod } from 'fastify';
import { Filters } from '../../base/filter.ts';
import {
  DATASET_ORDERS,
  type DatasetFilter,
  type DatasetPageQuery,
  datasetPage,
  filterOfRow,
  textureFilter,
  wordsFilter,
} from '../../catalogue/coverage/dataset-page.ts';
import { callerOf } from '../answers/client-gone.ts';
import { sendGenerated } from '../answers/send.ts';
import type { ServiceContext } from '../context.ts';
import { CONDITIONAL, NO_CATALOGUE, NOT_MODIFIED } from '../describe/common.ts';
import { failure, json, type Operation, query, TEXT } from '../describe/operation.ts';
import {
  flag,
  type QueryParameter,
  type RawQuery,
  readQuery,
  refuse,
  whole,
} from '../describe/query-parameters.ts';
import { CATALOGUE_FILTERS, MAP_SYMBOLS, readFilters } from './catalogue.ts';

/** Rows of a page. */
const PAGE_SIZE = 100;
const MAX_PAGE_SIZE = 500;
const MAX_TEXT = 200;
const MAX_WORDS = 10;

const TEXTURE = flag('texture', 'Keeps textured or untextured datasets.');

/** Filters that only datasets have. */
const OWN_FILTERS = {
  texture: {
    ...TEXTURE,
    read: (query: RawQuery) => textureFilter(query.texture === undefined ? null : TEXTURE.read(query)),
  },
  words: {
    ...query('text', 'Words, all of which id, names or their readings must have.', {
      ...TEXT,
      maxLength: MAX_TEXT,
    }),
    read: (query: RawQuery) => wordsFilter(wordsOf(query)),
  },
} satisfies Record<string, QueryParameter<DatasetFilter | null>>;

const SHAPE = {
  mapSymbols: MAP_SYMBOLS,
  order: {
    ...query('sort', 'Order of the rows.', { type: 'string', enum: [...DATASET_ORDERS], default: 'place' }),
    read: orderOf,
  },
  offset: whole('offset', 'How many rows come before the page.', {
    least: 0,
    most: 1_000_000,
    otherwise: 0,
  }),
  limit: whole('limit', 'How many rows the page has at most.', {
    least: 0,
    most: MAX_PAGE_SIZE,
    otherwise: PAGE_SIZE,
  }),
} satisfies Record<string, QueryParameter<unknown>>;

export const getDatasetPage: Operation = {
  id: 'getDatasetPage',
  method: 'get',
  path: '/datacatalog/datasets',
  number: null,
  tag: 'Catalogue',
  summary: 'Datasets a page at a time, with counts',
  description:
    'The rows of `datasets` of the catalogue, sorted. `facets` has the values that each filter could have, with how ' +
    'many datasets pass it and all other filters.',
  parameters: Object.values({ ...CATALOGUE_FILTERS, ...OWN_FILTERS, ...SHAPE }),
  answers: {
    200: json('The page.', 'DatasetPage', CONDITIONAL),
    304: NOT_MODIFIED,
    400: failure('A parameter has a value that is not accepted.'),
    503: NO_CATALOGUE,
  },
};

export function serveDatasetPage({ watch }: ServiceContext): RouteHandlerMethod {
  const turns = new Turns();
  return (request, reply) => {
    const query = readPageQuery(request.query);
    const page = datasetPage(watch.current(), query, () => turns.slices(callerOf(reply)));
    if (!(page instanceof Promise)) return sendGenerated(request, reply, page);
    return page.then((document) => sendGenerated(request, reply, document));
  };
}

function readPageQuery(query: unknown): DatasetPageQuery {
  const ofRows = readFilters(CATALOGUE_FILTERS, query).all.map(filterOfRow);
  const own = Object.values(readQuery(OWN_FILTERS, query));
  return { filters: new Filters([...ofRows, ...own]), ...readQuery(SHAPE, query) };
}

function wordsOf({ text = '' }: RawQuery): string[] {
  if (text === '') return [];
  const words = String(text)
    .split(/\s+/)
    .filter((word) => word !== '');
  if (String(text).length > MAX_TEXT || words.length > MAX_WORDS) {
    refuse(`text is longer than ${MAX_TEXT} characters or has more than ${MAX_WORDS} words.`);
  }
  return words;
}

function orderOf({ sort = 'place' }: RawQuery): (typeof DATASET_ORDERS)[number] {
  const order = DATASET_ORDERS.find((candidate) => candidate === sort);
  return order ?? refuse(`sort is ${quoted(String(sort))}; accepted are ${DATASET_ORDERS.join(', ')}.`);
}
