/**
 * What a request for items asks for, from its query (OGC API – Features, Part 1, section 7.15; Part 2, section 6.4).
 * Everything that it does not know is refused, as the standard wants it.
 */
import { quoted, readDecimal } from '@citymodel/base';
import type { FeatureCondition } from '../features/feature-query.ts';
import type { FeaturePlace } from '../features/files-in-order.ts';
import type { Region } from '../features/region.ts';
import { type Interval, readInterval } from '../stac/item-filter.ts';
import { CRS_LIST, crsNamed, type OgcCrs } from './crs.ts';
import { placeOfToken } from './page-token.ts';
import { boxRegion } from './searched-place.ts';

export const DEFAULT_LIMIT = 10;
/** Items of a page. More than these may be asked for, and these are answered, as the standard allows. */
export const MAX_LIMIT = 1_000;

export interface ItemRequest {
  readonly limit: number;
  readonly crs: OgcCrs;
  readonly regions: readonly Region[];
  readonly interval: Interval | null;
  readonly where: FeatureCondition | null;
  readonly after: FeaturePlace | null;
}

export type Query = Readonly<Record<string, unknown>>;

/** Words of the interface; every other parameter is a property. */
const WORDS = new Set(['f', 'lang', 'limit', 'after', 'crs', 'bbox', 'bbox-crs', 'datetime']);

/** Reads a request. Throws a RangeError that names the parameter and says what is expected. */
export function readItemRequest(query: Query): ItemRequest {
  refuseOthers(query, WORDS);
  const bbox = textOf(query, 'bbox');
  const crs = textOf(query, 'crs');
  const boxCrs = textOf(query, 'bbox-crs');
  const datetime = textOf(query, 'datetime');
  const after = textOf(query, 'after');
  const system = boxCrs === undefined ? CRS_LIST[0]! : crsNamed(boxCrs, 'bbox-crs');
  return {
    limit: limitOf(textOf(query, 'limit')),
    crs: crs === undefined ? CRS_LIST[0]! : crsNamed(crs, 'crs'),
    regions: bbox === undefined ? [] : [boxRegion(numbersOf(bbox), system)],
    interval: datetime === undefined ? null : readInterval(datetime),
    where: null,
    after: after === undefined ? null : placeOfToken(after),
  };
}

/** A parameter that makes sense once only; an empty one is none. Throws a RangeError for a repeated one. */
export function textOf(query: Query, name: string): string | undefined {
  const value = query[name];
  if (Array.isArray(value)) throw new RangeError(`${name} is given ${value.length} times; expected once.`);
  return value === undefined || value === '' ? undefined : String(value);
}

/** Throws a RangeError for parameters that are not known (Part 1, section 7.1.4, requirement 8). */
export function refuseOthers(query: Query, known: ReadonlySet<string>): void {
  for (const name of Object.keys(query)) {
    if (known.has(name)) continue;
    throw new RangeError(`${quoted(name)} is no parameter here; accepted are ${[...known].join(', ')}.`);
  }
}

/** A whole number from 1 on, of which so many are answered at most. */
export function limitOf(text: string | undefined, otherwise = DEFAULT_LIMIT, most = MAX_LIMIT): number {
  if (text === undefined) return otherwise;
  const value = readDecimal(text);
  if (value === null || !Number.isInteger(value) || value < 1)
    throw new RangeError(`limit is ${quoted(text)}; it must be a whole number from 1 on.`);
  return Math.min(value, most);
}

function numbersOf(text: string): number[] {
  return text.split(',', 8).map((part) => {
    const value = readDecimal(part.trim());
    if (value === null) throw new RangeError(`bbox has ${quoted(part.trim())} where a number is expected.`);
    return value;
  });
}
