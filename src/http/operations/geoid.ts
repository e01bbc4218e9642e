/** `GET /citygml/geoid_height`: what to add to an elevation to get an ellipsoidal height. */
import type { RouteHandlerMethod } from 'fastify';
import { ServiceError } from '../../base/errors.ts';
import { readDecimal } from '../../base/numbers.ts';
import { quoted } from '../../base/parameters.ts';
import { geoidHeight, readGsigeo2011 } from '../../geo/geoid.ts';
import type { GeoidGrid } from '../../geo/geoid-format.ts';
import { sendJson } from '../answers/send.ts';

/** `?lat=&lng=` in degrees, JGD2011. The height is that of GSIGEO2011 in metres. */
export function serveGeoidHeight(): RouteHandlerMethod {
  // 4 MB that many servers never need.
  let grid: GeoidGrid | undefined;
  return async (request, reply) => {
    const query = request.query as Record<string, unknown>;
    const lat = degrees(query, 'lat', 90);
    const lng = degrees(query, 'lng', 180);
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

function degrees(query: Record<string, unknown>, name: string, limit: number): number {
  const text = query[name];
  const value = typeof text === 'string' ? readDecimal(text.trim()) : null;
  if (value === null || Math.abs(value) > limit) {
    const given =
      typeof text === 'string' ? `${name} is ${quoted(text)}` : `${name} is missing or given twice`;
    throw new ServiceError(400, 'invalid parameter', {
      reason: `${given}; expected decimal degrees from -${limit} to ${limit}.`,
    });
  }
  return value;
}
