/**
 * The scene: CesiumJS, loaded when the 3D view opens. There is no globe and no sky; the ground is drawn from the
 * service's own maps.
 */
import './cesium-base.ts';
import type { Bounds } from '@citymodel/geo';
import {
  BoundingSphere,
  Cartesian2,
  Cartesian3,
  Cartographic,
  type Cesium3DTile,
  type Cesium3DTileFeature,
  Cesium3DTileset,
  Math as CesiumMath,
  CesiumWidget,
  Clock,
  Color,
  Credit,
  CreditDisplay,
  HeadingPitchRange,
  JulianDate,
  Matrix4,
  Rectangle,
  ScreenSpaceEventHandler,
  ScreenSpaceEventType,
  ShadowMode,
} from 'cesium';
import { afterFrame } from '../core/after-frame.ts';
import type { DatasetRow } from '../core/catalogue.ts';
import type { Theme } from '../core/state.ts';
import type { Properties, PropertySource } from './colouring.ts';
import { FLOODS } from './flood-facts.ts';
import { airOf, hexOf } from './scene/air.ts';
import { CameraControl, type Move, moveOfKey } from './scene/camera-control.ts';
import { type Ability, Effects } from './scene/effects.ts';
import { Ground } from './scene/ground.ts';
import { type GroundSample, localGround } from './scene/ground-height.ts';
import { type Light, lightAt, lightScene } from './scene/light.ts';
import { Outline } from './scene/outline.ts';
import { type Colouring, idOf, Painter, type PropertyReader } from './scene/paint.ts';
import { Picking } from './scene/picking.ts';
import { pictureOf } from './scene/picture.ts';
import { type PrivateTile, propertiesOf } from './scene/private-cesium.ts';
import { type Measure, Ruler } from './scene/ruler.ts';
import type { SceneModel } from './scene/scene-model.ts';
import { cutTileset } from './scene/section.ts';
import { boundsOf, feetIn, groundSamples, middleOf } from './scene/tile-tree.ts';
import { TileCount, type TileState } from './tile-count.ts';

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

/** Values that are looked at for the colours of a property. */
const MOST_VALUES = 50_000;
/** Half the extent that is looked at first at most, metres. */
const WIDEST_LOOK = 800;
/** Degrees down at first: the horizon is in the view. */
const PITCH = -21;
/** And at least, where a part of a model is looked at. */
const NARROWEST_LOOK = 300;

// Nothing comes from Cesium ion, whose mark is the default.
CreditDisplay.cesiumCredit = new Credit('CesiumJS', true);

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
  readonly #count = new TileCount();
  readonly #tilesets = new Map<string, Cesium3DTileset>();
  readonly #tiles = new Set<Cesium3DTile>();
  /** Feature types of tilesets, by their addresses. */
  readonly #types = new Map<string, string | null>();
  readonly #words: (metres: number) => string;
  #theme: Theme;
  #model: SceneModel | null = null;
  #light: Light | null = null;
  #hour: number | null = null;
  #cut: number | null = null;
  #isMeasuring = false;
  #isColoured = false;
  #isFiltered = false;

  /** @param words writes metres for people */
  constructor(container: HTMLElement, theme: Theme, events: SceneEvents, words: (metres: number) => string) {
    this.#events = events;
    this.#theme = theme;
    this.#words = words;
    this.#widget = new CesiumWidget(container, {
      baseLayer: false,
      globe: false,
      skyBox: false,
      skyAtmosphere: false,
      scene3DOnly: true,
      requestRenderMode: true,
      maximumRenderTimeChange: Number.POSITIVE_INFINITY,
      // The scene is drawn into a buffer that has samples of its own. Those of the canvas would cost time and show
      // nothing.
      contextOptions: { webgl: { antialias: false } },
      // Its passes over the screen take a quarter of a frame without a graphics card. Without them the depth of several
      // samples comes one frame later, and a click into a view at rest measures nothing.
      orderIndependentTranslucency: true,
      // Every pixel of the screen.
      useBrowserRecommendedResolution: false,
      clock: new Clock({ currentTime: JulianDate.fromIso8601('2024-06-21T02:00:00Z'), shouldAnimate: false }),
      showRenderLoopErrors: false,
    });
    const { scene, canvas } = this.#widget;
    scene.sun = undefined as never;
    scene.moon = undefined as never;
    scene.fog.enabled = false;
    scene.highDynamicRange = false;
    this.#ground = new Ground(scene, theme);
    this.#outline = new Outline(scene, () => this.#repaint());
    this.#ruler = new Ruler(scene);
    this.#effects = new Effects(this.#widget, events.onAbility);
    this.#control = new CameraControl(scene);
    this.#picking = new Picking(scene, container);
    canvas.tabIndex = 0;
    // Keys are for the view, not for the screen reader.
    canvas.setAttribute('role', 'application');
    canvas.setAttribute('aria-describedby', 'three-keys');
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
    const { camera } = this.#widget;
    const { longitude, latitude, height } = camera.positionCartographic;
    return [
      CesiumMath.toDegrees(longitude),
      CesiumMath.toDegrees(latitude),
      height,
      CesiumMath.toDegrees(camera.heading),
      CesiumMath.toDegrees(camera.pitch),
    ];
  }

  set camera([lng, lat, height, heading, pitch]: readonly number[]) {
    this.#widget.camera.setView({
      destination: Cartesian3.fromDegrees(lng!, lat!, height!),
      orientation: {
        heading: CesiumMath.toRadians(heading!),
        pitch: CesiumMath.toRadians(pitch!),
        roll: 0,
      },
    });
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

  /** Looks at a point of the ground, from a distance in metres. Heading and pitch in degrees. */
  flyTo(lng: number, lat: number, distance: number, heading: number, pitch: number): void {
    const { camera } = this.#widget;
    camera.lookAt(
      Cartesian3.fromDegrees(lng, lat, this.#control.ground),
      new HeadingPitchRange(CesiumMath.toRadians(heading), CesiumMath.toRadians(pitch), distance),
    );
    camera.lookAtTransform(Matrix4.IDENTITY);
    this.#widget.scene.requestRender();
  }

  /**
   * True when nothing that is open can ever have features; tiles that have not come yet, or lie outside of the view,
   * may have some.
   */
  get isEmpty(): boolean {
    return [...this.#tilesets.values()].every(({ root }) => {
      const { hasEmptyContent } = root as unknown as PrivateTile;
      return hasEmptyContent && root.children.length === 0;
    });
  }

  /** Shows a model instead of what was there. Throws what CesiumJS throws for a tileset that it cannot read. */
  async open(model: SceneModel, camera: readonly number[] | null): Promise<void> {
    this.#types.set(model.url, model.type);
    const tileset = await this.#load(model.url);
    if (this.#widget.isDestroyed()) return;
    for (const url of [...this.#tilesets.keys()]) this.#remove(url);
    this.#count.clear();
    this.#ruler.clear();
    this.#model = model;
    this.#control.ground = model.low;
    this.#add(model.url, tileset);
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
    for (const url of [...this.#tilesets.keys()]) {
      if (url !== main?.url && !wanted.has(url)) this.#remove(url);
    }
    const results = await Promise.allSettled(
      models
        .filter(({ url }) => !this.#tilesets.has(url))
        .map(async ({ url, type }) => {
          this.#types.set(url, type);
          const tileset = await this.#load(url);
          if (!this.#widget.isDestroyed() && this.#model === main) this.#add(url, tileset);
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
    const feet = feetIn(this.#tiles, this.#tilesets.get(this.#model.url));
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
    const { bounds, low, high, focus } = this.#model;
    const all = radiusOf(bounds, high - low);
    const isPart = !whole && all > WIDEST_LOOK;
    const { west, south, east, north } = isPart ? (focus ?? bounds) : bounds;
    const radius = isPart
      ? Math.min(Math.max(radiusOf(focus ?? bounds, 0), NARROWEST_LOOK), WIDEST_LOOK)
      : all;
    const centre = Cartesian3.fromDegrees((west + east) / 2, (south + north) / 2, low + (high - low) / 4);
    const { camera } = this.#widget;
    // An upright view is narrower than what it is turned to.
    const { clientWidth, clientHeight } = this.canvas;
    const farther = Math.min(1.6, Math.max(1, Math.sqrt(clientHeight / clientWidth)));
    camera.viewBoundingSphere(
      new BoundingSphere(centre, radius),
      new HeadingPitchRange(CesiumMath.toRadians(-24), CesiumMath.toRadians(PITCH), radius * 1.6 * farther),
    );
    camera.lookAtTransform(Matrix4.IDENTITY);
    this.#widget.scene.requestRender();
    this.#events.onCamera(this.camera);
  }

  /** What of the model is in view, degrees; null when the view shows the sky alone. */
  viewBounds(): Bounds | null {
    const seen = this.#widget.camera.computeViewRectangle();
    if (seen === undefined || this.#model === null) return null;
    const { bounds } = this.#model;
    const [west, south, east, north] = [seen.west, seen.south, seen.east, seen.north].map(
      CesiumMath.toDegrees,
    ) as [number, number, number, number];
    const both = {
      west: Math.max(west, bounds.west),
      south: Math.max(south, bounds.south),
      east: Math.min(east, bounds.east),
      north: Math.min(north, bounds.north),
    };
    return both.west < both.east && both.south < both.north ? both : null;
  }

  /** Asks what is in the middle of the view, for those who have no pointer. */
  pickMiddle(): void {
    const { clientWidth, clientHeight } = this.canvas;
    this.#click(new Cartesian2(clientWidth / 2, clientHeight / 2));
  }

  /** The loaded feature of a gml:id; null when none has it. */
  find(id: string): PickedFeature | null {
    for (const tile of this.#tiles) {
      const { content } = tile;
      for (let i = 0; i < content.featuresLength; i++) {
        const feature = content.getFeature(i);
        if (idOf(feature) === id) return this.#describe(feature, boundsOf(tile) ?? this.#model!.bounds, null);
      }
    }
    return null;
  }

  /** Asks the service again for the tiles that failed: CesiumJS itself never does. */
  async retry(): Promise<void> {
    const urls = [...this.#tilesets.keys()];
    const fresh = await Promise.all(urls.map((url) => this.#load(url)));
    if (this.#widget.isDestroyed()) return;
    for (const url of urls) this.#remove(url);
    this.#count.clear();
    for (const [i, url] of urls.entries()) this.#add(url, fresh[i]!);
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
    for (const tileset of this.#tilesets.values()) {
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

  /** Outlines the feature with this gml:id wherever it is drawn; null outlines none. */
  select(id: string | null): void {
    if (this.#painter.select(id, this.#tiles)) this.#showSelection();
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
    const names = new Set<string>();
    for (const { content } of this.#tiles) {
      // Features of one tile share their properties.
      if (content.featuresLength === 0) continue;
      for (const name of content.getFeature(0).getPropertyIds()) names.add(name);
    }
    return names;
  }

  /** What the schemas of loaded tiles call properties that have another identifier (EXT_structural_metadata). */
  propertyTitles(): Map<string, string> {
    const titles = new Map<string, string>();
    for (const { content } of this.#tiles) {
      for (const [id, { name }] of Object.entries(propertiesOf(content))) {
        if (typeof name === 'string' && name !== '') titles.set(id, name);
      }
    }
    return titles;
  }

  /** Values of the loaded features of the model that is open, as `property` reads them. */
  values(property: PropertyReader): unknown[] {
    const values: unknown[] = [];
    const main = this.#tilesets.get(this.#model?.url ?? '');
    for (const { content, tileset } of this.#tiles) {
      // What is shown beside the model has other attributes.
      if (tileset !== main) continue;
      for (let i = 0; i < content.featuresLength && values.length < MOST_VALUES; i++) {
        values.push(property(content.getFeature(i), content.url));
      }
    }
    return values;
  }

  destroy(): void {
    this.#effects.destroy();
    this.#ground.destroy();
    this.#handler.destroy();
    this.#picking.destroy();
    this.#widget.destroy();
  }

  #load(url: string): Promise<Cesium3DTileset> {
    return Cesium3DTileset.fromUrl(url, {
      maximumScreenSpaceError: 12,
      environmentMapOptions: { enabled: false },
      shadows: ShadowMode.ENABLED,
    });
  }

  #add(url: string, tileset: Cesium3DTileset): void {
    const report = () => this.#events.onTiles(this.#count.state);
    tileset.tileLoad.addEventListener((tile: Cesium3DTile) => {
      // Tilesets within a tileset are no tiles to people.
      if (!isTileset(tile.content.url)) this.#count.arrived(tile.content.url);
      report();
      this.#tiles.add(tile);
      this.#events.onFeatures();
    });
    tileset.tileUnload.addEventListener((tile: Cesium3DTile) => {
      this.#tiles.delete(tile);
      this.#painter.forget(tile.content);
    });
    tileset.tileFailed.addEventListener(({ url: failed, message }: { url: string; message: string }) => {
      this.#count.failed(failed, message);
      report();
    });
    tileset.tileVisible.addEventListener((tile: Cesium3DTile) => {
      if (this.#painter.paint(tile)) this.#showSelection();
    });
    tileset.allTilesLoaded.addEventListener(() => this.#mayBeLoaded(url, tileset));
    this.#tilesets.set(url, tileset);
    if (FLOODS.has(this.#types.get(url) ?? '')) this.#painter.water.add(tileset);
    if (url === this.#model?.url) this.#painter.filtered = tileset;
    this.#widget.scene.primitives.add(tileset);
    this.#prepareAll();
    if (this.#cut !== null) this.setCut(this.#cut);
  }

  #remove(url: string): void {
    const tileset = this.#tilesets.get(url);
    if (tileset === undefined) return;
    for (const tile of [...this.#tiles]) {
      if (tile.tileset !== tileset) continue;
      this.#tiles.delete(tile);
      this.#painter.forget(tile.content);
    }
    this.#showSelection();
    this.#tilesets.delete(url);
    this.#widget.scene.primitives.remove(tileset);
  }

  /** A tileset within the tileset may have come, whose tiles the next frame asks for. */
  #mayBeLoaded(url: string, tileset: Cesium3DTileset): void {
    const { scene } = this.#widget;
    const stopWaiting = scene.preUpdate.addEventListener(() => {
      stopWaiting();
      const stopLooking = scene.postRender.addEventListener(() => {
        stopLooking();
        if (this.#tilesets.get(url) !== tileset) return;
        const all = [...this.#tilesets.values()];
        if (all.every(({ tilesLoaded }) => tilesLoaded)) this.#events.onLoaded(this.#count.state);
      });
    });
    scene.requestRender();
  }

  #prepareAll(): void {
    for (const [url, tileset] of this.#tilesets) {
      // Grey of buildings means nothing.
      this.#painter.prepare(tileset, this.#types.get(url) === 'bldg');
    }
    // Baked shadows are those of whole buildings in the light of drawings.
    this.#ground.hasShadows = this.#hour === null && this.#cut === null && !this.#isFiltered;
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
    const root = this.#tilesets.get(this.#model?.url ?? '')?.root;
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

function isTileset(url: string): boolean {
  return /\.json(?:$|\?)/.test(url);
}

/** Metres from the middle of a model to its farthest point; a high one needs as much room as a wide one. */
function radiusOf({ west, south, east, north }: Bounds, height: number): number {
  const rectangle = Rectangle.fromDegrees(west, south, east, north);
  return Math.max(40, BoundingSphere.fromRectangle3D(rectangle).radius, height * 0.8);
}
