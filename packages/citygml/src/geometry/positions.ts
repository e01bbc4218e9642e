/** Positions of a geometry element, from its numbers and what holds for them: system, dimension, order of axes. */
import { readDecimal } from '@citymodel/base';
import { DecimalReader, LESS } from '../xml/decimal-reader.ts';
import { localName, type XmlElement } from '../xml/xml-element.ts';
import { type Crs, crsOf, LOCAL_CRS, turned } from './crs.ts';

/** Positions one after the other: longitude and latitude in degrees, altitude in metres. */
export type Positions = Float64Array;

/** What holds for coordinates that do not say otherwise; from the file's envelope. */
export interface CoordinateDefaults {
  srsName: string | null;
  srsDimension: number | null;
  /** Positions of geographic systems have longitude first, against the registry; undefined leaves it to the numbers. */
  isTurned?: boolean;
}

/** Without a word of it: EPSG:6697, which the specification of the data demands. */
export const USUAL_CRS = 'EPSG:6697';

/** What of positions is noted where they are read: see `Primitives.flat`. */
export interface Found {
  flat: boolean;
}

/** What holds for positions at some place of a geometry. */
export interface Frame {
  crs: Crs | null;
  isTurned: boolean | undefined;
  /** Numbers of a position; null leaves it to the CRS. */
  dimension: number | null;
}

/** Lines that follow each other as one. */
export function joinLines(lines: Positions[]): Positions {
  const joined = new Float64Array(lines.reduce((sum, line) => sum + line.length, 0));
  let at = 0;
  for (const line of lines) {
    joined.set(line, at);
    at += line.length;
  }
  return joined;
}

/** True where a position of one list is that of another one. */
export function samePosition(a: Positions, i: number, b: Positions, j: number): boolean {
  return a[i] === b[j] && a[i + 1] === b[j + 1] && a[i + 2] === b[j + 2];
}

/**
 * What holds within a feature where its geometry names no system: what its own envelope names, else what holds around
 * it.
 */
export function defaultsWithin(feature: XmlElement, around: CoordinateDefaults): CoordinateDefaults {
  const boundedBy = feature.children.find(({ name }) => name === 'gml:boundedBy');
  const own = boundedBy === undefined ? null : defaultsOf(boundedBy);
  return own === null || own.srsName === null ? around : own;
}

/** What the envelope of a `gml:boundedBy` says of positions; null where there is no envelope. */
export function defaultsOf(boundedBy: XmlElement): CoordinateDefaults | null {
  const envelope = boundedBy.children.find(({ name }) => name.startsWith('gml:Envelope'));
  if (envelope === undefined) return null;
  const { srsName, srsDimension } = envelope.attributes;
  return { srsName: srsName ?? null, srsDimension: Number.parseInt(srsDimension ?? '', 10) || null };
}

/** The system of a name, with longitude first where it is turned; null for one that is not known. */
export function systemOf(srsName: string, isTurned: boolean | undefined): Crs | null {
  const crs = crsOf(srsName);
  return crs !== null && isTurned === true ? turned(crs) : crs;
}

/** `srsName` and `srsDimension` hold for everything below the element that has them (OGC 03-105r1, 10.1.3.2). */
export function frameOf(element: XmlElement, outer: Frame): Frame {
  const { srsName, srsDimension } = element.attributes;
  if (srsName === undefined && srsDimension === undefined) return outer;
  const dimension = srsDimension === undefined ? Number.NaN : Number.parseInt(srsDimension, 10);
  return {
    crs: srsName === undefined || outer.crs === LOCAL_CRS ? outer.crs : systemOf(srsName, outer.isTurned),
    isTurned: outer.isTurned,
    dimension: dimension >= 2 ? dimension : srsName === undefined ? outer.dimension : null,
  };
}

/** The positions of a point or line, from any element that holds coordinates. */
export function readPositions(element: XmlElement, outer: Frame, found: Found): Positions {
  const pieces: Positions[] = [];
  for (const child of element.children) {
    const name = localName(child.name);
    if (name === 'posList' || name === 'pos') {
      const { dimension } = child.attributes;
      const frame = frameOf(child, outer);
      const own = dimension === undefined ? frame.dimension : Number.parseInt(dimension, 10);
      pieces.push(toPositions(numbersOf(child.text), { ...frame, dimension: own }, found));
    } else if (name === 'coordinates') {
      pieces.push(readCoordinates(child, frameOf(child, outer), found));
    } else if (name === 'pointProperty' || name === 'pointRep' || name === 'Point') {
      const inner = name === 'Point' ? child : child.children[0];
      if (inner !== undefined) pieces.push(readPositions(inner, frameOf(inner, outer), found));
    }
  }
  return pieces.length === 1 ? pieces[0]! : joinLines(pieces);
}

/** Characters of a list that is read without memory of its own. */
const USUAL_LENGTH = 1 << 16;
const room = Buffer.alloc(USUAL_LENGTH + 2);
const usual = new DecimalReader(USUAL_LENGTH / 2);

/**
 * The numbers of a list, by the rules of the scanner (`DecimalReader`); null where there is something else. They are
 * valid until the next list is read.
 */
function numbersOf(text: string): Float64Array | null {
  const trimmed = text.trim();
  const isUsual = 3 * trimmed.length <= USUAL_LENGTH;
  const bytes = isUsual ? room : Buffer.alloc(3 * trimmed.length + 2);
  const reader = isUsual ? usual : new DecimalReader(Math.ceil(trimmed.length / 2));
  const end = bytes.write(trimmed);
  // A reader leaves a number that ends with the bytes for later.
  bytes[end] = bytes[end + 1] = LESS;
  reader.count = 0;
  reader.malformed = false;
  reader.read(bytes, 0, end + 1, false);
  // A "<" of the text itself ends what is read, too.
  return reader.malformed || reader.position < end ? null : reader.values.subarray(0, reader.count);
}

function decimalOrNaN(text: string): number {
  return readDecimal(text) ?? Number.NaN;
}

/** `gml:coordinates` states its separators itself (OGC 03-105r1, 10.1.4.3): tuples of a fixed length. */
function readCoordinates(element: XmlElement, frame: Frame, found: Found): Positions {
  const { cs = ',', ts = ' ', decimal = '.' } = element.attributes;
  const tuples = element.text
    .split(ts === ' ' ? /\s+/ : ts)
    .map((tuple) => tuple.trim())
    .filter((tuple) => tuple !== '')
    .map((tuple) => tuple.split(cs).map((number) => decimalOrNaN(number.replace(decimal, '.'))));
  const numbers = tuples.flat();
  const isWhole = numbers.every((number) => Number.isFinite(number));
  return toPositions(isWhole ? numbers : null, { ...frame, dimension: tuples[0]?.length ?? null }, found);
}

/**
 * Numbers in the order of the CRS as positions; none when there are none, the CRS is not known, or one is no place on
 * earth.
 */
function toPositions(numbers: ArrayLike<number> | null, frame: Frame, found: Found): Positions {
  let { crs } = frame;
  if (crs === null || numbers === null) return new Float64Array(0);
  if (frame.isTurned === undefined && crs.geographic && crs.isOtherOrder?.(numbers[0]!, numbers[1]!)) {
    crs = turned(crs);
  }
  let dimension = frame.dimension === 2 || frame.dimension === 3 ? frame.dimension : crs.dimension;
  // Some files declare two dimensions for three numbers, or the other way round; the count tells.
  if (numbers.length % dimension !== 0) dimension = dimension === 3 ? 2 : 3;
  if (numbers.length % dimension !== 0) return new Float64Array(0);
  if (dimension < 3) found.flat = true;
  const isPlain = crs.geographic && crs.northFirst && crs.isShifted !== true;
  const positions = new Float64Array((numbers.length / dimension) * 3);
  for (let from = 0, to = 0; from < numbers.length; from += dimension, to += 3) {
    let lng = numbers[from + 1]!;
    let lat = numbers[from]!;
    if (!isPlain) [lng, lat] = crs.toLngLat(lat, lng);
    if (crs !== LOCAL_CRS && !(Math.abs(lng) <= 180 && Math.abs(lat) <= 90)) return new Float64Array(0);
    positions[to] = lng;
    positions[to + 1] = lat;
    positions[to + 2] = dimension >= 3 ? numbers[from + 2]! : 0;
  }
  return positions;
}
