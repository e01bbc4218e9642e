/**
 * What a request of the STAC API asks for, from its query or its body: both have the same words (STAC API 1.0.0, item
 * search).
 */
import { quoted, readDecimal } from '@citymodel/base';
import { JsonTooLarge, parseJson } from '../base/parse-json.ts';
import { type ItemFilter, readBoxes, readInterval } from './item-filter.ts';
import { searchedGeometry } from './searched-geometry.ts';

export const DEFAULT_LIMIT = 10;
/** Items of a page. More than these may be asked for, and these are answered, as the standard allows. */
export const MAX_LIMIT = 100;
const MOST_ASKED = 10_000;
/** Names in `ids` and `collections` together. */
const MAX_NAMES = 1_000;

export interface SearchRequest {
  readonly filter: ItemFilter;
  readonly limit: number;
  readonly token: string | null;
}

/** The words of a search as JSON has them. */
export interface SearchWords {
  readonly collections?: unknown;
  readonly ids?: unknown;
  readonly bbox?: unknown;
  readonly datetime?: unknown;
  readonly intersects?: unknown;
  readonly limit?: unknown;
  readonly token?: unknown;
}

/** Reads a request. Throws a RangeError that names the word and says what is expected. */
export function readSearch(words: SearchWords): SearchRequest {
  const { bbox, datetime, intersects, limit, token } = words;
  if (bbox !== undefined && bbox !== null && intersects !== undefined && intersects !== null) {
    throw new RangeError('bbox and intersects are given; expected one of them at most.');
  }
  return {
    filter: {
      collections: namesOf('collections', words.collections),
      ids: namesOf('ids', words.ids),
      boxes: isMissing(bbox) ? null : readBoxes(numbersOf(bbox)),
      interval: isMissing(datetime) ? null : readInterval(textOf('datetime', datetime)),
      intersects: isMissing(intersects) ? null : searchedGeometry(intersects),
    },
    limit: isMissing(limit) ? DEFAULT_LIMIT : limitOf(limit),
    token: isMissing(token) ? null : textOf('token', token),
  };
}

/** The words of a query, whose lists are texts with commas between and whose geometry is JSON. */
export function wordsOfQuery(query: Readonly<Record<string, unknown>>): SearchWords {
  const text = (name: string): string | undefined => {
    const value = query[name];
    if (Array.isArray(value)) throw new RangeError(`${name} is given ${value.length} times; expected once.`);
    return value === undefined || value === '' ? undefined : String(value);
  };
  const list = (name: string) =>
    text(name)
      ?.split(',')
      .map((part) => part.trim());
  return {
    collections: list('collections'),
    ids: list('ids'),
    bbox: list('bbox')?.map((part) => readDecimal(part) ?? part),
    datetime: text('datetime'),
    intersects: jsonOf(text('intersects')),
    limit: numberOf(text('limit')),
    token: text('token'),
  };
}

function isMissing(value: unknown): value is undefined | null {
  return value === undefined || value === null;
}

function namesOf(word: string, value: unknown): ReadonlySet<string> | null {
  if (isMissing(value)) return null;
  if (!Array.isArray(value) || !value.every((name) => typeof name === 'string')) {
    throw new RangeError(`${word} is no list of texts.`);
  }
  if (value.length > MAX_NAMES)
    throw new RangeError(`${word} has ${value.length} names; at most ${MAX_NAMES} are accepted.`);
  return value.length === 0 ? null : new Set(value);
}

function numbersOf(value: unknown): number[] {
  if (!Array.isArray(value) || !value.every((part) => typeof part === 'number')) {
    throw new RangeError('bbox is no list of numbers; expected west,south,east,north in degrees.');
  }
  return value;
}

function textOf(word: string, value: unknown): string {
  if (typeof value !== 'string') throw new RangeError(`${word} is no text.`);
  return value;
}

function limitOf(value: unknown): number {
  if (typeof value !== 'number' || !Number.isInteger(value) || value < 1 || value > MOST_ASKED) {
    throw new RangeError(
      `limit is ${quoted(String(value))}; it must be a whole number from 1 to ${MOST_ASKED}.`,
    );
  }
  return Math.min(value, MAX_LIMIT);
}

/** A number, or the text that is none, which is refused where it is read. */
function numberOf(text: string | undefined): number | string | undefined {
  return text === undefined ? undefined : (readDecimal(text) ?? text);
}

/** Lists and objects of a geometry, its collections among them. */
export const GEOMETRY_BOUNDS = { maxDepth: 16, maxValues: 20_000 };
/** Longest geometry in an address, UTF-16 code units. */
const MAX_GEOMETRY_TEXT = 50_000;

function jsonOf(text: string | undefined): unknown {
  if (text === undefined) return undefined;
  if (text.length > MAX_GEOMETRY_TEXT) throw new RangeError('intersects is too long; send it with POST.');
  try {
    return parseJson(text, GEOMETRY_BOUNDS);
  } catch (error) {
    if (error instanceof JsonTooLarge) throw new RangeError(error.message);
    throw new RangeError(
      `intersects is ${quoted(text, 100)}, which is no JSON; expected a GeoJSON geometry.`,
    );
  }
}
