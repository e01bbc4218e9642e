/**
 * The ground below models: the service's own roads, water and land use, drawn from its vector tiles and laid over the
 * guessed terrain.
 */

import type { Bounds } from '@citymodel/geo';
import {
  GeometryInstance,
  type MaterialAppearance,
  Primitive,
  PrimitiveCollection,
  type Scene,
  ShadowMode,
} from 'cesium';
import { type DatasetRow, toBounds } from '../../core/catalogue.ts';
import { hereOf } from '../../core/config.ts';
import type { Theme } from '../../core/state.ts';
import type { TileJson } from '../../map/tilejson.ts';
import type { Air } from './air.ts';
import { type GroundSample, groundHeight } from './ground-height.ts';
import { appearanceOf, shade, textureOf } from './ground-material.ts';
import { meshOf } from './ground-mesh.ts';
import { drawGround, type GroundPicture, PICTURE_SIZE, type TilePart } from './ground-picture.ts';
import { boundsOfTile, meets, sourceTile, type TileAddress, tilesOver } from './ground-tiles.ts';
import type { Texture } from './private-cesium.ts';
import { Surroundings } from './surroundings.ts';

interface Source {
  type: string;
  template: string;
  minzoom: number;
  maxzoom: number;
  /** Where it has tiles; others are not asked for. */
  bounds: Bounds;
}

/** Metres by which the ground has to be another one before it is laid anew. */
const MOVED = 0.3;

/** A tile of the ground as it is drawn. */
interface Drawn {
  address: TileAddress;
  texture: InstanceType<typeof Texture>;
  appearance: MaterialAppearance;
  /** What lies there now, with its heights at corners and middle. */
  laid: { primitive: Primitive; heights: number[] } | null;
}

export class Ground {
  readonly #scene: Scene;
  readonly #primitives = new PrimitiveCollection();
  readonly #surroundings: Surroundings;
  #air: Air | null = null;
  #hasShadows = true;
  #opacity = 1;
  #theme: Theme;
  #sources: Source[] = [];
  #bounds: Bounds | null = null;
  #heightAt: (lng: number, lat: number) => number = () => 0;
  #drawn: Drawn[] = [];
  /** Stops what is being fetched for a ground that is not wanted any more. */
  #abort = new AbortController();

  constructor(scene: Scene, theme: Theme) {
    this.#scene = scene;
    this.#theme = theme;
    const around = new PrimitiveCollection();
    this.#surroundings = new Surroundings(around);
    scene.primitives.add(around);
    scene.primitives.add(this.#primitives);
  }

  /** Lays plain land around a model that is being opened. */
  surround(bounds: Bounds, height: number): void {
    this.#abort.abort();
    this.#clear();
    this.#sources = [];
    this.#bounds = bounds;
    this.#heightAt = () => height;
    this.#surroundings.lay(bounds, null, this.#heightAt);
  }

  /** Colours of the hour and the theme. */
  set air(air: Air) {
    this.#air = air;
    this.#surroundings.air = air;
    this.#shade();
  }

  /** Whether pictures show the shadows of whole buildings in the light of drawings. */
  set hasShadows(value: boolean) {
    if (value === this.#hasShadows) return;
    this.#hasShadows = value;
    this.#shade();
  }

  /** How much of the map is seen on plain land, 0 to 1. */
  set opacity(value: number) {
    if (value === this.#opacity) return;
    this.#opacity = value;
    this.#shade();
  }

  /**
   * Draws the ground of a box from these datasets, which are MVT. What cannot be fetched stays away: the ground is an
   * aid to the eye.
   */
  async show(datasets: readonly DatasetRow[], bounds: Bounds): Promise<void> {
    this.#abort.abort();
    this.#abort = new AbortController();
    const { signal } = this.#abort;
    this.#bounds = bounds;
    this.#sources = (await Promise.all(datasets.map((row) => sourceOf(row, signal)))).filter(
      (source) => source !== null,
    );
    if (signal.aborted || this.#sources.length === 0) return;
    await this.#draw(signal);
  }

  /** Metres above the ellipsoid of the ground at degrees. */
  heightAt(lng: number, lat: number): number {
    return this.#heightAt(lng, lat);
  }

  /** Lays the ground over these samples. */
  follow(samples: readonly GroundSample[], otherwise: number): void {
    this.#heightAt = groundHeight(samples, otherwise);
    this.#place();
    if (this.#bounds !== null) this.#surroundings.lay(this.#bounds, this.#pictured(), this.#heightAt);
  }

  setTheme(theme: Theme): void {
    if (theme === this.#theme) return;
    this.#theme = theme;
    if (this.#sources.length > 0) void this.#draw(this.#abort.signal);
  }

  destroy(): void {
    this.#abort.abort();
  }

  #clear(): void {
    this.#primitives.removeAll();
    for (const { texture } of this.#drawn) texture.destroy();
    this.#drawn = [];
  }

  async #draw(signal: AbortSignal): Promise<void> {
    const pictures: Array<[TileAddress, GroundPicture]> = [];
    for (const address of tilesOver(this.#bounds!)) {
      const parts = (
        await Promise.all(this.#sources.map((source) => partOf(source, address, signal)))
      ).filter((part) => part !== null);
      if (signal.aborted) return;
      try {
        pictures.push([address, drawGround(parts, this.#theme, metresOf(address))]);
      } catch {
        // Bytes that are no vector tile: the map view tells of them.
        pictures.push([address, drawGround([], this.#theme, 1)]);
      }
    }
    this.#clear();
    this.#drawn = pictures.map(([address, picture]) => {
      const texture = textureOf(this.#scene, picture);
      return { address, texture, appearance: appearanceOf(texture), laid: null };
    });
    this.#shade();
    this.#place();
    this.#surroundings.lay(this.#bounds!, this.#pictured(), this.#heightAt);
  }

  /** The box of all pictures; null without any. */
  #pictured(): Bounds | null {
    const boxes = this.#drawn.map(({ address }) => boundsOfTile(address));
    if (boxes.length === 0) return null;
    return {
      west: Math.min(...boxes.map(({ west }) => west)),
      south: Math.min(...boxes.map(({ south }) => south)),
      east: Math.max(...boxes.map(({ east }) => east)),
      north: Math.max(...boxes.map(({ north }) => north)),
    };
  }

  /** Tells the materials what light there is. */
  #shade(): void {
    const air = this.#air;
    if (air === null) return;
    for (const { appearance } of this.#drawn) shade(appearance, air, this.#hasShadows, this.#opacity);
    this.#scene.requestRender();
  }

  /** Lays the tiles whose ground has moved; the others stay as they are, for each takes time. */
  #place(): void {
    let isChanged = false;
    for (const tile of this.#drawn) {
      const bounds = boundsOfTile(tile.address);
      const heights = heightsOf(bounds, this.#heightAt);
      const { laid } = tile;
      if (laid !== null) {
        if (laid.heights.every((height, i) => Math.abs(height - heights[i]!) < MOVED)) continue;
        this.#primitives.remove(laid.primitive);
      }
      const primitive = new Primitive({
        geometryInstances: new GeometryInstance({ geometry: meshOf(bounds, this.#heightAt) }),
        appearance: tile.appearance,
        asynchronous: false,
        allowPicking: false,
        shadows: ShadowMode.RECEIVE_ONLY,
      });
      this.#primitives.add(primitive);
      tile.laid = { primitive, heights };
      isChanged = true;
    }
    if (isChanged) this.#scene.requestRender();
  }
}

/** At the corners of a box and in its middle. */
function heightsOf(
  { west, south, east, north }: Bounds,
  heightAt: (lng: number, lat: number) => number,
): number[] {
  return [
    heightAt(west, south),
    heightAt(east, south),
    heightAt(west, north),
    heightAt(east, north),
    heightAt((west + east) / 2, (south + north) / 2),
  ];
}

/** Metres of a pixel of a tile's picture. */
function metresOf(address: TileAddress): number {
  const { south, north } = boundsOfTile(address);
  return ((north - south) * 111_320) / PICTURE_SIZE;
}

/** Where the tiles of a dataset are; null when it cannot be told. */
async function sourceOf(row: DatasetRow, signal: AbortSignal): Promise<Source | null> {
  const url = row.composite_url ?? row.url;
  try {
    const response = await fetch(hereOf(url), { signal });
    const { tiles, minzoom, maxzoom, bounds } = (await response.json()) as TileJson;
    return { type: row.type_en, template: tiles[0]!, minzoom, maxzoom, bounds: toBounds(bounds) };
  } catch {
    return null;
  }
}

async function partOf(source: Source, address: TileAddress, signal: AbortSignal): Promise<TilePart | null> {
  const { tile, left, top, size } = sourceTile(address, source.maxzoom);
  if (tile.z < source.minzoom || !meets(boundsOfTile(tile), source.bounds)) return null;
  const url = source.template
    .replace('{z}', String(tile.z))
    .replace('{x}', String(tile.x))
    .replace('{y}', String(tile.y));
  try {
    const response = await fetch(hereOf(url), { signal });
    if (response.status !== 200) return null;
    return { type: source.type, bytes: new Uint8Array(await response.arrayBuffer()), left, top, size };
  } catch {
    return null;
  }
}
