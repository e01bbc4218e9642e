/** The tilesets of a scene with their tiles: what came, what failed, and when everything in view is there. */
import { type Cesium3DTile, Cesium3DTileset, type Scene, ShadowMode } from 'cesium';
import { FLOODS } from '../flood-facts.ts';
import { TileCount, type TileState } from '../tile-count.ts';
import { LoadedTiles } from './loaded-tiles.ts';
import type { Painter } from './paint.ts';
import type { PrivateTile } from './private-cesium.ts';
import type { SceneModel } from './scene-model.ts';

export interface TilesetEvents {
  /** Tiles came, with features that were not known before. */
  onFeatures(): void;
  /** Tiles came or failed. */
  onTiles(state: TileState): void;
  /** Everything that is in view is there. */
  onLoaded(state: TileState): void;
  /** Features that are selected came or went. */
  onSelection(): void;
}

export class Tilesets implements Iterable<[SceneModel, Cesium3DTileset]> {
  readonly tiles = new LoadedTiles();
  readonly #scene: Scene;
  readonly #painter: Painter;
  readonly #events: TilesetEvents;
  readonly #count = new TileCount();
  /** By the addresses of their models. */
  readonly #tilesets = new Map<string, [SceneModel, Cesium3DTileset]>();

  constructor(scene: Scene, painter: Painter, events: TilesetEvents) {
    this.#scene = scene;
    this.#painter = painter;
    this.#events = events;
  }

  [Symbol.iterator](): Iterator<[SceneModel, Cesium3DTileset]> {
    return this.#tilesets.values();
  }

  /** The tileset of a model; undefined when it is not there, and without a model. */
  of(model: SceneModel | null): Cesium3DTileset | undefined {
    return this.#tilesets.get(model?.url ?? '')?.[1];
  }

  /** True when nothing that is open can ever have features; tiles that have not come yet may have some. */
  get isEmpty(): boolean {
    return [...this.#tilesets.values()].every(([, { root }]) => {
      const { hasEmptyContent } = root as unknown as PrivateTile;
      return hasEmptyContent && root.children.length === 0;
    });
  }

  /** Asks for a tileset. Throws what CesiumJS throws for one that it cannot read. */
  load({ url }: SceneModel): Promise<Cesium3DTileset> {
    return Cesium3DTileset.fromUrl(url, {
      maximumScreenSpaceError: 12,
      environmentMapOptions: { enabled: false },
      shadows: ShadowMode.ENABLED,
    });
  }

  add(model: SceneModel, tileset: Cesium3DTileset): void {
    const { url, type } = model;
    const report = () => this.#events.onTiles(this.#count.state);
    tileset.tileLoad.addEventListener((tile: Cesium3DTile) => {
      // Tilesets within a tileset are no tiles to people.
      if (!isTileset(tile.content.url)) this.#count.arrived(tile.content.url);
      report();
      this.tiles.add(tile);
      this.#events.onFeatures();
    });
    tileset.tileUnload.addEventListener((tile: Cesium3DTile) => {
      this.tiles.delete(tile);
      this.#painter.forget(tile.content);
    });
    tileset.tileFailed.addEventListener(({ url: failed, message }: { url: string; message: string }) => {
      this.#count.failed(failed, message);
      report();
    });
    tileset.tileVisible.addEventListener((tile: Cesium3DTile) => {
      if (this.#painter.paint(tile)) this.#events.onSelection();
    });
    tileset.allTilesLoaded.addEventListener(() => this.#mayBeLoaded(url, tileset));
    this.#tilesets.set(url, [model, tileset]);
    if (FLOODS.has(type ?? '')) this.#painter.water.add(tileset);
    this.#scene.primitives.add(tileset);
  }

  remove(url: string): void {
    const found = this.#tilesets.get(url);
    if (found === undefined) return;
    const [, tileset] = found;
    for (const { content } of this.tiles.take(tileset)) this.#painter.forget(content);
    this.#events.onSelection();
    this.#tilesets.delete(url);
    this.#scene.primitives.remove(tileset);
  }

  /**
   * Removes what is neither `main` nor one of the models, and asks for those that are not there. One that cannot be
   * read is among the results.
   */
  keep(
    main: SceneModel | null,
    models: readonly SceneModel[],
    onCome: (model: SceneModel, tileset: Cesium3DTileset) => void,
  ): Promise<Array<PromiseSettledResult<void>>> {
    const wanted = new Set([main?.url, ...models.map(({ url }) => url)]);
    for (const url of [...this.#tilesets.keys()]) if (!wanted.has(url)) this.remove(url);
    const missing = models.filter((model) => this.of(model) === undefined);
    return Promise.allSettled(missing.map(async (model) => onCome(model, await this.load(model))));
  }

  /** Removes all, and forgets what came and failed. */
  clear(): void {
    for (const url of [...this.#tilesets.keys()]) this.remove(url);
    this.#count.clear();
  }

  /** A tileset within the tileset may have come, whose tiles the next frame asks for. */
  #mayBeLoaded(url: string, tileset: Cesium3DTileset): void {
    const scene = this.#scene;
    const stopWaiting = scene.preUpdate.addEventListener(() => {
      stopWaiting();
      const stopLooking = scene.postRender.addEventListener(() => {
        stopLooking();
        if (this.#tilesets.get(url)?.[1] !== tileset) return;
        const all = [...this.#tilesets.values()];
        if (all.every(([, { tilesLoaded }]) => tilesLoaded)) this.#events.onLoaded(this.#count.state);
      });
    });
    scene.requestRender();
  }
}

function isTileset(url: string): boolean {
  return /\.json(?:$|\?)/.test(url);
}
