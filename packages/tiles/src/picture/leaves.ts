/** Which files of a tileset show it in its finest detail, and where each of them lies. */
import type { PackageFiles } from '@citymodel/base';
import {
  type BoundingVolume,
  isBoundingVolume,
  multiply,
  type Region,
  transformVolume,
  volumeRegion,
} from '@citymodel/geo';
import { findEntryTileset } from '../find-entry.ts';
import { isObject, readJsonObject } from '../read-json.ts';
import { resolveUri } from '../resolve-uri.ts';
import { contentKindOfPath } from '../tile-content.ts';
import type { LeftOut } from './left-out.ts';

/** Tiles looked at, and tilesets read, in one package. */
const MAX_TILES = 200_000;
const MAX_TILESETS = 2_000;

/** A content of a tile that no finer one takes the place of. */
export interface Leaf {
  path: string;
  /** From the tile's frame to ECEF, by columns; null for the identity. */
  transform: readonly number[] | null;
  region: Region;
  /** True where a legacy tileset says that the models have z up, as the tiles themselves do. */
  isZUp: boolean;
}

interface Waiting {
  tile: Record<string, unknown>;
  transform: number[] | null;
  region: Region | null;
  isAdded: boolean;
}

/**
 * The contents of tiles without finer ones, and of those that finer ones are added to (3D Tiles 1.1, section 6.7.3).
 * Tiles with implicit tiling, and what is broken or beyond the bounds, are left out, and counted. Throws
 * DocumentTooLarge, and the signal's reason.
 */
export async function leavesOf(files: PackageFiles, leftOut: LeftOut, signal: AbortSignal): Promise<Leaf[]> {
  const entry = await findEntryTileset(files, () => {});
  if (entry === null) return [];
  const leaves: Leaf[] = [];
  const seen = new Set([entry.entry]);
  const documents: Array<{ path: string; json: Record<string, unknown> | null; from: Waiting | null }> = [
    { path: entry.entry, json: entry.json, from: null },
  ];
  let tiles = 0;
  for (let next = documents.shift(); next !== undefined; next = documents.shift()) {
    signal.throwIfAborted();
    const { path, from } = next;
    const json = next.json ?? (await readJsonObject(files, path, () => {}, ''));
    if (json === null || !isObject(json.root)) {
      leftOut.add(path, 'It is no tileset that can be read.');
      continue;
    }
    const isZUp = isObject(json.asset) && json.asset.gltfUpAxis === 'Z';
    const waiting: Waiting[] = [
      {
        tile: json.root,
        transform: from?.transform ?? null,
        region: from?.region ?? null,
        isAdded: from?.isAdded ?? false,
      },
    ];
    for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
      if (++tiles > MAX_TILES) {
        leftOut.add(path, `A picture looks at ${MAX_TILES} tiles at most.`);
        break;
      }
      const { tile } = at;
      const transform = transformOf(tile, at.transform);
      const region = regionOf(tile.boundingVolume, transform) ?? at.region;
      const isAdded = typeof tile.refine === 'string' ? tile.refine.toUpperCase() === 'ADD' : at.isAdded;
      const children = Array.isArray(tile.children) ? tile.children.filter(isObject) : [];
      for (const child of children) waiting.push({ tile: child, transform, region, isAdded });
      if (isImplicit(tile)) {
        leftOut.add(path, 'Tiles of implicit tiling are not drawn.');
        continue;
      }
      for (const uri of urisOf(tile)) {
        const member = resolveUri(path, uri);
        if (member.kind !== 'member' || files.size(member.path) === undefined) {
          leftOut.add(path, `${uri} is not in the package.`);
          continue;
        }
        const kind = contentKindOfPath(member.path);
        if (kind === 'tileset') {
          if (seen.has(member.path)) continue;
          if (seen.size >= MAX_TILESETS) {
            leftOut.add(member.path, `A picture reads ${MAX_TILESETS} tilesets at most.`);
            continue;
          }
          seen.add(member.path);
          documents.push({ path: member.path, json: null, from: { tile, transform, region, isAdded } });
        } else if (isAdded || children.length === 0) {
          if (region === null) leftOut.add(member.path, 'Its tile has no bounding volume.');
          else leaves.push({ path: member.path, transform, region, isZUp });
        }
      }
    }
  }
  return leaves;
}

function urisOf(tile: Record<string, unknown>): string[] {
  const contents = Array.isArray(tile.contents) ? tile.contents : [tile.content];
  return contents.flatMap((content) => {
    if (!isObject(content)) return [];
    // `url` is what writers before 3D Tiles 1.0 called it.
    const uri = content.uri ?? content.url;
    return typeof uri === 'string' ? [uri] : [];
  });
}

function isImplicit(tile: Record<string, unknown>): boolean {
  return tile.implicitTiling !== undefined || JSON.stringify(tile.extensions ?? '').includes('implicit');
}

function transformOf({ transform }: Record<string, unknown>, parent: number[] | null): number[] | null {
  if (!Array.isArray(transform) || transform.length !== 16 || !transform.every(Number.isFinite))
    return parent;
  return parent === null ? (transform as number[]) : multiply(parent, transform as number[]);
}

function regionOf(volume: unknown, transform: number[] | null): Region | null {
  if (!isBoundingVolume(volume)) return null;
  const placed: BoundingVolume = transform === null ? volume : transformVolume(volume, transform);
  return volumeRegion(placed);
}
