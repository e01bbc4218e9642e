/** Operation 6: redirects to the zips of municipalities. */
import type { RouteHandlerMethod } from 'fastify';
import { cityZipFor } from '../../catalogue/resolve/city-zips.ts';
import { CITYGML_SPEC, parseCityGmlSpec } from '../../catalogue/specs/citygml-spec.ts';
import { keyAreas } from '../answers/cache-keys.ts';
import { sendRedirect } from '../answers/send.ts';
import type { ServiceContext } from '../context.ts';
import { MALFORMED_SPEC, NO_CATALOGUE, NO_MATCH, NOT_MODIFIED } from '../describe/common.ts';
import { type Operation, path } from '../describe/operation.ts';

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
