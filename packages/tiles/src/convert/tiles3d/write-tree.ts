/** Writes the tiles of one tree, one after the other, and its tileset. */
import { setImmediate } from 'node:timers/promises';
import type { Region } from '@citymodel/geo';
import type { Tile } from '../../tileset.ts';
import { writeB3dm } from '../../write/b3dm.ts';
import { EncoderFailed } from '../mesh/encoder-failed.ts';
import { stepOf } from '../mesh/steps.ts';
import { TileFrame } from '../mesh/tile-frame.ts';
import type { ConvertOptions } from '../part-maker.ts';
import type { IssueCounter } from '../read/issue-counter.ts';
import { compressionOf } from './compression.ts';
import { type DrawnSink, NO_SINK } from './drawn-bodies.ts';
import type { DrawnRows } from './drawn-rows.ts';
import type { TableColumn } from './feature-table.ts';
import { type GlbOptions, type TileModel, writeTileGlb } from './glb.ts';
import type { Look } from './look.ts';
import { type PackedFile, writePacked } from './packed-file.ts';
import type { PropertyRanges } from './property-ranges.ts';
import { type ShownFeature, tileModel } from './tile-model.ts';
import type { TreeItem, TreeNode } from './tree/plan-tree.ts';
import { type Box, regionAround, regionOf } from './tree/region.ts';

/** An item with where it lies. */
export interface PlacedItem extends TreeItem {
  box: Box;
}

/** Most that a position may be moved along an axis, metres: 1.5 cm in space up to LOD 2, 0.5 cm above. */
export function positionError(lod: number): number {
  return lod <= 2 ? 0.0085 : 0.0028;
}

/** What a tile is made of. */
export interface TileContent {
  features: ShownFeature[];
  /** Around each, where they are not those of the items. */
  boxes?: Box[];
  look: Look;
  /** Most that a position may be moved along an axis, metres, and a texture coordinate. */
  error: number;
  uvError: number;
}

export interface TreeWriter<T extends PlacedItem> {
  /** Exists; tiles are called `0.glb`, `1.glb` …, children before the tile above them. */
  directory: string;
  refine: 'ADD' | 'REPLACE';
  version: '1.0' | '1.1';
  glb: Pick<ConvertOptions, 'compression' | 'unlit'>;
  signal: AbortSignal;
  issues: IssueCounter;
  /** Told what of each body tiles show that no others replace. */
  drawn: DrawnSink;
  ranges: PropertyRanges;
  /** Told of rows of the same tiles; null where nobody counts them. */
  rows: DrawnRows | null;
  /** Reads what the tile of a node shows. */
  content(node: TreeNode<T>): Promise<TileContent>;
}

export interface WrittenTree {
  /** Null when nothing of it can be drawn. */
  root: Tile | null;
  /** One for each tile. */
  files: PackedFile[];
}

/** Writes contents of tiles; their paths count from the directory. */
export async function writeTree<T extends PlacedItem>(
  root: TreeNode<T>,
  writer: TreeWriter<T>,
): Promise<WrittenTree> {
  const files: PackedFile[] = [];
  const write = async (node: TreeNode<T>): Promise<Tile | null> => {
    writer.signal.throwIfAborted();
    await setImmediate();
    // Images are decoded for the finest tiles, and get smaller from there.
    const children: Tile[] = [];
    for (const child of node.children) {
      const tile = await write(child);
      if (tile !== null) children.push(tile);
    }
    const result = await makeTile(node, writer);
    const uri = `${files.length}.${writer.version === '1.1' ? 'glb' : 'b3dm'}`;
    if (result !== null) files.push(await writePacked(writer.directory, uri, result.bytes));
    const regions = children.map((child) => (child.boundingVolume as { region: Region }).region);
    if (result !== null) regions.push(result.region);
    if (regions.length === 0) return null;
    return {
      boundingVolume: { region: regionOf(regions) },
      geometricError: node.geometricError,
      ...(result === null
        ? {}
        : {
            content: { uri, ...(children.length > 0 ? { boundingVolume: { region: result.region } } : {}) },
          }),
      ...(children.length === 0 ? {} : { children }),
    };
  };
  return { root: await write(root), files };
}

async function makeTile<T extends PlacedItem>(
  node: TreeNode<T>,
  writer: TreeWriter<T>,
): Promise<{ bytes: Uint8Array; region: Region } | null> {
  if (node.items.length === 0) return null;
  const { features, boxes, look, error, uvError } = await writer.content(node);
  if (features.length === 0) return null;
  const region = regionAround(boxes ?? node.items.map((item) => item.box), error + 0.005);
  const degrees = 180 / Math.PI;
  const frame = new TileFrame(
    ((region[0] + region[2]) / 2) * degrees,
    ((region[1] + region[3]) / 2) * degrees,
    (region[4] + region[5]) / 2,
  );
  const isNew = writer.version === '1.1';
  // What replaces the tile tells what is drawn of its features.
  const isReplaced = writer.refine === 'REPLACE' && node.children.length > 0;
  const step = writer.glb.compression === 'none' ? null : stepOf(error);
  const sink = isReplaced ? NO_SINK : writer.drawn;
  const model = await tileModel(features, frame, look, sink, isNew, step, writer.signal);
  writer.ranges.add(model.tables);
  const stored = model.tables.map((): TableColumn[] => []);
  const glb = await compressedGlb(model, writer, { error, uvError, tables: isNew, stored });
  if (glb === null) return null;
  const bytes = isNew ? glb : b3dmOf(glb, model, stored);
  if (!isReplaced) writer.rows?.written(features, model.places, stored);
  return { bytes, region };
}

/** As asked for; without compression, and with an issue, where the encoder fails: each tile asks for one that works. */
async function compressedGlb(
  model: TileModel,
  { glb: { compression, unlit }, issues }: Pick<TreeWriter<never>, 'glb' | 'issues'>,
  options: Pick<GlbOptions, 'error' | 'uvError' | 'tables' | 'stored'>,
): Promise<Uint8Array | null> {
  try {
    return writeTileGlb(model, { ...options, unlit, compression: await compressionOf({ compression }) });
  } catch (error) {
    if (!(error instanceof EncoderFailed)) throw error;
    issues.count('TILE_UNCOMPRESSED', null);
    return writeTileGlb(model, { ...options, unlit, compression: { kind: 'none' } });
  }
}

/** A tile of 3D Tiles 1.0: the table lies around the glTF, under the published names. */
function b3dmOf(glb: Uint8Array, { tables }: TileModel, stored: TableColumn[][]): Uint8Array {
  const table = tables[0]!;
  const columns = table.columns.map(({ name, values }): [string, unknown[]] => [
    name,
    values.map((value) => value ?? null),
  ]);
  const batch = Object.fromEntries(columns);
  stored[0]!.push(...table.columns.filter(({ name }) => Object.hasOwn(batch, name)));
  return writeB3dm(glb, table.count, batch, null);
}
