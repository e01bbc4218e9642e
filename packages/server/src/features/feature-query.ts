/** What the parameters of operations 11, 12 and 13 stand for, with the errors of the interface. */

import { quoted, readDecimal } from '@citymodel/base';
import type { FeatureEntry, SearchPolygon } from '@citymodel/citygml';
import { formatSpatialId, parseSpatialIds, type SpatialId } from '@citymodel/geo';
import { ServiceError } from '../base/errors.ts';
import { AttributeFilter } from './attribute-filter.ts';
import type { FeatureFormat } from './formats/format.ts';
import { FORMATS, formatNamed } from './formats/formats.ts';
import { parsePolygons } from './polygon-parameter.ts';
import { Region, type SearchBox } from './region.ts';

/** Which features: those of ids in a file, or those in a region. Absent and empty parameters are the same. */
export interface FeatureQuery extends PresentationQuery {
  url?: string | undefined;
  id?: readonly string[];
  sid?: readonly string[];
  bbox?: string | undefined;
  polygon?: string | undefined;
  type?: readonly string[];
  /** Codes of municipalities and wards whose files are looked at; null for all. */
  cities?: readonly string[] | null;
}

export interface PresentationQuery {
  format?: string | undefined;
  fields?: readonly string[];
  where?: string | undefined;
  flatten?: boolean;
  /** `v2` gives attributes of CityGML 3.0 the names of 2.0. */
  names?: string | undefined;
  /** True leaves codes as they are. */
  rawCodes?: boolean;
}

/** Something that is asked of features. */
export interface FeatureCondition {
  /** True for a feature that is wanted, by its attributes as operation 11 answers them. */
  accepts(attributes: Readonly<Record<string, unknown>>, entry: FeatureEntry): boolean;
}

/** What each feature of an answer looks like. */
export interface Presentation {
  format: FeatureFormat;
  /** True leaves codes as they are. */
  rawCodes: boolean;
  /** Attributes that are wanted, by their keys; null for all. */
  fields: ReadonlySet<string> | null;
  /** True turns nested attributes into columns. */
  flatten: boolean;
  /** True gives attributes the names of CityGML 2.0. */
  hasVersion2Names: boolean;
  /** Which features are wanted; null for all. */
  where: FeatureCondition | null;
}

/**
 * Which features are meant by their type: those of any code, and those of any element. Null where there is none of a
 * kind.
 */
export interface TypeFilter {
  /** Feature-type codes, which are those of the files: `bldg`. */
  codes: ReadonlySet<string> | null;
  /** Qualified element names: `bldg:Building`. */
  elements: ReadonlySet<string> | null;
}

export interface QueryLimits {
  /** Spatial IDs in one request. */
  maxBounds: number;
  /** gml:ids in one request. */
  maxIds: number;
}

/** `url`; throws ServiceError 400 `url parameter is required`. */
export function requiredUrl({ url }: FeatureQuery): string {
  if (url !== undefined) return url;
  throw new ServiceError(400, 'url parameter is required', {
    reason: 'Give url, the address of a CityGML file as the file search lists it.',
  });
}

/** `id`, each once, in the order given; throws ServiceError 400 `id parameter is required`, or for too many. */
export function requiredIds({ id = [] }: FeatureQuery, { maxIds }: QueryLimits): string[] {
  const ids = [...new Set(id)];
  if (ids.length === 0) {
    throw new ServiceError(400, 'id parameter is required', {
      reason: 'Give id, one or more gml:ids separated by commas.',
    });
  }
  if (ids.length > maxIds) {
    throw new ServiceError(400, 'invalid parameter', {
      reason: `${ids.length} ids were given; at most ${maxIds} are accepted in one request.`,
    });
  }
  return ids;
}

/**
 * `sid`, `bbox` and `polygon`, of which at least one is needed; several must all be met. Throws ServiceError 400 `sid
 * parameter is required`, `too many bounds`, or `invalid parameter` with what is wrong.
 */
export function requiredRegion({ sid = [], bbox, polygon }: FeatureQuery, limits: QueryLimits): Region {
  if (sid.length === 0 && bbox === undefined && polygon === undefined) {
    throw new ServiceError(400, 'sid parameter is required', {
      reason:
        'Give sid, one or more spatial IDs (z/x/y, z/f/x/y or tile hashes) separated by commas; or bbox, or polygon.',
    });
  }
  return new Region({
    ids: sid.length === 0 ? null : spatialIds(sid, limits),
    box: bbox === undefined ? null : parseBox(bbox),
    polygons: polygon === undefined ? null : polygons(polygon),
  });
}

/** `type`: feature-type codes and qualified element names in any mix; no type at all means every type. */
export function optionalTypes({ type = [] }: FeatureQuery): TypeFilter {
  const codes = type.filter((word) => !word.includes(':'));
  const elements = type.filter((word) => word.includes(':'));
  return {
    codes: codes.length === 0 ? null : new Set(codes),
    elements: elements.length === 0 ? null : new Set(elements),
  };
}

const NONE: ReadonlySet<string> = new Set();

/**
 * Names of the elements that are meant in a file of type `code`: null for all that it has, none when it has nothing for
 * us.
 */
export function elementsIn({ codes, elements }: TypeFilter, code: string): ReadonlySet<string> | null {
  if (codes === null) return elements;
  return codes.has(code) ? null : (elements ?? NONE);
}

/**
 * `type` as `optionalTypes` reads it, where at least one is needed; throws ServiceError 400 `type parameter is
 * required`.
 */
export function requiredTypes(query: FeatureQuery): TypeFilter {
  const types = optionalTypes(query);
  if (types.codes !== null || types.elements !== null) return types;
  throw new ServiceError(400, 'type parameter is required', {
    reason: 'Give type, one or more feature types separated by commas, such as bldg or tran:Road.',
  });
}

/** `attributes`: true for `v2`. Throws ServiceError 400 `invalid parameter` for another. */
export function readVersion2Names(text: string | undefined): boolean {
  if (text !== undefined && text !== 'v2') throw invalid(`attributes is ${quoted(text)}; it must be v2.`);
  return text !== undefined;
}

/**
 * `format`, `fields`, `flatten`, `attributes`, `skip_code_list_fetch`, `where`. Throws ServiceError 400 `invalid
 * parameter`.
 */
export function presentationOf(query: PresentationQuery): Presentation {
  const {
    format: name = FORMATS[0]!.name,
    fields = [],
    where,
    flatten = false,
    names,
    rawCodes = false,
  } = query;
  const format = formatNamed(name);
  if (format === undefined) {
    throw invalid(
      `format is ${quoted(name)}; it must be one of ${FORMATS.map((one) => one.name).join(', ')}.`,
    );
  }
  if (flatten && format.flatten === 'never') {
    const able = FORMATS.filter((one) => one.flatten !== 'never').map((one) => one.name);
    throw invalid(`flatten does not go with format=${name}; it goes with ${able.join(', ')}.`);
  }
  const hasVersion2Names = readVersion2Names(names);
  if (hasVersion2Names && format.flatten === 'never') {
    throw invalid(`attributes=v2 does not go with format=${name}, whose names are those of the data.`);
  }
  return {
    format,
    hasVersion2Names,
    rawCodes,
    fields: fields.length === 0 ? null : new Set(fields),
    flatten: flatten || format.flatten === 'always',
    where: where === undefined ? null : new AttributeFilter(where),
  };
}

function spatialIds(texts: readonly string[], { maxBounds }: QueryLimits): SpatialId[] {
  if (texts.length > maxBounds) {
    throw new ServiceError(400, 'too many bounds', {
      reason: `${texts.length} spatial IDs were given; at most ${maxBounds} are accepted in one request.`,
    });
  }
  try {
    const ids = parseSpatialIds(texts.join(','));
    return [...new Map(ids.map((id) => [formatSpatialId(id), id])).values()];
  } catch (error) {
    if (error instanceof RangeError) throw invalid(error.message);
    throw error;
  }
}

/** `west,south,east,north`, or with altitudes `west,south,low,east,north,high` as OGC API - Features has them. */
function parseBox(text: string): SearchBox {
  const numbers = text.split(',').map((part) => numberOf(part, 'bbox'));
  if (numbers.length !== 4 && numbers.length !== 6) {
    throw invalid(
      `bbox has ${numbers.length} numbers; expected 4 (west,south,east,north) or 6 (west,south,low,east,north,high).`,
    );
  }
  const [west, south] = numbers as [number, number];
  const [east, north] = numbers.slice(numbers.length === 4 ? 2 : 3) as [number, number];
  if (Math.abs(west) > 180 || Math.abs(east) > 180 || Math.abs(south) > 90 || Math.abs(north) > 90) {
    throw invalid(
      `bbox ${quoted(text)} lies outside the world: expected longitudes -180 to 180 and latitudes -90 to 90.`,
    );
  }
  if (west > east || south > north) {
    throw invalid(
      `bbox ${quoted(text)} has west > east or south > north; expected west <= east and south <= north.`,
    );
  }
  const [low, high] = [numbers[2]!, numbers[5]!];
  if (numbers.length === 6 && low > high) {
    throw invalid(`bbox ${quoted(text)} has low > high; expected the low altitude before the high one.`);
  }
  return {
    bounds: { west, south, east, north },
    altitudes: numbers.length === 6 ? { min: low, max: high } : null,
  };
}

function polygons(text: string): SearchPolygon[] {
  try {
    return parsePolygons(text);
  } catch (error) {
    if (error instanceof RangeError) throw invalid(error.message);
    throw error;
  }
}

function numberOf(text: string, name: string): number {
  const trimmed = text.trim();
  const value = readDecimal(trimmed);
  if (value === null) throw invalid(`${name} has ${quoted(trimmed)} where a number is expected.`);
  return value;
}

function invalid(reason: string): ServiceError {
  return new ServiceError(400, 'invalid parameter', { reason });
}
