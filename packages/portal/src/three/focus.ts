/** Where to look at a large model first. */
import type { Bounds } from '@citymodel/geo';
import { unite } from '../core/area.ts';

interface Volume {
  region?: number[];
}
export interface TilesetNode {
  boundingVolume: Volume;
  children?: TilesetNode[];
  content?: { uri?: string };
}

/** Tiles of a tree that are looked at for where to look first. */
const MOST_NODES = 2_000;
/** How far neighbours count: some 500 m, radians. */
const NEIGHBOURHOOD = 8e-5;
/** Tiles so near to the densest are looked at with it, some 250 m, radians: a strip along its edge is no town. */
const BESIDE = 4e-5;
/** Some 60 m, radians. */
const BLOCK = 1e-5;

/** A part of a model to look at: degrees, and metres above the ellipsoid. */
export interface Part {
  bounds: Bounds;
  low: number;
  high: number;
}

export interface Focus extends Part {
  /** The content of the tile, which may be a tileset of its own; null for a tile without content. */
  uri: string | null;
}

/**
 * The tile without children around which a model is densest: tiles hold about as much each, so that small ones are
 * dense, and many of them beside each other are a town. Null where no tile has a region.
 */
export function focusOf(root: TilesetNode): Focus | null {
  const leaves: Leaf[] = [];
  let shrink: number | undefined;
  const waiting = [root];
  for (let n = 0; n < MOST_NODES && waiting.length > 0; n++) {
    const node = waiting.shift()!;
    const { region } = node.boundingVolume;
    const isLeaf = node.children === undefined || node.children.length === 0;
    if (isLeaf && region !== undefined) {
      const [west, south, east, north] = region as [number, number, number, number];
      // One for all: each by its own would move those in the north by as much as they are far.
      shrink ??= Math.cos(south);
      leaves.push({
        node,
        region,
        x: ((west + east) / 2) * shrink,
        y: (south + north) / 2,
        size: sizeOf(region),
      });
    }
    waiting.push(...(node.children ?? []));
  }
  let best: Leaf | null = null;
  let most = 0;
  for (const leaf of leaves) {
    let around = 0;
    for (const { x, y, size } of leaves) {
      const near = Math.hypot(x - leaf.x, y - leaf.y) / NEIGHBOURHOOD;
      if (near < 1) around += (1 - near) / size;
    }
    // The leaf's own density counts as well: of many neighbours the densest is the middle.
    const density = around + 1 / leaf.size;
    if (density > most) {
      most = density;
      best = leaf;
    }
  }
  if (best === null) return null;
  const { x, y, region, node } = best;
  const beside = leaves.filter((leaf) => {
    const [west, , east] = leaf.region as [number, number, number];
    return Math.hypot(leaf.x - x, leaf.y - y) < BESIDE && east - west < 2 * NEIGHBOURHOOD;
  });
  const bounds = beside.map((leaf) => boundsOfRegion(leaf.region)).reduce(unite, boundsOfRegion(region));
  return { bounds, low: region[4]!, high: region[5]!, uri: node.content?.uri ?? null };
}

interface Leaf {
  node: TilesetNode;
  region: readonly number[];
  /** Its middle, radians as long as those of latitude. */
  x: number;
  y: number;
  /** Area of its region, square radians. */
  size: number;
}

/** A single building counts as a block, for it is dense nowhere. */
function sizeOf([west, south, east, north]: readonly number[]): number {
  const width = (east! - west!) * Math.cos(south!);
  return Math.max(width, BLOCK) * Math.max(north! - south!, BLOCK);
}

/** Degrees of a region's radians. */
export function boundsOfRegion(region: readonly number[]): Bounds {
  const [west, south, east, north] = region.map((radians) => (radians * 180) / Math.PI) as [
    number,
    number,
    number,
    number,
  ];
  return { west, south, east, north };
}
