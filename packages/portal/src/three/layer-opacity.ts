/** How opaque layers are, as the address has it: `<layer>:<percent>` for each that is not wholly opaque. */

/** The layer that stands for the map on the ground; the others are called as their models. */
export const GROUND_LAYER = 'ground';

/** Share of the light that a layer takes: 1 for a layer that is not named, 0 for one that is hidden. */
export function opacityOf(opacity: readonly string[], layer: string): number {
  const entry = opacity.find((one) => nameOf(one) === layer);
  return entry === undefined ? 1 : Number(entry.slice(layer.length + 1)) / 100;
}

/** The list with another opacity of a layer, 0 to 1, in whole percents. */
export function withOpacity(opacity: readonly string[], layer: string, value: number): string[] {
  const others = opacity.filter((one) => nameOf(one) !== layer);
  const percent = Math.round(value * 100);
  return percent >= 100 ? others : [...others, `${layer}:${percent}`];
}

function nameOf(entry: string): string {
  return entry.slice(0, entry.lastIndexOf(':'));
}
