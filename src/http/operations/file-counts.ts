/** `GET /datacatalog/counts/{conditions}`: how much the file search would list, without the list. */
import type { RouteHandlerMethod } from 'fastify';
import { parseConditions } from '../../catalogue/search/conditions.ts';
import { FILE_SEARCH_ALLOWANCE } from '../../catalogue/search/file-search.ts';
import { yearsOf } from '../../catalogue/search/years.ts';
import { boundsToArray } from '../../geo/bounds.ts';
import { goneSignal } from '../answers/client-gone.ts';
import { sendJson } from '../answers/send.ts';
import type { ServiceContext } from '../context.ts';
import { NOT_MODIFIED } from '../describe/common.ts';
import { failure, json, type Operation, path } from '../describe/operation.ts';
import { readQuery } from '../describe/query-parameters.ts';
import { FILE_FILTERS } from './files.ts';

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
    'Takes the conditions of the file search. `zip_bytes` estimates the zip of a pack: the share of the text that the files have of their package, of its archive. For a place name, `places` tells what it stands for.',
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

export function serveCounts({ search, settings, coverage, watch }: ServiceContext): RouteHandlerMethod {
  return async (request, reply) => {
    const path = request.raw.url!.split('?', 1)[0]!.replace(/\/$/, '');
    const conditions = parseConditions(path.slice(PREFIX.length), { maxBounds: settings.MAX_BOUNDS });
    const query = readQuery(FILE_FILTERS, request.query);
    const { found, matches } = await search.count(conditions, {
      types: query.types.length === 0 ? undefined : query.types,
      years: yearsOf(query),
      signal: goneSignal(reply),
    });
    const packages = [...found.packages.keys()];
    const whole = await coverage.of(packages, watch.current().packages);
    const cities = packages
      .sort((a, b) => b.year - a.year || (a.cityCode < b.cityCode ? -1 : 1))
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
    return sendJson(request, reply, {
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
  };
}
