/** Where to look at a large model first. */
import type { Bounds } from '@citymodel/geo';

interface Volume {
  region?: number[];
}
export interface TilesetNode {
  boundingVolume: Volume;
  children?: TilesetNode[];
  content?: { uri?: string };
}

/** Tiles of a tree that are looked at for where to look first. */
const MOST_NODES = 3_000;
/** Some 60 m, radians. */
const BLOCK = 1e-5;

export interface Focus {
  bounds: Bounds;
  /** The content of the tile, which may be a tileset of its own; null for a tile without content. */
  uri: string | null;
}

/**
 * The smallest tile without children: tiles hold about as much each, so that is where a model is densest. Null where no
 * tile has a region.
 */
export function focusOf(root: TilesetNode): Focus | null {
  let best: { region: number[]; node: TilesetNode } | null = null;
  const waiting = [root];
  for (let n = 0; n < MOST_NODES && waiting.length > 0; n++) {
    const node = waiting.shift()!;
    const { region } = node.boundingVolume;
    const isLeaf = node.children === undefined || node.children.length === 0;
    if (isLeaf && region !== undefined && (best === null || areaOf(region) < areaOf(best.region))) {
      best = { region, node };
    }
    waiting.push(...(node.children ?? []));
  }
  return best === null ? null : { bounds: boundsOfRegion(best.region), uri: best.node.content?.uri ?? null };
}

/** Of a region in square radians; a single building counts as a block, for it is dense nowhere. */
function areaOf([west, south, east, north]: readonly number[]): number {
  const width = (east! - west!) * Math.cos(south!);
  return Math.max(width, BLOCK) * Math.max(north! - south!, BLOCK);
}

/** Degrees of a region's radians. */
export function boundsOfRegion(region: readonly number[]): Bounds {
  const [west, south, east, north] = region.slice(0, 4).map((radians) => (radians * 180) / Math.PI) as [
    number,
    number,
    number,
    number,
  ];
  return { west, south, east, north };
}
