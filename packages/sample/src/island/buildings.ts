/** All buildings of the island, and how its two editions differ. */
import type { Building } from '../building.ts';

import { Random } from '../random.ts';
import type { Block } from './grid.ts';
import { type Size, shed, slab, stepped } from './halls.ts';
import { home } from './homes.ts';
import { type Use, YEARS } from './lot.ts';
import { mastOn } from './mast.ts';
import type { PlanPoint } from './shape.ts';

export type Year = (typeof YEARS)[keyof typeof YEARS];

/** Lots across and deep, by zone. */
const LOTS: Partial<Record<Block['zone'], [across: number, deep: number]>> = {
  homes: [6, 2],
  flats: [3, 1],
  commercial: [4, 2],
  centre: [3, 1],
  works: [2, 1],
  school: [1, 1],
  yard: [2, 1],
};

/** The buildings of a block in one of the two years. */
export function buildingsOn(block: Block, seed: number, year: Year): Building[] {
  const [across, deep] = LOTS[block.zone] ?? [0, 0];
  const [width, depth] = [(block.x[1] - block.x[0]) / across, (block.y[1] - block.y[0]) / deep];
  const buildings: Building[] = [];
  for (let i = 0; i < across * deep; i++) {
    const middle: PlanPoint = [
      block.x[0] + ((i % across) + 0.5) * width,
      block.y[0] + (Math.floor(i / across) + 0.5) * depth,
    ];
    const key = `${seed}/island/${block.column}/${block.row}/${i}`;
    const one = onLot(block, key, middle, [width, depth], year);
    // A number for every lot, two of which a lot with a new building has.
    const lot = (block.row * 20 + block.column + 10) * 12 + i;
    if (one !== null)
      buildings.push({ ...one, serial: lot * 2 + (one.yearOfConstruction > YEARS.older ? 1 : 0) });
  }
  return buildings;
}

/** What became of a lot between the two years, by a draw of 0 to 99. */
function fateOf(draw: number): 'built' | 'gone' | 'replaced' | 'raised' | 'empty' | 'same' {
  if (draw < 5) return 'built';
  if (draw < 8) return 'gone';
  if (draw < 11) return 'replaced';
  if (draw < 16) return 'raised';
  return draw < 20 ? 'empty' : 'same';
}

function onLot(
  block: Block,
  key: string,
  middle: PlanPoint,
  lot: readonly [number, number],
  year: Year,
): Building | null {
  const fate = fateOf(new Random(`${key}/fate`).int(0, 99));
  const isOlder = year === YEARS.older;
  if (fate === 'empty' || fate === (isOlder ? 'built' : 'gone')) return null;
  const isNew = fate === 'built' || (fate === 'replaced' && !isOlder);
  const random = new Random(isNew ? `${key}/new` : key);
  // Houses are not raised.
  const fewer = fate === 'raised' && isOlder ? 0.6 : 1;
  const building = ofZone(block, random, middle, lot, fewer);
  if (isNew) building.yearOfConstruction = random.int(YEARS.older + 1, YEARS.newer - 1);
  return building;
}

function ofZone(
  block: Block,
  random: Random,
  middle: PlanPoint,
  lot: readonly [width: number, depth: number],
  fewer: number,
): Building {
  const size = (margin: number, low: number, high: number, storey: number): Size => ({
    width: lot[0] - margin - random.between(0, 3),
    depth: lot[1] - margin - random.between(0, 4),
    storeys: Math.max(1, Math.round(random.int(low, high) * fewer)),
    storey,
  });
  const hall = (usages: string[], zone: string): Use => ({
    ...{ usage: random.pick(usages), zone, kind: 'hall' },
    structure: random.pick(['602', '603', '604']),
  });
  switch (block.zone) {
    case 'flats':
      return slab(
        random,
        block,
        middle,
        { ...size(6, 4, 10, 3), depth: 14 },
        hall(['412', '412', '414'], '5'),
      );
    case 'commercial':
      return slab(random, block, middle, size(2.5, 2, 8, 3.6), hall(['401', '402', '404', '414'], '9'));
    case 'centre':
      return centre(
        block,
        random,
        middle,
        size(4, 9, 26, 3.8),
        hall(['401', '401', '402', '403', '421'], '10'),
      );
    case 'works':
    case 'yard':
      return shed(random, block, middle, lot[0] - random.between(6, 12), lot[1] - random.between(8, 14));
    case 'school':
      return slab(random, block, middle, { ...size(10, 3, 4, 3.8), depth: 16 }, hall(['422'], '5'));
    default:
      return home(random, block, middle, lot);
  }
}

function centre(block: Block, random: Random, middle: PlanPoint, size: Size, use: Use): Building {
  // The tower stands beside the bridge, in the row of the avenue.
  const isTower = block.column === -2 && block.row === 10 && middle[0] > (block.x[0] + block.x[1]) / 2 + 5;
  if (isTower) {
    const tower = stepped(random, block, middle, { ...size, storeys: 42 }, use);
    return { ...tower, name: '澪島みなとタワー', mast: mastOn(tower) };
  }
  return random.int(0, 3) === 0
    ? slab(random, block, middle, size, use)
    : stepped(random, block, middle, size, use);
}
