/**
 * Implicit geometry (CityGML 2.0, section 8.3): a template with positions in metres from a point of its own, which
 * stands at many places. A matrix turns and scales it, then its point comes to the reference point of the place.
 */
import {
  type CoordinateDefaults,
  type Crs,
  crsOf,
  type Elsewhere,
  GeometryReader,
  isFeatureElement,
  isGeometry,
  isInside,
  type LodGeometry,
  localName,
  type Surface,
  surfacesOf,
  type XmlElement,
} from '@citymodel/citygml';
import { meridianRadius, WGS84_A, WGS84_B } from '@citymodel/geo';
import { elementsAround } from './bodies.ts';
import type { IssueCounter } from './issue-counter.ts';

/**
 * Positions that templates may come to in one feature; in all of a file as many, and two for each byte of its text. A
 * place takes some 300 bytes, a template for trees has some 500 positions.
 */
const MAX_OF_FEATURE = 500_000;
const POSITIONS_PER_BYTE = 2;
const MAX_OF_FILE = 20_000_000;
/** The property with the template, in CityGML 2.0 and 3.0. */
export const TEMPLATES = new Set(['core:relativeGMLGeometry', 'core:relativeGeometry']);
const IDENTITY = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1];

/** Puts templates to their places, for the features of one file. */
export class ImplicitGeometries {
  /** What is around the polygons of templates, at their places. */
  readonly around = new WeakMap<XmlElement, number>();
  readonly #issues: IssueCounter;
  /** Surfaces of templates that several features refer to. */
  readonly #templates = new WeakMap<XmlElement, readonly Surface[]>();
  /** How many more may come to places in the file. */
  #left: number;

  /** `size`: bytes of the file's text. */
  constructor(issues: IssueCounter, size: number) {
    this.#issues = issues;
    this.#left = Math.min(MAX_OF_FEATURE + POSITIONS_PER_BYTE * size, MAX_OF_FILE);
  }

  /** The surfaces of all implicit geometries of a feature; `id` names it in issues. */
  of(
    feature: XmlElement,
    defaults: CoordinateDefaults,
    elsewhere: Elsewhere | null,
    id: string | null,
  ): LodGeometry[] {
    const found: LodGeometry[] = [];
    let left = MAX_OF_FEATURE;
    const place = new GeometryReader(feature, defaults);
    const visit = (holder: XmlElement, owner: XmlElement, interior: XmlElement | undefined): void => {
      for (const child of holder.children) {
        if (child.name !== 'core:ImplicitGeometry') {
          const isFeature = isFeatureElement(child.name);
          const inside = interior ?? (isFeature && isInside(child) ? child : undefined);
          if (!isGeometry(child)) visit(child, isFeature ? child : owner, inside);
          continue;
        }
        const template = this.#templateOf(child, place, elsewhere, id);
        const lod = /^lod([1-4])/.exec(localName(holder.name))?.[1];
        if (template.length === 0 || lod === undefined) continue;
        const positions = template.reduce(
          (sum, { rings }) => sum + rings.reduce((n, ring) => n + ring.length / 3, 0),
          0,
        );
        left -= positions;
        this.#left -= positions;
        if (left < 0 || this.#left < 0) {
          this.#issues.count('REFERENCES_TOO_MANY', id);
          return;
        }
        const surfaces = placed(template, child, place, defaults);
        if (surfaces === null) {
          this.#issues.count('TEMPLATE_UNPLACED', id);
          continue;
        }
        for (const [i, { element }] of surfaces.entries()) {
          this.around.set(element, this.around.get(template[i]!.element) ?? 0);
        }
        found.push({
          ...{ solids: [], surfaces, lines: [], points: [], flat: false },
          ...{ property: holder.name, lod: Number(lod), owner, role: 'body' },
          ...(interior === undefined ? {} : { interior }),
        });
      }
    };
    visit(feature, feature, undefined);
    return found;
  }

  #templateOf(
    implicit: XmlElement,
    place: GeometryReader,
    elsewhere: Elsewhere | null,
    id: string | null,
  ): readonly Surface[] {
    const holder = implicit.children.find(({ name }) => TEMPLATES.has(name));
    if (holder === undefined) {
      const library = implicit.children.find(({ name }) => name === 'core:libraryObject');
      if (library === undefined) this.#issues.count('TEMPLATE_UNPLACED', id);
      else this.#issues.count('TEMPLATE_UNREAD', id, library.text.trim().slice(0, 200));
      return [];
    }
    const href = holder.attributes['xlink:href'];
    const template =
      holder.children[0] ??
      (href === undefined ? undefined : (place.resolve(href.trim()) ?? elsewhere?.(href.trim(), true)));
    if (template === undefined || !isGeometry(template)) return [];
    let surfaces = this.#templates.get(template);
    if (surfaces === undefined) {
      surfaces = surfacesOf(GeometryReader.ofTemplate(template, elsewhere).read([template]));
      for (const [polygon, key] of elementsAround(template)) this.around.set(polygon, key);
      this.#templates.set(template, surfaces);
    }
    return surfaces;
  }
}

/**
 * Surfaces at the place of an implicit geometry, which are others than those of the template; null where it says no
 * place.
 */
function placed(
  template: readonly Surface[],
  implicit: XmlElement,
  reader: GeometryReader,
  defaults: CoordinateDefaults,
): Surface[] | null {
  const reference = implicit.children.find(({ name }) => name === 'core:referencePoint');
  const read = reference === undefined ? null : reader.read([reference]);
  const point = read === null || read.flat ? undefined : read.points[0];
  const written = implicit.children.find(({ name }) => name === 'core:transformationMatrix')?.text.trim();
  const matrix = written ? written.split(/\s+/).map(Number) : IDENTITY;
  if (point === undefined || matrix.length !== 16 || !matrix.every(Number.isFinite)) return null;
  const srsName = reference!.children[0]?.attributes.srsName ?? defaults.srsName ?? 'EPSG:6697';
  const [lng, lat, height] = point as unknown as [number, number, number];
  const [lngEast, latEast, lngNorth, latNorth] = metresAt(lng, lat, crsOf(srsName));
  const row = (at: number, ring: Float64Array, i: number) =>
    matrix[at]! * ring[i]! +
    matrix[at + 1]! * ring[i + 1]! +
    matrix[at + 2]! * ring[i + 2]! +
    matrix[at + 3]!;
  return template.map(({ rings, written: asWritten, element }) => ({
    rings: rings.map((ring) => {
      const moved = new Float64Array(ring.length);
      for (let i = 0; i < ring.length; i += 3) {
        const scale = row(12, ring, i);
        const [x, y, z] = [row(0, ring, i) / scale, row(4, ring, i) / scale, row(8, ring, i) / scale];
        moved[i] = lng + lngEast * x + lngNorth * y;
        moved[i + 1] = lat + latEast * x + latNorth * y;
        moved[i + 2] = height + z;
      }
      return moved;
    }),
    written: asWritten,
    element: { ...element },
  }));
}

type Degrees = [lngEast: number, latEast: number, lngNorth: number, latNorth: number];

/**
 * Degrees of a metre along x and along y. x goes east and y north, whatever the order of the system, so that nothing is
 * mirrored; in a projected system along its grid.
 */
function metresAt(lng: number, lat: number, crs: Crs | null): Degrees {
  if (crs === null || crs.geographic) {
    const phi = (lat * Math.PI) / 180;
    const flat = (WGS84_B / WGS84_A) ** 2;
    const parallel = (WGS84_A * Math.cos(phi)) / Math.sqrt(Math.cos(phi) ** 2 + flat * Math.sin(phi) ** 2);
    const degree = 180 / Math.PI;
    return [degree / parallel, 0, 0, degree / meridianRadius(phi)];
  }
  const [east, north] = crs.toPlane(lng, lat);
  const at = (x: number, y: number) =>
    crs.toLngLat(...(crs.northFirst ? ([y, x] as const) : ([x, y] as const)));
  const step = 10;
  const [eastward, northward] = [at(east + step, north), at(east, north + step)];
  return [
    (eastward[0] - lng) / step,
    (eastward[1] - lat) / step,
    (northward[0] - lng) / step,
    (northward[1] - lat) / step,
  ];
}
