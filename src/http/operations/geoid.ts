/** `GET /citygml/geoid_height`: what to add to an elevation to get an ellipsoidal height. */
import type { RouteHandlerMethod } from 'fastify';
import { ServiceError } from '../../base/errors.ts';
import { geoidHeight, readGsigeo2011 } from '../../geo/geoid.ts';
import type { GeoidGrid } from '../../geo/geoid-format.ts';
import { keyProgram } from '../answers/cache-keys.ts';
import { sendJson } from '../answers/send.ts';
import { NOT_MODIFIED } from '../describe/common.ts';
import { failure, json, type Operation } from '../describe/operation.ts';
import { decimal, readQuery, required } from '../describe/query-parameters.ts';

const LAT = decimal(
  'lat',
  'Latitude in degrees (JGD2011).',
  { least: -90, most: 90, unit: 'decimal degrees' },
  { example: () => 35.68 },
);
const LNG = decimal(
  'lng',
  'Longitude in degrees (JGD2011).',
  { least: -180, most: 180, unit: 'decimal degrees' },
  { example: () => 139.77 },
);
const PARAMETERS = { lat: required(LAT), lng: required(LNG) };

export const getGeoidHeight: Operation = {
  id: 'getGeoidHeight',
  method: 'get',
  path: '/citygml/geoid_height',
  number: null,
  tag: 'Features',
  summary: 'Height of the geoid at a place',
  description:
    'Ellipsoidal height = elevation + this height. The model is GSIGEO2011 of Japan, bilinear between its nodes.',
  parameters: Object.values(PARAMETERS),
  answers: {
    200: json('The height.', 'GeoidHeight', ['ETag']),
    304: NOT_MODIFIED,
    400: failure('A parameter is missing or not a number, or the place lies outside of the model.'),
  },
};

/** The height of GSIGEO2011 at a place, metres. */
export function serveGeoidHeight(): RouteHandlerMethod {
  // 4 MB that many servers never need.
  let grid: GeoidGrid | undefined;
  return async (request, reply) => {
    const { lat, lng } = readQuery(PARAMETERS, request.query);
    grid ??= readGsigeo2011();
    const height = geoidHeight(grid, lng, lat);
    if (height === null) {
      throw new ServiceError(400, 'invalid parameter', {
        reason: 'The place lies outside of GSIGEO2011, which covers the land of Japan and the sea near it.',
      });
    }
    const geoid = height.toFixed(3);
    keyProgram(reply);
    return sendJson(request, reply, { lat, lng, geoid_height: Number(geoid), geoid });
  };
}
