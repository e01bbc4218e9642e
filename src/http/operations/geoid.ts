/** `GET /citygml/geoid_height`: what to add to an elevation to get an ellipsoidal height. */
import type { RouteHandlerMethod } from 'fastify';
import { ServiceError } from '../../base/errors.ts';
import { readDecimal } from '../../base/numbers.ts';
import { quoted } from '../../base/parameters.ts';
import { geoidHeight, readGsigeo2011 } from '../../geo/geoid.ts';
import type { GeoidGrid } from '../../geo/geoid-format.ts';
import { sendJson } from '../answers/send.ts';
import { NOT_MODIFIED } from '../describe/common.ts';
import { failure, json, type Operation, type Parameter, query } from '../describe/operation.ts';

const LAT = query(
  'lat',
  'Latitude in degrees (JGD2011).',
  { type: 'number', minimum: -90, maximum: 90 },
  { required: true, example: () => 35.68 },
);
const LNG = query(
  'lng',
  'Longitude in degrees (JGD2011).',
  { type: 'number', minimum: -180, maximum: 180 },
  { required: true, example: () => 139.77 },
);

export const getGeoidHeight: Operation = {
  id: 'getGeoidHeight',
  method: 'get',
  path: '/citygml/geoid_height',
  number: null,
  tag: 'Features',
  summary: 'Height of the geoid at a place',
  description:
    'Ellipsoidal height = elevation + this height. The model is GSIGEO2011 of Japan, bilinear between its nodes.',
  parameters: [LAT, LNG],
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
    const query = request.query as Record<string, unknown>;
    const lat = degrees(query, LAT);
    const lng = degrees(query, LNG);
    grid ??= readGsigeo2011();
    const height = geoidHeight(grid, lng, lat);
    if (height === null) {
      throw new ServiceError(400, 'invalid parameter', {
        reason: 'The place lies outside of GSIGEO2011, which covers the land of Japan and the sea near it.',
      });
    }
    const geoid = height.toFixed(3);
    return sendJson(request, reply, { lat, lng, geoid_height: Number(geoid), geoid });
  };
}

function degrees(query: Record<string, unknown>, { name, schema }: Parameter): number {
  const limit = schema.maximum as number;
  const text = query[name];
  const value = typeof text === 'string' ? readDecimal(text.trim()) : null;
  if (value === null || Math.abs(value) > limit) {
    const coordinates =
      typeof text === 'string' ? `${name} is ${quoted(text)}` : `${name} is missing or given twice`;
    throw new ServiceError(400, 'invalid parameter', {
      reason: `${coordinates}; expected decimal degrees from -${limit} to ${limit}.`,
    });
  }
  return value;
}
