import { quoted, readDecimal } from '@citymodel/base';
import { type Bounds, meshBounds, parseSpatialIds, type SpatialId } from '@citymodel/geo';
import { ServiceError } from '../../base/errors.ts';

/** Which files operation 7 is asked for. */
export type Conditions =
  /**
   * `m:` files whose mesh lies in one of the meshes or contains it; `mm:` (exact) those of the same number of digits.
   */
  | { kind: 'mesh'; codes: string[]; exact: boolean }
  /** `s:` files whose mesh shares an area with one of the cells, at any altitude. */
  | { kind: 'spatial-id'; ids: SpatialId[] }
  /** `r:lng,lat` files whose mesh contains the point, degrees. */
  | { kind: 'point'; lng: number; lat: number }
  /** `r:lng1,lat1,lng2,lat2` files whose mesh shares an area with the box. */
  | { kind: 'box'; bounds: Bounds }
  /** `g:` files of a place. */
  | { kind: 'place'; name: string }
  /** Files of prefectures (2 digits), municipalities and wards (5 digits). */
  | { kind: 'area'; codes: string[] };

export interface ConditionLimits {
  /** How many codes or spatial IDs may be given. */
  maxBounds: number;
}

/** Longest name that is looked up, UTF-16 code units. */
const MAX_NAME = 200;

const FORMS =
  'm:<mesh code>,… or mm:<mesh code>,… or s:<spatial ID>,… or r:<lng>,<lat> or r:<lng1>,<lat1>,<lng2>,<lat2> or ' +
  'g:<place name> or <municipality code>,…';

/**
 * Reads the conditions of operation 7 (interface specification, endpoint 7), percent-encoded as a whole, in
 * parts or not at all. Codes and IDs that are given twice count once in the result.
 *
 * @throws ServiceError 400 `invalid conditions` with the part that is wrong, or `too many bounds`
 */
export function parseConditions(text: string, limits: ConditionLimits): Conditions {
  const decoded = decode(text).trim();
  const [, prefix, rest] = /^(?:([a-z]+):)?(.*)$/is.exec(decoded)!;
  switch (prefix) {
    case 'm':
    case 'mm':
      return { kind: 'mesh', codes: parseMeshes(split(rest!, limits)), exact: prefix === 'mm' };
    case 's':
      return { kind: 'spatial-id', ids: parseIds(rest!, limits) };
    case 'r':
      return parseRange(rest!);
    case 'g':
      return { kind: 'place', name: parseName(rest!) };
    case undefined:
      return { kind: 'area', codes: parseAreas(split(rest!, limits)) };
    default:
      throw invalid(`${quoted(`${prefix}:`)} is not a known condition prefix; expected ${FORMS}.`);
  }
}

/** A caller may have encoded twice what a proxy decoded once; a `%` that encodes nothing stands for itself. */
function decode(text: string): string {
  if (!text.includes('%')) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function split(list: string, limits: ConditionLimits): string[] {
  const entries = list
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');
  if (entries.length === 0) throw invalid(`The condition is empty; expected ${FORMS}.`);
  if (entries.length > limits.maxBounds) throw tooMany(entries.length, limits);
  return [...new Set(entries)];
}

function parseMeshes(codes: string[]): string[] {
  for (const code of codes) attempt(() => meshBounds(code));
  return codes;
}

function parseIds(list: string, limits: ConditionLimits): SpatialId[] {
  return attempt(() => parseSpatialIds(split(list, limits).join(',')));
}

function parseAreas(codes: string[]): string[] {
  for (const code of codes) {
    if (!/^(\d{2}|\d{5})$/.test(code)) {
      throw invalid(
        `${quoted(code)} is no municipality code: expected 5 digits (municipality or ward) or 2 (prefecture). The ` +
          `forms of condition are ${FORMS}.`,
      );
    }
  }
  return codes;
}

function parseRange(list: string): Conditions {
  const numbers = list.split(',').map((entry) => {
    const trimmed = entry.trim();
    const number = readDecimal(trimmed);
    if (number === null) {
      throw invalid(
        `${quoted(trimmed)} is not a number; expected r:<lng>,<lat> or r:<lng1>,<lat1>,<lng2>,<lat2>.`,
      );
    }
    return number;
  });
  if (numbers.length !== 2 && numbers.length !== 4) {
    throw invalid(
      `A coordinate range has 2 numbers (a point) or 4 (a rectangle), but ${numbers.length} were given.`,
    );
  }
  for (let i = 0; i < numbers.length; i += 2) {
    const [lng, lat] = [numbers[i]!, numbers[i + 1]!];
    if (Math.abs(lng) > 180 || Math.abs(lat) > 90) {
      throw invalid(
        `${lng},${lat} lies outside the world: expected longitude first, -180 to 180, then latitude, -90 to 90.`,
      );
    }
  }
  const [west, south, east, north] = numbers as [number, number, number | undefined, number | undefined];
  if (east === undefined || north === undefined) return { kind: 'point', lng: west, lat: south };
  if (!(west < east && south < north)) {
    throw invalid(
      `The rectangle ${numbers.join(',')} is empty: expected lng1 < lng2 and lat1 < lat2, in the order ` +
        `lng1,lat1,lng2,lat2.`,
    );
  }
  return { kind: 'box', bounds: { west, south, east, north } };
}

function parseName(text: string): string {
  const name = text.trim();
  if (name === '') throw invalid('The place name is empty; expected g:<place name>.');
  if (name.length > MAX_NAME) {
    throw invalid(`The place name has ${name.length} characters; at most ${MAX_NAME} are accepted.`);
  }
  return name;
}

/** Complaints of the arithmetic below are already sentences for the caller. */
function attempt<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof RangeError) throw invalid(error.message);
    throw error;
  }
}

function invalid(reason: string): ServiceError {
  return new ServiceError(400, 'invalid conditions', { reason });
}

function tooMany(count: number, limits: ConditionLimits): ServiceError {
  return new ServiceError(400, 'too many bounds', {
    reason: `${count} codes or IDs were given; at most ${limits.maxBounds} are accepted in one request.`,
  });
}
