/** Trees of streets, parks, gardens and woods, and the lamps of streets. */
import { type Point2, thirdMesh } from '../place.ts';
import { Random } from '../random.ts';
import { type Block, BRIDGE_STREETS, QUAY, STREETS, stretches } from './grid.ts';
import { round } from './lot.ts';
import { altitude, at, inland, mm, type PlanPoint, RIVER_HALF, SOURCE, TOWN } from './shape.ts';

export interface Tree {
  id: string;
  mesh: string;
  at: PlanPoint;
  /** Altitude of its foot, metres. */
  foot: number;
  height: number;
  crown: number;
  /** Needles make a cone, leaves a ball. */
  isConifer: boolean;
  /** Corners of the crown, counter-clockwise. */
  ring: Point2[];
}

export interface Lamp {
  id: string;
  mesh: string;
  at: PlanPoint;
  foot: number;
  height: number;
}

/** Trees of the woods, and how far apart trees stand along streets, metres. */
const WOOD_TREES = 420;
const APART = 24;

/** All trees, always the same ones for the same seed. */
export function treesOf(blocks: readonly Block[], seed: number): Tree[] {
  const random = new Random(`${seed}/island/veg`);
  const trees: Tree[] = [];
  const plant = (place: PlanPoint, isConifer: boolean, low: number, high: number) => {
    const height = mm(random.between(low, high));
    const width = mm(height * (isConifer ? random.between(0.32, 0.42) : random.between(0.55, 0.75)));
    const foot = mm(altitude(place) - 0.1);
    const ring = round(place, width / 2, 6);
    const id = `veg_${random.uuid()}`;
    trees.push({ id, mesh: thirdMesh(...at(place)), at: place, foot, height, crown: width, isConifer, ring });
  };
  for (const [x, y] of rowsOfTrees()) plant([x, y], false, 5, 7.5);
  for (const block of blocks) {
    const count = { park: 16, square: 6, school: 8, farm: 3 }[block.zone as string] ?? 0;
    for (let i = 0; i < count; i++) {
      const isEdge = block.zone === 'school' || block.zone === 'square';
      const x = random.between(block.x[0] + 3, block.x[1] - 3);
      const y = isEdge
        ? block.y[i % 2]! + (i % 2 === 0 ? 3 : -3)
        : random.between(block.y[0] + 3, block.y[1] - 3);
      plant([x, y], random.int(0, 4) === 0, 5, 10);
    }
  }
  for (let i = 0; i < WOOD_TREES; i++) {
    const place: PlanPoint = [random.between(-900, 900), random.between(-640, 1000)];
    if (isWild(place)) plant(place, place[1] > 350 && random.int(0, 2) > 0, 7, 14);
  }
  return trees;
}

/** Outside of the town and the river, and above the beach. */
function isWild([x, y]: PlanPoint): boolean {
  const isTown = Math.abs(x) < TOWN.half + 4 && y > TOWN.south - 6 && y < TOWN.north + 6;
  const isRiver = Math.abs(x) < RIVER_HALF + 6 && y < SOURCE[1];
  return !isTown && !isRiver && inland([x, y]) > 0.06;
}

/** Along the avenue, and along the river between its banks and the quays. */
function rowsOfTrees(): PlanPoint[] {
  const [[south, north]] = BRIDGE_STREETS;
  const places: PlanPoint[] = [];
  for (const [from, to] of stretches(false)) {
    for (let x = from + 6; x < to - 4; x += APART) places.push([x, south + 1.6], [x, north - 1.6]);
  }
  for (const [from, to] of stretches(true)) {
    for (let y = from + 8; y < to - 4; y += APART) places.push([-20, y], [20, y]);
  }
  return places;
}

/** Lamps along the avenue, the second bridge's street and the quays. */
export function lampsOf(seed: number): Lamp[] {
  const random = new Random(`${seed}/island/frn`);
  const places: PlanPoint[] = [];
  for (const [south, north] of BRIDGE_STREETS) {
    for (const [from, to] of stretches(false)) {
      for (let x = from + 16; x < to; x += 32) places.push([x, south + 0.7], [x, north - 0.7]);
    }
  }
  for (const { isAlong, span } of STREETS) {
    if (!isAlong || Math.abs(span[0] + span[1]) / 2 > QUAY[1]) continue;
    for (const [from, to] of stretches(true)) {
      places.push([span[0] + 0.8, (from + to) / 2], [span[1] - 0.8, from + 4]);
    }
  }
  return places.map((place) => ({
    id: `frn_${random.uuid()}`,
    mesh: thirdMesh(...at(place)),
    at: place,
    foot: mm(altitude(place) - 0.1),
    height: mm(random.between(5.8, 6.2)),
  }));
}
