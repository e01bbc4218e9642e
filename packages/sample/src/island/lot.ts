/** What stands on a lot before it is a building of an edition: its outline, its form, and in which years it stood. */
import type { Building, Roof } from '../building.ts';
import { footprintArea, highestOf } from '../building.ts';
import { type Point2, thirdMesh } from '../place.ts';
import type { Random } from '../random.ts';
import { floodDepth } from './flood.ts';
import type { Block } from './grid.ts';
import { altitude, at, mm, type PlanPoint, TURN } from './shape.ts';

export const CITY = {
  code: '47970',
  name: '澪島市',
  romanName: 'mioshima-shi',
  prefecture: '沖縄県',
} as const;

/** Years of the two editions. */
export const YEARS = { older: 2019, newer: 2024 } as const;

export type Kind = 'home' | 'hall';

export interface Form {
  outer: Point2[];
  base: number;
  lod1Top: number;
  roof: Roof;
  storeys: number;
}

export interface Use {
  usage: string;
  zone: string;
  kind: Kind;
  structure: string;
}

/** Corners of a rectangle around a place of the plan, counter-clockwise; `skew` turns it by radians. */
export function oblong(middle: PlanPoint, width: number, depth: number, skew = 0): Point2[] {
  const [w, d] = [width / 2, depth / 2];
  return around(
    middle,
    [
      [-w, -d],
      [w, -d],
      [w, d],
      [-w, d],
    ],
    skew,
  );
}

/** A regular polygon around a place of the plan. */
export function round(middle: PlanPoint, radius: number, corners: number): Point2[] {
  const ring = Array.from({ length: corners }, (_, i): Point2 => {
    const angle = (i / corners) * 2 * Math.PI;
    return [radius * Math.cos(angle), radius * Math.sin(angle)];
  });
  return around(middle, ring);
}

/** A ring in metres around a place of the plan, in the direction of the streets across the river. */
export function around(middle: PlanPoint, ring: readonly Point2[], skew = 0): Point2[] {
  const [e, n] = at(middle);
  const [sin, cos] = [Math.sin(TURN + skew), Math.cos(TURN + skew)];
  return ring.map(([x, y]) => [e + x * cos - y * sin, n + x * sin + y * cos]);
}

/** Altitude of the ground below a form, metres: that of its middle, a little lower for the slope. */
export function baseAt(middle: PlanPoint): number {
  return mm(altitude(middle) - 0.2);
}

/** The middle of a ring's area: where most of an angled building lies. */
function centroid(ring: readonly Point2[]): Point2 {
  const [e0, n0] = ring[0]!;
  let [area, east, north] = [0, 0, 0];
  for (let i = 1; i + 1 < ring.length; i++) {
    const [[ax, ay], [bx, by]] = [ring[i]!, ring[i + 1]!];
    const twice = (ax - e0) * (by - n0) - (ay - n0) * (bx - e0);
    area += twice;
    east += (twice * (e0 + ax + bx)) / 3;
    north += (twice * (n0 + ay + by)) / 3;
  }
  return [east / area, north / area];
}

/** The building of a form, without its number; draws everything else from `random`, always in the same order. */
export function asBuilding(
  random: Random,
  block: Block,
  middle: PlanPoint,
  { outer, base, lod1Top, roof, storeys }: Form,
  { usage, zone, kind, structure }: Use,
): Building {
  const id = `bldg_${random.uuid()}`;
  const footprint = { outer, holes: [] };
  const isWooden = structure === '601';
  return {
    id,
    serial: 0,
    name: null,
    areaCode: CITY.code,
    cityCode: CITY.code,
    mesh: thirdMesh(...centroid(outer)),
    town: `${CITY.prefecture}${CITY.name}${block.quarter}`,
    bodies: [{ id, footprint, base, lod1Top, roof }],
    hasLod2: true,
    classCode: isWooden ? '3001' : '3002',
    usageCode: usage,
    structureCode: structure,
    zoneCode: zone,
    yearOfConstruction: random.int(1962, YEARS.older - 1),
    measuredHeight: mm(highestOf(roof) - base),
    storeysAbove: storeys,
    storeysBelow: !isWooden && footprintArea(footprint) > 500 ? random.int(0, 2) : 0,
    floodDepths: [mm(floodDepth('l1', middle)), mm(floodDepth('l2', middle))],
    wallMaterial: kind === 'home' ? 'house' : 'office',
    genericAttributes: false,
    mast: null,
    pictures: null,
  };
}
