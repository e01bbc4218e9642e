import { quoted } from '@citymodel/base';
import type { Bounds } from './bounds.ts';

/*
 * Spatial IDs: cells of the XYZ tile pyramid (Web Mercator, x from 180° W, y from the north), cut into floors.
 * At zoom z there are 2^z columns and rows, and a floor is 2^25 / 2^z metres high, floor 0 beginning at
 * altitude 0. Zooms reach 31, where columns no longer fit into 32-bit arithmetic: there are no shifts here.
 */

/** A cell of the spatial-ID grid. */
export interface SpatialId {
  /** Zoom, 0 to 31. */
  z: number;
  /** Column from the west, 0 to 2^z - 1. */
  x: number;
  /** Row from the north, 0 to 2^z - 1. */
  y: number;
  /** Floor, -2^z to 2^z - 1; null stands for every altitude. */
  f: number | null;
}

const MAX_ZOOM = 31;

/** Height of the one floor of zoom 0, metres. */
const WORLD_HEIGHT = 2 ** 25;

/** Latitude of the north edge of the pyramid, degrees. */
const MAX_LATITUDE = (Math.atan(Math.sinh(Math.PI)) * 180) / Math.PI;

/**
 * Reads `z/x/y` (every altitude), `z/f/x/y`, either with a leading `/`, or a tile hash: one digit of 1 to 8 per
 * zoom level, the digit less one holding a bit of x, of y (value 2) and of f (value 4).
 *
 * @throws RangeError saying what was found and what is accepted
 */
export function parseSpatialId(text: string): SpatialId {
  const trimmed = text.trim();
  if (/^[1-8]+$/.test(trimmed)) return parseTileHash(trimmed);
  const parts = (trimmed.startsWith('/') ? trimmed.slice(1) : trimmed).split('/');
  if ((parts.length !== 3 && parts.length !== 4) || !parts.every((part) => /^-?\d{1,10}$/.test(part))) {
    throw new RangeError(
      `${quoted(text)} is not a spatial ID: expected z/x/y, z/f/x/y or a tile hash of digits 1 to 8.`,
    );
  }
  const numbers = parts.map(Number);
  const z = numbers[0]!;
  if (z < 0 || z > MAX_ZOOM) {
    throw new RangeError(`${quoted(text)} is not a spatial ID: its zoom is ${z}, expected 0 to ${MAX_ZOOM}.`);
  }
  const cells = 2 ** z;
  const [x, y] = numbers.slice(-2) as [number, number];
  for (const [name, value] of [
    ['x', x],
    ['y', y],
  ] as const) {
    if (value < 0 || value >= cells) {
      throw new RangeError(
        `${quoted(text)} is not a spatial ID: its ${name} is ${value}, expected 0 to ${cells - 1} at zoom ${z}.`,
      );
    }
  }
  const f = parts.length === 4 ? numbers[1]! : null;
  if (f !== null && (f < -cells || f >= cells)) {
    throw new RangeError(
      `${quoted(text)} is not a spatial ID: its floor is ${f}, expected ${-cells} to ${cells - 1} at zoom ${z}.`,
    );
  }
  // Adding 0 makes the negative zero of "-0" a plain one, which compares as the same cell.
  return { z: z + 0, x: x + 0, y: y + 0, f: f === null ? null : f + 0 };
}

/**
 * Reads a comma-separated list of spatial IDs in any mix of forms; blanks and empty entries are passed over.
 *
 * @throws RangeError for the first entry that is no spatial ID, and when there is none at all
 */
export function parseSpatialIds(text: string): SpatialId[] {
  const entries = text.split(',').filter((entry) => entry.trim() !== '');
  if (entries.length === 0) {
    throw new RangeError('There is no spatial ID in the list: expected at least one, as z/x/y or z/f/x/y.');
  }
  return entries.map(parseSpatialId);
}

/** Longitudes and latitudes of a cell, degrees; west and north edges belong to it. */
export function spatialIdBounds(id: SpatialId): Bounds {
  return {
    west: westOf(id.x, id.z),
    south: northOf(id.y + 1, id.z),
    east: westOf(id.x + 1, id.z),
    north: northOf(id.y, id.z),
  };
}

/**
 * Altitudes of a cell in metres, from `min` to below `max`; null for every altitude. So is `0/0/0/0`: by its
 * numbers it ends at altitude 0 below, but callers mean "everything" by it.
 */
export function spatialIdAltitudes(id: SpatialId): { min: number; max: number } | null {
  if (id.f === null || (id.z === 0 && id.f === 0)) return null;
  const height = WORLD_HEIGHT / 2 ** id.z;
  return { min: id.f * height, max: (id.f + 1) * height };
}

/** `z/x/y`, or `z/f/x/y` where there is a floor. */
export function formatSpatialId(id: SpatialId): string {
  return id.f === null ? `${id.z}/${id.x}/${id.y}` : `${id.z}/${id.f}/${id.x}/${id.y}`;
}

/**
 * The cell that holds a point.
 *
 * @param lng degrees, -180 to 180
 * @param lat degrees, within 85.0511 of the equator
 * @param alt metres above sea level, or null for a cell without floors
 * @throws RangeError when the grid does not reach the point
 */
export function spatialIdOf(lng: number, lat: number, alt: number | null, z: number): SpatialId {
  if (!Number.isInteger(z) || z < 0 || z > MAX_ZOOM) {
    throw new RangeError(`The zoom is ${z}, expected a whole number from 0 to ${MAX_ZOOM}.`);
  }
  if (!(Math.abs(lng) <= 180 && Math.abs(lat) <= MAX_LATITUDE)) {
    throw new RangeError(
      `The point ${lng},${lat} (longitude,latitude) lies outside the tile pyramid; expected longitude -180 to 180 ` +
        `and latitude -85.05 to 85.05.`,
    );
  }
  const cells = 2 ** z;
  const last = cells - 1;
  const radians = (lat * Math.PI) / 180;
  const x = Math.floor(((lng + 180) / 360) * cells);
  const y = Math.floor(((1 - Math.asinh(Math.tan(radians)) / Math.PI) / 2) * cells);
  const f = alt === null ? null : Math.floor((alt * cells) / WORLD_HEIGHT) + 0;
  if (f !== null && !(f >= -cells && f <= last)) {
    throw new RangeError(`The altitude ${alt} m has no floor; expected less than ${WORLD_HEIGHT} m from 0.`);
  }
  return {
    z,
    x: settle(x, last, (n) => westOf(n, z) <= lng),
    y: settle(y, last, (n) => northOf(n, z) >= lat),
    f,
  };
}

function parseTileHash(text: string): SpatialId {
  if (text.length > MAX_ZOOM) {
    throw new RangeError(
      `${quoted(text)} is not a tile hash: it has ${text.length} digits, one per zoom level, expected at most ` +
        `${MAX_ZOOM}.`,
    );
  }
  const id = { z: text.length, x: 0, y: 0, f: 0 };
  for (const digit of text) {
    const bits = Number(digit) - 1;
    id.x = id.x * 2 + (bits & 1);
    id.y = id.y * 2 + ((bits >> 1) & 1);
    id.f = id.f * 2 + (bits >> 2);
  }
  return id;
}

/**
 * The last cell that has begun at a point, given a guess that rounding may have put one beside it. A cell found for a
 * point then contains it by its own edges.
 */
function settle(guess: number, last: number, begun: (cell: number) => boolean): number {
  let cell = Math.min(Math.max(guess, 0), last);
  while (cell < last && begun(cell + 1)) cell++;
  while (cell > 0 && !begun(cell)) cell--;
  return cell;
}

function westOf(x: number, z: number): number {
  return (x / 2 ** z) * 360 - 180;
}

function northOf(y: number, z: number): number {
  return (Math.atan(Math.sinh(Math.PI * (1 - (2 * y) / 2 ** z))) * 180) / Math.PI;
}
