/** Where tiles of a tileset lie, as far as its tree is known. */
import type { Bounds } from '@citymodel/geo';
import { type Cesium3DTile, Math as CesiumMath, type Rectangle } from 'cesium';
import type { GroundSample } from './ground-height.ts';

/** Tiles of a tree that are looked at. */
const MOST_TILES = 20_000;

interface Volume {
  rectangle?: Rectangle;
  minimumHeight?: number;
}

/** What CesiumJS knows of a tile besides what it describes. */
interface TreeTile {
  children: TreeTile[];
  contentBoundingVolume?: Volume;
  boundingVolume: Volume;
  hasEmptyContent: boolean;
  _contentHeader?: { uri?: string };
}

/**
 * The lowest points of all tiles without children. They are known before the tiles have come, so that it does not
 * depend on what is in view, or has been cut off.
 */
export function groundSamples(root: Cesium3DTile): GroundSample[] {
  const samples: GroundSample[] = [];
  const waiting = [root as unknown as TreeTile];
  for (let n = 0; n < MOST_TILES && waiting.length > 0; n++) {
    const tile = waiting.pop()!;
    waiting.push(...tile.children);
    if (tile.children.length > 0 || tile.hasEmptyContent) continue;
    // A tileset within the tileset says nothing until it has come.
    if (/\.json(?:$|\?)/.test(tile._contentHeader?.uri ?? '')) continue;
    const bounds = boundsOf(tile);
    const low = volumeOf(tile)?.minimumHeight;
    if (bounds === null || low === undefined) continue;
    const [lng, lat] = middleOf(bounds);
    samples.push({ lng, lat, low });
  }
  return samples;
}

/** The region of a tile's content, else of the tile; other volumes have no rectangle. */
function volumeOf({ contentBoundingVolume, boundingVolume }: TreeTile): Volume | null {
  if (contentBoundingVolume?.rectangle !== undefined) return contentBoundingVolume;
  return boundingVolume.rectangle === undefined ? null : boundingVolume;
}

/** Degrees; null for a tile whose volume is no region. */
export function boundsOf(tile: Cesium3DTile | TreeTile): Bounds | null {
  const rectangle = volumeOf(tile as TreeTile)?.rectangle;
  if (rectangle === undefined) return null;
  const [west, south, east, north] = [rectangle.west, rectangle.south, rectangle.east, rectangle.north].map(
    CesiumMath.toDegrees,
  ) as [number, number, number, number];
  return { west, south, east, north };
}

/** Degrees. */
export function middleOf({ west, south, east, north }: Bounds): [number, number] {
  return [(west + east) / 2, (south + north) / 2];
}
