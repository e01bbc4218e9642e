/**
 * Which items a request of the STAC API means (STAC API 1.0.0, item search; OGC API – Features, Part 1, sections 7.15.2
 * to 7.15.4).
 */

import { type Bounds, boundsIntersect } from '@citymodel/geo';
import { dayExists } from '../base/day-exists.ts';
import type { StacEntry } from './entries.ts';
import { meetsBounds, type SearchedGeometry } from './searched-geometry.ts';
import { fiscalYearStart } from './stac-words.ts';

/** Milliseconds since 1970, both ends included; infinite where it is open. */
export interface Interval {
  readonly start: number;
  readonly end: number;
}

export interface ItemFilter {
  readonly collections: ReadonlySet<string> | null;
  readonly ids: ReadonlySet<string> | null;
  /** Any of them: a box over the meridian of 180 degrees is two. */
  readonly boxes: readonly Bounds[] | null;
  readonly interval: Interval | null;
  readonly intersects: SearchedGeometry | null;
}

/** Whether an item is meant. One without a place meets no box and no geometry. */
export function meansItem(filter: ItemFilter, entry: StacEntry): boolean {
  const { collections, ids, boxes, interval, intersects } = filter;
  const { bounds } = entry;
  if (collections !== null && !collections.has(entry.collection)) return false;
  if (ids !== null && !ids.has(entry.id)) return false;
  if (interval !== null) {
    const start = fiscalYearStart(entry.year);
    if (interval.end < start || interval.start >= fiscalYearStart(entry.year + 1)) return false;
  }
  if (boxes !== null && (bounds === null || !boxes.some((box) => boundsIntersect(box, bounds)))) return false;
  return intersects === null || (bounds !== null && meetsBounds(intersects, bounds));
}

/**
 * Reads `bbox`: west, south, east, north in degrees, or six numbers with heights, which are passed over. West may be
 * more than east: the box then goes over the meridian of 180 degrees. Throws a RangeError that says what is expected.
 */
export function readBoxes(numbers: readonly number[]): Bounds[] {
  const [west, south, east, north] = numbers.length === 6 ? [0, 1, 3, 4].map((at) => numbers[at]!) : numbers;
  const isBox =
    (numbers.length === 4 || numbers.length === 6) &&
    numbers.every(Number.isFinite) &&
    [west!, east!].every((lng) => Math.abs(lng) <= 180) &&
    [south!, north!].every((lat) => Math.abs(lat) <= 90) &&
    south! <= north!;
  if (!isBox) {
    throw new RangeError(
      'bbox has no box; expected west,south,east,north in degrees, or six numbers with the lowest and highest height.',
    );
  }
  if (west! <= east!) return [{ west: west!, south: south!, east: east!, north: north! }];
  return [
    { west: west!, south: south!, east: 180, north: north! },
    { west: -180, south: south!, east: east!, north: north! },
  ];
}

const INSTANT = /^\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:[Zz]|[+-]\d\d:\d\d)$/;

/**
 * Reads `datetime`: an instant of RFC 3339, or two with `/` between, of which one may be `..` or empty. Throws a
 * RangeError that says what is expected.
 */
export function readInterval(text: string): Interval {
  const ends = text.split('/');
  if (ends.length === 1) {
    const instant = instantOf(ends[0]!);
    return { start: instant, end: instant };
  }
  const [start, end] = ends.map((text) => (text === '..' || text === '' ? null : instantOf(text)));
  if (ends.length > 2 || start === undefined || end === undefined || (start === null && end === null))
    throw notTime();
  const interval = { start: start ?? Number.NEGATIVE_INFINITY, end: end ?? Number.POSITIVE_INFINITY };
  if (interval.start > interval.end) throw new RangeError('datetime ends before it starts.');
  return interval;
}

function instantOf(text: string): number {
  const isWritten = INSTANT.test(text) && dayExists(text);
  const ms = isWritten ? Date.parse(text.replace(' ', 'T').toUpperCase()) : Number.NaN;
  if (Number.isNaN(ms)) throw notTime();
  return ms;
}

function notTime(): RangeError {
  return new RangeError(
    'datetime has no time; expected one such as 2023-04-01T00:00:00Z, or two with / between, of which one may be "..".',
  );
}
