/** What two editions of a municipality differ in: sums, features a page at a time, or documents with all of them. */
import { Readable } from 'node:stream';
import { Turns } from '@citymodel/base';
import type { Bounds } from '@citymodel/geo';
import type { Comparison, ComparisonStore, PackageRow } from '@citymodel/store';
import type { FastifyReply, RouteHandlerMethod } from 'fastify';
import { ServiceError } from '../../base/errors.ts';
import { Gate } from '../../base/gate.ts';
import { resolveCityGml } from '../../catalogue/resolve/city-zips.ts';
import type { Snapshot } from '../../catalogue/snapshot/snapshot.ts';
import type { Difference } from '../../changes/difference.ts';
import { compareJob } from '../../jobs/kinds/compare.ts';
import { keyAreas } from '../answers/cache-keys.ts';
import { DOCUMENT_CACHE, sendText } from '../answers/send.ts';
import type { ServiceContext } from '../context.ts';
import { BBOX, CONDITIONAL, NO_MATCH, NOT_MODIFIED, STORE_FAILURES } from '../describe/common.ts';
import { failure, json, type Operation, TEXT } from '../describe/operation.ts';
import { chosen, pages, readQuery, refuse, required, text } from '../describe/query-parameters.ts';
import { askForComparison } from './ask-for-comparison.ts';
import { csvOfDifferences, geoJsonOfDifferences } from './change-documents.ts';

const FORMS = ['json', 'csv', 'geojson'] as const;
type Form = (typeof FORMS)[number];
const KINDS = ['added', 'removed', 'changed'] as const;

const MAX_PAGE_SIZE = 1_000;
const PAGES = pages('feature', MAX_PAGE_SIZE);
/** Pages in memory at once. Answers of twenty callers that come from the store together would fill one turn. */
const PAGES_AT_ONCE = { atOnce: 2, waiting: 200 };
/** Seconds after which a caller may look again. */
const LOOK_AGAIN_S = 2;

const QUERY = {
  city: required(
    text(
      'city_code',
      'Code of the municipality, ward or prefecture whose editions are compared.',
      { type: 'string', pattern: '^(\\d{2}|\\d{5})$' },
      { example: ({ compared }) => compared },
    ),
  ),
  type: text('type', 'Feature-type code; `bldg` when it is not given.', TEXT),
  from: text(
    'from',
    'Year of the older edition; the one before `to` that has the type when it is not given.',
    TEXT,
  ),
  to: text('to', 'Year of the newer edition; the newest when it is not given.', TEXT),
  box: BBOX,
  change: chosen('change', 'Only features of which this has become.', KINDS),
  format: chosen(
    'format',
    'Form of the answer: `json` (the default) is a page, `csv` and `geojson` have all features.',
    FORMS,
  ),
  ...PAGES.parameters,
};

export const getChanges: Operation = {
  id: 'getChanges',
  method: 'get',
  path: '/citygml/changes',
  number: null,
  tag: 'Features',
  summary: 'What two editions of a municipality differ in',
  description:
    'Features that were added, removed or changed, with their attributes and sizes before and after. The server ' +
    'compares two editions once, when somebody asks; until it has, it answers 202.',
  parameters: Object.values(QUERY),
  answers: {
    200: {
      ...json('Sums, and a page of features.', 'Changes', CONDITIONAL),
      content: {
        ...json('', 'Changes').content,
        'text/csv': { schema: TEXT },
        'application/geo+json': { schema: { type: 'object' } },
      },
    },
    202: json('The editions are being compared; look again after `Retry-After` seconds.', 'Changes', [
      'Retry-After',
    ]),
    304: NOT_MODIFIED,
    400: failure('A parameter is missing or not accepted.'),
    404: NO_MATCH,
    ...STORE_FAILURES,
  },
};

export function serveChanges(context: ServiceContext): RouteHandlerMethod {
  const { watch, comparisons, jobs, settings } = context;
  const gate = new Gate(PAGES_AT_ONCE);
  const turns = new Turns();
  /** Pages are read by another thread, which answers before others had a turn. */
  const rowsOf = async (wanted: Parameters<typeof comparisons.rows>[0]): Promise<Rows> => {
    const rows = await comparisons.rows(wanted);
    await turns.wait();
    return rows;
  };
  return async (request, reply) => {
    const {
      city,
      type = 'bldg',
      from,
      to,
      box,
      change,
      format,
      after,
      limit,
    } = readQuery(QUERY, request.query);
    const snapshot = watch.current();
    const editions = editionsOf(snapshot, city, type, { from, to });
    for (const row of [editions.from, editions.to]) requireType(row, type);
    keyAreas(reply, snapshot, [city]);
    const key = { from: editions.from.no, to: editions.to.no, type };
    const comparison = await comparisons.find(key);
    const about = {
      city_code: city,
      type,
      from: { package: editions.from.name, year: editions.from.year },
      to: { package: editions.to.name, year: editions.to.year },
    };
    if (comparison === null) {
      const job = compareJob(editions.from, editions.to, type, settings.JOB_ATTEMPTS);
      const progress = await askForComparison(jobs, job);
      reply.status(202).header('retry-after', String(LOOK_AGAIN_S)).header('cache-control', 'no-store');
      return reply.send({
        ...about,
        state: 'comparing',
        progress,
        summary: null,
        differences: [],
        next: null,
      });
    }
    reply.header('cache-control', DOCUMENT_CACHE);
    const wanted = { list: comparison.list, change, bounds: box === null ? null : cornersOf(box) };
    if (format !== null && format !== 'json') {
      return sendAll(reply, format, `${city}_${type}_${about.from.year}_${about.to.year}`, (position, most) =>
        gate.run(async () => pageOf(await rowsOf({ ...wanted, after: position, limit: most }), position)),
      );
    }
    const page = await gate.run(async () => {
      const rows = await rowsOf({ ...wanted, after, limit: limit + 1 });
      return JSON.stringify({ ...about, ...shownOf(comparison, rows, limit) });
    });
    return sendText(request, reply.type('application/json; charset=utf-8'), page);
  };
}

type Rows = Awaited<ReturnType<ComparisonStore['rows']>>;

/** Rows with where they end. */
interface Page {
  differences: Difference[];
  end: number;
}

function pageOf(rows: Rows, before: number): Page {
  return {
    differences: rows.map(({ text: facts }) => JSON.parse(facts) as Difference),
    end: rows.at(-1)?.position ?? before,
  };
}

function shownOf({ summary }: Comparison, rows: Rows, limit: number): object {
  const { shown, next } = PAGES.pageOf(rows, limit);
  return {
    state: 'compared',
    progress: null,
    summary: JSON.parse(summary),
    differences: shown.map(({ position, text: facts }) => ({ position, ...JSON.parse(facts) })),
    next,
  };
}

interface Editions {
  from: PackageRow;
  to: PackageRow;
}

/**
 * The editions of these years; without years the newest ones that have the type. Throws ServiceError 400 for years that
 * are none or the same, 404 when one of the editions is not there.
 */
function editionsOf(
  snapshot: Snapshot,
  area: string,
  type: string,
  years: { from: string | undefined; to: string | undefined },
): Editions {
  if (!/^(\d{2}|\d{5})$/.test(area)) refuse(`city_code must be 2 or 5 digits.`);
  const published = [...snapshot.cityGmlOf(area), ...snapshot.cityGmlOf(snapshot.cityAround(area) ?? '')];
  // Where no edition has the type, the newest ones say what there is.
  const newest = (rows: readonly PackageRow[]) => {
    const having = rows.filter(({ types }) => types.includes(type));
    return Math.max(...(having.length > 0 ? having : rows).map(({ year }) => year));
  };
  const last = newest(published);
  const wanted = years.to === undefined ? (Number.isFinite(last) ? last : 'latest') : yearOf('to', years.to);
  const to = editionOf(snapshot, area, wanted);
  const before = newest(published.filter(({ year }) => year < to.year));
  if (years.from === undefined && !Number.isFinite(before)) {
    throw new ServiceError(404, 'not found', { reason: `${area} has no edition before ${to.year}.` });
  }
  const from = editionOf(snapshot, area, years.from === undefined ? before : yearOf('from', years.from));
  if (from.id === to.id) refuse(`from and to are both the edition of ${to.year}; give two different years.`);
  return { from, to };
}

function yearOf(name: string, value: string): number {
  return /^\d{4}$/.test(value) ? Number(value) : refuse(`${name} must be a year of 4 digits.`);
}

function editionOf(snapshot: Snapshot, area: string, year: number | 'latest'): PackageRow {
  const row = resolveCityGml(snapshot, { area, year });
  if (row !== undefined) return row;
  const years = [...new Set(snapshot.cityGmlOf(area).map((one) => one.year))];
  const published = years.length === 0 ? '' : ` It is published for the years ${years.join(', ')}.`;
  const wanted = year === 'latest' ? '' : ` of ${year}`;
  throw new ServiceError(404, 'not found', {
    reason: `There is no CityGML of ${area}${wanted}.${published}`,
  });
}

function requireType({ name, types }: PackageRow, type: string): void {
  if (types.includes(type)) return;
  throw new ServiceError(404, 'not found', {
    reason: `${name} has no features of the type ${type.slice(0, 40)}; it has ${types.join(', ')}.`,
  });
}

/** All rows, a page at a time. */
function sendAll(
  reply: FastifyReply,
  form: Exclude<Form, 'json'>,
  name: string,
  pageAfter: (position: number, most: number) => Promise<Page>,
): FastifyReply {
  async function* batches(): AsyncGenerator<Difference[]> {
    for (let after = -1; ; ) {
      const { differences, end } = await pageAfter(after, MAX_PAGE_SIZE);
      if (differences.length > 0) yield differences;
      if (differences.length < MAX_PAGE_SIZE) return;
      after = end;
    }
  }
  const [type, texts] =
    form === 'csv'
      ? ['text/csv; charset=utf-8', csvOfDifferences(batches())]
      : ['application/geo+json; charset=utf-8', geoJsonOfDifferences(batches())];
  return reply
    .type(type as string)
    .header('content-disposition', `attachment; filename="${name}_changes.${form}"`)
    .send(Readable.from(texts as AsyncIterable<string>));
}

function cornersOf({ west, south, east, north }: Bounds): [number, number, number, number] {
  return [west, south, east, north];
}
