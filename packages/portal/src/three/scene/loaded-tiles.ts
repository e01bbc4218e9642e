/** The tiles that have come, and what their features say of themselves. */
import type { Cesium3DTile, Cesium3DTileContent, Cesium3DTileFeature, Cesium3DTileset } from 'cesium';
import { distinctFeatures, idOf } from './distinct-features.ts';
import type { PropertyReader } from './paint.ts';
import { propertiesOf } from './private-cesium.ts';

/** Features that are looked at for colours and counts. */
const MOST_FEATURES = 50_000;

export class LoadedTiles implements Iterable<Cesium3DTile> {
  readonly #tiles = new Set<Cesium3DTile>();
  /** Features of each tileset, while no tile comes or goes. */
  readonly #features = new Map<Cesium3DTileset, Array<[content: Cesium3DTileContent, index: number]>>();

  [Symbol.iterator](): Iterator<Cesium3DTile> {
    return this.#tiles.values();
  }

  add(tile: Cesium3DTile): void {
    this.#features.clear();
    this.#tiles.add(tile);
  }

  delete(tile: Cesium3DTile): void {
    this.#features.clear();
    this.#tiles.delete(tile);
  }

  /** Takes the tiles of a tileset away, and gives them. */
  take(tileset: Cesium3DTileset): Cesium3DTile[] {
    this.#features.clear();
    const taken = [...this.#tiles].filter((tile) => tile.tileset === tileset);
    for (const tile of taken) this.#tiles.delete(tile);
    return taken;
  }

  /** Names of the properties that the features have. */
  propertyNames(): Set<string> {
    const names = new Set<string>();
    for (const { content } of this.#tiles) {
      // Features of one tile share their properties.
      if (content.featuresLength === 0) continue;
      for (const name of content.getFeature(0).getPropertyIds()) names.add(name);
    }
    return names;
  }

  /** What the schemas of tiles call properties that have another identifier (EXT_structural_metadata). */
  propertyTitles(): Map<string, string> {
    const titles = new Map<string, string>();
    for (const { content } of this.#tiles) {
      for (const [id, { name }] of Object.entries(propertiesOf(content))) {
        if (typeof name === 'string' && name !== '') titles.set(id, name);
      }
    }
    return titles;
  }

  /**
   * Values of the features of a tileset, as `property` reads them; 50,000 at most. A feature that tiles of several
   * levels have counts once.
   */
  values<T>(of: Cesium3DTileset | undefined, property: (...of: Parameters<PropertyReader>) => T): T[] {
    if (of === undefined) return [];
    return this.#featuresOf(of).map(([content, i]) => property(content.getFeature(i), content.url));
  }

  #featuresOf(of: Cesium3DTileset): Array<[content: Cesium3DTileContent, index: number]> {
    const known = this.#features.get(of);
    if (known !== undefined) return known;
    const contents = [...this.#tiles].filter(({ tileset }) => tileset === of).map(({ content }) => content);
    const features = distinctFeatures(contents, MOST_FEATURES);
    this.#features.set(of, features);
    return features;
  }

  /** The feature of a gml:id with its tile; null when none has it. */
  find(id: string): { feature: Cesium3DTileFeature; tile: Cesium3DTile } | null {
    for (const tile of this.#tiles) {
      const { content } = tile;
      for (let i = 0; i < content.featuresLength; i++) {
        const feature = content.getFeature(i);
        if (idOf(feature) === id) return { feature, tile };
      }
    }
    return null;
  }
}
