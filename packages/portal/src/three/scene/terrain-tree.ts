/** Which tiles of a terrain a box needs: its tilesets are walked down until what they show is fine enough. */
import { type Bounds, regionBounds } from '@citymodel/geo';
import { meets } from './ground-tiles.ts';

/** A tile as `tileset.json` has it, as far as it is read. */
export interface TileJson {
  boundingVolume: { region?: [number, number, number, number, number, number] };
  /** Metres that its content may be wrong. */
  geometricError: number;
  refine?: string;
  content?: { uri: string };
  children?: TileJson[];
}

export interface TerrainTile {
  tile: TileJson;
  /** Of the tileset that the tile is in. */
  url: string;
  refine: string;
}

/**
 * Addresses of the tiles (GLB) that show a box. Those with the largest errors give way to their children first, while
 * there are not too many.
 *
 * @param error metres that heights may be wrong
 * @param most tiles; more only where those above have no content
 * @param open the root of a tileset within a tileset; null for one that cannot be read
 */
export async function tilesShowing(
  roots: readonly TerrainTile[],
  box: Bounds,
  error: number,
  most: number,
  open: (url: string) => Promise<TerrainTile | null>,
): Promise<string[]> {
  const found: string[] = [];
  const waiting = roots.filter(({ tile }) => isIn(tile, box));
  while (waiting.length > 0) {
    const one = waiting.splice(indexOfWorst(waiting), 1)[0]!;
    const { tile, url } = one;
    const uri = contentOf(one);
    const isTileset = uri !== null && isJson(uri);
    const isFine = tile.geometricError <= error || found.length + waiting.length + 1 >= most;
    const isLeaf = !isTileset && (tile.children ?? []).length === 0;
    if (uri !== null && !isTileset && (isLeaf || isFine || one.refine === 'ADD')) found.push(uri);
    if (isLeaf || (uri !== null && !isTileset && isFine)) continue;
    const inner = isTileset ? await open(uri) : null;
    const below = [
      ...(inner === null ? [] : [inner]),
      ...(tile.children ?? []).map((child) => ({ tile: child, url, refine: child.refine ?? one.refine })),
    ];
    waiting.push(...below.filter((child) => isIn(child.tile, box)));
  }
  return found;
}

/** What has no content of its own is worse than any that has some. */
function indexOfWorst(tiles: readonly TerrainTile[]): number {
  const errors = tiles.map((one) => {
    const uri = contentOf(one);
    return uri === null || isJson(uri) ? Number.POSITIVE_INFINITY : one.tile.geometricError;
  });
  return errors.indexOf(errors.reduce((a, b) => Math.max(a, b)));
}

function contentOf({ tile, url }: TerrainTile): string | null {
  return tile.content === undefined ? null : new URL(tile.content.uri, url).href;
}

function isJson(url: string): boolean {
  return /\.json(?:$|\?)/.test(url);
}

function isIn({ boundingVolume: { region } }: TileJson, box: Bounds): boolean {
  // What does not say where it is may be anywhere.
  return region === undefined || meets(regionBounds(region), box);
}
