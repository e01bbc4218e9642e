import { MAX_NUMBER_LENGTH, readDecimal } from '@citymodel/base';
import { localName, type XmlElement } from '../xml/feature-xml.ts';
import { type Crs, crsOf, LOCAL_CRS, turned } from './crs.ts';

/** Positions one after the other: longitude and latitude in degrees, altitude in metres. */
export type Positions = Float64Array;

/** A flat polygon. */
export interface Surface {
  /** Exterior ring first, then the holes; each open (the first position is not repeated), at least 3 positions. */
  rings: Positions[];
  /** How the rings are written, in the same order: textures refer to that. */
  written: WrittenRing[];
  /** The elements `gml:Polygon`, `gml:Triangle` … that this was read from; the same for the same polygon. */
  element: XmlElement;
  /** True when the rings are the other way round than in the element: an orientation of `-` leads to it. */
  isTurned?: boolean;
}

/** A ring as the file has it, before repeated positions were dropped. */
export interface WrittenRing {
  /** gml:id of the ring; null when it has none. */
  id: string | null;
  /** Positions that are written. */
  positions: number;
  /**
   * For each position of the ring the written one; null where those are the first of the written ones, in their order.
   */
  kept: Uint32Array | null;
}

/** Everything that one geometry element holds. */
export interface Primitives {
  /** Solid → shell (the outer one first) → surface. */
  solids: Surface[][][];
  /** Surfaces that are not part of a solid. */
  surfaces: Surface[];
  lines: Positions[];
  points: Positions[];
  /** True when positions had no height; altitudes are 0 then. */
  flat: boolean;
}

/** What holds for coordinates that do not say otherwise; from the file's envelope. */
export interface CoordinateDefaults {
  srsName: string | null;
  srsDimension: number | null;
  /** Positions of geographic systems have longitude first, against the registry; undefined leaves it to the numbers. */
  isTurned?: boolean;
}

/** Without a word of it: EPSG:6697, which the specification of the data demands. */
const USUAL_CRS = 'EPSG:6697';
/** Levels of members and references below a geometry element. */
const MAX_DEPTH = 60;
/** Elements that are read by way of references in one feature: references to references could multiply without end. */
const MAX_REFERRED = 50_000;
/**
 * Times that an element may be referred to in one geometry before it counts as repeated: by two solids that share a
 * wall.
 */
const USUAL_REFERENCES = 2;
/** Repeated references that are followed in one feature, or in all features of a request that shares the count. */
const MAX_REPEATED = 50_000;

/**
 * How many more repeated references are followed. What is not followed is passed over, like a reference that leads
 * nowhere.
 */
export interface RepeatAllowance {
  left: number;
}

export function repeatAllowance(): RepeatAllowance {
  return { left: MAX_REPEATED };
}

/**
 * Finds what a reference names that leads out of the feature; undefined for one that leads nowhere. `isTemplate`: it is
 * read once for all.
 */
export type Elsewhere = (href: string, isTemplate?: boolean) => XmlElement | undefined;

interface Frame {
  crs: Crs | null;
  isTurned: boolean | undefined;
  /** Numbers of a position; null leaves it to the CRS. */
  dimension: number | null;
}

/** True for a geometry of GML 3.1 or 3.2 that `GeometryReader` understands. */
export function isGeometry(element: XmlElement): boolean {
  return element.name.startsWith('gml:') && GEOMETRIES.has(localName(element.name));
}

const GEOMETRIES = new Set([
  'Point',
  'MultiPoint',
  'LineString',
  'LinearRing',
  'Ring',
  'Curve',
  'OrientableCurve',
  'CompositeCurve',
  'MultiCurve',
  'MultiLineString',
  'Polygon',
  'Surface',
  'PolyhedralSurface',
  'TriangulatedSurface',
  'Tin',
  'OrientableSurface',
  'CompositeSurface',
  'MultiSurface',
  'MultiPolygon',
  'Shell',
  'Solid',
  'CompositeSolid',
  'MultiSolid',
  'GeometricComplex',
  'MultiGeometry',
]);

/**
 * Reads GML geometry (OGC 03-105r1 clauses 10 and 11; the same elements in GML 3.2) of one feature. Arcs and splines
 * are taken as the polygon of their control points. References by `xlink:href="#…"` are followed inside the feature;
 * others where somebody knows what they name, else they are passed over, like geometry in a CRS that is not known.
 */
export class GeometryReader {
  readonly #root: XmlElement;
  readonly #frame: Frame;
  #byId: Map<string, XmlElement> | null = null;
  /** The same polygon is the same surface wherever it is referred to. */
  readonly #surfaces = new Map<XmlElement, Surface | null>();
  #referring = 0;
  #referred = 0;
  /** Elements with a gml:id that are being read: a reference that leads back to them is passed over. */
  readonly #within = new Set<XmlElement>();
  /** How often each element has been referred to. */
  readonly #references = new Map<XmlElement, number>();
  readonly #repeats: RepeatAllowance;
  readonly #elsewhere: Elsewhere | null;

  constructor(
    feature: XmlElement,
    defaults: CoordinateDefaults,
    repeats = repeatAllowance(),
    elsewhere: Elsewhere | null = null,
  ) {
    this.#root = feature;
    this.#repeats = repeats;
    this.#elsewhere = elsewhere;
    const { srsName, srsDimension } = defaultsWithin(feature, defaults);
    const { isTurned } = defaults;
    this.#frame = { crs: systemOf(srsName ?? USUAL_CRS, isTurned), isTurned, dimension: srsDimension };
  }

  /**
   * A reader of a template (OGC 12-019, 8.3): positions are metres from a point of its own, whatever it says of
   * systems.
   */
  static ofTemplate(template: XmlElement, elsewhere: Elsewhere | null): GeometryReader {
    const reader = new GeometryReader(template, { srsName: null, srsDimension: 3 }, undefined, elsewhere);
    reader.#frame.crs = LOCAL_CRS;
    return reader;
  }

  /** All that the geometry elements hold. */
  read(elements: Iterable<XmlElement>): Primitives {
    const primitives: Primitives = { solids: [], surfaces: [], lines: [], points: [], flat: false };
    for (const element of elements) this.#collect(element, primitives, this.#frame, false, 0);
    return primitives;
  }

  /** The element that a reference names: a local one (`#id`) in the feature, or what lies elsewhere. */
  resolve(href: string): XmlElement | undefined {
    if (!href.startsWith('#')) return this.#elsewhere?.(href);
    if (this.#byId === null) {
      this.#byId = new Map();
      indexIds(this.#root, this.#byId);
    }
    return this.#byId.get(href.slice(1)) ?? this.#elsewhere?.(href);
  }

  #collect(
    element: XmlElement,
    primitives: Primitives,
    outer: Frame,
    reversed: boolean,
    depth: number,
  ): void {
    if (depth > MAX_DEPTH || (this.#referring > 0 && ++this.#referred > MAX_REFERRED)) return;
    const href = element.attributes['xlink:href'];
    if (href !== undefined && element.children.length === 0) {
      const target = this.resolve(href);
      if (target === undefined || this.#within.has(target) || !this.#mayFollow(target)) return;
      this.#referring++;
      this.#collect(target, primitives, outer, reversed, depth + 1);
      this.#referring--;
      return;
    }
    if (element.attributes['gml:id'] === undefined) {
      this.#collectOwn(element, primitives, outer, reversed, depth);
      return;
    }
    this.#within.add(element);
    this.#collectOwn(element, primitives, outer, reversed, depth);
    this.#within.delete(element);
  }

  #collectOwn(
    element: XmlElement,
    primitives: Primitives,
    outer: Frame,
    reversed: boolean,
    depth: number,
  ): void {
    const frame = frameOf(element, outer);
    switch (localName(element.name)) {
      case 'Polygon':
      case 'Triangle':
      case 'Rectangle':
      case 'PolygonPatch': {
        const surface = this.#surface(element, frame, primitives, depth);
        if (surface !== null) primitives.surfaces.push(reversed ? reverse(surface) : surface);
        return;
      }
      case 'OrientableSurface':
      case 'OrientableCurve': {
        const turned = element.attributes.orientation === '-' ? !reversed : reversed;
        for (const child of element.children) this.#collect(child, primitives, frame, turned, depth + 1);
        return;
      }
      case 'Solid': {
        const shells: Surface[][] = [];
        for (const child of element.children) {
          const part: Primitives = { solids: [], surfaces: [], lines: [], points: [], flat: primitives.flat };
          this.#collect(child, part, frame, reversed, depth + 1);
          primitives.flat ||= part.flat;
          if (part.surfaces.length === 0) continue;
          if (localName(child.name) === 'exterior') shells.unshift(part.surfaces);
          else shells.push(part.surfaces);
        }
        if (shells.length > 0) primitives.solids.push(shells);
        return;
      }
      case 'LineString':
      case 'LineStringSegment':
      case 'LinearRing':
      case 'Arc':
      case 'ArcString':
      case 'Circle':
      case 'CubicSpline':
      case 'GeodesicString': {
        const line = readPositions(element, frame, primitives);
        if (line.length >= 6) primitives.lines.push(line);
        return;
      }
      case 'Point': {
        const point = readPositions(element, frame, primitives);
        if (point.length >= 3) primitives.points.push(point.subarray(0, 3));
        return;
      }
      default:
        for (const child of element.children) this.#collect(child, primitives, frame, reversed, depth + 1);
    }
  }

  #mayFollow(target: XmlElement): boolean {
    const references = (this.#references.get(target) ?? 0) + 1;
    this.#references.set(target, references);
    return references <= USUAL_REFERENCES || this.#repeats.left-- > 0;
  }

  #surface(element: XmlElement, frame: Frame, primitives: Primitives, depth: number): Surface | null {
    let surface = this.#surfaces.get(element);
    if (surface === undefined) {
      const exteriors: ReadRing[] = [];
      const interiors: ReadRing[] = [];
      for (const boundary of element.children) {
        const name = localName(boundary.name);
        const outer = name === 'exterior' || name === 'outerBoundaryIs';
        if (!outer && name !== 'interior' && name !== 'innerBoundaryIs') continue;
        const ring = this.#ring(boundary, frame, primitives, depth + 1);
        if (ring !== null) (outer ? exteriors : interiors).push(ring);
      }
      const rings = [...exteriors.slice(0, 1), ...interiors];
      surface =
        exteriors.length === 0
          ? null
          : {
              rings: rings.map((ring) => ring.positions),
              written: rings.map((ring) => ring.written),
              element,
            };
      this.#surfaces.set(element, surface);
    }
    return surface;
  }

  /** The ring below `gml:exterior` or `gml:interior`, from one `LinearRing` or the pieces of a `Ring`. */
  #ring(boundary: XmlElement, frame: Frame, primitives: Primitives, depth: number): ReadRing | null {
    const part: Primitives = { solids: [], surfaces: [], lines: [], points: [], flat: primitives.flat };
    for (const child of boundary.children) this.#collect(child, part, frame, false, depth);
    primitives.flat ||= part.flat;
    const joined = part.lines.length === 1 ? part.lines[0]! : joinLines(part.lines);
    const id = boundary.children[0]?.attributes['gml:id'] ?? null;
    const ring = withoutRepeats(joined, id);
    return ring.positions.length >= 9 ? ring : null;
  }
}

interface ReadRing {
  positions: Positions;
  written: WrittenRing;
}

/** The same surface seen from its other side. */
function reverse(surface: Surface): Surface {
  const rings = surface.rings.map((ring) => {
    const turned = new Float64Array(ring.length);
    for (let i = 0; i < ring.length; i += 3) turned.set(ring.subarray(i, i + 3), ring.length - 3 - i);
    return turned;
  });
  const written = surface.written.map((ring, i): WrittenRing => {
    const count = surface.rings[i]!.length / 3;
    return { ...ring, kept: (ring.kept ?? Uint32Array.from({ length: count }, (_, k) => k)).toReversed() };
  });
  return { rings, written, element: surface.element, isTurned: true };
}

function joinLines(lines: Positions[]): Positions {
  const joined = new Float64Array(lines.reduce((sum, line) => sum + line.length, 0));
  let at = 0;
  for (const line of lines) {
    joined.set(line, at);
    at += line.length;
  }
  return joined;
}

/** A ring without the repeated first position at its end, and without positions that repeat the one before. */
function withoutRepeats(ring: Positions, id: string | null): ReadRing {
  let first = 3;
  while (first < ring.length && !samePosition(ring, first, ring, first - 3)) first += 3;
  let positions = ring;
  let kept: Uint32Array | null = null;
  let length = Math.min(first, ring.length);
  if (first < ring.length) {
    positions = ring.slice();
    kept = Uint32Array.from({ length: ring.length / 3 }, (_, i) => i);
    for (let i = first; i < ring.length; i += 3) {
      if (samePosition(ring, i, positions, length - 3)) continue;
      kept[length / 3] = i / 3;
      positions[length] = ring[i]!;
      positions[length + 1] = ring[i + 1]!;
      positions[length + 2] = ring[i + 2]!;
      length += 3;
    }
  }
  while (length > 3 && samePosition(positions, 0, positions, length - 3)) length -= 3;
  return {
    positions: positions.subarray(0, length),
    written: { id, positions: ring.length / 3, kept: kept?.subarray(0, length / 3) ?? null },
  };
}

function samePosition(a: Positions, i: number, b: Positions, j: number): boolean {
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

/** `srsName` and `srsDimension` hold for everything below the element that has them (OGC 03-105r1, 10.1.3.2). */
function systemOf(srsName: string, isTurned: boolean | undefined): Crs | null {
  const crs = crsOf(srsName);
  return crs !== null && isTurned === true ? turned(crs) : crs;
}

function frameOf(element: XmlElement, outer: Frame): Frame {
  const { srsName, srsDimension } = element.attributes;
  if (srsName === undefined && srsDimension === undefined) return outer;
  const dimension = srsDimension === undefined ? Number.NaN : Number.parseInt(srsDimension, 10);
  return {
    crs: srsName === undefined || outer.crs === LOCAL_CRS ? outer.crs : systemOf(srsName, outer.isTurned),
    isTurned: outer.isTurned,
    dimension: dimension >= 2 ? dimension : srsName === undefined ? outer.dimension : null,
  };
}

function readPositions(element: XmlElement, outer: Frame, primitives: Primitives): Positions {
  const pieces: Positions[] = [];
  for (const child of element.children) {
    const name = localName(child.name);
    if (name === 'posList' || name === 'pos') {
      const { dimension } = child.attributes;
      const frame = frameOf(child, outer);
      const own = dimension === undefined ? frame.dimension : Number.parseInt(dimension, 10);
      pieces.push(toPositions(numbersOf(child.text), { ...frame, dimension: own }, primitives));
    } else if (name === 'coordinates') {
      pieces.push(readCoordinates(child, frameOf(child, outer), primitives));
    } else if (name === 'pointProperty' || name === 'pointRep' || name === 'Point') {
      const inner = name === 'Point' ? child : child.children[0];
      if (inner !== undefined) pieces.push(readPositions(inner, frameOf(inner, outer), primitives));
    }
  }
  return pieces.length === 1 ? pieces[0]! : joinLines(pieces);
}

/**
 * Anything besides decimal numbers with single blanks between: of `0x10`, or of a wide blank, `Number` makes a number
 * too.
 */
const UNUSUAL = /[^0-9 .+\-eE]/;

/** The numbers of a list by the rules of `readDecimal`, which are the scanner's; NaN where there is something else. */
function numbersOf(text: string): number[] {
  const trimmed = text.trim();
  if (trimmed === '') return [];
  if (UNUSUAL.test(trimmed)) return trimmed.split(/[ \t\r\n]+/).map(decimalOrNaN);
  const numbers: number[] = [];
  for (const token of trimmed.split(' ')) {
    // `Number` is several times faster than a pattern for each.
    if (token !== '') numbers.push(token.length <= MAX_NUMBER_LENGTH ? Number(token) : Number.NaN);
  }
  return numbers;
}

function decimalOrNaN(text: string): number {
  return readDecimal(text) ?? Number.NaN;
}

/** `gml:coordinates` states its separators itself (OGC 03-105r1, 10.1.4.3): tuples of a fixed length. */
function readCoordinates(element: XmlElement, frame: Frame, primitives: Primitives): Positions {
  const { cs = ',', ts = ' ', decimal = '.' } = element.attributes;
  const tuples = element.text
    .split(ts === ' ' ? /\s+/ : ts)
    .map((tuple) => tuple.trim())
    .filter((tuple) => tuple !== '')
    .map((tuple) => tuple.split(cs).map((number) => decimalOrNaN(number.replace(decimal, '.'))));
  return toPositions(tuples.flat(), { ...frame, dimension: tuples[0]?.length ?? null }, primitives);
}

/** Numbers in the order of the CRS as positions; none when the CRS is not known, or one is no place on earth. */
function toPositions(numbers: number[], frame: Frame, primitives: Primitives): Positions {
  let { crs } = frame;
  if (crs === null) return new Float64Array(0);
  if (frame.isTurned === undefined && crs.geographic && crs.isOtherOrder?.(numbers[0]!, numbers[1]!)) {
    crs = turned(crs);
  }
  let dimension = frame.dimension === 2 || frame.dimension === 3 ? frame.dimension : crs.dimension;
  // Some files declare two dimensions for three numbers, or the other way round; the count tells.
  if (numbers.length % dimension !== 0) dimension = dimension === 3 ? 2 : 3;
  if (numbers.length % dimension !== 0 || numbers.some((number) => !Number.isFinite(number))) {
    return new Float64Array(0);
  }
  if (dimension < 3) primitives.flat = true;
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

/** Every element with a gml:id, by it; the first of several. */
export function indexIds(element: XmlElement, byId: Map<string, XmlElement>): void {
  const id = element.attributes['gml:id'];
  if (id !== undefined && !byId.has(id)) byId.set(id, element);
  for (const child of element.children) indexIds(child, byId);
}
