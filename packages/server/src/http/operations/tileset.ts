/** Operation 4: composite tilesets. */
import { specPath } from '@citymodel/base';
import type { RouteHandlerMethod } from 'fastify';
import { compositeFor } from '../../catalogue/resolve/composite-tilesets.ts';
import { parseTilesSpec, TILES_SPEC } from '../../catalogue/specs/tiles-spec.ts';
import { keyDocument } from '../answers/cache-keys.ts';
import { sendGenerated } from '../answers/send.ts';
import type { ServiceContext } from '../context.ts';
import {
  BBOX,
  CONDITIONAL,
  MALFORMED_SPEC,
  NO_CATALOGUE,
  NO_MATCH,
  NOT_MODIFIED,
} from '../describe/common.ts';
import { json, type Operation, path } from '../describe/operation.ts';
import { readQuery, text } from '../describe/query-parameters.ts';

const PARAMETERS = {
  empty: text('empty', '`ok` gives a tileset without children instead of 404.', {
    type: 'string',
    enum: ['ok'],
  }),
  bbox: BBOX,
};

export const getTileset: Operation = {
  id: 'getTileset',
  method: 'get',
  path: specPath('3dtiles', '{spec}'),
  number: 4,
  tag: 'Catalogue',
  summary: 'One tileset over many municipalities',
  description: 'A 3D Tiles tileset that refers to those of the municipalities and wards.',
  parameters: [
    path(
      'spec',
      '`<area>-<type>-<lod>[-interior][-<texture>]-<year>`. The area is `all`, 2 digits of a prefecture, or 5 of a ' +
        'municipality or ward. The LOD is `lodN` or `maxlodN`. The texture is `texture` or `notexture`. The year is ' +
        '4 digits or `latest`.',
      ({ tileset }) => tileset,
      TILES_SPEC,
    ),
    ...Object.values(PARAMETERS),
  ],
  answers: {
    200: json('The tileset.', 'Tileset', CONDITIONAL),
    304: NOT_MODIFIED,
    400: MALFORMED_SPEC,
    404: NO_MATCH,
    503: NO_CATALOGUE,
  },
};

/** The composite tileset of a spec. */
export function serveTileset({ watch, urls }: ServiceContext): RouteHandlerMethod {
  return (request, reply) => {
    const { spec } = request.params as { spec: string };
    const { empty, bbox } = readQuery(PARAMETERS, request.query);
    const options = { empty: empty === 'ok', bbox };
    const snapshot = watch.current();
    const document = compositeFor(snapshot, urls, spec, options);
    keyDocument(reply, snapshot, document, () => parseTilesSpec(spec).area);
    return sendGenerated(request, reply, document);
  };
}
