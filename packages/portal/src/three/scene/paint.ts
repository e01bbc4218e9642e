/** Colours and shows features of tiles as they come into view. */
import { WATER_DEPTHS, waterDepthOf } from '@citymodel/base';
import {
  type Cesium3DTile,
  Cesium3DTileColorBlendMode,
  type Cesium3DTileContent,
  type Cesium3DTileFeature,
  type Cesium3DTileset,
  Color,
} from 'cesium';
import { MISSING, type PropertySource, type Scale } from '../colouring.ts';
import { type EditionLook, UNCHANGED } from '../editions.ts';
import { floodFacts } from '../flood-facts.ts';
import { idOf } from './distinct-features.ts';
import { type ModelLight, ModelShader } from './model-shader.ts';

/** A property of a feature in the tile of a URL. */
export type PropertyReader = (source: PropertySource, tile: string) => unknown;

export interface Colouring {
  property: PropertyReader;
  scale: Scale;
}

export class Painter {
  /** Contents whose features look as they have to now. */
  #painted = new WeakSet<object>();
  #colouring: Colouring | null = null;
  /** The tileset whose features the filter is for. */
  filtered: Cesium3DTileset | null = null;
  /** The tileset of the older of two editions. */
  older: Cesium3DTileset | undefined;
  #look: EditionLook | null = null;
  /** Tilesets of floods, whose features have the colour of their depth. */
  readonly water = new WeakSet<Cesium3DTileset>();
  /** Of tilesets, 0 to 1; whole where there is none. */
  readonly #opacities = new WeakMap<Cesium3DTileset, number>();
  #accepts: ((source: PropertySource) => boolean) | null = null;
  #selectedId: string | null = null;
  readonly #selected = new Map<object, Cesium3DTileFeature[]>();
  readonly #shader = new ModelShader();
  #isCut = false;

  get selected(): Cesium3DTileFeature[] {
    return [...this.#selected.values()].flat();
  }

  set colouring(value: Colouring | null) {
    this.#colouring = value;
    this.#painted = new WeakSet();
  }

  /** How two editions look; null where there is one. It goes before colours of a property. */
  set look(value: EditionLook | null) {
    this.#look = value;
    this.#painted = new WeakSet();
  }

  /** Which features are drawn; null for all. */
  set filter(accepts: ((source: PropertySource) => boolean) | null) {
    this.#accepts = accepts;
    this.#painted = new WeakSet();
  }

  /**
   * Selects the features of a gml:id among what has come and what will; null selects none. False when they are selected
   * already.
   */
  select(id: string | null, tiles: Iterable<Cesium3DTile>): boolean {
    if (id === this.#selectedId) return false;
    this.#selectedId = id;
    this.#selected.clear();
    for (const { content } of tiles) this.#selectIn(content);
    return true;
  }

  /** Forgets what was seen of tiles that are gone. */
  forget(content: object): void {
    this.#selected.delete(content);
  }

  set light(light: ModelLight) {
    this.#shader.set(light);
  }

  /** Whether models are cut; `prepare` has to follow. */
  set isCut(value: boolean) {
    this.#isCut = value;
    this.#shader.isCut = value;
  }

  /** How opaque a tileset is, 0 to 1: nothing of it is drawn at 0. */
  setOpacity(tileset: Cesium3DTileset, opacity: number): void {
    if (opacity === (this.#opacities.get(tileset) ?? 1)) return;
    this.#opacities.set(tileset, opacity);
    this.#painted = new WeakSet();
  }

  /**
   * How a tileset takes colours: the one whose features the legend is about has its colours, others keep theirs.
   *
   * @param isBuilding grey of its surfaces means nothing, and they are closed
   */
  prepare(tileset: Cesium3DTileset, isBuilding: boolean): void {
    const isColoured = this.#isColoured(tileset) || this.water.has(tileset);
    tileset.colorBlendMode = isColoured
      ? Cesium3DTileColorBlendMode.REPLACE
      : Cesium3DTileColorBlendMode.HIGHLIGHT;
    tileset.customShader = this.#shader.for(isColoured, isBuilding);
    // The surface of a cut is what is seen of the inside.
    tileset.backFaceCulling = !(isBuilding && this.#isCut);
  }

  #isColoured(tileset: Cesium3DTileset): boolean {
    if (this.#look !== null && this.#isEdition(tileset)) return this.#look.isColoured;
    return this.#colouring !== null && tileset === this.filtered;
  }

  #isEdition(tileset: Cesium3DTileset): boolean {
    return tileset === this.filtered || tileset === this.older;
  }

  /** Makes the features of a tile look as they have to; true when the selection has changed by it. */
  paint({ content, tileset }: Cesium3DTile): boolean {
    if (this.#painted.has(content)) return false;
    this.#painted.add(content);
    const known = new Map<string, Color>();
    const opacity = this.#opacities.get(tileset) ?? 1;
    const isEdition = this.#isEdition(tileset);
    const accepts = isEdition ? this.#accepts : null;
    const look = isEdition ? this.#look : null;
    for (let i = 0; i < content.featuresLength; i++) {
      const feature = content.getFeature(i);
      const edition = look === null ? undefined : look.colourOf(idOf(feature), tileset === this.older);
      feature.show = opacity > 0 && edition !== null && (accepts === null || accepts(feature));
      if (!feature.show) continue;
      const colour =
        edition !== undefined
          ? named(edition!, known)
          : look === null && this.#isColoured(tileset)
            ? this.#colourOf(feature, content, known)
            : this.water.has(tileset)
              ? depthColour(feature)
              : look?.isColoured === true
                ? named(UNCHANGED, known)
                : Color.WHITE;
      feature.color = opacity < 1 ? colour.withAlpha(opacity) : colour;
    }
    return this.#selectIn(content);
  }

  /** True when the selection has changed by what is in a tile. */
  #selectIn(content: Cesium3DTileContent): boolean {
    const before = this.#selected.get(content)?.length ?? 0;
    const selected: Cesium3DTileFeature[] = [];
    for (let i = 0; this.#selectedId !== null && i < content.featuresLength; i++) {
      const feature = content.getFeature(i);
      if (idOf(feature) === this.#selectedId) selected.push(feature);
    }
    if (selected.length === 0) this.#selected.delete(content);
    else this.#selected.set(content, selected);
    return selected.length !== before;
  }

  #colourOf(feature: Cesium3DTileFeature, content: Cesium3DTileContent, known: Map<string, Color>): Color {
    const { scale, property } = this.#colouring!;
    return named(scale.legend[scale.classOf(property(feature, content.url))]!.colour, known);
  }
}

/** A colour of CSS, which is read once. */
function named(css: string, known: Map<string, Color>): Color {
  let colour = known.get(css);
  if (colour === undefined) {
    colour = Color.fromCssColorString(css);
    known.set(css, colour);
  }
  return colour;
}

/** The colour of water by its class of depth, a column of its own or within what the tile holds as JSON. */
function depthColour(feature: Cesium3DTileFeature): Color {
  const names = feature.getPropertyIds();
  const column = names.find((name) => /[:_]rank(Org)?$/.test(name));
  const rank =
    column === undefined
      ? floodFacts(Object.fromEntries(names.map((name) => [name, feature.getProperty(name) as unknown]))).rank
      : String(feature.getProperty(column) ?? '');
  if (rank === '') return Color.fromCssColorString(MISSING);
  const [, rgb] = WATER_DEPTHS[waterDepthOf(rank)]!;
  return Color.fromBytes(...rgb);
}
