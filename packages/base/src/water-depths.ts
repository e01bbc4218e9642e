/** Classes of depths of water with the colours of the ministry's manual for maps of floods (水害ハザードマップ作成の手引き). */

/** Depth in metres from which on a class holds, and its colour in sRGB, 0 to 255; the deepest first. */
export const WATER_DEPTHS: ReadonlyArray<
  readonly [from: number, rgb: readonly [red: number, green: number, blue: number]]
> = [
  [20, [220, 122, 220]],
  [10, [242, 133, 201]],
  [5, [255, 145, 145]],
  [3, [255, 183, 183]],
  [0.5, [255, 216, 192]],
  [0, [247, 245, 169]],
];

/**
 * Number in `WATER_DEPTHS` of a rank by its words (`0.5m以上3m未満`, `20m以上`, `0.5m未満`): the class of its least depth.
 */
export function waterDepthOf(rank: string): number {
  const least = Number(/(?<![\d.])(\d{1,3}(?:\.\d{1,6})?)\s?m?以上/.exec(rank.normalize('NFKC'))?.[1] ?? 0);
  return WATER_DEPTHS.findIndex(([from]) => least >= from);
}
