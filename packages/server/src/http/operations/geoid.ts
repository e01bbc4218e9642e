/** `GET /citygml/geoid_height`: what to add to an elevation to get an ellipsoidal height. */

import {
  type GeoidGrid,
  geoidHeight,
  REVISION_NAME,
  readGsigeo2011,
  readRevision,
  revisionAt,
} from '@citymodel/geo';
import type { RouteHandlerMethod } from 'fastify';
import { ServiceError } from '../../base/errors.ts';
import { keyProgram } from '../answers/cache-keys.ts';
import { sendJson } from '../answers/send.ts';
import { NOT_MODIFIED } from '../describe/common.ts';
import { failure, json, type Operation } from '../describe/operation.ts';
import { decimal, readQuery, refuse, required, text } from '../describe/query-parameters.ts';

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
const DATUM = text(
  'datum',
  'Which heights the elevation is one of: those before the revision of April 2025, or those after it.',
  { type: 'string', enum: ['jgd2011', 'jgd2024'], default: 'jgd2011' },
  { example: () => 'jgd2024' },
);
const PARAMETERS = { lat: required(LAT), lng: required(LNG), datum: DATUM };

export const getGeoidHeight: Operation = {
  id: 'getGeoidHeight',
  method: 'get',
  path: '/citygml/geoid_height',
  number: null,
  tag: 'Features',
  summary: 'Height of the geoid at a place',
  description:
    'Ellipsoidal height = elevation + this height. The model is GSIGEO2011 of Japan, bilinear between its nodes. ' +
    'For heights of JGD2024 it is less what the revision of April 2025 added to heights (EPSG:11441 backwards); ' +
    '`revision` is `null` where that is unknown.',
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
    const { lat, lng, datum: asked } = readQuery(PARAMETERS, request.query);
    const datum = (asked ?? 'jgd2011').toLowerCase();
    if (datum !== 'jgd2011' && datum !== 'jgd2024') refuse('datum is neither jgd2011 nor jgd2024.');
    grid ??= readGsigeo2011();
    const height = geoidHeight(grid, lng, lat);
    if (height === null) {
      throw new ServiceError(400, 'invalid parameter', {
        reason: 'The place lies outside of GSIGEO2011, which covers the land of Japan and the sea near it.',
      });
    }
    const revision = datum === 'jgd2024' ? revisionAt(readRevision(), lng, lat) : null;
    const geoid = (height - (revision ?? 0)).toFixed(3);
    const model = revision === null ? 'GSIGEO2011' : `GSIGEO2011 less ${REVISION_NAME}`;
    const known = datum === 'jgd2024' && { revision: revision === null ? null : Number(revision.toFixed(5)) };
    keyProgram(reply);
    return sendJson(request, reply, { lat, lng, geoid_height: Number(geoid), geoid, datum, model, ...known });
  };
}
