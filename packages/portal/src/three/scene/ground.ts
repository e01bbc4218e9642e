/**
 * The ground below models: the service's own roads, water and land use, drawn from its vector tiles and laid over the
 * guessed terrain.
 */

import type { Bounds } from '@citymodel/geo';
import { PrimitiveCollection, type Scene } from 'cesium';
import { type DatasetRow, toBounds } from '../../core/catalogue.ts';
import { hereOf } from '../../core/config.ts';
import type { Theme } from '../../core/state.ts';
import type { TileJson } from '../../map/tilejson.ts';
import type { Air, Rgb } from './air.ts';
import { type Border, borderOf, groundPicture, landAround } from './ground-border.ts';
import { type GroundSample, groundHeight } from './ground-height.ts';
import { GroundLayer, type HeightAt } from './ground-layer.ts';
import { endAt, shade } from './ground-material.ts';
import { drawGround, type GroundDrawing, PICTURE_SIZE, type TilePart } from './ground-picture.ts';
import {
  boundsAround,
  boundsOfTile,
  groundBounds,
  meets,
  sourceTile,
  type TileAddress,
  tilesAround,
  tilesOver,
} from './ground-tiles.ts';
import { Surroundings } from './surroundings.ts';

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

type Drawing = readonly [TileAddress, GroundDrawing];

export class Ground {
  readonly #scene: Scene;
  readonly #whole: GroundLayer;
  /** Around what is looked at, where a whole city has no room for streets and the feet of houses. */
  readonly #finer: GroundLayer;
  readonly #surroundings: Surroundings;
  #air: Air | null = null;
  #hasShadows = true;
  #opacity = 1;
  #theme: Theme;
  #sources: Source[] = [];
  #bounds: Bounds | null = null;
  #heightAt: HeightAt = () => 0;
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
    this.#heightAt = () => height;
    this.#surroundings.lay(bounds, null, this.#heightAt);
    this.#shade();
  }

  /** Colours of the hour and the theme. */
  set air(air: Air) {
    this.#air = air;
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
   * Draws the ground of a model and around it from these datasets, which are MVT. What cannot be fetched stays away:
   * the ground is an aid to the eye.
   */
  async show(datasets: readonly DatasetRow[], bounds: Bounds): Promise<void> {
    const signal = this.#stop();
    this.#bounds = bounds;
    this.#sources = (await Promise.all(datasets.map((row) => sourceOf(row, signal)))).filter(
      (source) => source !== null,
    );
    if (signal.aborted || this.#sources.length === 0) return;
    await this.#draw(signal);
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
    return this.#heightAt(lng, lat);
  }

  /** Lays the ground over these samples. */
  follow(samples: readonly GroundSample[], otherwise: number): void {
    this.#heightAt = groundHeight(samples, otherwise);
    this.#place();
    if (this.#bounds !== null) this.#surroundings.lay(this.#bounds, this.#whole.bounds, this.#heightAt);
  }

  setTheme(theme: Theme): void {
    if (theme === this.#theme) return;
    this.#theme = theme;
    if (this.#sources.length > 0) void this.#draw(this.#stop());
  }

  destroy(): void {
    this.#stop();
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
    const drawings = await this.#drawingsOf(tiles, signal);
    if (drawings === null || drawings.length === 0) return;
    const pictured = boundsAround(tiles.map(boundsOfTile));
    this.#border = borderOf(pictured, this.#sources);
    this.#land = landAround(drawings, this.#border, this.#theme);
    this.#finer.keep([]);
    this.#replace(this.#whole, [], drawings);
    this.#shade();
    this.#place();
    this.#surroundings.lay(this.#bounds!, pictured, this.#heightAt);
    await this.#refine();
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
        shade(appearance, air, land, this.#hasShadows, this.#opacity);
        if (this.#border !== null) endAt(appearance, bounds, this.#border);
      });
    }
    this.#scene.requestRender();
  }

  #place(): void {
    this.#whole.place(this.#heightAt, this.#finer.bounds);
    this.#finer.place(this.#heightAt, null);
    this.#scene.requestRender();
  }
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
