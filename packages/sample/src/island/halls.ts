/** Larger buildings of the island: flats, shops, offices with set-backs, towers, works, a school. */
import type { Building, Roof } from '../building.ts';
import type { Point2 } from '../place.ts';
import type { Random } from '../random.ts';
import type { Block } from './grid.ts';
import { around, asBuilding, baseAt, type Form, oblong, round, type Use } from './lot.ts';
import { FLAT_PICTURES, HALL_PICTURES, type PictureSet, pick } from './picture-names.ts';
import { mm, type PlanPoint } from './shape.ts';

export interface Size {
  width: number;
  depth: number;
  storeys: number;
  /** Metres from floor to floor. */
  storey: number;
}

const OFFICE: Use = { usage: '401', zone: '10', kind: 'hall', structure: '603' };

/** A block with a flat roof, a third of them in the form of an L. */
export function slab(
  random: Random,
  block: Block,
  middle: PlanPoint,
  size: Size,
  use: Use = OFFICE,
): Building {
  const [w, d] = [size.width / 2, size.depth / 2];
  const isAngled = random.int(0, 2) === 0 && size.width > 16;
  const [x, y] = [w * random.between(-0.2, 0.4), d * random.between(-0.3, 0.2)];
  const ring: Point2[] = isAngled
    ? [
        [-w, -d],
        [w, -d],
        [w, y],
        [x, y],
        [x, d],
        [-w, d],
      ]
    : [
        [-w, -d],
        [w, -d],
        [w, d],
        [-w, d],
      ];
  const base = baseAt(middle);
  const top = mm(base + size.storeys * size.storey + 1);
  const form: Form = {
    outer: around(middle, ring),
    base,
    lod1Top: mm(top - random.between(0, 0.5)),
    roof: { kind: 'flat', top },
    storeys: size.storeys,
  };
  const set = use.usage === '412' || use.usage === '414' ? FLAT_PICTURES : HALL_PICTURES;
  return dressed(asBuilding(random, block, middle, form, use), set, random);
}

/** An office that steps back as it rises: a base, a shaft, and what stands on top of it. */
export function stepped(
  random: Random,
  block: Block,
  middle: PlanPoint,
  size: Size,
  use: Use = OFFICE,
): Building {
  const base = baseAt(middle);
  const low = Math.max(2, Math.round(size.storeys * random.between(0.2, 0.35)));
  const upper = size.storeys - low;
  const [first, second] = [random.between(0.66, 0.8), random.between(0.3, 0.5)];
  const top = mm(base + low * size.storey + 0.5);
  // Drawn in every edition, whatever the height, so that what follows stays the same.
  const isRound = random.int(0, 1) === 0 && size.storeys > 20;
  const shaft = (part: number) =>
    isRound
      ? round(middle, (Math.min(size.width, size.depth) / 2) * part, 20)
      : oblong(middle, size.width * part, size.depth * part);
  const shaftTop = mm(top + upper * size.storey);
  const roof: Roof = {
    kind: 'steps',
    top,
    steps: [
      { ring: shaft(first), top: shaftTop },
      { ring: shaft(second), top: mm(shaftTop + random.between(3.5, 6)) },
    ],
  };
  const outer = oblong(middle, size.width, size.depth);
  const form: Form = { outer, base, lod1Top: shaftTop, roof, storeys: size.storeys };
  return dressed(asBuilding(random, block, middle, form, use), HALL_PICTURES, random);
}

/** A hall of one storey with a shallow roof, for works and stores. */
export function shed(
  random: Random,
  block: Block,
  middle: PlanPoint,
  width: number,
  depth: number,
): Building {
  const base = baseAt(middle);
  const eaves = mm(base + random.between(6, 10));
  const ridge = mm(eaves + depth * 0.09);
  const form: Form = {
    outer: oblong(middle, width, depth),
    base,
    lod1Top: mm((eaves + ridge) / 2),
    roof: { kind: 'gable', eaves, ridge },
    storeys: 1,
  };
  const usage = random.pick(['431', '441', '441']);
  const use: Use = { usage, zone: '11', kind: 'hall', structure: '604' };
  return dressed(asBuilding(random, block, middle, form, use), HALL_PICTURES, random);
}

function dressed(building: Building, set: PictureSet, random: Random): Building {
  const isFlat = building.bodies[0]!.roof.kind !== 'gable';
  return { ...building, pictures: pick(set, random, isFlat) };
}
