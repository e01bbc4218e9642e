/** Buildings as bodies: footprints with a base, a top and a roof, and the closed faces that follow from them. */
import type { Point2, Point3 } from './place.ts';

/** Simple polygon without the closing point: `outer` runs counter-clockwise seen from above, `holes` clockwise. */
export interface Footprint {
  outer: Point2[];
  holes: Point2[][];
}

/**
 * Gables and hips stand on footprints of four corners whose first edge is along the ridge. Steps are flat roofs, each
 * within the one below it; `rings` are counter-clockwise. Altitudes in metres.
 */
export type Roof =
  | { kind: 'flat'; top: number }
  | { kind: 'gable' | 'hip'; eaves: number; ridge: number }
  | { kind: 'steps'; top: number; steps: ReadonlyArray<{ ring: Point2[]; top: number }> };

/** One body: a building, or a part of one. */
export interface Body {
  id: string;
  footprint: Footprint;
  /** Altitude of the underside, metres. */
  base: number;
  /** Altitude of the flat top that LOD1 has, metres: for a gable half-way up the roof. */
  lod1Top: number;
  roof: Roof;
  /**
   * Outer ring of a part that stands within the flat roof: at LOD2 the parts share the face below it (standard product
   * specification, L-bldg-02).
   */
  covered?: Point2[];
}

export type Material = 'house' | 'office' | 'tiles' | 'concrete';

export interface Face {
  kind: 'ground' | 'wall' | 'roof';
  /** Without the closing point, counter-clockwise seen from outside; holes clockwise. */
  rings: Point3[][];
}

export interface Building {
  /** `bldg_` and a UUID, the same in every year. */
  id: string;
  /** Number in `uro:buildingID`. */
  serial: number;
  name: string | null;
  /** Ward code, or the municipality's where it has no wards. */
  areaCode: string;
  cityCode: string;
  /** Third mesh of the footprint's middle. */
  mesh: string;
  town: string;
  /** One body, or the parts that the building consists of. */
  bodies: Body[];
  hasLod2: boolean;
  classCode: string;
  usageCode: string;
  structureCode: string;
  zoneCode: string;
  yearOfConstruction: number;
  /** Metres from the ground to the highest point; -9999 where there is nothing above ground. */
  measuredHeight: number;
  storeysAbove: number;
  storeysBelow: number;
  /** Depth of water in metres that the river may bring at its planned and largest scale; 0 for none. */
  floodDepths: [planned: number, largest: number];
  wallMaterial: Material;
  /** True for the one building that has every kind of generic attribute. */
  genericAttributes: boolean;
  /** File names of the pictures on walls and roofs, where they are not those of its material; null for none. */
  pictures?: { wall: string; roof: string } | null;
  /** A mast on the roof: position and altitudes of its foot and tip. */
  mast: { at: Point2; foot: number; tip: number } | null;
}

const raise = (ring: readonly Point2[], altitude: number): Point3[] =>
  ring.map(([east, north]) => [east, north, altitude]);

/** The block model of LOD1: underside, top and one wall to an edge; closed, facing outwards. */
export function lod1Faces(body: Body): Face[] {
  return prism(body, body.lod1Top);
}

/** LOD2: as LOD1 to the true height, or with a pitched or stepped roof. */
export function lod2Faces(body: Body): Face[] {
  if (body.roof.kind === 'flat') return prism(body, body.roof.top, body.covered);
  if (body.roof.kind === 'steps') return stepped(body, body.roof);
  if (body.roof.kind === 'hip') return hipped(body, body.roof);
  const { eaves, ridge } = body.roof;
  const [p0, p1, p2, p3] = body.footprint.outer as [Point2, Point2, Point2, Point2];
  const at = (p: Point2, altitude: number): Point3 => [p[0], p[1], altitude];
  const middle = (a: Point2, b: Point2): Point3 => [(a[0] + b[0]) / 2, (a[1] + b[1]) / 2, ridge];
  const [r0, r1] = [middle(p3, p0), middle(p1, p2)];
  const side = (a: Point2, b: Point2, apex: Point3 | null): Face => ({
    kind: 'wall',
    rings: [
      [at(a, body.base), at(b, body.base), at(b, eaves), ...(apex === null ? [] : [apex]), at(a, eaves)],
    ],
  });
  return [
    { kind: 'ground', rings: [raise(body.footprint.outer, body.base).reverse()] },
    { kind: 'roof', rings: [[at(p0, eaves), at(p1, eaves), r1, r0]] },
    { kind: 'roof', rings: [[at(p2, eaves), at(p3, eaves), r0, r1]] },
    side(p0, p1, null),
    side(p1, p2, r1),
    side(p2, p3, null),
    side(p3, p0, r0),
  ];
}

/** Flat roofs, each with a hole where the next one stands on it. */
function stepped(body: Body, { top, steps }: Extract<Roof, { kind: 'steps' }>): Face[] {
  const faces: Face[] = [];
  let [ring, bottom, height] = [body.footprint.outer, body.base, top];
  for (let i = 0; i <= steps.length; i++) {
    const upper = steps[i];
    const [ground, roof, ...walls] = prism({ footprint: { outer: ring, holes: [] }, base: bottom }, height);
    if (upper !== undefined) roof!.rings.push(raise(upper.ring, height).reverse());
    faces.push(...(i === 0 ? [ground!] : []), roof!, ...walls);
    if (upper !== undefined) [ring, bottom, height] = [upper.ring, height, upper.top];
  }
  return faces;
}

/** The ridge is as much shorter than the eaves as the roof is deep, so that all slopes are alike. */
function hipped({ footprint, base }: Body, { eaves, ridge }: { eaves: number; ridge: number }): Face[] {
  const [p0, p1, p2, p3] = footprint.outer as [Point2, Point2, Point2, Point2];
  const at = (p: Point2, altitude: number): Point3 => [p[0], p[1], altitude];
  const [length, depth] = [
    Math.hypot(p1[0] - p0[0], p1[1] - p0[1]),
    Math.hypot(p3[0] - p0[0], p3[1] - p0[1]),
  ];
  // On a square a ridge of nearly no length is left.
  const part = Math.min(0.45, depth / length / 2);
  const along = (t: number): Point3 => [
    (p0[0] + p3[0]) / 2 + ((p1[0] + p2[0] - p0[0] - p3[0]) / 2) * t,
    (p0[1] + p3[1]) / 2 + ((p1[1] + p2[1] - p0[1] - p3[1]) / 2) * t,
    ridge,
  ];
  const [r0, r1] = [along(part), along(1 - part)];
  const [e0, e1, e2, e3] = [p0, p1, p2, p3].map((p) => at(p, eaves)) as [Point3, Point3, Point3, Point3];
  const [ground, , ...walls] = prism({ footprint, base }, eaves);
  const slopes = [
    [e0, e1, r1, r0],
    [e1, e2, r1],
    [e2, e3, r0, r1],
    [e3, e0, r0],
  ];
  return [ground!, ...slopes.map((ring): Face => ({ kind: 'roof', rings: [ring] })), ...walls];
}

/** A mast as four walls and a cap; it stands on the roof, so it has no underside. */
export function mastFaces(mast: { at: Point2; foot: number; tip: number }): Face[] {
  const half = 0.6;
  const [e, n] = mast.at;
  const outer: Point2[] = [
    [e - half, n - half],
    [e + half, n - half],
    [e + half, n + half],
    [e - half, n + half],
  ];
  return prism({ footprint: { outer, holes: [] }, base: mast.foot }, mast.tip).slice(1);
}

/** Highest and lowest altitude of a body as LOD1 or LOD2 shows it. */
export function altitudeRange(body: Body, lod: 1 | 2): [low: number, high: number] {
  if (lod === 1) return [body.base, body.lod1Top];
  return [body.base, highestOf(body.roof)];
}

/** Altitude of the highest point of a roof. */
export function highestOf(roof: Roof): number {
  if (roof.kind === 'steps') return roof.steps.at(-1)?.top ?? roof.top;
  return roof.kind === 'flat' ? roof.top : roof.ridge;
}

/** The middle of the corners of a footprint. */
export function footprintCentre({ outer }: Footprint): Point2 {
  let [east, north] = [0, 0];
  for (const [e, n] of outer) {
    east += e / outer.length;
    north += n / outer.length;
  }
  return [east, north];
}

/** Square metres, holes taken off. */
export function footprintArea({ outer, holes }: Footprint): number {
  return [outer, ...holes].reduce((sum, ring) => sum + signedArea(ring), 0);
}

function signedArea(ring: readonly Point2[]): number {
  let twice = 0;
  for (let i = 0; i < ring.length; i++) {
    const [a, b] = [ring[i]!, ring[(i + 1) % ring.length]!];
    twice += a[0] * b[1] - b[0] * a[1];
  }
  return twice / 2;
}

/** `covered`: a ring within the top, whose inside is a face of its own. */
function prism(
  { footprint, base }: Pick<Body, 'footprint' | 'base'>,
  top: number,
  covered: Point2[] | null = null,
): Face[] {
  const rings = [footprint.outer, ...footprint.holes];
  const inTop = covered === null ? rings : [...rings, covered.toReversed()];
  const faces: Face[] = [
    { kind: 'ground', rings: rings.map((ring) => raise(ring, base).reverse()) },
    { kind: 'roof', rings: inTop.map((ring) => raise(ring, top)) },
  ];
  if (covered !== null) faces.push({ kind: 'roof', rings: [raise(covered, top)] });
  for (const ring of rings) {
    for (let i = 0; i < ring.length; i++) {
      const [a, b] = [ring[i]!, ring[(i + 1) % ring.length]!];
      faces.push({
        kind: 'wall',
        rings: [
          [[...a, base] as Point3, [...b, base] as Point3, [...b, top] as Point3, [...a, top] as Point3],
        ],
      });
    }
  }
  return faces;
}
