import { FILES_OF_OUTPUTS } from '@citymodel/base';
import type { PackageRow } from '@citymodel/store';

/** A year: as long as caches keep anything. */
const FOREVER = 'public, max-age=31536000, immutable';
/** A mirrored path may get other bytes, with another revision. */
const MIRRORED = 'public, max-age=60';
/** Endings of files that name no other file, or only what stands in themselves. */
const ALONE = new Set([
  ...FILES_OF_OUTPUTS.filter(([, { namesOthers }]) => !namesOthers).map(([ending]) => ending),
  ...'jpg jpeg png tif tiff webp ktx2 bin pdf csv txt'.split(' '),
]);

/**
 * For how long browsers and caches may keep a file of a package; `path` is null for its zips. A path with the id of the
 * content never gets other bytes. But a tileset that is kept asks for its tiles, which are there for RETIRED_GRACE_S
 * after the package was replaced: what may name others is kept for `maxAgeS` only.
 */
export function assetCaching(
  maxAgeS: number,
): (row: Pick<PackageRow, 'id' | 'assetPath'>, path: string | null) => string {
  const naming = `public, max-age=${maxAgeS}, immutable`;
  return ({ id, assetPath }, path) => {
    if (assetPath !== `${id.slice(0, 2)}/${id.slice(2)}`) return MIRRORED;
    if (path === null) return naming;
    return ALONE.has(path.slice(path.lastIndexOf('.') + 1).toLowerCase()) ? FOREVER : naming;
  };
}
