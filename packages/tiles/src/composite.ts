import { type BoundingVolume, type Region, regionRadius, unionRegions, volumeRegion } from '@citymodel/geo';
import type { Tile, Tileset } from './tileset.ts';

/** A tileset that a composite refers to. */
export interface CompositeChild {
  /** Absolute URL of its tileset.json. */
  uri: string;
  /** Its root's volume in the frame of the whole (transforms applied). */
  boundingVolume: BoundingVolume;
  /** The region around that volume where it is known already; else it is computed. */
  region?: Region | null;
  /** Metres, as the tileset says; null when it does not. */
  geometricError: number | null;
  /** asset.version; null when unknown. */
  version: string | null;
  /** What the tile carries along for clients, e.g. the id of the dataset. */
  extras?: Record<string, unknown>;
}

/**
 * A tileset's own error tells how coarse its coarsest tile is, not how large it is: a village of 2 km may say 50 m, and
 * a viewer that flies to it would stay too far away to load anything (at 60° and 1,000 pixels, with 16 pixels of error
 * allowed, an error of E metres is worth loading nearer than 90 E). Leaving out the whole tileset is an error of about
 * its size. A sixteenth of that makes it load when it fills a fifth of the screen.
 */
const SHARE_OF_SIZE = 1 / 16;
/** Metres. Lets towns load from 45 km; more would load a whole country's tilesets from a view of all of it. */
const MOST_FROM_SIZE = 512;

/**
 * One tileset that refers to others, as a flat list of children under a root that adds them up (3D Tiles 1.1,
 * sections 6.7.2.5 "Refinement" and 6.7.2.6 "External tilesets"; it uses nothing that 1.0 lacks).
 *
 * - `asset.version` is 1.1 when a child's is, else 1.0.
 * - Each child has its tileset's volume and geometric error; an error of 0 or unknown comes from its size.
 * - `heights`, where it is given, stands in `asset.extras`: which vertical systems the children have.
 * - The root's region is the union of the children's. Viewers decide by the root's error and the distance to each
 *   child whether to load it, because the root adds; so that error is the largest of the children's, and not less
 *   than their sizes ask for. What the external tileset does then is governed by its own errors.
 *
 * ```ts
 * const uri = 'https://example.org/a/tileset.json';
 * buildComposite([{ uri, boundingVolume: { region }, geometricError: 120, version: '1.0' }]);
 * ```
 */
export function buildComposite(children: CompositeChild[], heights?: string): Tileset {
  const [first, ...others] = children;
  if (first === undefined) return emptyComposite();
  const regions = children.map((child) => child.region ?? volumeRegion(child.boundingVolume));
  const sizes = regions.map((region) => Math.min(MOST_FROM_SIZE, regionRadius(region) * SHARE_OF_SIZE));
  const errors = children.map((child, i) => {
    const own = child.geometricError ?? 0;
    return Number.isFinite(own) && own > 0 ? own : sizes[i]!;
  });
  const geometricError = errors.reduce((largest, error, i) => Math.max(largest, error, sizes[i]!), 0);
  return {
    asset: {
      version: [first, ...others].some((child) => child.version === '1.1') ? '1.1' : '1.0',
      ...(heights === undefined ? {} : { extras: { heights } }),
    },
    geometricError,
    root: {
      boundingVolume: { region: regions.reduce(unionRegions) },
      geometricError,
      refine: 'ADD',
      children: children.map(
        (child, i): Tile => ({
          boundingVolume: child.boundingVolume,
          geometricError: errors[i]!,
          content: { uri: child.uri },
          ...(child.extras === undefined ? {} : { extras: child.extras }),
        }),
      ),
    },
  };
}

/**
 * The composite of nothing: a valid tileset (1.0) without content or children. Its region is a point, where the
 * equator meets the prime meridian, at height 0: an area of nothing that no client takes for data, and that cannot
 * be taken for an extent in Japan.
 */
export function emptyComposite(): Tileset {
  return {
    asset: { version: '1.0' },
    geometricError: 0,
    root: { boundingVolume: { region: [0, 0, 0, 0, 0, 0] }, geometricError: 0, refine: 'ADD' },
  };
}
