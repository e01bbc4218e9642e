/** Into which of five classes a municipality or mesh falls, for the colours of the map and its legend. */
import type { Colouring, Shown } from '../core/state.ts';

export interface Content {
  /** Highest LOD; null where nothing tells. */
  maxLod: number | null;
  types: number;
  year: number;
}

/** 0 (little) to 4 (much). `newest` is the newest year of the catalogue. */
export function classOf(content: Content, by: Colouring, newest: number): number {
  switch (by) {
    case 'lod':
      return Math.max(0, Math.min(4, content.maxLod ?? 0));
    case 'types':
      return [2, 4, 7, 11].filter((bound) => content.types >= bound).length;
    case 'year':
      return Math.max(0, 4 - (newest - content.year));
  }
}

const LODS = ['lod0', 'lod1', 'lod2', 'lod3', 'lod4'] as const;

/** What LODs 0 to 4 are called: by what buildings have at them, except where other types are shown alone. */
export function lodNames(shown: Shown | null, t: (key: (typeof LODS)[number]) => string): string[] {
  return LODS.map((key, lod) => (shown === 'road' || shown === 'flood' ? `LOD ${lod}` : t(key)));
}

/** What each class means, from little to much. `older` comes after the oldest year. */
export function classNames(
  by: Colouring,
  newest: number,
  words: { lods: readonly string[]; older: string; ja: boolean },
): string[] {
  switch (by) {
    case 'lod':
      return [...words.lods];
    case 'types':
      return ['1', '2–3', '4–6', '7–10', '11 +'];
    case 'year': {
      const oldest = words.ja ? `${newest - 4}${words.older}` : `${newest - 4} ${words.older}`;
      return [oldest, ...[3, 2, 1, 0].map((back) => String(newest - back))];
    }
  }
}

/**
 * Whether the legend shows a class: of LODs those that municipalities have, and beside meshes the lower ones too, which
 * parts of a municipality may have.
 *
 * @param counts municipalities of each class
 */
export function isInLegend(
  index: number,
  counts: readonly number[],
  by: Colouring,
  areCircles: boolean,
): boolean {
  if (by !== 'lod' || counts[index] !== 0) return true;
  return !areCircles && index > 0 && counts.slice(index).some((count) => count > 0);
}
