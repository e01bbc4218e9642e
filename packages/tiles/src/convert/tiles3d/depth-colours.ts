/** Colours of depths of water as tiles have them. */
import { WATER_DEPTHS, waterDepthOf } from '@citymodel/base';
import { linear, packColour } from './look.ts';

const OPACITY = 0.7;

/** The colour of a rank by its words (`0.5m以上3m未満`, `20m以上`, `0.5m未満`): what its least depth has. */
export function depthColour(rank: string): number {
  const [, rgb] = WATER_DEPTHS[waterDepthOf(rank)]!;
  const [red, green, blue] = rgb.map((value) => linear(value / 255)) as [number, number, number];
  return packColour(red, green, blue, OPACITY);
}
