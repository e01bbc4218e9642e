/** Operation 6: redirects to the zips of municipalities, and to tables of their features. */
import type { RouteHandlerMethod } from 'fastify';
import { ServiceError } from '../../base/errors.ts';
import { cityTableFor, cityZipFor } from '../../catalogue/resolve/city-zips.ts';
import { CITYGML_SPEC, parseCityGmlSpec } from '../../catalogue/specs/citygml-spec.ts';
import { keyAreas } from '../answers/cache-keys.ts';
import { sendRedirect } from '../answers/send.ts';
import type { ServiceContext } from '../context.ts';
import { MALFORMED_SPEC, NO_CATALOGUE, NO_MATCH, NOT_MODIFIED } from '../describe/common.ts';
import { failure, type Operation, path } from '../describe/operation.ts';
import { serveFiles } from './files.ts';

export const getCityZip: Operation = {
  id: 'getCityZip',
  method: 'get',
  path: '/datacatalog/citygml/{spec}/citygml.zip',
  number: 6,
  tag: 'CityGML',
  summary: "Redirects to a municipality's zip",
  description: "A lasting address of a municipality's CityGML.",
  parameters: [
    path(
      'spec',
      '`<code>-<year>`. The code is 5 digits of a municipality or ward, or 2 of a prefecture. The year is 4 digits ' +
        'or `latest`.',
      ({ city }) => `${city}-latest`,
      CITYGML_SPEC,
    ),
  ],
  answers: {
    302: { description: '`Location` is the address of the zip.', headers: ['Location', 'ETag'] },
    304: NOT_MODIFIED,
    400: MALFORMED_SPEC,
    404: NO_MATCH,
    503: NO_CATALOGUE,
  },
};

const SPEC_PARAMETER = getCityZip.parameters![0]!;

export const getCityTable: Operation = {
  id: 'getCityTable',
  method: 'get',
  path: '/datacatalog/citygml/{spec}/{type}.parquet',
  route: '/datacatalog/citygml/:spec/:file',
  number: null,
  tag: 'CityGML',
  summary: "Redirects to a municipality's features as GeoParquet",
  description:
    'A lasting address of all features of a type as one GeoParquet 1.1 file; `latest` is the newest edition that has ' +
    'the type. The file answers ranges, so that DuckDB and others read only what they need.',
  parameters: [SPEC_PARAMETER, path('type', 'Feature-type code.', () => 'bldg', /^[A-Za-z0-9]{1,40}$/)],
  answers: {
    302: { description: '`Location` is the address of the file.', headers: ['Location', 'ETag'] },
    304: NOT_MODIFIED,
    400: MALFORMED_SPEC,
    404: failure('Nothing matches, the package has no such type, or its table is not made yet.'),
    503: NO_CATALOGUE,
  },
};

/** The redirect to a table of a spec. Conditions of the file search may have a slash too: `s:1/2`. */
export function serveCityTable(context: ServiceContext): RouteHandlerMethod {
  const { watch, urls } = context;
  const findFiles = serveFiles(context);
  return function (request, reply) {
    const { spec, file } = request.params as { spec: string; file: string };
    const type = /^([A-Za-z0-9]{1,40})\.parquet$/.exec(file)?.[1];
    if (type === undefined) {
      if (!CITYGML_SPEC.test(spec)) return findFiles.call(this, request, reply);
      throw new ServiceError(404, 'not found', {
        reason:
          'Below a spec are citygml.zip and one {type}.parquet for each feature type, such as bldg.parquet.',
      });
    }
    const snapshot = watch.current();
    const table = cityTableFor(snapshot, urls, spec, type);
    keyAreas(reply, snapshot, [parseCityGmlSpec(spec).area]);
    return sendRedirect(request, reply, table);
  };
}

/** The redirect to the archive of a spec. */
export function serveCityZip({ watch, urls }: ServiceContext): RouteHandlerMethod {
  return (request, reply) => {
    const { spec } = request.params as { spec: string };
    const snapshot = watch.current();
    const zip = cityZipFor(snapshot, urls, spec);
    keyAreas(reply, snapshot, [parseCityGmlSpec(spec).area]);
    return sendRedirect(request, reply, zip);
  };
}
