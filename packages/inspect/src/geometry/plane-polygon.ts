/** Polygons of GML on the plane: eastings, northings and heights in metres. */
import { crsOf, type XmlElement } from '@citymodel/citygml';
import type { FileContext } from '../check.ts';
import { hasPositions, numbersIn } from '../coordinates.ts';
import { idOf } from '../elements.ts';

/**
 * Positions of a ring as they are written, x east, y north, z up in metres, three numbers each; closed rings repeat the
 * first.
 */
export type Ring = Float64Array;

export interface PlanePolygon {
  /** `gml:Polygon`, `gml:Triangle`, `gml:Rectangle`, `gml:PolygonPatch`. */
  element: XmlElement;
  id: string | null;
  /** Tested with the faults of the official program. */
  isLikeUpstream?: boolean;
  /** The exterior first; empty when it has no positions. */
  rings: Ring[];
}

const POLYGONS = new Set(['gml:Polygon', 'gml:Triangle', 'gml:Rectangle', 'gml:PolygonPatch']);

export function isPolygon({ name }: XmlElement): boolean {
  return POLYGONS.has(name);
}

/** Elements carry their polygons, which a weak map would hold beyond the life of most trees. */
const ON_PLANE = Symbol('on the plane');
interface WithPolygon extends XmlElement {
  [ON_PLANE]?: { of: PlanePolygons; polygon: PlanePolygon };
}

/** The polygons of a file on its plane, each read once. */
export class PlanePolygons {
  readonly #file: Pick<FileContext, 'envelope' | 'package'>;
  #project: ((first: number, second: number) => readonly [number, number]) | null = null;

  constructor(file: Pick<FileContext, 'envelope' | 'package'>) {
    this.#file = file;
  }

  of(element: XmlElement): PlanePolygon {
    const holder: WithPolygon = element;
    const known = holder[ON_PLANE];
    if (known?.of === this) return known.polygon;
    const polygon: PlanePolygon = { element, id: idOf(element), rings: [] };
    if (this.#file.package.likeUpstream !== null) polygon.isLikeUpstream = true;
    for (const boundary of element.children) {
      if (boundary.name === 'gml:exterior') polygon.rings.unshift(...this.#ringsOf(boundary));
      else if (boundary.name === 'gml:interior') polygon.rings.push(...this.#ringsOf(boundary));
    }
    holder[ON_PLANE] = { of: this, polygon };
    return polygon;
  }

  /** Positions of the element on the plane. */
  positions(element: XmlElement): Ring {
    const numbers: number[] = [];
    collect(element, numbers);
    const project = this.#projection();
    const ring = new Float64Array(numbers.length - (numbers.length % 3));
    for (let i = 0; i < ring.length; i += 3) {
      const [east, north] = project(numbers[i]!, numbers[i + 1]!);
      ring[i] = east;
      ring[i + 1] = north;
      ring[i + 2] = numbers[i + 2]!;
    }
    return ring;
  }

  #ringsOf(boundary: XmlElement): Ring[] {
    return boundary.children.map((ring) => this.positions(ring));
  }

  #projection(): (first: number, second: number) => readonly [number, number] {
    if (this.#project !== null) return this.#project;
    const { envelope, package: context } = this.#file;
    const crs = envelope.srsName === null ? null : crsOf(envelope.srsName);
    if (crs === null || (crs.geographic && crs.northFirst)) {
      this.#project = (lat, lng) => context.toPlane(lng, lat);
    } else {
      this.#project = (first, second) => context.toPlane(...crs.toLngLat(first, second));
    }
    return this.#project;
  }
}

function collect(element: XmlElement, into: number[]): void {
  if (hasPositions(element)) for (const number of numbersIn(element)) into.push(number);
  else for (const child of element.children) collect(child, into);
}

/**
 * The longitude, latitude and height of the first position below an element; in a file with a plane system its easting,
 * northing and height. Null when there is none.
 */
export function firstPosition(element: XmlElement): [lng: number, lat: number, height: number] | null {
  if (hasPositions(element)) {
    const numbers = numbersIn(element);
    return numbers.length < 3 ? null : [numbers[1]!, numbers[0]!, numbers[2]!];
  }
  for (const child of element.children) {
    const found = firstPosition(child);
    if (found !== null) return found;
  }
  return null;
}
