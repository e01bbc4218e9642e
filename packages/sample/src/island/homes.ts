/** Houses of the island: gabled, hipped and flat, one on a lot. */
import type { Building, Roof } from '../building.ts';
import type { Random } from '../random.ts';
import type { Block } from './grid.ts';
import { asBuilding, baseAt, oblong } from './lot.ts';
import { HOUSE_PICTURES, pick } from './picture-names.ts';
import { mm, type PlanPoint } from './shape.ts';

/** A detached house on a lot around `middle`, whose width and depth are metres. */
export function home(
  random: Random,
  block: Block,
  middle: PlanPoint,
  lot: readonly [width: number, depth: number],
): Building {
  const [width, depth] = [random.between(7.5, lot[0] - 2.8), random.between(8, Math.min(12, lot[1] - 5))];
  const outer = oblong(middle, width, depth, random.between(-0.05, 0.05));
  const base = baseAt(middle);
  const storeys = random.pick([1, 2, 2, 2, 2, 3]);
  const eaves = mm(base + 0.5 + storeys * random.between(2.7, 3));
  const rise = Math.min(width, depth) * random.between(0.22, 0.34);
  const draw = random.int(0, 99);
  const roof: Roof =
    draw < 12
      ? { kind: 'flat', top: mm(eaves + 0.4) }
      : { kind: draw < 58 ? 'gable' : 'hip', eaves, ridge: mm(eaves + rise) };
  // A ridge runs along the longer side.
  if (depth > width) outer.push(outer.shift()!);
  const top = roof.kind === 'flat' ? roof.top : mm(eaves + rise / 2);
  const form = { outer, base, lod1Top: top, roof, storeys };
  const usage = random.pick(['411', '411', '411', '411', '411', '413']);
  const building = asBuilding(random, block, middle, form, {
    usage,
    zone: '5',
    kind: 'home',
    structure: '601',
  });
  return { ...building, pictures: pick(HOUSE_PICTURES, random, roof.kind === 'flat') };
}
