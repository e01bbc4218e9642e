/** The two bridges of the island: a deck that rises a little, railings, and towers on one of them. */
import type { Face } from '../building.ts';
import { type Point2, type Point3, thirdMesh } from '../place.ts';
import { Random } from '../random.ts';
import { BRIDGE_STREETS, QUAY } from './grid.ts';
import { altitude, at, mm, type PlanPoint, RIVER_HALF } from './shape.ts';
import { prism } from './solids.ts';

export interface Bridge {
  id: string;
  name: string;
  mesh: string;
  year: number;
  /** Closed, walls and deck and underside. */
  lod1: Point3[][];
  lod2: Face[];
  /** Railings, piers and towers, one closed shape to an element. */
  elements: Array<{ id: string; faces: Point3[][] }>;
}

const NAMES = [
  { name: '瑠璃大橋', year: 1934 },
  { name: '水車橋', year: 1987 },
];
/** Metres: how thick the deck is, how much its middle rises, how high railings and towers are. */
const [THICK, RISE, RAILING, TOWER] = [1.1, 0.9, 1.1, 17];
/** Pieces along the deck. */
const PIECES = 8;
const HALF = QUAY[0];

export function bridgesOf(seed: number): Bridge[] {
  return BRIDGE_STREETS.map(([south, north], i) => {
    const random = new Random(`${seed}/island/brid/${i}`);
    const middle = (south + north) / 2;
    const ground = mm(altitude([HALF, middle]) + 0.15);
    const elements: Point3[][][] = [
      ...[south, north - 0.3].flatMap((y) => railing(y, ground)),
      ...[-1, 1].map((side) =>
        prism(strip(side * 7, middle, 2.4, north - south - 2), -2, mm(ground + RISE - THICK)),
      ),
      ...(i === 0 ? [-1, 1].flatMap((side) => towers(side * RIVER_HALF, [south, north], ground)) : []),
    ];
    return {
      id: `brid_${random.uuid()}`,
      ...NAMES[i]!,
      mesh: thirdMesh(...at([1, middle])),
      lod1: prism(box(-HALF, south, HALF, north), mm(ground - THICK), mm(ground + RISE)),
      lod2: deck(south, north, ground),
      elements: elements.map((faces) => ({ id: `cons_${random.uuid()}`, faces })),
    };
  });
}

function deck(south: number, north: number, ground: number): Face[] {
  const heights = Array.from({ length: PIECES + 1 }, (_, k): [x: number, z: number] => {
    const part = k / PIECES;
    return [-HALF + 2 * HALF * part, mm(ground + RISE * Math.sin(Math.PI * part))];
  });
  const on = (x: number, y: number, z: number): Point3 => [...at([x, y]), z] as const;
  const side = (y: number): Point3[] => [
    on(-HALF, y, mm(ground - THICK)),
    on(HALF, y, mm(ground - THICK)),
    ...heights.toReversed().map(([x, z]) => on(x, y, z)),
  ];
  const under: Point3[] = [
    on(-HALF, south, mm(ground - THICK)),
    on(-HALF, north, mm(ground - THICK)),
    on(HALF, north, mm(ground - THICK)),
    on(HALF, south, mm(ground - THICK)),
  ];
  const end = (x: number, isWest: boolean): Point3[] => {
    const ring = [
      on(x, south, mm(ground - THICK)),
      on(x, north, mm(ground - THICK)),
      on(x, north, ground),
      on(x, south, ground),
    ];
    return isWest ? ring.reverse() : ring;
  };
  const faces: Face[] = [
    { kind: 'ground', rings: [under] },
    { kind: 'wall', rings: [side(south)] },
    { kind: 'wall', rings: [side(north).reverse()] },
    { kind: 'wall', rings: [end(-HALF, true)] },
    { kind: 'wall', rings: [end(HALF, false)] },
  ];
  for (let k = 0; k < PIECES; k++) {
    const [[x0, z0], [x1, z1]] = [heights[k]!, heights[k + 1]!];
    const ring = [on(x0, south, z0), on(x1, south, z1), on(x1, north, z1), on(x0, north, z0)];
    faces.push({ kind: 'roof', rings: [ring] });
  }
  return faces;
}

function railing(y: number, ground: number): Point3[][][] {
  const pieces: Point3[][][] = [];
  for (let k = 0; k < PIECES; k++) {
    const [x0, x1] = [-HALF + (2 * HALF * k) / PIECES, -HALF + (2 * HALF * (k + 1)) / PIECES];
    const foot = mm(ground + RISE * Math.sin((Math.PI * (k + 0.5)) / PIECES) - 0.2);
    pieces.push(prism(box(x0, y, x1, y + 0.3), foot, mm(foot + RAILING)));
  }
  return pieces;
}

/** Two pillars at the sides of the road, and a beam between them. */
function towers(x: number, [south, north]: readonly [number, number], ground: number): Point3[][][] {
  const top = mm(ground + TOWER);
  const pillar = (y: number) => prism(box(x - 0.9, y, x + 0.9, y + 1.8), mm(ground - 2), top, 0.75);
  const beam = prism(box(x - 0.5, south, x + 0.5, north), mm(top - 4), mm(top - 2.6));
  return [pillar(south - 1.9), pillar(north + 0.1), beam];
}

function strip(x: number, y: number, width: number, depth: number): Point2[] {
  return box(x - width / 2, y - depth / 2, x + width / 2, y + depth / 2);
}

function box(west: number, south: number, east: number, north: number): Point2[] {
  return (
    [
      [west, south],
      [east, south],
      [east, north],
      [west, north],
    ] satisfies PlanPoint[]
  ).map(at);
}
