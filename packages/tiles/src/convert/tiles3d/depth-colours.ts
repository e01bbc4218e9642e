/** Colours of depths of water: those of the ministry's manual for maps of floods (MLIT, 水害ハザードマップ作成の手引き). */
import { linear, packColour } from './look.ts';

const OPACITY = 0.7;
/** Depth in metres from which on a colour holds; sRGB. */
const COLOURS: ReadonlyArray<readonly [from: number, rgb: readonly [number, number, number]]> = [
  [20, [220, 122, 220]],
  [10, [242, 133, 201]],
  [5, [255, 145, 145]],
  [3, [255, 183, 183]],
  [0.5, [255, 216, 192]],
  [0, [247, 245, 169]],
];

/** The colour of a rank by its words (`0.5m以上3m未満`, `20m以上`, `0.5m未満`): what its least depth has. */
export function depthColour(rank: string): number {
  const least = Number(/(?<![\d.])(\d{1,3}(?:\.\d{1,6})?)\s?m?以上/.exec(rank.normalize('NFKC'))?.[1] ?? 0);
  const [, rgb] = COLOURS.find(([from]) => least >= from)!;
  const [red, green, blue] = rgb.map((value) => linear(value / 255)) as [number, number, number];
  return packColour(red, green, blue, OPACITY);
}
