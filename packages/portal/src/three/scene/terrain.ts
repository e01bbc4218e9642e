/** The terrain of a place, of its own 3D Tiles: heights of what a box of the ground shows, as fine as it is drawn. */
import { type Bounds, regionBounds } from '@citymodel/geo';
import { TaskProcessor } from 'cesium';
import type { DatasetRow } from '../../core/catalogue.ts';
import { hereOf } from '../../core/config.ts';
import { boundsAround, METRES_PER_DEGREE, meets } from './ground-tiles.ts';
import { HeightGrid } from './terrain-grid.ts';
import { type DracoDecoder, readSurfaces, type Surface } from './terrain-mesh.ts';
import { type TerrainTile, type TileJson, tilesShowing } from './terrain-tree.ts';

/** Tiles that a grid is filled from at most. */
const MOST_TILES = 64;
/** Tiles that are kept for the next grid, which has most of them again. */
const MOST_KEPT = 160;
/** Part of a square that heights may be wrong. */
const ERROR = 0.25;

export class Terrain {
  readonly #roots: readonly TerrainTile[];
  readonly #abort: AbortController;
  /** By address, the one used last at the end. */
  readonly #surfaces = new Map<string, Promise<Surface[]>>();
  readonly #tilesets = new Map<string, Promise<TerrainTile | null>>();

  private constructor(roots: readonly TerrainTile[], abort: AbortController) {
    this.#roots = roots;
    this.#abort = abort;
  }

  /**
   * The terrain of datasets, which are 3D Tiles; null where none of them lies in a box, or can be read: the ground does
   * without.
   */
  static async open(datasets: readonly DatasetRow[], box: Bounds): Promise<Terrain | null> {
    const abort = new AbortController();
    const opened = await Promise.all(
      datasets.map(({ url }) => openTileset(absolute(hereOf(url)), abort.signal)),
    );
    const roots = opened.filter((root) => root !== null);
    const around = roots
      .map(({ tile }) => tile.boundingVolume.region)
      .filter((region) => region !== undefined);
    const isNear = around.length > 0 && meets(boundsAround(around.map(regionBounds)), box);
    return isNear ? new Terrain(roots, abort) : null;
  }

  /**
   * Heights over a box; null once nobody wants them, and where the terrain has none.
   *
   * @param columns squares from west to east @param rows squares from south to north
   */
  async gridOver(
    box: Bounds,
    columns: number,
    rows: number,
    signal: AbortSignal,
  ): Promise<HeightGrid | null> {
    const square = ((box.north - box.south) * METRES_PER_DEGREE) / rows;
    const urls = await tilesShowing(this.#roots, box, square * ERROR, MOST_TILES, (url) =>
      this.#tilesetOf(url),
    );
    const surfaces = await Promise.all(urls.map((url) => this.#surfacesOf(url)));
    if (signal.aborted || this.#abort.signal.aborted) return null;
    const grid = new HeightGrid(box, columns, rows, surfaces.flat());
    return grid.isEmpty ? null : grid;
  }

  /** Stops what is being fetched. */
  close(): void {
    this.#abort.abort();
  }

  #tilesetOf(url: string): Promise<TerrainTile | null> {
    const opening = this.#tilesets.get(url) ?? openTileset(url, this.#abort.signal);
    this.#tilesets.set(url, opening);
    return opening;
  }

  /** What cannot be read leaves a hole, and is asked for again with the next grid. */
  #surfacesOf(url: string): Promise<Surface[]> {
    const known = this.#surfaces.get(url);
    this.#surfaces.delete(url);
    const reading =
      known ??
      this.#read(url).catch((): Surface[] => {
        this.#surfaces.delete(url);
        return [];
      });
    this.#surfaces.set(url, reading);
    for (const oldest of this.#surfaces.keys()) {
      if (this.#surfaces.size <= MOST_KEPT) break;
      this.#surfaces.delete(oldest);
    }
    return reading;
  }

  async #read(url: string): Promise<Surface[]> {
    const response = await fetch(url, { signal: this.#abort.signal });
    if (!response.ok) throw new Error(`${url} answers with ${response.status}.`);
    return readSurfaces(await response.arrayBuffer(), decodeDraco);
  }
}

/** The root of a tileset; null for one that cannot be read. */
async function openTileset(url: string, signal: AbortSignal): Promise<TerrainTile | null> {
  try {
    const { root } = (await (await fetch(url, { signal })).json()) as { root: TileJson };
    return { tile: root, url, refine: root.refine ?? 'REPLACE' };
  } catch {
    return null;
  }
}

function absolute(url: string): string {
  return new URL(url, location.href).href;
}

let decoder: Promise<TaskProcessor> | null = null;

/** By the worker of CesiumJS. */
const decodeDraco: DracoDecoder = async (bytes, position) => {
  decoder ??= startDecoder();
  const { attributeData, indexArray } = (await (
    await decoder
  ).scheduleTask(
    {
      array: bytes,
      bufferView: { byteLength: bytes.byteLength },
      compressedAttributes: { POSITION: position },
      dequantizeInShader: false,
    },
    [bytes.buffer],
  )) as { attributeData: { POSITION: { array: Float32Array } }; indexArray: { typedArray: Uint32Array } };
  return { positions: attributeData.POSITION.array, indices: indexArray.typedArray };
};

async function startDecoder(): Promise<TaskProcessor> {
  const processor = new TaskProcessor('decodeDraco', Number.POSITIVE_INFINITY);
  await processor.initWebAssemblyModule({ wasmBinaryFile: 'ThirdParty/draco_decoder.wasm' });
  return processor;
}
