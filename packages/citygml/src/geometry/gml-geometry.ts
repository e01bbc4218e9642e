import { localName, type XmlElement } from '../xml/xml-element.ts';
import { LOCAL_CRS } from './crs.ts';
import {
  type CoordinateDefaults,
  defaultsWithin,
  type Frame,
  frameOf,
  joinLines,
  readPositions,
  systemOf,
  USUAL_CRS,
} from './positions.ts';
import { type Primitives, type ReadRing, reverse, type Surface, withoutRepeats } from './surface.ts';

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

/** Every element with a gml:id, by it; the first of several. */
export function indexIds(element: XmlElement, byId: Map<string, XmlElement>): void {
  const id = element.attributes['gml:id'];
  if (id !== undefined && !byId.has(id)) byId.set(id, element);
  for (const child of element.children) indexIds(child, byId);
}
