/** Operation 5: TileJSON. */
import { specPath } from '@citymodel/base';
import type { RouteHandlerMethod } from 'fastify';
import { isRegion } from '../../catalogue/resolve/mvt-regions.ts';
import { tileJsonFor } from '../../catalogue/resolve/mvt-tilejson.ts';
import { MVT_SPEC, parseMvtSpec } from '../../catalogue/specs/mvt-spec.ts';
import { keyDocument } from '../answers/cache-keys.ts';
import { sendGenerated } from '../answers/send.ts';
import type { ServiceContext } from '../context.ts';
import { CONDITIONAL, MALFORMED_SPEC, NO_CATALOGUE, NO_MATCH, NOT_MODIFIED } from '../describe/common.ts';
import { json, type Operation, path } from '../describe/operation.ts';

export const getTileJson: Operation = {
  id: 'getTileJson',
  method: 'get',
  path: specPath('mvt', '{spec}'),
  number: 5,
  tag: 'Catalogue',
  summary: 'TileJSON of vector tiles',
  description:
    'TileJSON 3.0.0 of a type in one municipality or ward, in a prefecture, or in the whole country.',
  parameters: [
    path(
      'spec',
      '`<code>-<type>[-lodN][-interior]-<year>`. The code is 5 digits of a municipality or ward, 2 of a ' +
        'prefecture, or `all` for the country. The year is 4 digits or `latest`.',
      ({ tileJson }) => tileJson,
      MVT_SPEC,
    ),
  ],
  answers: {
    200: json('The TileJSON.', 'TileJson', CONDITIONAL),
    304: NOT_MODIFIED,
    400: MALFORMED_SPEC,
    404: NO_MATCH,
    503: NO_CATALOGUE,
  },
};

/** The TileJSON of a spec. */
export function serveTileJson({ watch, urls, settings }: ServiceContext): RouteHandlerMethod {
  const options = settings.ATTRIBUTION === '' ? {} : { attribution: settings.ATTRIBUTION };
  return (request, reply) => {
    const { spec } = request.params as { spec: string };
    const snapshot = watch.current();
    const document = tileJsonFor(snapshot, urls, spec, options);
    keyDocument(reply, snapshot, document, () => {
      const parsed = parseMvtSpec(spec);
      // Any municipality changes a document of many.
      return isRegion(parsed) ? 'all' : parsed.area;
    });
    return sendGenerated(request, reply, document);
  };
}
