import { quoted, readDecimal } from '@citymodel/base';
import type { SearchPolygon } from '@citymodel/citygml';

/** Corners that a polygon may have: each is compared with the edges of every feature near it. */
const MAX_POSITIONS = 2_000;

const FORMS =
  'lng,lat,lng,lat,… with at least three corners, or POLYGON((lng lat, …)), or MULTIPOLYGON(((lng lat, …)), …)';

/**
 * Reads `polygon`: corners as longitude and latitude by turns, or WKT (OGC 06-103r4, clause 7) with holes. Rings may
 * be closed or not. Of several polygons any may be met. Throws a RangeError saying what was found and what is expected.
 */
export function parsePolygons(text: string): SearchPolygon[] {
  const wkt = /^\s*(multi)?polygon\s*(\(.*\))\s*$/is.exec(text);
  const polygons =
    wkt === null
      ? [[parseRing(pairs(text))]]
      : wkt[1] === undefined
        ? [parsePolygon(wkt[2]!)]
        : members(wkt[2]!).map(parsePolygon);
  const count = polygons.flat().reduce((sum, ring) => sum + ring.length, 0);
  if (count > MAX_POSITIONS) {
    throw new RangeError(`polygon has ${count} corners; at most ${MAX_POSITIONS} are accepted.`);
  }
  return polygons;
}

function parsePolygon(text: string): SearchPolygon {
  return members(text).map((ring) => {
    const inner = /^\(([^()]*)\)$/s.exec(ring);
    if (inner === null)
      throw new RangeError(`polygon has no list of corners in ${quoted(ring)}; expected ${FORMS}.`);
    return parseRing(inner[1]!.split(',').map((position) => position.trim().split(/\s+/)));
  });
}

/** `((a), (b))` → `(a)`, `(b)`. */
function members(text: string): string[] {
  const trimmed = text.trim();
  const found: string[] = [];
  let depth = 0;
  let start = -1;
  for (let i = 0; i < trimmed.length; i++) {
    const character = trimmed[i]!;
    if (character === '(') {
      depth++;
      if (depth === 2) start = i;
    } else if (character === ')') {
      if (depth === 2) found.push(trimmed.slice(start, i + 1));
      depth--;
      if (depth < 0 || (depth === 0 && i < trimmed.length - 1)) {
        depth = -1;
        break;
      }
    } else if (depth < 2 && !/[\s,]/.test(character)) {
      depth = -1;
      break;
    }
  }
  if (depth !== 0 || found.length === 0) {
    throw new RangeError(`polygon is ${quoted(text)}, whose brackets do not match; expected ${FORMS}.`);
  }
  return found;
}

function pairs(text: string): string[][] {
  const parts = text.split(',').map((part) => part.trim());
  if (parts.length % 2 !== 0) {
    throw new RangeError(`polygon has ${parts.length} numbers, which are no pairs; expected ${FORMS}.`);
  }
  return Array.from({ length: parts.length / 2 }, (_, i) => parts.slice(2 * i, 2 * i + 2));
}

function parseRing(positions: string[][]): Array<[number, number]> {
  const ring = positions.map((position): [number, number] => {
    const [lng, lat] = position.map(readDecimal);
    if (position.length !== 2 || typeof lng !== 'number' || typeof lat !== 'number') {
      throw new RangeError(
        `polygon has ${quoted(position.join(' '))} where a longitude and a latitude are expected: ${FORMS}.`,
      );
    }
    if (Math.abs(lng) > 180 || Math.abs(lat) > 90) {
      throw new RangeError(
        `polygon has the corner ${lng},${lat} outside the world: expected longitude first, -180 to 180, then ` +
          `latitude, -90 to 90.`,
      );
    }
    return [lng, lat];
  });
  const [first, last] = [ring[0], ring.at(-1)];
  if (
    first !== undefined &&
    last !== undefined &&
    ring.length > 1 &&
    first[0] === last[0] &&
    first[1] === last[1]
  ) {
    ring.pop();
  }
  if (ring.length < 3) {
    throw new RangeError(`polygon has a ring of ${ring.length} corners; expected at least three.`);
  }
  return ring;
}
