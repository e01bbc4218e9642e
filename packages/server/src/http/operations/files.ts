/** Operation 7: CityGML files by condition. */
import { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { createGunzip, gunzip } from 'node:zlib';
import type { FastifyReply, FastifyRequest, RouteHandlerMethod } from 'fastify';
import { Filters } from '../../base/filter.ts';
import { type FileFilters, typesFilter, yearsFilter } from '../../catalogue/search/file-filter.ts';
import { FILE_SEARCH_ALLOWANCE, type FileListAnswer } from '../../catalogue/search/file-search.ts';
import { yearsOf } from '../../catalogue/search/years.ts';
import { keyAreas } from '../answers/cache-keys.ts';
import { goneSignal } from '../answers/client-gone.ts';
import { sendComputed } from '../answers/send.ts';
import { sendPieces } from '../answers/send-pieces.ts';
import type { ServiceContext } from '../context.ts';
import { CONDITIONAL, NOT_MODIFIED, YEARS } from '../describe/common.ts';
import { failure, json, type Operation, path, TEXT } from '../describe/operation.ts';
import { list, readQuery } from '../describe/query-parameters.ts';
import { FileQuestions } from './file-questions.ts';

const PREFIX = '/datacatalog/citygml/';

/** Which of the files that meet the conditions are listed. */
export const FILE_FILTERS = {
  types: list('types', 'Keeps these feature types.', TEXT, { example: ({ type }) => [type] }),
  ...YEARS,
};

/** What parameters of a request ask of files. Throws ServiceError 400 `invalid parameter`. */
export function readFileFilters(query: unknown): FileFilters {
  const { types, ...years } = readQuery(FILE_FILTERS, query);
  return new Filters([typesFilter(types.length === 0 ? null : types), yearsFilter(yearsOf(years))]);
}

export const findFiles: Operation = {
  id: 'findFiles',
  method: 'get',
  path: '/datacatalog/citygml/{conditions}',
  // Conditions may hold slashes.
  route: `${PREFIX}*`,
  number: 7,
  tag: 'CityGML',
  summary: 'CityGML files by condition',
  description: [
    'The path has one kind of condition:',
    '- `m:<mesh>,…`: files in or around these meshes',
    '- `mm:<mesh>,…`: files of exactly these meshes',
    '- `s:<spatial ID>,…`',
    '- `r:<lng>,<lat>` or `r:<lng1>,<lat1>,<lng2>,<lat2>`',
    '- `g:<place name>`',
    '- `<municipality code>,…`',
    '',
    'Commas, slashes and colons may be percent-encoded or not.',
  ].join('\n'),
  parameters: [
    path('conditions', 'The conditions.', ({ mesh }) => `m:${mesh}`),
    ...Object.values(FILE_FILTERS),
  ],
  answers: {
    200: json('The files.', 'FileListResult', CONDITIONAL),
    304: NOT_MODIFIED,
    400: failure('The conditions are malformed, or too many.'),
    404: failure('No file meets the conditions.'),
    503: failure('A store, or the outside geocoder, cannot answer now.', ['Retry-After']),
  },
  allowance: { items: FILE_SEARCH_ALLOWANCE.items },
};

const JSON_TYPE = 'application/json; charset=utf-8';
/** Up to this size a caller without gzip gets the answer at once, a larger one as fast as it is taken. */
const AT_ONCE_BYTES = 256 * 1_024;

const gunzipAsync = promisify(gunzip);

/** The list of files, whole or streamed. */
export function serveFiles({ search, settings, watch }: ServiceContext): RouteHandlerMethod {
  const { MAX_BOUNDS: maxBounds } = settings;
  const questions = new FileQuestions({ prefix: PREFIX, maxBounds, filters: readFileFilters });
  return async (request, reply) => {
    const question = questions.of(request);
    const { conditions } = question;
    const answer = search.kept(question) ?? (await search.search(question, goneSignal(reply)));
    request.cost = { packages: answer.packages, files: answer.files };
    if (conditions.kind === 'area') keyAreas(reply, watch.current(), conditions.codes);
    return send(request, reply, answer);
  };
}

function send(request: FastifyRequest, reply: FastifyReply, answer: FileListAnswer): Promise<FastifyReply> {
  if (answer.kind === 'streamed') {
    return sendPieces(request, reply, {
      contentType: JSON_TYPE,
      pieces: answer.pieces(),
      warnings: new Set(),
    });
  }
  reply.header('content-type', JSON_TYPE);
  return sendComputed(request, reply, {
    etag: answer.etag,
    size: answer.size,
    plain: async () => {
      if (answer.size <= AT_ONCE_BYTES) return gunzipAsync(answer.gzip);
      reply.header('content-length', answer.size);
      // Not one write of all bytes: what waits for a slow caller is the compressed answer that all callers share.
      return Readable.from([answer.gzip]).pipe(createGunzip());
    },
    gzip: async () => answer.gzip,
  });
}
