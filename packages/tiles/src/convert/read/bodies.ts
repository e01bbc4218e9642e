/** The shape of a feature at each level of detail, as arrays. */
import { type LodGeometry, localName, type Surface, surfacesOf, type XmlElement } from '@citymodel/citygml';
import { statedLevel, writtenLevel } from '../account/written-levels.ts';
import { keyOf } from './key.ts';

/** Polygons with holes: positions of rings one after the other, rings of polygons one after the other. */
export interface Body {
  /** Longitude, latitude in degrees, height in metres, of each position; rings are open. */
  positions: Float64Array;
  /** Number of positions up to the end of each ring. */
  ringEnds: Uint32Array;
  /** Number of rings up to the end of each polygon; its first ring is outside, the others are holes. */
  polygonEnds: Uint32Array;
  /** 1 for each polygon that is seen from both sides, else 0. */
  twoSided: Uint8Array;
  /** Keys of ring ids, 0 for none. */
  ringKeys: Float64Array;
  /** Positions that each ring has in the file. */
  ringWritten: Uint32Array;
  /** For each position its place among the written ones of its ring; null where those are the first ones. */
  written: Uint32Array | null;
  /**
   * Keys of the polygon, of the nearest thing around it with an id, and of the part of the feature that it belongs to.
   */
  surfaceKeys: Float64Array;
}

/** Keys of a polygon in `surfaceKeys`. */
const SURFACE_KEYS = 3;

/** The keys that appearances may name a polygon by. */
export function surfaceKeysOf({ surfaceKeys }: Body, polygon: number): Float64Array {
  return surfaceKeys.subarray(SURFACE_KEYS * polygon, SURFACE_KEYS * (polygon + 1));
}

/** A feature, or a part of one, with its bodies. */
export interface Bodies {
  /** By level of detail, 0 to 4; null where there is none, or it is not wanted. */
  lods: Array<Body | null>;
  /** True when some geometry has no heights and was left out. */
  flat: boolean;
}

/** A polygon of a body. */
interface Faced {
  surface: Surface;
  owner: XmlElement;
  /** True when no solid has it. */
  isTwoSided: boolean;
  /** True when it is referred to in both orientations: what lies on either side sees it. */
  isFacedBoth?: boolean;
}

/**
 * The polygons of geometries by level of detail from 1 to `highest`, each polygon element once: boundary surfaces and
 * solids share them. `outside` has the keys of what is around polygons that do not stand in the feature.
 */
export function bodiesOf(
  feature: XmlElement,
  geometries: readonly LodGeometry[],
  highest = 4,
  outside: AroundPolygons = new Map(),
): Bodies {
  const own = elementsAround(feature);
  const around: AroundPolygons = { get: (polygon) => own.get(polygon) ?? outside.get(polygon) };
  const lods: Array<Map<XmlElement, Faced>> = [];
  let flat = false;
  for (const geometry of geometries) {
    const surfaces = surfacesOf(geometry);
    if (geometry.role !== 'body' || geometry.lod === null) continue;
    if (geometry.lod < 1 || geometry.lod > highest) continue;
    if (surfaces.length === 0) continue;
    if (geometry.flat) {
      flat = true;
      continue;
    }
    const found = lods[geometry.lod] ?? new Map();
    lods[geometry.lod] = found;
    // A solid is seen from outside; of what belongs to none nobody knows where that is.
    const ofSolids = new Set(geometry.solids.flat(2));
    for (const surface of surfaces) {
      const known = found.get(surface.element);
      const isTwoSided = known?.isTwoSided !== false && !ofSolids.has(surface);
      const isTurned = known !== undefined && known.surface.isTurned !== surface.isTurned;
      const isFacedBoth = isTurned || known?.isFacedBoth === true;
      // A boundary surface says more of a polygon than the solid that refers to it.
      if (known === undefined || known.owner === feature)
        found.set(surface.element, { surface, owner: geometry.owner, isTwoSided, isFacedBoth });
      else Object.assign(known, { isTwoSided, isFacedBoth });
    }
  }
  return {
    lods: Array.from({ length: 5 }, (_, lod) => {
      const found = lods[lod];
      return found === undefined ? null : bodyOf([...found.values()], around);
    }),
    flat,
  };
}

/**
 * Polygons of a feature that none of its geometries has, with the level of detail that their property or their relief
 * states: they have too few positions, or coordinates that are none.
 */
export function unreadPolygons(
  feature: XmlElement,
  geometries: readonly LodGeometry[],
): Array<{ polygon: XmlElement; level: number | null }> {
  const read = new Set<XmlElement>();
  for (const geometry of geometries) for (const { element } of surfacesOf(geometry)) read.add(element);
  const found: Array<{ polygon: XmlElement; level: number | null }> = [];
  const visit = (element: XmlElement, level: number | null) => {
    for (const child of element.children) {
      if (POLYGONS.has(child.name)) {
        if (!read.has(child)) found.push({ polygon: child, level });
      } else if (child.children.length > 0 && !isPassedOver(child)) {
        visit(child, levelWithin(child, level));
      }
    }
  };
  visit(feature, statedLevel(feature));
  return found;
}

function levelWithin(element: XmlElement, outer: number | null): number | null {
  if (element.name.startsWith('gml:')) return outer;
  if (element.name.startsWith('dem:')) return statedLevel(element) ?? outer;
  return writtenLevel(localName(element.name));
}

/** A body of surfaces that are not read from a feature: pieces of one that is too large for a tree. */
export function bodyOfSurfaces(surfaces: readonly Surface[]): Body {
  return bodyOf(
    surfaces.map((surface) => ({ surface, owner: surface.element, isTwoSided: true })),
    new Map(),
  );
}

/**
 * A body of polygons that are made, not read: without ids, and with the arrays of a `Body`; all are seen from both
 * sides, or none.
 */
export function bodyOfPolygons(
  positions: Float64Array,
  ringEnds: Uint32Array,
  polygonEnds: Uint32Array,
  isTwoSided: boolean,
): Body {
  return {
    positions,
    ringEnds,
    polygonEnds,
    twoSided: new Uint8Array(polygonEnds.length).fill(isTwoSided ? 1 : 0),
    ringKeys: new Float64Array(ringEnds.length),
    ringWritten: new Uint32Array(ringEnds.length),
    written: null,
    surfaceKeys: new Float64Array(SURFACE_KEYS * polygonEnds.length),
  };
}

/** The template of an implicit geometry is in a system of its own. */
function isPassedOver({ name }: XmlElement): boolean {
  return name === 'core:ImplicitGeometry' || name.startsWith('app:');
}

function bodyOf(surfaces: readonly Faced[], around: AroundPolygons): Body {
  let [rings, positions] = [0, 0];
  for (const { surface } of surfaces) {
    rings += surface.rings.length;
    for (const ring of surface.rings) positions += ring.length;
  }
  const body: Body = {
    positions: new Float64Array(positions),
    ringEnds: new Uint32Array(rings),
    polygonEnds: new Uint32Array(surfaces.length),
    twoSided: new Uint8Array(surfaces.length),
    ringKeys: new Float64Array(rings),
    ringWritten: new Uint32Array(rings),
    written: null,
    surfaceKeys: new Float64Array(SURFACE_KEYS * surfaces.length),
  };
  let [ringAt, at] = [0, 0];
  // Polygons of one part come together.
  let part: { owner: XmlElement; key: number } | undefined;
  for (const [p, { surface, owner, isTwoSided, isFacedBoth }] of surfaces.entries()) {
    for (const [r, ring] of surface.rings.entries()) {
      const { id, positions: count, kept } = surface.written[r]!;
      if (kept !== null) {
        body.written ??= usual(body, ringAt, positions / 3);
        body.written.set(kept, at / 3);
      } else if (body.written !== null) {
        for (let i = 0; i < ring.length / 3; i++) body.written[at / 3 + i] = i;
      }
      body.positions.set(ring, at);
      at += ring.length;
      body.ringKeys[ringAt] = id === null ? 0 : keyOf(id);
      body.ringWritten[ringAt] = count;
      body.ringEnds[ringAt++] = at / 3;
    }
    body.polygonEnds[p] = ringAt;
    body.twoSided[p] = isTwoSided || isFacedBoth ? 1 : 0;
    if (part === undefined || part.owner !== owner) part = { owner, key: idKey(owner) };
    body.surfaceKeys[SURFACE_KEYS * p] = idKey(surface.element);
    body.surfaceKeys[SURFACE_KEYS * p + 1] = around.get(surface.element) ?? 0;
    body.surfaceKeys[SURFACE_KEYS * p + 2] = part.key;
  }
  return body;
}

/** Places of positions for the rings before `ring`, which are all as written. */
function usual(body: Body, ring: number, positions: number): Uint32Array {
  const places = new Uint32Array(positions);
  for (let r = 0, start = 0; r < ring; start = body.ringEnds[r++]!) {
    for (let i = start; i < body.ringEnds[r]!; i++) places[i] = i - start;
  }
  return places;
}

function idKey(element: XmlElement): number {
  const id = element.attributes['gml:id'];
  return id === undefined ? 0 : keyOf(id);
}

/** Names of elements that are polygons. */
export const POLYGONS = new Set(['gml:Polygon', 'gml:Triangle', 'gml:Rectangle', 'gml:PolygonPatch']);

/** Keys of the nearest geometry around a polygon that has an id, 0 for none. */
export type AroundPolygons = Pick<ReadonlyMap<XmlElement, number>, 'get'>;

/**
 * Every polygon of the feature, or of a geometry, with the key of the nearest geometry around it that has an id, 0 for
 * none.
 */
export function elementsAround(feature: XmlElement): Map<XmlElement, number> {
  const found = new Map<XmlElement, number>();
  const visit = (element: XmlElement, around: number) => {
    for (const child of element.children) {
      if (POLYGONS.has(child.name)) {
        if (around !== 0) found.set(child, around);
        continue;
      }
      if (child.children.length === 0 || isPassedOver(child)) continue;
      const id = child.attributes['gml:id'];
      visit(child, id !== undefined && child.name.startsWith('gml:') ? keyOf(id) : around);
    }
  };
  visit(feature, feature.name.startsWith('gml:') ? idKey(feature) : 0);
  return found;
}
