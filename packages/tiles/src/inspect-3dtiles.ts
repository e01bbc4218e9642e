import type { IssueSink, PackageFiles } from '@citymodel/base';
import { type BoundingVolume, type Region, volumeRegion } from '@citymodel/geo';
import { findEntryTileset } from './find-entry.ts';
import { isObject } from './read-json.ts';
import { type ContentKind, contentKindOfPath, lookInto } from './tile-content.ts';
import { TilesetWalk } from './tileset-walk.ts';

/** What a 3D Tiles package holds. */
export interface TilesetFacts {
  /** Path of the entry tileset JSON in the package. */
  entry: string;
  /** asset.version, `1.0` or `1.1`; null when the tileset has none, or another. */
  version: string | null;
  /** Metres, the larger of the tileset's and its root tile's; null when neither is a number. */
  geometricError: number | null;
  /** The root tile's volume with its transform applied; null when it has no valid one. */
  volume: BoundingVolume | null;
  /**
   * The volume to use instead of the root's own: where that one is absurdly large (wider than 10°) the union of the
   * volumes below it, where tiles below stick out of it the union of all. Null when the root's own is good.
   */
  tightVolume: BoundingVolume | null;
  /** The region of `tightVolume`, else of `volume`. */
  region: Region | null;
  /**
   * Explicit tiles seen, contents that they name, those that the package has (with implicit tiling all files of
   * models), tileset documents read (the entry included).
   */
  tiles: number;
  contents: number;
  present: number;
  tilesets: number;
  /** How many contents of each kind, by their path's extension. */
  kinds: Partial<Record<ContentKind, number>>;
  /** True when a tile has implicit tiling. */
  implicit: boolean;
  /** Whether a material of any content that was looked into has an image; null when none of them tells. */
  textured: boolean | null;
  /** Highest LOD named in the batch tables of these contents; null when they name none. */
  lod: number | null;
  /** Whether every content was looked into, as far as `textured` and `lod` need it. */
  lookedAtAll: boolean;
  /** The first URI of a content that leads to another host or runs as a script, and the tileset that has it. */
  foreign: { member: string; uri: string } | null;
  /** `asset.extras.heights` of the entry tileset, which tilesets of this program have; null for others. */
  heights: string | null;
  /** Names in `properties` of the entry tileset. */
  properties: string[];
}

/** The largest content that is opened for textures and LOD, and how much of all together, bytes. */
const LOOK_LIMIT = 128 * 1024 * 1024;
const LOOK_ALL_LIMIT = 512 * 1024 * 1024;

/**
 * Reads a package of 3D Tiles 1.0 or 1.1: the entry tileset, every tileset that it refers to, and contents until they
 * tell whether they are textured: a few, where there is an image, else all (512 MiB of them at most). Whatever is wrong
 * is reported, not thrown, but for DocumentTooLarge. Null when there is no tileset that could be the entry, or it has
 * no root tile; an issue then says why.
 */
export async function inspectTileset(files: PackageFiles, issue: IssueSink): Promise<TilesetFacts | null> {
  const found = await findEntryTileset(files, issue);
  if (found === null) return null;
  const { entry, json } = found;
  if (!isObject(json.root)) {
    issue({
      code: 'TILESET_NO_ROOT',
      severity: 'error',
      message: 'The tileset has no root tile; `root` must be an object.',
      member: entry,
    });
    return null;
  }
  const walk = new TilesetWalk(files, issue);
  await walk.follow(entry, json);
  const volume = walk.rootVolume;
  const tightVolume = volume === null ? walk.unionBelow() : walk.betterThan(volume);
  const look = await lookAtContents(files, issue, walk.contentPaths());
  const effective = tightVolume ?? volume;
  return {
    entry,
    version: walk.version,
    geometricError: walk.geometricError,
    volume,
    tightVolume,
    region: effective === null ? null : volumeRegion(effective),
    tiles: walk.tiles,
    contents: walk.contents,
    present: walk.implicit ? countModels(files) : walk.present,
    tilesets: walk.tilesets,
    kinds: walk.kinds,
    implicit: walk.implicit,
    foreign: walk.foreign,
    ...look,
    heights: heightsOf(json),
    properties: isObject(json.properties) ? Object.keys(json.properties) : [],
  };
}

/** Longer texts say more than heights. */
const MAX_HEIGHTS = 200;

function heightsOf({ asset }: Record<string, unknown>): string | null {
  const extras = isObject(asset) ? asset.extras : null;
  const heights = isObject(extras) ? extras.heights : null;
  return typeof heights === 'string' && heights !== '' && heights.length <= MAX_HEIGHTS ? heights : null;
}

/**
 * Opens contents to see whether they are textured and which LOD they name: `first`, then all others unless those tell
 * both.
 */
async function lookAtContents(
  files: PackageFiles,
  issue: IssueSink,
  first: readonly string[],
): Promise<Pick<TilesetFacts, 'textured' | 'lod' | 'lookedAtAll'>> {
  const found = { textured: null as boolean | null, lod: null as number | null, lookedAtAll: false };
  const seen = new Set(first);
  const look = async (path: string) => {
    try {
      const bytes = await files.read(path, LOOK_LIMIT);
      if (bytes === null) return;
      const { textured, lod } = lookInto(bytes);
      found.textured = found.textured === true ? true : (textured ?? found.textured);
      found.lod = lod === null ? found.lod : Math.max(found.lod ?? 0, lod);
    } catch (error) {
      issue({
        code: 'CONTENT_UNREADABLE',
        severity: 'error',
        message: `The content could not be read: ${(error as Error).message}`,
        member: path,
      });
    }
  };
  for (const path of first) await look(path);
  let bytes = 0;
  for (const path of files.paths()) {
    // An image proves itself; that there is none, and which LOD is the highest, only all contents can say.
    if (found.textured === true && found.lod === null) return found;
    if (seen.has(path) || !isModel(contentKindOfPath(path))) continue;
    bytes += files.size(path) ?? 0;
    if (bytes > LOOK_ALL_LIMIT) return found;
    await look(path);
  }
  return { ...found, lookedAtAll: true };
}

function countModels(files: PackageFiles): number {
  let count = 0;
  for (const path of files.paths()) if (isModel(contentKindOfPath(path))) count++;
  return count;
}

function isModel(kind: ContentKind): boolean {
  return kind !== 'tileset' && kind !== 'subtree' && kind !== 'other';
}
