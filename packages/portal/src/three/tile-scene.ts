/**
 * The scene: CesiumJS, loaded when the 3D view opens. There is no globe and no sky; the ground is drawn from the
 * service's own maps.
 */
import './cesium-base.ts';
import type { Bounds } from '@citymodel/geo';
import {
  Cartesian2,
  Cartesian3,
  Cartographic,
  type Cesium3DTileFeature,
  type Cesium3DTileset,
  Math as CesiumMath,
  type CesiumWidget,
  Color,
  ScreenSpaceEventHandler,
  ScreenSpaceEventType,
} from 'cesium';
import { afterFrame } from '../core/after-frame.ts';
import type { DatasetRow } from '../core/catalogue.ts';
import type { Theme } from '../core/state.ts';
import type { Properties, PropertySource } from './colouring.ts';
import { coveredOf } from './covered.ts';
import { GROUND_LAYER } from './layer-opacity.ts';
import { airOf, hexOf } from './scene/air.ts';
import { CameraControl, type Move, moveOfKey } from './scene/camera-control.ts';
import { type Ability, Effects } from './scene/effects.ts';
import { Ground } from './scene/ground.ts';
import { type GroundSample, localGround } from './scene/ground-height.ts';
import { type Light, lightAt, lightScene } from './scene/light.ts';
import { boundsInView, lookAtModel, placeOf, radiusOf, setPlace } from './scene/look.ts';
import { Outline } from './scene/outline.ts';
import { type Colouring, Painter, type PropertyReader } from './scene/paint.ts';
import { Picking } from './scene/picking.ts';
import { pictureOf } from './scene/picture.ts';
import { type Measure, Ruler } from './scene/ruler.ts';
import type { SceneModel } from './scene/scene-model.ts';
import { cutTileset } from './scene/section.ts';
import { boundsOf, feetIn, groundSamples, middleOf } from './scene/tile-tree.ts';
import { Tilesets } from './scene/tilesets.ts';
import { widgetIn } from './scene/widget.ts';
import type { TileState } from './tile-count.ts';

export type { Measure } from './scene/ruler.ts';

export interface PickedFeature {
  properties: Properties;
  /** URL of the tile that it is in. */
  tile: string;
  /** Where to look for its file: around the click, or the tile's extent. */
  around: Bounds;
  /** Where it was clicked, degrees; null when it was found by its id. */
  at: [lng: number, lat: number] | null;
}

export interface SceneEvents {
  /** A click or key asked for what is at a place; null when nothing is. */
  onPick(feature: PickedFeature | null): void;
  /** The ruler has two points, or one alone. */
  onMeasure(measure: Measure | null): void;
  /** The camera has come to rest: longitude, latitude, height, heading, pitch. */
  onCamera(camera: number[]): void;
  /** Tiles came, with features that were not known before. */
  onFeatures(): void;
  /** Tiles came or failed. */
  onTiles(state: TileState): void;
  /** Everything that is in view is there. */
  onLoaded(state: TileState): void;
  /** It is known what the machine can. */
  onAbility(ability: Ability): void;
}

export class TileScene {
  readonly #widget: CesiumWidget;
  readonly #events: SceneEvents;
  readonly #handler: ScreenSpaceEventHandler;
  readonly #painter = new Painter();
  readonly #outline: Outline;
  readonly #ground: Ground;
  readonly #effects: Effects;
  readonly #ruler: Ruler;
  readonly #control: CameraControl;
  readonly #picking: Picking;
  readonly #tilesets: Tilesets;
  readonly #words: (metres: number) => string;
  #theme: Theme;
  #model: SceneModel | null = null;
  #light: Light | null = null;
  #hour: number | null = null;
  #cut: number | null = null;
  #isMeasuring = false;
  #isColoured = false;
  #isFiltered = false;
  #opacity: (layer: string) => number = () => 1;

  /** @param words writes metres for people */
  constructor(container: HTMLElement, theme: Theme, events: SceneEvents, words: (metres: number) => string) {
    this.#events = events;
    this.#theme = theme;
    this.#words = words;
    this.#widget = widgetIn(container);
    const { scene, canvas } = this.#widget;
    this.#ground = new Ground(scene, theme);
    this.#outline = new Outline(scene, () => this.#repaint());
    this.#ruler = new Ruler(scene);
    this.#effects = new Effects(this.#widget, events.onAbility);
    this.#control = new CameraControl(scene);
    this.#picking = new Picking(scene, container);
    this.#tilesets = new Tilesets(scene, this.#painter, {
      ...events,
      onSelection: () => this.#showSelection(),
    });
    this.#handler = new ScreenSpaceEventHandler(canvas);
    this.#handler.setInputAction(
      ({ position }: { position: Cartesian2 }) => this.#click(position),
      ScreenSpaceEventType.LEFT_CLICK,
    );
    canvas.addEventListener('keydown', (event) => this.#onKey(event));
    this.#widget.camera.moveEnd.addEventListener(() => this.#events.onCamera(this.camera));
    this.setTheme(theme);
  }

  get canvas(): HTMLCanvasElement {
    return this.#widget.canvas;
  }

  /** What the view is called, for those who hear it; how to move is said by `three-keys` of the page. */
  setName(name: string): void {
    this.canvas.setAttribute('aria-label', name);
  }

  /** Longitude, latitude (degrees), height (metres), heading, pitch (degrees). */
  get camera(): number[] {
    return placeOf(this.#widget.camera);
  }

  set camera(place: readonly number[]) {
    setPlace(this.#widget.camera, place);
    this.#widget.scene.requestRender();
  }

  /**
   * Moves after the frame that answers the key or click: without a graphics card, one of the view takes longer than
   * people wait.
   */
  move(move: Move): void {
    const { dataset } = this.canvas;
    dataset.moving = '';
    afterFrame(() => {
      if (this.#widget.isDestroyed()) return;
      delete dataset.moving;
      this.#control.move(move);
    });
  }

  /**
   * True when nothing that is open can ever have features; tiles that have not come yet, or lie outside of the view,
   * may have some.
   */
  get isEmpty(): boolean {
    return this.#tilesets.isEmpty;
  }

  /** Shows a model instead of what was there. Throws what CesiumJS throws for a tileset that it cannot read. */
  async open(model: SceneModel, camera: readonly number[] | null): Promise<void> {
    const tileset = await this.#tilesets.load(model);
    if (this.#widget.isDestroyed()) return;
    this.#tilesets.clear();
    this.#ruler.clear();
    this.#model = model;
    this.#control.ground = model.low;
    this.#add(model, tileset);
    this.#ground.surround(model.bounds, model.low);
    this.setSun(this.#hour);
    if (camera === null) this.fit();
    else this.camera = camera;
    this.#repaint();
  }

  /**
   * Shows these models beside the one that is open, and none else. A model that cannot be read throws; the others are
   * shown.
   */
  async beside(models: readonly SceneModel[]): Promise<void> {
    const main = this.#model;
    const wanted = new Set(models.map(({ url }) => url));
    for (const [{ url }] of [...this.#tilesets]) {
      if (url !== main?.url && !wanted.has(url)) this.#tilesets.remove(url);
    }
    const results = await Promise.allSettled(
      models
        .filter((model) => this.#tilesets.of(model) === undefined)
        .map(async (model) => {
          const tileset = await this.#tilesets.load(model);
          if (!this.#widget.isDestroyed() && this.#model === main) this.#add(model, tileset);
        }),
    );
    this.#widget.isDestroyed() || this.#repaint();
    const failed = results.find((result) => result.status === 'rejected');
    if (failed !== undefined) throw failed.reason;
  }

  /** Draws the ground of the model that is open from these MVT datasets. */
  async showGround(datasets: readonly DatasetRow[]): Promise<void> {
    if (this.#model === null) return;
    await this.#ground.show(datasets, this.#model.bounds);
    this.settle();
  }

  /** After tiles have come: the ground follows them. */
  settle(): void {
    if (this.#widget.isDestroyed() || this.#model === null) return;
    this.#effects.measure();
    const samples = this.#samples();
    if (samples.length === 0) return;
    this.#control.ground = this.#groundAhead(samples);
    const feet = feetIn(this.#tilesets.tiles, this.#tilesets.of(this.#model));
    this.#ground.follow(feet.length > 0 ? feet : samples, this.#control.ground);
    if (this.#cut !== null) this.setCut(this.#cut);
  }

  /** The ground in the middle of the view. */
  #groundAhead(samples: readonly GroundSample[]): number {
    const { longitude, latitude } = Cartographic.fromCartesian(this.#control.middle());
    return localGround(samples, CesiumMath.toDegrees(longitude), CesiumMath.toDegrees(latitude));
  }

  /** Looks at the whole model, or at the part to look at first, from the south and above. */
  fit(whole = false): void {
    if (this.#model === null) return;
    lookAtModel(this.#widget.camera, this.#model, whole, this.canvas, coveredOf(this.canvas));
    this.#widget.scene.requestRender();
    this.#events.onCamera(this.camera);
  }

  /** What of the model is in view, degrees; null when the view shows the sky alone. */
  viewBounds(): Bounds | null {
    return this.#model === null ? null : boundsInView(this.#widget.camera, this.#model.bounds);
  }

  /** Asks what is in the middle of the view, for those who have no pointer. */
  pickMiddle(): void {
    const { clientWidth, clientHeight } = this.canvas;
    this.#click(new Cartesian2(clientWidth / 2, clientHeight / 2));
  }

  /** The loaded feature of a gml:id; null when none has it. */
  find(id: string): PickedFeature | null {
    const found = this.#tilesets.tiles.find(id);
    return found === null
      ? null
      : this.#describe(found.feature, boundsOf(found.tile) ?? this.#model!.bounds, null);
  }

  /** Asks the service again for the tiles that failed: CesiumJS itself never does. */
  async retry(): Promise<void> {
    const models = [...this.#tilesets].map(([model]) => model);
    const fresh = await Promise.all(models.map((model) => this.#tilesets.load(model)));
    if (this.#widget.isDestroyed()) return;
    this.#tilesets.clear();
    for (const [i, model] of models.entries()) this.#add(model, fresh[i]!);
    this.#repaint();
  }

  setTheme(theme: Theme): void {
    this.#theme = theme;
    this.#ground.setTheme(theme);
    this.#lightAll();
    this.#widget.scene.requestRender();
  }

  /** Hour of the day in Japan; null for a light that shows shapes. */
  setSun(hour: number | null): void {
    this.#hour = hour;
    if (this.#model === null) return;
    this.#light = lightAt(middleOf(this.#model.bounds), hour);
    lightScene(this.#widget.scene, this.#light);
    this.#lightAll();
    this.#effects.shadows = hour !== null && !this.#isColoured;
    this.#prepareAll();
    this.#repaint();
  }

  /**
   * Whether corners and shadows are drawn where the machine can; `isPatient`: also where it is too slow, when the view
   * rests.
   */
  setEffects(isWanted: boolean, isPatient = false): void {
    this.#effects.want(isWanted, isPatient);
  }

  /** Metres above the ground above which models are cut off; null for whole ones. */
  setCut(above: number | null): void {
    this.#cut = above;
    if (this.#model === null) return;
    this.#prepareAll();
    const [lng, lat] = middleOf(this.#model.bounds);
    for (const [, tileset] of this.#tilesets) {
      cutTileset(tileset, [lng, lat, this.#control.ground], above);
    }
    this.#widget.scene.requestRender();
  }

  /** While measuring, clicks set points. */
  setMeasuring(isMeasuring: boolean): void {
    this.#isMeasuring = isMeasuring;
    if (!isMeasuring) this.#ruler.clear();
  }

  /** Colours features by what `property` gives for each; null: as the model has them. */
  setColouring(colouring: Colouring | null): void {
    if (colouring === null && !this.#isColoured) return;
    this.#painter.colouring = colouring;
    this.#isColoured = colouring !== null;
    // A legend is held against colours: shadows would change them.
    this.#effects.shadows = this.#hour !== null && !this.#isColoured;
    this.#prepareAll();
    this.#repaint();
  }

  /** Draws only features of the model that are accepted, and all of what is beside it; null draws all. */
  setFilter(accepts: ((source: PropertySource) => boolean) | null): void {
    if (accepts === null && !this.#isFiltered) return;
    this.#isFiltered = accepts !== null;
    this.#prepareAll();
    this.#painter.filter = accepts;
    this.#repaint();
  }

  /** Tells how opaque each layer is, 0 to 1: models by their ids, and the map on the ground. */
  setOpacity(opacity: (layer: string) => number): void {
    this.#opacity = opacity;
    this.#ground.opacity = opacity(GROUND_LAYER);
    this.#fade();
    this.#prepareAll();
    this.#repaint();
  }

  #fade(): void {
    for (const [{ id }, tileset] of this.#tilesets) {
      this.#painter.setOpacity(tileset, this.#opacity(id));
    }
  }

  /** Outlines the feature with this gml:id wherever it is drawn; null outlines none. */
  select(id: string | null): void {
    if (this.#painter.select(id, this.#tilesets.tiles)) this.#showSelection();
  }

  /** A PNG of what is seen, with lines of credit. */
  picture(credit: readonly string[]): Promise<Blob> {
    const { scene, canvas } = this.#widget;
    scene.requestRender();
    scene.render();
    return pictureOf(canvas, credit, canvas.width / canvas.clientWidth);
  }

  /** Names of the properties that the loaded features have. */
  propertyNames(): Set<string> {
    return this.#tilesets.tiles.propertyNames();
  }

  /** What the schemas of loaded tiles call properties that have another identifier. */
  propertyTitles(): Map<string, string> {
    return this.#tilesets.tiles.propertyTitles();
  }

  /** Values of the loaded features of the model that is open, as `property` reads them: what is beside has others. */
  values<T>(property: (...of: Parameters<PropertyReader>) => T): T[] {
    return this.#tilesets.tiles.values(this.#tilesets.of(this.#model), property);
  }

  destroy(): void {
    this.#effects.destroy();
    this.#ground.destroy();
    this.#handler.destroy();
    this.#picking.destroy();
    this.#widget.destroy();
  }

  #add(model: SceneModel, tileset: Cesium3DTileset): void {
    if (model.url === this.#model?.url) this.#painter.filtered = tileset;
    this.#tilesets.add(model, tileset);
    this.#fade();
    this.#prepareAll();
    if (this.#cut !== null) this.setCut(this.#cut);
  }

  #prepareAll(): void {
    for (const [{ type }, tileset] of this.#tilesets) {
      // Grey of buildings means nothing.
      this.#painter.prepare(tileset, type === 'bldg');
    }
    // Baked shadows are those of whole buildings in the light of drawings.
    const isWhole = this.#cut === null && !this.#isFiltered && this.#opacity(this.#model?.id ?? '') === 1;
    this.#ground.hasShadows = this.#hour === null && isWhole;
  }

  /** The light of the hour and the theme on models, ground and sky. */
  #lightAll(): void {
    if (this.#light === null || this.#model === null) return;
    const { direction, sunlight, ambient, glow } = this.#light;
    const { bounds } = this.#model;
    const air = airOf(this.#theme, ambient, glow, radiusOf(bounds, 0));
    const up = Cartesian3.normalize(Cartesian3.fromDegrees(...middleOf(bounds)), new Cartesian3());
    const sun = Cartesian3.negate(direction, new Cartesian3());
    this.#painter.light = { air, up, sun, sunlight, ambient };
    this.#ground.air = air;
    this.#widget.scene.backgroundColor = Color.fromCssColorString(hexOf(air.horizon));
  }

  /** Draws features as they have to look now: those in view are told of by the frame. */
  #repaint(): void {
    // The page answers first: a frame of the view may take longer than its own.
    requestAnimationFrame(() =>
      setTimeout(() => this.#widget.isDestroyed() || this.#widget.scene.requestRender()),
    );
  }

  #showSelection(): void {
    this.#outline.set(this.#painter.selected);
    this.#repaint();
  }

  /** Of the model that is open: of what is beside it, water lies in its bed and bridges in the air. */
  #samples(): GroundSample[] {
    const root = this.#tilesets.of(this.#model)?.root;
    return root === undefined ? [] : groundSamples(root);
  }

  #click(position: Cartesian2): void {
    // CesiumJS uses its position again.
    const place = Cartesian2.clone(position);
    this.#picking.answer(place, () => (this.#isMeasuring ? this.#measure(place) : this.#pick(place)));
  }

  #measure(position: Cartesian2): void {
    const point = this.#widget.scene.pickPosition(position);
    if (point !== undefined) this.#events.onMeasure(this.#ruler.add(point, this.#words));
  }

  #pick(position: Cartesian2): void {
    const hit = this.#picking.at(position);
    if (hit === null || this.#model === null) {
      this.#events.onPick(null);
      return;
    }
    const { feature, place } = hit;
    this.#events.onPick(this.#describe(feature, place?.around ?? this.#model.bounds, place?.at ?? null));
  }

  #describe(feature: Cesium3DTileFeature, around: Bounds, at: PickedFeature['at']): PickedFeature {
    const properties: Properties = {};
    for (const name of feature.getPropertyIds()) properties[name] = feature.getProperty(name);
    const { content } = feature as unknown as { content: { url: string } };
    return { properties, tile: content.url, around, at };
  }

  #onKey(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === 'Enter') {
      event.preventDefault();
      this.pickMiddle();
      return;
    }
    const move = moveOfKey(event.key, event.shiftKey);
    if (move === null) return;
    event.preventDefault();
    this.move(move);
  }
}
