/** Where tiles of a tileset lie, as far as its tree is known. */
import type { Bounds } from '@citymodel/geo';
import { type Cesium3DTile, type Cesium3DTileset, Math as CesiumMath, type Rectangle } from 'cesium';
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

/** Feet of features that are looked at. */
const MOST_FEET = 30_000;

/**
 * The feet of the loaded features of a tileset, by the columns of their tiles: `_x`, `_y` and `_zmin`. That height is
 * above sea level, where tiles are above the ellipsoid. The lowest foot of a tile is the lowest point of its volume.
 */
export function feetIn(tiles: Iterable<Cesium3DTile>, of: Cesium3DTileset | undefined): GroundSample[] {
  const feet: GroundSample[] = [];
  for (const tile of tiles) {
    const low = volumeOf(tile as unknown as TreeTile)?.minimumHeight;
    const { content } = tile;
    if (tile.tileset !== of || low === undefined || feet.length > MOST_FEET) continue;
    const own: GroundSample[] = [];
    for (let i = 0; i < content.featuresLength; i++) {
      const feature = content.getFeature(i);
      const [lng, lat, foot] = ['_x', '_y', '_zmin'].map((name) => feature.getProperty(name) as unknown);
      if (typeof lng === 'number' && typeof lat === 'number' && typeof foot === 'number') {
        own.push({ lng, lat, low: foot });
      }
    }
    const lift = low - own.reduce((least, foot) => Math.min(least, foot.low), Number.POSITIVE_INFINITY);
    feet.push(...own.map((foot) => ({ ...foot, low: foot.low + lift })));
  }
  return feet;
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
