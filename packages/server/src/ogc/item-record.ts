/** Features as records of answers: GeoJSON (RFC 7946) and JSON-FG (OGC 21-045r1), with attributes as columns. */
import { footprintOf, geoJsonInSteps } from '@citymodel/citygml';
import type { RecordMaker } from '../features/feature-pages.ts';
import { altitudesOf } from '../features/find-features.ts';
import { flattenAttributes } from '../features/formats/flatten-attributes.ts';
import { attributesOfParts } from '../features/formats/format.ts';
import { fiscalYearStart } from '../stac/stac-words.ts';
import { CRS84_URI, inCrs, type OgcCrs } from './crs.ts';

/** Conformance classes that documents in JSON-FG name. */
export const JSON_FG_CONFORMS_TO = ['http://www.opengis.net/spec/json-fg-1/1.0/conf/core'];

/** A feature of GeoJSON as text; its geometry is in the system. */
export function geoJsonMaker(crs: OgcCrs): RecordMaker<string> {
  return function* (parts) {
    const attributes = attributesOfParts(parts, null);
    const footprint = footprintOf(parts.geometries);
    yield;
    const altitudes = altitudesOf(parts.entry);
    const built = yield* geoJsonInSteps(attributes, footprint, altitudes);
    yield;
    return JSON.stringify({
      ...built,
      geometry: inCrs(built.geometry, crs, altitudes?.min ?? 0),
      properties: Object.fromEntries(flattenAttributes(built.properties)),
    });
  };
}

/**
 * A feature of JSON-FG as text: `geometry` is in longitude and latitude, `place` in another system where that is asked
 * for (section 7.5); `time` is the fiscal year of the edition.
 */
export function jsonFgMaker(crs: OgcCrs): RecordMaker<string> {
  return function* (parts, row) {
    const attributes = attributesOfParts(parts, null);
    const footprint = footprintOf(parts.geometries);
    yield;
    const altitudes = altitudesOf(parts.entry);
    const built = yield* geoJsonInSteps(attributes, footprint, altitudes);
    yield;
    const { id, geometry, properties } = built;
    return JSON.stringify({
      type: 'Feature',
      ...(id === undefined ? {} : { id }),
      featureType: parts.entry.element,
      time: { interval: yearOf(row.year) },
      place: crs.uri === CRS84_URI ? null : inCrs(geometry, crs, altitudes?.min ?? 0),
      geometry,
      properties: Object.fromEntries(flattenAttributes(properties)),
    });
  };
}

/** First and last day of a fiscal year. */
function yearOf(year: number): [string, string] {
  const day = (ms: number) => new Date(ms + 9 * 3_600_000).toISOString().slice(0, 10);
  return [day(fiscalYearStart(year)), day(fiscalYearStart(year + 1) - 1)];
}
