/** Which pictures go together on a building. */
import type { Random } from '../random.ts';

export interface PictureSet {
  walls: readonly string[];
  /** Pitched roofs. */
  slopes: readonly string[];
  flats: readonly string[];
}

export const HOUSE_PICTURES: PictureSet = {
  walls: ['wall_plaster.png', 'wall_siding.png', 'wall_cedar.png', 'wall_grey.png', 'wall_cream.png'],
  slopes: ['roof_slate.png', 'roof_brown.png', 'roof_terracotta.png'],
  flats: ['roof_concrete.png'],
};
export const HALL_PICTURES: PictureSet = {
  walls: ['wall_glass.png', 'wall_bands.png', 'wall_brick.png', 'wall_stone.png'],
  slopes: ['roof_metal.png'],
  flats: ['roof_concrete.png', 'roof_gravel.png'],
};
export const FLAT_PICTURES: PictureSet = {
  walls: ['wall_balconies.png', 'wall_tiles.png'],
  slopes: ['roof_slate.png'],
  flats: ['roof_concrete.png', 'roof_gravel.png'],
};

/** One picture for the walls and one for the roof. */
export function pick(set: PictureSet, random: Random, isFlat: boolean): { wall: string; roof: string } {
  return { wall: random.pick(set.walls), roof: random.pick(isFlat ? set.flats : set.slopes) };
}
