/** `GET /datacatalog/counts/{conditions}`: how much the file search would list, without the list. */

import { hash } from 'node:crypto';
import { compareTexts } from '@citymodel/base';
import { boundsToArray } from '@citymodel/geo';
import type { RouteHandlerMethod } from 'fastify';
import { keyOf } from '../../base/filter.ts';
import { Gate } from '../../base/gate.ts';
import { GeneratedDocument } from '../../base/generated-document.ts';
import { SharedWork } from '../../base/shared-work.ts';
import { parseConditions } from '../../catalogue/search/conditions.ts';
import { FILE_SEARCH_ALLOWANCE, type FileQuestion } from '../../catalogue/search/file-search.ts';
import { goneSignal } from '../answers/client-gone.ts';
import { sendGenerated } from '../answers/send.ts';
import type { ServiceContext } from '../context.ts';
import { NOT_MODIFIED } from '../describe/common.ts';
import { failure, json, type Operation, path } from '../describe/operation.ts';
import { FILE_FILTERS, readFileFilters } from './files.ts';

const PREFIX = '/datacatalog/counts/';

export const countFiles: Operation = {
  id: 'countFiles',
  method: 'get',
  path: '/datacatalog/counts/{conditions}',
  route: `${PREFIX}*`,
  number: null,
  tag: 'CityGML',
  summary: 'How many CityGML files conditions find',
  description:
    'Takes the conditions of the file search. `zip_bytes` estimates the zip of a pack: the share of the text that ' +
    'the files have of their package, of its archive. For a place name, `places` tells what it stands for.',
  parameters: [
    path('conditions', 'The conditions.', ({ mesh }) => `m:${mesh}`),
    ...Object.values(FILE_FILTERS),
  ],
  answers: {
    200: json('The counts; all 0 where nothing is found.', 'FileCounts', ['ETag']),
    304: NOT_MODIFIED,
    400: failure('The conditions are malformed, or too many.'),
    503: failure('A store, or the outside geocoder, cannot answer now.', ['Retry-After']),
  },
  allowance: { items: FILE_SEARCH_ALLOWANCE.items },
};

/** Counts at once, each of which takes tens of megabytes for a country, and those that wait. */
const COUNTS = { atOnce: 2, waiting: 50 };

/** Counts of one state of the catalogue are made once, and few beside each other. */
export function serveCounts(context: ServiceContext): RouteHandlerMethod {
  const { settings, watch } = context;
  const gate = new Gate(COUNTS);
  const shared = new SharedWork<GeneratedDocument>();
  return async (request, reply) => {
    const path = request.raw.url!.split('?', 1)[0]!.replace(/\/$/, '');
    const conditions = parseConditions(path.slice(PREFIX.length), { maxBounds: settings.MAX_BOUNDS });
    const question: FileQuestion = { conditions, filters: readFileFilters(request.query) };
    const snapshot = watch.current();
    const ofVersion = keyOf('counts', { version: snapshot.version, question });
    const key = `counts/${hash('sha256', ofVersion, 'base64url')}`;
    const kept = snapshot.generated.find(key);
    if (kept !== undefined) return sendGenerated(request, reply, kept);
    const count = (signal: AbortSignal) => gate.run(() => countsOf(context, question, signal), signal);
    const document = await shared.run(key, count, goneSignal(reply));
    // What an outside geocoder says may change at any time; what was found beside a publication is of another state.
    const lasts = conditions.kind !== 'place' || settings.GEOCODER_URL === '';
    if (lasts && watch.current() === snapshot) snapshot.generated.keep(key, document);
    return sendGenerated(request, reply, document);
  };
}

async function countsOf(
  { search, coverage, watch }: ServiceContext,
  question: FileQuestion,
  signal: AbortSignal,
): Promise<GeneratedDocument> {
  const { found, matches } = await search.count(question, signal);
  const packages = [...found.packages.keys()];
  const whole = await coverage.of(packages, watch.current().packages);
  const cities = packages
    .sort((a, b) => b.year - a.year || compareTexts(a.cityCode, b.cityCode))
    .map((pkg) => {
      const share = pkg.archiveSize / Math.max(1, whole.get(pkg.no)?.bytes ?? 0);
      return {
        cityCode: pkg.cityCode,
        cityName: pkg.city,
        year: pkg.year,
        types: Object.fromEntries(
          [...found.packages.get(pkg)!].map(([type, { files, features, bytes, maxLod }]) => [
            type,
            { files, features, bytes, max_lod: maxLod, zip_bytes: Math.round(bytes * Math.min(1, share)) },
          ]),
        ),
      };
    });
  const { count, km2 } = found.meshes;
  return GeneratedDocument.ofJson({
    cities,
    meshes: count,
    meshes_km2: Number(km2.toFixed(1)),
    ...(matches !== null && {
      places: matches.map(({ label, codes, bounds }) => ({
        name: label,
        codes,
        bbox: bounds && boundsToArray(bounds),
      })),
    }),
  });
}
