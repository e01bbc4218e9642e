/** `GET /datacatalog/summary`, `/datacatalog/coverage`: the catalogue in a few kilobytes, and where its files are. */
import type { RouteHandlerMethod } from 'fastify';
import { ServiceError } from '../../base/errors.ts';
import { GeneratedDocument } from '../../base/generated-document.ts';
import { listParameter, quoted } from '../../base/parameters.ts';
import {
  COVERAGE_DIGITS,
  type CoverageDigits,
  meshCoverage,
} from '../../catalogue/coverage/mesh-coverage.ts';
import { summaryOf } from '../../catalogue/coverage/summary.ts';
import { type CatalogueQuery, parseCatalogueQuery } from '../../catalogue/snapshot/catalogue-filter.ts';
import type { Snapshot } from '../../catalogue/snapshot/snapshot.ts';
import { sendGenerated } from '../answers/send.ts';
import type { ServiceContext } from '../context.ts';
import {
  BBOX,
  CONDITIONAL,
  catalogueFilter,
  NO_CATALOGUE,
  NOT_MODIFIED,
  STORE_FAILURES,
} from '../describe/common.ts';
import { failure, json, type Operation, query } from '../describe/operation.ts';

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

export const getCoverage: Operation = {
  id: 'getCoverage',
  method: 'get',
  path: '/datacatalog/coverage',
  number: null,
  tag: 'Catalogue',
  summary: 'The meshes that have CityGML files',
  description:
    'Meshes of the 1st (4 digits), 2nd (6) or 3rd order (8). A file that is named by a larger mesh counts for none. 3rd meshes need a `bbox` of at most one square degree.',
  parameters: [
    query('digits', 'How many digits the mesh codes have.', {
      type: 'integer',
      enum: [...COVERAGE_DIGITS],
      default: 6,
    }),
    catalogueFilter('type_en', 'Keeps meshes that have one of these feature types.'),
    catalogueFilter('year', 'Counts these years.'),
    BBOX,
  ],
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
): Promise<GeneratedDocument> {
  const known = await coverage.of(cityGmlOf(snapshot));
  return snapshot.generated.get('summary', () => GeneratedDocument.ofJson(summaryOf(snapshot, known)));
}

/** `?digits=&type_en=&year=&bbox=`. */
export function serveCoverage({ watch, coverage }: ServiceContext): RouteHandlerMethod {
  return async (request, reply) => {
    const raw = request.query as Record<string, string | string[]>;
    const digits = digitsOf(raw);
    const filters = parseCatalogueQuery(raw);
    checkBox(digits, filters);
    const snapshot = watch.current();
    const packages = cityGmlOf(snapshot);
    const known = await coverage.of(packages);
    const { types, years, bbox } = filters;
    const document = snapshot.generated.get(`coverage/${JSON.stringify([digits, types, years, bbox])}`, () =>
      GeneratedDocument.ofJson({
        digits,
        columns: ['mesh', 'max_lod', 'types', 'year', 'files', 'features'],
        rows: meshCoverage(packages, known, { digits, types, years, bbox }),
      }),
    );
    return sendGenerated(request, reply, document);
  };
}

function cityGmlOf(snapshot: Snapshot) {
  return snapshot.packages.filter(({ kind }) => kind === 'citygml');
}

function digitsOf(raw: Record<string, unknown>): CoverageDigits {
  const text = listParameter(raw, 'digits').at(-1) ?? '6';
  const digits = COVERAGE_DIGITS.find((each) => String(each) === text);
  if (digits === undefined) {
    throw new ServiceError(400, 'invalid parameter', {
      reason: `digits is ${quoted(text)}; accepted are ${COVERAGE_DIGITS.join(', ')}.`,
    });
  }
  return digits;
}

function checkBox(digits: CoverageDigits, { bbox }: CatalogueQuery): void {
  if (digits < 8) return;
  if (bbox !== null && (bbox.east - bbox.west) * (bbox.north - bbox.south) <= MAX_BOX) return;
  throw new ServiceError(400, 'invalid parameter', {
    reason: `3rd meshes are told of a bbox of at most ${MAX_BOX} square degree; ask for 6 digits, or for a smaller box.`,
  });
}
