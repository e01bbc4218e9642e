/** The underground passage from the square to the far side of the avenue, as a building below the ground. */
import type { Building } from '../building.ts';
import { Random } from '../random.ts';
import { type Block, BRIDGE_STREETS } from './grid.ts';
import { around, asBuilding, baseAt } from './lot.ts';
import { mm } from './shape.ts';

/** Metres: the passage's width, and how deep its floor and its ceiling lie. */
const [WIDE, FLOOR, CEILING] = [9, 7.5, 3];

export function passageBelow(square: Block, seed: number): Building {
  const random = new Random(`${seed}/island/ubld`);
  const [[south, north]] = BRIDGE_STREETS;
  const x = square.x[0] + 14;
  const [length, way] = [square.x[1] - x - 8, square.y[0] + 18 - (south - 8)];
  const corner = [x, (south + north) / 2] as const;
  const down = corner[1] - (south - 8);
  // An L: under the avenue, then along below the square.
  const outer = around(corner, [
    [0, -down],
    [WIDE, -down],
    [WIDE, way - down - WIDE],
    [length, way - down - WIDE],
    [length, way - down],
    [0, way - down],
  ]);
  const ground = baseAt(corner);
  const [base, top] = [mm(ground - FLOOR), mm(ground - CEILING)];
  const form = { outer, base, lod1Top: top, roof: { kind: 'flat', top } as const, storeys: 0 };
  const use = { usage: '404', zone: '10', kind: 'hall', structure: '603' } as const;
  const passage = asBuilding(random, square, corner, form, use);
  return {
    ...passage,
    id: passage.id.replace('bldg_', 'ubld_'),
    bodies: passage.bodies.map((body) => ({ ...body, id: body.id.replace('bldg_', 'ubld_') })),
    name: '澪島地下通路',
    measuredHeight: -9999,
    storeysBelow: 1,
    floodDepths: [0, 0],
  };
}
