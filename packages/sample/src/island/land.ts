/** Land use, waters and terrain of the island, from its middle to the coast. */
import type { Point2, Point3 } from '../place.ts';
import { Random } from '../random.ts';
import { type Block, EDGE, QUAY, STREETS, stretches, type Zone } from './grid.ts';
import {
  altitude,
  at,
  coast,
  coastWhere,
  line,
  mm,
  type PlanPoint,
  plot,
  RIVER_HALF,
  riverHalf,
  SOURCE,
  shore,
} from './shape.ts';

export interface Parcel {
  id: string;
  /** Code of `Common_landUseType`. */
  code: string;
  ring: Point2[];
  squareMetres: number;
}

const USES: Record<Zone, string> = {
  centre: '212',
  commercial: '212',
  flats: '211',
  homes: '211',
  works: '213',
  yard: '213',
  school: '214',
  park: '217',
  square: '217',
  farm: '202',
};
/** Land uses outside of the town. */
const WILD = { wood: '203', field: '202', beach: '205', water: '204', road: '215', green: '217' } as const;

/** Directions of the plan: south, west (clockwise from it), north, east. */
const [SOUTH, NORTH] = [-Math.PI / 2, Math.PI / 2];
/** So far out from the middle the beach begins. */
const BEACH = 0.965;
/** Woods lie north of this line, fields south of it, metres of the plan. */
const WOODS_FROM = 120;

/** Blocks, streets, banks, woods, fields and beaches: no two of them overlap, and they fill the island. */
export function parcelsOf(blocks: readonly Block[], seed: number): Parcel[] {
  const random = new Random(`${seed}/island/luse`);
  const parcel = (code: string, ring: Point2[]): Parcel => ({
    id: `luse_${random.uuid()}`,
    code,
    ring,
    squareMetres: Math.round(areaOf(ring)),
  });
  const bank = QUAY[0];
  return [
    ...blocks.map(({ x, y, zone }) => parcel(USES[zone], plot(x[0], y[0], x[1], y[1]))),
    // What crosses the river lies on a bridge.
    ...roadRings().map((ring) => parcel(WILD.road, ring)),
    parcel(WILD.water, riverRing()),
    ...([-1, 1] as const).flatMap((side) => [
      parcel(
        WILD.green,
        side < 0
          ? plot(-bank, EDGE.south, -RIVER_HALF, EDGE.north)
          : plot(RIVER_HALF, EDGE.south, bank, EDGE.north),
      ),
      parcel(WILD.field, sideRing(side, true)),
      parcel(WILD.wood, sideRing(side, false)),
      parcel(WILD.beach, beachRing(side)),
    ]),
  ];
}

/** Streets along the river as a whole, and of those across it what lies between them. */
function roadRings(): Point2[][] {
  return STREETS.flatMap(({ isAlong, span: [from, to] }) =>
    isAlong
      ? [plot(from, EDGE.south, to, EDGE.north)]
      : stretches(false).map(([west, east]) => plot(west, from, east, to)),
  );
}

/** Where the coast meets the river's bank on a side, as a direction. */
function mouth(side: -1 | 1, part = 1): number {
  return coastWhere(0, side * RIVER_HALF, [SOUTH - 0.3, SOUTH + 0.3], part);
}

/** The river from its source to the coast, as a ring. */
export function riverRing(): Point2[] {
  const [west, east] = [coast(mouth(-1)), coast(mouth(1))];
  const banks = (side: -1 | 1): PlanPoint[] => [
    [side * RIVER_HALF, EDGE.south],
    [side * RIVER_HALF, EDGE.north],
    ...upper(side),
  ];
  return line(west, east, ...banks(1), SOURCE, ...banks(-1).reverse(), west);
}

/** The banks above the town, upstream. */
function upper(side: -1 | 1): PlanPoint[] {
  return [520, 580, 640].map((y) => [side * riverHalf(y), y]);
}

/** The side of the island around the town: its fields in the south, or its woods in the north. */
function sideRing(side: -1 | 1, isSouth: boolean): Point2[] {
  const border = coastWhere(1, WOODS_FROM, side < 0 ? [-Math.PI - 1, SOUTH - 0.6] : [SOUTH + 0.6, 1], BEACH);
  const corner: PlanPoint = coast(border, BEACH);
  const edge: PlanPoint = [side * EDGE.x, WOODS_FROM];
  const outer = isSouth
    ? shore(mouth(side, BEACH), border, BEACH)
    : shore(border, side < 0 ? NORTH - 2 * Math.PI : NORTH, BEACH);
  const inner = isSouth
    ? line(
        corner,
        edge,
        [side * EDGE.x, EDGE.south],
        [side * RIVER_HALF, EDGE.south],
        coast(mouth(side, BEACH), BEACH),
      )
    : line(
        coast(NORTH, BEACH),
        SOURCE,
        ...upper(side).reverse(),
        [side * RIVER_HALF, EDGE.north],
        [side * EDGE.x, EDGE.north],
        edge,
        corner,
      );
  const ring = [...outer, ...inner];
  return side < 0 ? ring.reverse() : ring;
}

function beachRing(side: -1 | 1): Point2[] {
  const north = side < 0 ? NORTH - 2 * Math.PI : NORTH;
  const inner = shore(north, mouth(side, BEACH), BEACH);
  const ring = [
    ...shore(mouth(side), north),
    ...line(coast(NORTH), coast(NORTH, BEACH)),
    ...inner,
    ...line(coast(mouth(side, BEACH), BEACH), coast(mouth(side))),
  ];
  return side < 0 ? ring.reverse() : ring;
}

/** The sea around the island: an outer ring, and the coast as the hole in it. */
export function seaRings(): [outer: Point2[], coast: Point2[]] {
  return [shore(-Math.PI, Math.PI, 1.45), shore(-Math.PI, Math.PI).reverse()];
}

/** Rings and directions of the terrain's triangles. */
const RINGS = 26;
const SPOKES = 72;

/** The terrain as triangles that end at the coast, altitudes in metres. */
export function terrainTriangles(): Point3[][] {
  const corner = (ring: number, spoke: number): Point3 => {
    // Closer together towards the shore, where the land falls.
    const part = 1 - (1 - ring / RINGS) ** 1.3;
    const point = coast(-Math.PI + (spoke / SPOKES) * 2 * Math.PI, part);
    return [...at(point), mm(altitude(point))] as const;
  };
  const triangles: Point3[][] = [];
  for (let ring = 0; ring < RINGS; ring++) {
    for (let spoke = 0; spoke < SPOKES; spoke++) {
      const next = (spoke + 1) % SPOKES;
      const [a, b] = [corner(ring, spoke), corner(ring, next)];
      const [c, d] = [corner(ring + 1, next), corner(ring + 1, spoke)];
      if (ring > 0) triangles.push([a, c, b]);
      triangles.push([a, d, c]);
    }
  }
  return triangles;
}

function areaOf(ring: readonly Point2[]): number {
  let twice = 0;
  for (let i = 0; i < ring.length; i++) {
    const [a, b] = [ring[i]!, ring[(i + 1) % ring.length]!];
    twice += a[0] * b[1] - b[0] * a[1];
  }
  return twice / 2;
}
