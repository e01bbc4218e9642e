/** `GET /datacatalog/summary`, `/datacatalog/coverage`: the catalogue in a few kilobytes, and where its files are. */

import { quoted } from '@citymodel/base';
import type { Bounds } from '@citymodel/geo';
import type { RouteHandlerMethod } from 'fastify';
import { keyOf } from '../../base/filter.ts';
import { GeneratedDocument, type ReadyDocument } from '../../base/generated-document.ts';
import {
  COVERAGE_DIGITS,
  type CoverageDigits,
  meshCoverage,
} from '../../catalogue/coverage/mesh-coverage.ts';
import { summaryOf } from '../../catalogue/coverage/summary.ts';
import type { Snapshot } from '../../catalogue/snapshot/snapshot.ts';
import { sendGenerated } from '../answers/send.ts';
import type { ServiceContext } from '../context.ts';
import {
  BBOX,
  CONDITIONAL,
  catalogueValues,
  NO_CATALOGUE,
  NOT_MODIFIED,
  STORE_FAILURES,
} from '../describe/common.ts';
import { failure, json, type Operation } from '../describe/operation.ts';
import { list, type QueryParameter, type RawQuery, readQuery, refuse } from '../describe/query-parameters.ts';

/** A box that 3rd meshes are told of, square degrees: about 100 km × 90 km. */
const MAX_BOX = 1;

export const getSummary: Operation = {
  id: 'getSummary',
  method: 'get',
  path: '/datacatalog/summary',
  number: null,
  tag: 'Catalogue',
  summary: 'What there is of each municipality, in short',
  description:
    'One row for each municipality that has data, the names of their prefectures, and sums of everything.',
  parameters: [],
  answers: { 200: json('The summary.', 'Summary', CONDITIONAL), 304: NOT_MODIFIED, ...STORE_FAILURES },
};

const DIGITS = list('digits', 'How many digits the mesh codes have.', {});

const COVERAGE_PARAMETERS = {
  digits: {
    ...DIGITS,
    list: false,
    schema: { type: 'integer', enum: [...COVERAGE_DIGITS], default: 6 },
    read: digitsOf,
  },
  types: catalogueValues('type_en', 'Keeps meshes that have one of these feature types.'),
  years: catalogueValues('year', 'Counts these years.'),
  bbox: BBOX,
} satisfies Record<string, QueryParameter<unknown>>;

export const getCoverage: Operation = {
  id: 'getCoverage',
  method: 'get',
  path: '/datacatalog/coverage',
  number: null,
  tag: 'Catalogue',
  summary: 'The meshes that have CityGML files',
  description:
    'Meshes of the 1st (4 digits), 2nd (6) or 3rd order (8). A file that is named by a larger mesh counts for none. ' +
    '3rd meshes need a `bbox` of at most one square degree.',
  parameters: Object.values(COVERAGE_PARAMETERS),
  answers: {
    200: json('The meshes.', 'Coverage', CONDITIONAL),
    304: NOT_MODIFIED,
    400: failure('A parameter has a value that is not accepted.'),
    503: NO_CATALOGUE,
  },
};

export function serveSummary(context: ServiceContext): RouteHandlerMethod {
  return async (request, reply) => {
    const snapshot = context.watch.current();
    return sendGenerated(request, reply, await summaryFor(context, snapshot));
  };
}

/** The summary of a snapshot, made once. */
export async function summaryFor(
  { coverage }: Pick<ServiceContext, 'coverage'>,
  snapshot: Snapshot,
): Promise<ReadyDocument> {
  const known = await coverage.of(cityGmlOf(snapshot));
  return snapshot.generated.get('summary', () => GeneratedDocument.ofJson(summaryOf(snapshot, known)));
}

/** `?digits=&type_en=&year=&bbox=`. */
export function serveCoverage({ watch, coverage }: ServiceContext): RouteHandlerMethod {
  return async (request, reply) => {
    const query = readQuery(COVERAGE_PARAMETERS, request.query);
    checkBox(query.digits, query.bbox);
    const snapshot = watch.current();
    const packages = cityGmlOf(snapshot);
    const known = await coverage.of(packages);
    const document = snapshot.generated.get(keyOf('coverage', query), () =>
      GeneratedDocument.ofJson({
        digits: query.digits,
        columns: ['mesh', 'max_lod', 'types', 'year', 'files', 'features'],
        rows: meshCoverage(packages, known, query),
      }),
    );
    return sendGenerated(request, reply, document);
  };
}

function cityGmlOf(snapshot: Snapshot) {
  return snapshot.packages.filter(({ kind }) => kind === 'citygml');
}

function digitsOf(query: RawQuery): CoverageDigits {
  const text = DIGITS.read(query).at(-1) ?? '6';
  const digits = COVERAGE_DIGITS.find((candidate) => String(candidate) === text);
  return digits ?? refuse(`digits is ${quoted(text)}; accepted are ${COVERAGE_DIGITS.join(', ')}.`);
}

function checkBox(digits: CoverageDigits, bbox: Bounds | null): void {
  if (digits < 8) return;
  if (bbox !== null && (bbox.east - bbox.west) * (bbox.north - bbox.south) <= MAX_BOX) return;
  refuse(
    `3rd meshes are told of a bbox of at most ${MAX_BOX} square degree; ask for 6 digits, or for a smaller box.`,
  );
}
