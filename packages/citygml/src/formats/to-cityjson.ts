import type { Extent } from '@citymodel/geo';
import { attributesOf, gmlIdOf } from '../attributes/attributes.ts';
import type { CodeLabels } from '../attributes/code-list.ts';
import { type LodGeometry, surfacesOf } from '../geometry/feature-geometry.ts';
import type { Positions } from '../geometry/positions.ts';
import type { Surface } from '../geometry/surface.ts';
import { isFeatureElement, propertyOf } from '../schema/property-table.ts';
import { localName, type XmlElement } from '../xml/xml-element.ts';
import { cityJsonType, geometryKinds, isPartOfObject, semanticType } from './cityjson-types.ts';

/**
 * CityJSON text sequences (OGC 20-072r5, CityJSON 2.0): a header line, then one CityJSONFeature a line. Vertices
 * are longitude, latitude and altitude as integers, in this order; the header's `transform` turns them back.
 */

/** Real = integer × scale + translate, for longitude and latitude in degrees and altitude in metres. */
export interface CityJsonTransform {
  scale: [number, number, number];
  translate: [number, number, number];
}

/** 1e-8 degrees is a millimetre, like the altitude's thousandth. */
const SCALE: CityJsonTransform['scale'] = [1e-8, 1e-8, 0.001];

/** A transform that keeps integers small near the extent; any place on earth can be written with any of them. */
export function cityJsonTransform(extent: Extent | null): CityJsonTransform {
  if (extent === null) return { scale: SCALE, translate: [0, 0, 0] };
  const { west, south, minAlt } = extent;
  return {
    scale: SCALE,
    translate: [Math.floor(west * 100) / 100, Math.floor(south * 100) / 100, Math.floor(minAlt)],
  };
}

/** The first line of a sequence, as an object. */
export function cityJsonHeader(transform: CityJsonTransform): Record<string, unknown> {
  return {
    type: 'CityJSON',
    version: '2.0',
    transform,
    metadata: { referenceSystem: 'https://www.opengis.net/def/crs/EPSG/0/6697' },
    CityObjects: {},
    vertices: [],
  };
}

export interface CityJsonFeature {
  type: 'CityJSONFeature';
  id: string;
  CityObjects: Record<string, CityObject>;
  vertices: Array<[number, number, number]>;
}

interface CityObject {
  type: string;
  attributes: Record<string, unknown>;
  geometry: CityJsonGeometry[];
  parents?: string[];
  children?: string[];
}

interface CityJsonGeometry {
  type: string;
  lod: string;
  boundaries: unknown;
  semantics?: { surfaces: Semantic[]; values: unknown };
}

/** A boundary surface of the data: all its polygons share one entry of `semantics.surfaces`. */
interface Semantic {
  type: string;
}

/** What a feature or surface inside the top-level feature contributes to. */
interface Place {
  object: CityObject;
  /** Null for the object itself. */
  semantic: Semantic | null;
}

/**
 * One feature with its parts, rooms and installations as a CityJSONFeature; each line of a sequence is one of them as
 * JSON. Boundary surfaces become the semantics of surfaces. Left out are geometry inside attribute objects, terrain
 * intersections, LOD 4 beside LOD 3, and lines and points where CityJSON does not allow them; solids become surfaces
 * there. Types that CityJSON does not know are `GenericCityObject`; the attribute `_type` has the name in the data.
 *
 * @param feature read with its geometry, `geometries` from the same tree
 * @param id for a feature without `gml:id`
 */
export function toCityJsonFeature(
  feature: XmlElement,
  geometries: LodGeometry[],
  labels: CodeLabels | null,
  transform: CityJsonTransform,
  id = 'feature',
): CityJsonFeature {
  // Without a prototype: __proto__ is a valid gml:id.
  const objects: Record<string, CityObject> = Object.create(null);
  const places = new Map<XmlElement, Place>();
  const vertices = new VertexList(transform);
  const key = addObject(feature, null, gmlIdOf(feature) ?? id);

  const body = withoutLod4(
    geometries.filter((geometry) => geometry.role === 'body'),
    (owner) => places.get(owner)?.object,
  );
  const semantics = new Map<XmlElement, Semantic>();
  for (const geometry of body) {
    const semantic = places.get(geometry.owner)?.semantic;
    if (semantic) for (const surface of surfacesOf(geometry)) semantics.set(surface.element, semantic);
  }
  // Surfaces that a solid or multi-surface of the object itself consists of are not written a second time.
  const written = new Map<CityObject, Set<XmlElement>>();
  for (const geometry of body) {
    const place = places.get(geometry.owner);
    if (place === undefined || place.semantic !== null) continue;
    const { object } = place;
    object.geometry.push(...convert(object.type, geometry, semantics, vertices));
    const elements = written.get(object) ?? new Set();
    written.set(object, elements);
    for (const surface of surfacesOf(geometry)) elements.add(surface.element);
  }
  for (const [object, byLod] of boundingSurfaces()) {
    for (const [lod, surfaces] of byLod) {
      const left = surfaces.filter((surface) => !written.get(object)?.has(surface.element));
      object.geometry.push(...multiSurface(object.type, lod, left, semantics, vertices));
    }
  }
  return { type: 'CityJSONFeature', id: key, CityObjects: objects, vertices: vertices.list };

  function boundingSurfaces(): Map<CityObject, Map<number | null, Surface[]>> {
    const groups = new Map<CityObject, Map<number | null, Surface[]>>();
    for (const geometry of body) {
      const place = places.get(geometry.owner);
      if (place === undefined || place.semantic === null) continue;
      const byLod = groups.get(place.object) ?? new Map<number | null, Surface[]>();
      groups.set(place.object, byLod);
      const surfaces = byLod.get(geometry.lod) ?? [];
      byLod.set(geometry.lod, surfaces);
      for (const surface of surfacesOf(geometry)) surfaces.push(surface);
    }
    return groups;
  }

  function addObject(element: XmlElement, parent: string | null, preferredId: string): string {
    let name = preferredId;
    for (let n = 2; Object.hasOwn(objects, name); n++) name = `${preferredId}-${n}`;
    const { 'gml:id': _, ...attributes } = attributesOf(element, { labels, extent: null });
    const object: CityObject = {
      type: cityJsonType(element.name, parent !== null),
      attributes,
      geometry: [],
    };
    objects[name] = object;
    if (parent !== null) {
      object.parents = [parent];
      objects[parent]!.children ??= [];
      objects[parent]!.children.push(name);
    }
    places.set(element, { object, semantic: null });
    addInner(element, object, name);
    return name;
  }

  function addInner(element: XmlElement, object: CityObject, name: string): void {
    for (const property of element.children) {
      const childProperty = propertyOf(element.name, property.name).kind === 'child';
      for (const child of property.children) {
        // The triangles of a relief are a property that the schema counts among features.
        if (child.name.startsWith('gml:') || !(childProperty || isFeatureElement(child.name))) continue;
        const type = semanticType(child.name);
        if (type !== null || isPartOfObject(child.name)) {
          places.set(child, { object, semantic: type === null ? null : { type } });
          addInner(child, object, name);
        } else {
          addObject(child, name, gmlIdOf(child) ?? `${name}-${localName(child.name)}`);
        }
      }
    }
  }
}

/**
 * CityJSON has the levels 0 to 3 (section 3.1): geometry of LOD 4 is left out of an object that has LOD 3, and is LOD 3
 * of one that has none.
 */
function withoutLod4(
  geometries: LodGeometry[],
  objectOf: (owner: XmlElement) => CityObject | undefined,
): LodGeometry[] {
  const withLod3 = new Set(geometries.filter(({ lod }) => lod === 3).map(({ owner }) => objectOf(owner)));
  return geometries.flatMap((geometry) => {
    if (geometry.lod !== 4) return [geometry];
    return withLod3.has(objectOf(geometry.owner)) ? [] : [{ ...geometry, lod: 3 }];
  });
}

function convert(
  type: string,
  geometry: LodGeometry,
  semantics: Map<XmlElement, Semantic>,
  vertices: VertexList,
): CityJsonGeometry[] {
  const kinds = geometryKinds(type);
  const result: CityJsonGeometry[] = [];
  const lod = lodText(geometry.lod);
  const surfaces = [...geometry.surfaces];
  const solids: Array<{ boundaries: number[][][][]; values: Array<Array<Semantic | null>> }> = [];
  for (const solid of geometry.solids) {
    if (!kinds.solids) {
      for (const surface of solid.flat()) surfaces.push(surface);
      continue;
    }
    const shells = solid
      .map((shell) => boundariesOf(shell, semantics, vertices))
      .filter((s) => s.boundaries.length > 0);
    if (shells.length === 0) continue;
    solids.push({ boundaries: shells.map((s) => s.boundaries), values: shells.map((s) => s.values) });
  }
  if (type === 'PlantCover' && solids.length > 0) {
    // The one type that has its solids only together.
    result.push({ type: 'MultiSolid', lod, boundaries: solids.map((solid) => solid.boundaries) });
  } else {
    for (const { boundaries, values } of solids) {
      result.push({ type: 'Solid', lod, boundaries, ...semanticsOf(values) });
    }
  }
  result.push(...multiSurface(type, geometry.lod, surfaces, semantics, vertices));
  if (kinds.lines) {
    const boundaries = geometry.lines.map((line) => vertices.line(line)).filter((line) => line.length >= 2);
    if (boundaries.length > 0) result.push({ type: 'MultiLineString', lod, boundaries });
  }
  if (kinds.points && geometry.points.length > 0) {
    result.push({
      type: 'MultiPoint',
      lod,
      boundaries: geometry.points.flatMap((point) => vertices.line(point)),
    });
  }
  return result;
}

/** None where no surface has three places. */
function multiSurface(
  type: string,
  lod: number | null,
  surfaces: Surface[],
  semantics: Map<XmlElement, Semantic>,
  vertices: VertexList,
): CityJsonGeometry[] {
  const { boundaries, values } = boundariesOf(surfaces, semantics, vertices);
  if (boundaries.length === 0) return [];
  const { semantics: found } = semanticsOf([values]);
  return [
    {
      type: type === 'TINRelief' ? 'CompositeSurface' : 'MultiSurface',
      lod: lodText(lod),
      boundaries,
      ...(found === undefined ? {} : { semantics: { ...found, values: found.values[0] } }),
    },
  ];
}

function boundariesOf(
  surfaces: Surface[],
  semantics: Map<XmlElement, Semantic>,
  vertices: VertexList,
): { boundaries: number[][][]; values: Array<Semantic | null> } {
  const boundaries: number[][][] = [];
  const values: Array<Semantic | null> = [];
  for (const surface of surfaces) {
    const [exterior, ...holes] = surface.rings.map((ring) => vertices.ring(ring));
    if (exterior === undefined || exterior.length < 3) continue;
    boundaries.push([exterior, ...holes.filter((hole) => hole.length >= 3)]);
    values.push(semantics.get(surface.element) ?? null);
  }
  return { boundaries, values };
}

/** `semantics` when any surface has a meaning, with a list of values for each shell. */
function semanticsOf(shells: Array<Array<Semantic | null>>): {
  semantics?: { surfaces: Semantic[]; values: Array<Array<number | null>> };
} {
  const numbers = new Map<Semantic, number>();
  const values = shells.map((shell) =>
    shell.map((semantic) => {
      if (semantic === null) return null;
      const number = numbers.get(semantic) ?? numbers.size;
      numbers.set(semantic, number);
      return number;
    }),
  );
  return numbers.size === 0 ? {} : { semantics: { surfaces: [...numbers.keys()], values } };
}

/** CityJSON has no generalised levels and wants one stated. */
function lodText(lod: number | null): string {
  return String(Math.max(lod ?? 0, 0));
}

/** Vertices as integers, each place once. */
class VertexList {
  readonly list: Array<[number, number, number]> = [];
  readonly #transform: CityJsonTransform;
  readonly #numbers = new Map<string, number>();

  constructor(transform: CityJsonTransform) {
    this.#transform = transform;
  }

  /** Vertex numbers of a line, without immediate repetitions. */
  line(positions: Positions): number[] {
    const { scale, translate } = this.#transform;
    const numbers: number[] = [];
    for (let i = 0; i < positions.length; i += 3) {
      const x = Math.round((positions[i]! - translate[0]) / scale[0]);
      const y = Math.round((positions[i + 1]! - translate[1]) / scale[1]);
      const z = Math.round((positions[i + 2]! - translate[2]) / scale[2]);
      const key = `${x},${y},${z}`;
      let number = this.#numbers.get(key);
      if (number === undefined) {
        number = this.list.length;
        this.list.push([x, y, z]);
        this.#numbers.set(key, number);
      }
      if (numbers.at(-1) !== number) numbers.push(number);
    }
    return numbers;
  }

  /** The same for an open ring, whose last vertex may have come to lie on its first. */
  ring(positions: Positions): number[] {
    const numbers = this.line(positions);
    while (numbers.length > 1 && numbers.at(-1) === numbers[0]) numbers.pop();
    return numbers;
  }
}
