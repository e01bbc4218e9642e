/**
 * What a request for items asks for, from its query (OGC API – Features, Part 1, section 7.15; Part 2, section 6.4;
 * Part 3, section 8). Everything that it does not know is refused, as the standard wants it.
 */
import { quoted, readDecimal } from '@citymodel/base';
import type { FeaturePlace } from '../features/files-in-order.ts';
import type { Region } from '../features/region.ts';
import { type Interval, readInterval } from '../stac/item-filter.ts';
import { type Cql2Condition, type Expression, planOf } from './cql2.ts';
import { Cql2Builder } from './cql2-builder.ts';
import { parseCql2Json } from './cql2-json.ts';
import { parseCql2Text } from './cql2-text.ts';
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
  readonly where: Cql2Condition | null;
  /** Properties have the names of CityGML 2.0, in the filter and in the answer. */
  readonly hasVersion2Names: boolean;
  readonly after: FeaturePlace | null;
}

export type Query = Readonly<Record<string, unknown>>;

/** Words of the interface; every other parameter is a property. */
const WORDS = new Set([
  ...['f', 'lang', 'limit', 'after', 'crs', 'bbox', 'bbox-crs', 'datetime'],
  ...['filter', 'filter-lang', 'filter-crs', 'attributes'],
]);
/** Properties that have no prefix; others are qualified names, such as `bldg:usage`. */
const PLAIN_PROPERTIES = new Set(['id', '_type', 'height', 'minAlt', 'maxAlt']);
const QUALIFIED = /^[\p{L}_][\p{L}\p{N}_]{0,20}:/u;

/** Reads a request. Throws a RangeError that names the parameter and says what is expected. */
export function readItemRequest(query: Query): ItemRequest {
  const properties = Object.keys(query).filter((name) => !WORDS.has(name) && isProperty(name));
  refuseOthers(query, new Set([...WORDS, ...properties]));
  const { regions, condition } = planOf(conditionsOf(query, properties));
  const bbox = textOf(query, 'bbox');
  const crs = textOf(query, 'crs');
  const boxCrs = textOf(query, 'bbox-crs');
  const datetime = textOf(query, 'datetime');
  const after = textOf(query, 'after');
  const system = boxCrs === undefined ? CRS_LIST[0]! : crsNamed(boxCrs, 'bbox-crs');
  return {
    limit: limitOf(textOf(query, 'limit')),
    crs: crs === undefined ? CRS_LIST[0]! : crsNamed(crs, 'crs'),
    regions: [...(bbox === undefined ? [] : [boxRegion(numbersOf(bbox), system)]), ...regions],
    interval: datetime === undefined ? null : readInterval(datetime),
    where: condition,
    hasVersion2Names: asksForVersion2(query),
    after: after === undefined ? null : placeOfToken(after),
  };
}

/** `attributes=v2`. Throws a RangeError for another value. */
export function asksForVersion2(query: Query): boolean {
  const text = textOf(query, 'attributes');
  if (text !== undefined && text !== 'v2')
    throw new RangeError(`attributes is ${quoted(text)}; it must be v2.`);
  return text !== undefined;
}

function isProperty(name: string): boolean {
  return PLAIN_PROPERTIES.has(name) || QUALIFIED.test(name);
}

/** The filter, and a value for each property that is a parameter (Part 3, section 7.3). */
function conditionsOf(query: Query, properties: readonly string[]): Expression {
  const build = new Cql2Builder(CRS_LIST[0]!);
  const args = properties.map((name): Expression => {
    const value = textOf(query, name) ?? '';
    return build.condition({ op: '=', property: build.property(name), value: build.scalar(value) });
  });
  const filter = filterOf(query);
  if (filter !== null) args.push(...(filter.op === 'and' ? filter.args : [filter]));
  return { op: 'and', args };
}

/** `filter`, in the language and with the system of positions that are named beside it; null where there is none. */
function filterOf(query: Query): Expression | null {
  const filter = textOf(query, 'filter');
  const language = textOf(query, 'filter-lang') ?? 'cql2-text';
  const system = textOf(query, 'filter-crs');
  const crs = system === undefined ? CRS_LIST[0]! : crsNamed(system, 'filter-crs');
  if (language !== 'cql2-text' && language !== 'cql2-json')
    throw new RangeError(`filter-lang is ${quoted(language)}; it must be cql2-text or cql2-json.`);
  if (filter === undefined) return null;
  return language === 'cql2-text' ? parseCql2Text(filter, crs) : parseCql2Json(filter, crs);
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
    const accepted = known.size === 0 ? 'none is accepted' : `accepted are ${[...known].join(', ')}`;
    throw new RangeError(`${quoted(name)} is no parameter here; ${accepted}.`);
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
