import type { IssueSink } from '../base/issue.ts';
import type { PackageFiles } from '../base/package-files.ts';
import { type BoundingVolume, type Region, volumeRegion } from '../geo/bounding-volume.ts';
import { findEntryTileset } from './find-entry.ts';
import { isObject } from './read-json.ts';
import { type ContentKind, lookInto } from './tile-content.ts';
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
  /** Explicit tiles seen, contents that they name, tileset documents read (the entry included). */
  tiles: number;
  contents: number;
  tilesets: number;
  /** How many contents of each kind, by their path's extension. */
  kinds: Partial<Record<ContentKind, number>>;
  /** True when a tile has implicit tiling. */
  implicit: boolean;
  /** Whether materials have images, from some of the contents; null when none of them tells. */
  textured: boolean | null;
  /** LOD named in the batch tables of these contents; null when they name none. */
  lod: number | null;
  /** The first URI of a content that leads to another host or runs as a script, and the tileset that has it. */
  foreign: { member: string; uri: string } | null;
  /** Names in `properties` of the entry tileset. */
  properties: string[];
}

/** The largest content that is opened for textures and LOD, bytes. */
const LOOK_LIMIT = 128 * 1024 * 1024;

/**
 * Reads a package of 3D Tiles 1.0 or 1.1: the entry tileset, every tileset that it refers to, and a few contents.
 * Whatever is wrong is reported, not thrown, but for DocumentTooLarge. Null when there is no tileset that could be the entry, or it has no
 * root tile; an issue then says why.
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
  const look = await lookAtSome(files, issue, walk.contentPaths());
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
    tilesets: walk.tilesets,
    kinds: walk.kinds,
    implicit: walk.implicit,
    foreign: walk.foreign,
    ...look,
    properties: isObject(json.properties) ? Object.keys(json.properties) : [],
  };
}

/** Opens some contents to see whether they are textured and which LOD they name. */
async function lookAtSome(
  files: PackageFiles,
  issue: IssueSink,
  paths: string[],
): Promise<{ textured: boolean | null; lod: number | null }> {
  let textured: boolean | null = null;
  let lod: number | null = null;
  for (const path of paths) {
    try {
      const bytes = await files.read(path, LOOK_LIMIT);
      if (bytes === null) continue;
      const look = lookInto(bytes);
      textured = textured === true ? true : (look.textured ?? textured);
      lod = look.lod === null ? lod : Math.max(lod ?? 0, look.lod);
    } catch (error) {
      issue({
        code: 'CONTENT_UNREADABLE',
        severity: 'error',
        message: `The content could not be read: ${(error as Error).message}`,
        member: path,
      });
    }
  }
  return { textured, lod };
}
