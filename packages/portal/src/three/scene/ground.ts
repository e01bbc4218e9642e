/**
 * The ground below models: the service's own roads, water and land use, drawn from its vector tiles and laid over its
 * terrain, or a guessed one.
 */

import type { Bounds } from '@citymodel/geo';
import { Cartesian3, PrimitiveCollection, type Scene } from 'cesium';
import { type DatasetRow, toBounds } from '../../core/catalogue.ts';
import { hereOf } from '../../core/config.ts';
import type { Theme } from '../../core/state.ts';
import type { TileJson } from '../../map/tilejson.ts';
import type { Air, Rgb } from './air.ts';
import { type Border, borderOf, groundPicture, landAround } from './ground-border.ts';
import type { GroundSample } from './ground-height.ts';
import { GroundLayer, SQUARES_OF_HILLS, type TerrainLook } from './ground-layer.ts';
import { endAt, shade } from './ground-material.ts';
import { drawGround, type GroundDrawing, PICTURE_SIZE, type TilePart } from './ground-picture.ts';
import { Relief } from './ground-relief.ts';
import {
  boundsAround,
  boundsOfTile,
  groundBounds,
  isSameBox,
  METRES_PER_DEGREE,
  meets,
  sourceTile,
  type TileAddress,
  tilesAround,
  tilesOver,
} from './ground-tiles.ts';
import type { ModelLight } from './model-shader.ts';
import { Surroundings } from './surroundings.ts';
import { Terrain } from './terrain.ts';
import type { HeightGrid } from './terrain-grid.ts';

interface Source {
  type: string;
  template: string;
  minzoom: number;
  maxzoom: number;
  /** Where it has tiles; others are not asked for. */
  bounds: Bounds;
}

/** Below the feet of buildings, so that floors and streets of models are not in it, metres. */
const BELOW = 0.3;
/** The whole lies below its finer part, metres. */
const BELOW_FINER = 0.5;

/** What the ground of a place is drawn from: vector tiles, and a terrain of 3D Tiles. */
export interface GroundData {
  maps: readonly DatasetRow[];
  terrains: readonly DatasetRow[];
}

type Drawing = readonly [TileAddress, GroundDrawing];

export class Ground {
  readonly #scene: Scene;
  readonly #whole: GroundLayer;
  /** Around what is looked at, where a whole city has no room for streets and the feet of houses. */
  readonly #finer: GroundLayer;
  readonly #surroundings: Surroundings;
  #air: Air | null = null;
  /** How far the light is above level ground, as a sine. */
  #sun = 1;
  #hasShadows = true;
  #opacity = 1;
  #theme: Theme;
  #sources: Source[] = [];
  #bounds: Bounds | null = null;
  #relief = new Relief();
  #terrain: Terrain | null = null;
  #terrainLook: TerrainLook = 'hidden';
  #border: Border | null = null;
  /** Around the map by day, as it is shown; null without a map. */
  #land: Rgb | null = null;
  /** The place that is looked at, degrees, and metres around it that are seen. */
  #look: { place: readonly number[]; metres: number } | null = null;
  /** Stops what is being fetched for a ground that is not wanted any more. */
  #abort = new AbortController();
  /** The same for its finer part. */
  #abortFiner = new AbortController();

  constructor(scene: Scene, theme: Theme) {
    this.#scene = scene;
    this.#theme = theme;
    const [around, tiles] = [new PrimitiveCollection(), new PrimitiveCollection()];
    this.#surroundings = new Surroundings(around);
    this.#whole = new GroundLayer(scene, tiles, BELOW_FINER);
    this.#finer = new GroundLayer(scene, tiles, BELOW);
    scene.primitives.add(around);
    scene.primitives.add(tiles);
  }

  /** Lays plain land around a model that is being opened. */
  surround(bounds: Bounds, height: number): void {
    this.#stop();
    this.#whole.keep([]);
    this.#finer.keep([]);
    this.#sources = [];
    this.#border = null;
    this.#land = null;
    this.#bounds = bounds;
    this.#terrain?.close();
    this.#terrain = null;
    this.#relief = new Relief();
    this.#relief.follow([], height);
    this.#surround();
    this.#shade();
  }

  /** The light of the hour and the theme. */
  set light({ air, up, sun }: ModelLight) {
    this.#air = air;
    // That of drawings is longer than 1.
    this.#sun = Cartesian3.dot(up, sun) / Cartesian3.magnitude(sun);
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

  /** How the terrain is drawn itself: the ground gives way to it, for two surfaces in one place would flicker. */
  set terrainLook(value: TerrainLook) {
    if (value === this.#terrainLook) return;
    this.#terrainLook = value;
    this.#place();
  }

  /**
   * Draws the ground of a model and around it from datasets of MVT, over a terrain of 3D Tiles. What cannot be fetched
   * stays away: the ground is an aid to the eye.
   */
  async show({ maps, terrains }: GroundData, bounds: Bounds): Promise<void> {
    const signal = this.#stop();
    this.#bounds = bounds;
    const [terrain, ...sources] = await Promise.all([
      Terrain.open(terrains, bounds),
      ...maps.map((row) => sourceOf(row, signal)),
    ]);
    if (signal.aborted) {
      terrain?.close();
      return;
    }
    this.#sources = sources.filter((source) => source !== null);
    this.#terrain?.close();
    this.#terrain = terrain;
    if (this.#sources.length > 0 || terrain !== null) await this.#draw(signal);
  }

  /**
   * Draws the ground around a place finer than the whole.
   *
   * @param place longitude and latitude, degrees
   * @param metres around it that are seen
   */
  look(place: readonly number[], metres: number): void {
    this.#look = { place, metres };
    void this.#refine();
  }

  /** Metres above the ellipsoid of the ground at degrees. */
  heightAt(lng: number, lat: number): number {
    return this.#relief.heightAt(lng, lat);
  }

  /** Metres above the ellipsoid of the terrain at degrees; null where there is none. */
  terrainAt(lng: number, lat: number): number | null {
    return this.#relief.isTerrain(lng, lat) ? this.#relief.heightAt(lng, lat) : null;
  }

  /** Lays the ground over these samples where there is no terrain. */
  follow(samples: readonly GroundSample[], otherwise: number): void {
    this.#relief.follow(samples, otherwise);
    this.#place();
    this.#surround();
  }

  setTheme(theme: Theme): void {
    if (theme === this.#theme) return;
    this.#theme = theme;
    if (this.#whole.zoom !== null) void this.#draw(this.#stop());
  }

  destroy(): void {
    this.#stop();
    this.#terrain?.close();
  }

  /** Stops what is being fetched, and lets what comes be stopped. */
  #stop(): AbortSignal {
    this.#abort.abort();
    this.#abortFiner.abort();
    this.#abort = new AbortController();
    return this.#abort.signal;
  }

  async #draw(signal: AbortSignal): Promise<void> {
    const boxes = this.#sources.map(({ bounds }) => bounds);
    const tiles = tilesOver(groundBounds(this.#bounds!, boxes));
    if (tiles.length === 0) return;
    const pictured = boundsAround(tiles.map(boundsOfTile));
    const rising = this.#rise(tiles, this.#relief.whole, signal, (grid) => {
      this.#relief.whole = grid;
      this.#surround();
    });
    const drawings = await this.#drawingsOf(tiles, signal);
    if (drawings === null) return;
    this.#border = borderOf(pictured, this.#sources);
    this.#land = landAround(drawings, this.#border, this.#theme);
    this.#finer.keep([]);
    this.#replace(this.#whole, [], drawings);
    this.#shade();
    this.#place();
    this.#surround();
    await Promise.all([rising, this.#refine()]);
  }

  /**
   * Takes the heights of the terrain below tiles once they are there, and lays the ground over them.
   *
   * @param known heights that may be these
   */
  async #rise(
    tiles: readonly TileAddress[],
    known: HeightGrid | null,
    signal: AbortSignal,
    take: (grid: HeightGrid | null) => void,
  ): Promise<void> {
    if (this.#terrain === null) return;
    const count = (axis: 'x' | 'y') => new Set(tiles.map((tile) => tile[axis])).size * SQUARES_OF_HILLS;
    const box = boundsAround(tiles.map(boundsOfTile));
    if (known !== null && isSameBox(known.bounds, box)) return;
    const grid = await this.#terrain.gridOver(box, count('x'), count('y'), signal);
    if (signal.aborted) return;
    take(grid);
    this.#place();
  }

  /** Draws what is missing of the finer part. */
  async #refine(): Promise<void> {
    this.#abortFiner.abort();
    const { zoom } = this.#whole;
    if (zoom === null || this.#look === null) return;
    this.#abortFiner = new AbortController();
    const { signal } = this.#abortFiner;
    const around = tilesAround(this.#look.place, this.#look.metres, zoom);
    const isDrawn = (address: TileAddress) =>
      this.#sources.some(({ bounds }) => meets(boundsOfTile(address), bounds));
    // All or none: the whole leaves their box out.
    const wanted = around.some(isDrawn) ? around : [];
    if (wanted.length === 0) this.#relief.finer = null;
    else void this.#rise(wanted, this.#relief.finer, signal, (grid) => (this.#relief.finer = grid));
    const missing = wanted.filter((address) => !this.#finer.has(address));
    const drawings = await this.#drawingsOf(missing, signal);
    if (drawings === null) return;
    this.#replace(this.#finer, wanted, drawings);
    this.#shade();
    this.#place();
  }

  /** Keeps some tiles of a layer, and adds these, of a map whose border is known. */
  #replace(layer: GroundLayer, kept: readonly TileAddress[], drawings: readonly Drawing[]): void {
    layer.keep(kept);
    for (const [address, drawing] of drawings) {
      const bounds = boundsOfTile(address);
      layer.add(address, groundPicture(bounds, drawing, this.#border!, this.#land!, this.#theme));
    }
  }

  /** What the map shows of tiles; null once nobody wants it. */
  async #drawingsOf(addresses: readonly TileAddress[], signal: AbortSignal): Promise<Drawing[] | null> {
    const drawings: Drawing[] = [];
    for (const address of addresses) {
      const parts = (
        await Promise.all(this.#sources.map((source) => partOf(source, address, signal)))
      ).filter((part) => part !== null);
      if (signal.aborted) return null;
      try {
        drawings.push([address, drawGround(parts, this.#theme, metresOf(address))]);
      } catch {
        // Bytes that are no vector tile: the map view tells of them.
        drawings.push([address, drawGround([], this.#theme, 1)]);
      }
    }
    return signal.aborted ? null : drawings;
  }

  /** Tells the materials what light there is, and where the map ends. */
  #shade(): void {
    const air = this.#air;
    if (air === null) return;
    const taken = this.#land === null ? 0 : this.#opacity;
    const land = air.land.map((part, i) => {
      const shown = (this.#land?.[i] ?? 0) * air.tint[i]!;
      return part + taken * (shown - part);
    }) as unknown as Rgb;
    this.#surroundings.shade(air, land);
    for (const layer of [this.#whole, this.#finer]) {
      layer.dress((appearance, bounds) => {
        shade(appearance, air, land, this.#sun, this.#hasShadows, this.#opacity);
        if (this.#border !== null) endAt(appearance, bounds, this.#border);
      });
    }
    this.#scene.requestRender();
  }

  #place(): void {
    const terrain = this.#terrainLook;
    this.#whole.place(this.#relief, { hole: this.#finer.bounds, terrain });
    this.#finer.place(this.#relief, { hole: null, terrain });
    this.#scene.requestRender();
  }

  #surround(): void {
    if (this.#bounds === null) return;
    const { heightAt, hasTerrain } = this.#relief;
    this.#surroundings.lay(this.#bounds, this.#whole.bounds, heightAt, hasTerrain);
  }
}

/** Metres of a pixel of a tile's picture. */
function metresOf(address: TileAddress): number {
  const { south, north } = boundsOfTile(address);
  return ((north - south) * METRES_PER_DEGREE) / PICTURE_SIZE;
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
