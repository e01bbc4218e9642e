/** What the settings mean for packs in a store. */

import type { ObjectStore } from '@citymodel/store';
import type { Settings } from '../base/settings.ts';

/**
 * Whether zips are written out: `auto` does so where reading many ranges of archives costs more than writing them once.
 */
export function materialises(
  { PACK_MATERIALISE }: Pick<Settings, 'PACK_MATERIALISE'>,
  { traits }: Pick<ObjectStore, 'traits'>,
): boolean {
  return PACK_MATERIALISE === 'auto' ? traits.readCost === 'remote' : PACK_MATERIALISE === 'always';
}

/**
 * Bytes of all packs together. Zips that are written out need room for two of the largest, so that one can be made
 * while another is downloaded.
 */
export function quotaOf(
  settings: Pick<Settings, 'PACK_MATERIALISE' | 'PACK_MAX_BYTES' | 'PACK_QUOTA_BYTES'>,
  objects: Pick<ObjectStore, 'traits'>,
): number {
  const least = materialises(settings, objects) ? 2 * settings.PACK_MAX_BYTES : 0;
  return Math.max(settings.PACK_QUOTA_BYTES, least);
}
