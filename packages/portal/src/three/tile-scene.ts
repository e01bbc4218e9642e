/** The scene: CesiumJS, loaded when the 3D view opens, without its globe: the ground is drawn from the service's maps. */
import './cesium-base.ts';
import type { Bounds } from '@citymodel/geo';
import { type Cartesian2, type Cesium3DTileset, type CesiumWidget, Color } from 'cesium';
import type { Theme } from '../core/state.ts';
import type { PropertySource } from './colouring.ts';
import { coveredOf } from './covered.ts';
import { GROUND_LAYER } from './layer-opacity.ts';
import type { ProfilePoint } from './profile.ts';
import { hexOf, sizeSeen } from './scene/air.ts';
import { CameraControl, type Move } from './scene/camera-control.ts';
import { Effects } from './scene/effects.ts';
import { Ground, type GroundData } from './scene/ground.ts';
import { localGround } from './scene/ground-height.ts';
import { type Light, lightAt, lightOnModels, lightScene } from './scene/light.ts';
import { boundsInView, lookAtModel, lookAtPart, partOf, placeOf, radiusOf, setPlace } from './scene/look.ts';
import { Outline } from './scene/outline.ts';
import { type Colouring, Painter, type PropertyReader } from './scene/paint.ts';
import { type PickedFeature, pickedFeature } from './scene/picked-feature.ts';
import { pictureOf } from './scene/picture.ts';
import { Pointer } from './scene/pointer.ts';
import { profileBetween } from './scene/profiler.ts';
import { Ruler } from './scene/ruler.ts';
import type { SceneEvents } from './scene/scene-events.ts';
import type { SceneModel } from './scene/scene-model.ts';
import { cutTileset } from './scene/section.ts';
import { boundsOf, feetIn, groundSamples, middleOf } from './scene/tile-tree.ts';
import { Tilesets } from './scene/tilesets.ts';
import { type SceneEditions, TwoEditions } from './scene/two-editions.ts';
import { widgetIn } from './scene/widget.ts';
import { TERRAIN } from './terrain-datasets.ts';

export type { PickedFeature } from './scene/picked-feature.ts';
export type { Measure } from './scene/ruler.ts';

/** What is seen around the middle of a view, in parts of the distance to there. */
const SEEN = 0.7;

export class TileScene {
  readonly #widget: CesiumWidget;
  readonly #events: SceneEvents;
  readonly #painter = new Painter();
  readonly #outline: Outline;
  readonly #ground: Ground;
  readonly #effects: Effects;
  readonly #ruler: Ruler;
  readonly #control: CameraControl;
  readonly #pointer: Pointer;
  readonly #tilesets: Tilesets;
  readonly #editions: TwoEditions;
  readonly #words: (metres: number) => string;
  #theme: Theme;
  #model: SceneModel | null = null;
  #light: Light | null = null;
  #hour: number | null = null;
  #cut: number | null = null;
  /** Metres that the haze leaves free. */
  #size = 0;
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
    const { scene } = this.#widget;
    // The library stops drawing then, and the page would be blank without a word.
    scene.renderError.addEventListener((_scene: unknown, error: unknown) => events.onBroken(error));
    this.canvas.addEventListener('webglcontextlost', () => events.onBroken('WebGL: context lost'));
    this.#ground = new Ground(scene, theme);
    this.#outline = new Outline(scene, () => this.#repaint());
    this.#ruler = new Ruler(scene);
    this.#effects = new Effects(this.#widget, events.onAbility);
    this.#control = new CameraControl(scene);
    this.#pointer = new Pointer(scene, container, {
      onPlace: (place) => (this.#isMeasuring ? this.#measure(place) : this.#pick(place)),
      onMove: (move) => this.move(move),
    });
    this.#tilesets = new Tilesets(scene, this.#painter, {
      ...events,
      onSelection: () => this.#showSelection(),
    });
    this.#editions = new TwoEditions(scene, this.#tilesets, this.#painter);
    this.#widget.camera.moveEnd.addEventListener(() => {
      // Before a model is open the camera looks at the whole earth, which is no place to come back to.
      if (this.#model !== null) {
        this.#events.onCamera(this.camera);
        this.#refine();
      }
      this.#lightAll(true);
    });
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

  /** Moves after the frame that answers the key or click. */
  move(move: Move): void {
    this.#control.moveLater(move);
  }

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

  /** Shows these models alone beside the one that is open; throws for one that cannot be read, and shows the others. */
  async beside(models: readonly SceneModel[]): Promise<void> {
    const main = this.#model;
    const isOpen = () => !this.#widget.isDestroyed() && this.#model === main;
    const results = await this.#tilesets.keep(main, models, (model, tileset) => {
      if (isOpen()) this.#add(model, tileset);
    });
    if (!this.#widget.isDestroyed()) {
      this.#makeRoom();
      this.#repaint();
    }
    const failed = results.find((result) => result.status === 'rejected');
    if (failed !== undefined) throw failed.reason;
  }

  /** Draws the ground of the model that is open from these datasets. */
  async showGround(data: GroundData): Promise<void> {
    if (this.#model === null) return;
    await this.#ground.show(data, this.#model.bounds);
    this.settle();
  }

  /** After tiles have come: the ground follows them. */
  settle(): void {
    if (this.#widget.isDestroyed() || this.#model === null) return;
    this.#effects.measure();
    // Of what is beside the model, water lies in its bed and bridges in the air.
    const root = this.#tilesets.of(this.#model)?.root;
    const samples = root === undefined ? [] : groundSamples(root);
    if (samples.length === 0) return;
    const middle = this.#control.middlePlace();
    this.#control.ground = this.#ground.terrainAt(...middle) ?? localGround(samples, ...middle);
    const feet = feetIn(this.#tilesets.tiles, this.#tilesets.of(this.#model));
    this.#ground.follow(feet.length > 0 ? feet : samples, this.#control.ground);
    this.#refine();
    if (this.#cut !== null) this.setCut(this.#cut);
  }

  /** Looks at the whole model, or at the part to look at first, from the south and above. */
  fit(whole = false): void {
    const model = this.#model;
    if (model === null) return;
    this.#look(() => lookAtModel(this.#widget.camera, model, whole, this.canvas, coveredOf(this.canvas)));
  }

  /** What of the model is in view, degrees; null when the view shows the sky alone. */
  viewBounds(): Bounds | null {
    return this.#model === null ? null : boundsInView(this.#widget.camera, this.#model.bounds);
  }

  /** The loaded feature of a gml:id; null when none has it. */
  find(id: string): PickedFeature | null {
    const found = this.#tilesets.tiles.find(id);
    return found === null
      ? null
      : pickedFeature(found.feature, boundsOf(found.tile) ?? this.#model!.bounds, null);
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
    this.#effects.shadows = this.#hasSun;
    this.#prepareAll();
    this.#repaint();
  }

  /** Whether the machine draws corners and shadows if it can; `isPatient`: if it is slow, when the view rests. */
  setEffects(isWanted: boolean, isPatient = false): void {
    this.#effects.want(isWanted, isPatient);
  }

  /** Metres above the ground above which models are cut off; null for whole ones. */
  setCut(above: number | null): void {
    this.#cut = above;
    this.#painter.isCut = above !== null;
    if (this.#model === null) return;
    this.#prepareAll();
    const [lng, lat] = middleOf(this.#model.bounds);
    for (const [, tileset] of this.#tilesets) cutTileset(tileset, [lng, lat, this.#control.ground], above);
    this.#widget.scene.requestRender();
  }

  /** While measuring, clicks set points. */
  setMeasuring(isMeasuring: boolean): void {
    this.#isMeasuring = isMeasuring;
    if (!isMeasuring) this.#ruler.clear();
  }

  /** Heights along the line that is measured; null without one, where it cannot look, and once nobody wants them. */
  async profile(isWanted: () => boolean): Promise<ProfilePoint[] | null> {
    const { ends, primitives } = this.#ruler;
    if (ends === null) return null;
    const groundAt = (lng: number, lat: number) => this.#ground.heightAt(lng, lat);
    return profileBetween(this.#widget.scene, ends, groundAt, primitives, isWanted);
  }

  /** Colours features by what `property` gives for each; null: as the model has them. */
  setColouring(colouring: Colouring | null): void {
    if (colouring === null && !this.#isColoured) return;
    this.#painter.colouring = colouring;
    this.#isColoured = colouring !== null;
    this.#effects.shadows = this.#hasSun;
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

  /** Draws the model and an older edition of it, which is among the models beside, as two; null: as they are. */
  compare(editions: SceneEditions | null): void {
    if (!this.#editions.set(editions)) return;
    this.#editions.split(this.#model);
    this.#effects.shadows = this.#hasSun;
    this.#prepareAll();
    this.#repaint();
  }

  /** Looks at a part of the model from the side that it was first looked at. */
  lookAt(bounds: Bounds): void {
    const root = this.#tilesets.of(this.#model)?.root;
    if (this.#model === null || root === undefined) return;
    const [lng, lat] = middleOf(bounds);
    const samples = groundSamples(root);
    const foot = samples.length === 0 ? this.#model.low : localGround(samples, lng, lat);
    const part = partOf(this.#model, bounds, this.#ground.terrainAt(lng, lat) ?? foot);
    this.#look(() => lookAtPart(this.#widget.camera, part, this.canvas, coveredOf(this.canvas)));
  }

  /** Tells how opaque each layer is, 0 to 1: models by their ids, and the map on the ground. */
  setOpacity(opacity: (layer: string) => number): void {
    this.#opacity = opacity;
    this.#ground.opacity = opacity(GROUND_LAYER);
    this.#fade();
    this.#prepareAll();
    this.#repaint();
  }

  /** Whether shadows are drawn. A legend is held against colours, which they would change. */
  get #hasSun(): boolean {
    return this.#hour !== null && !this.#isColoured && !this.#editions.areShown;
  }

  #fade(): void {
    for (const [{ id }, tileset] of this.#tilesets) this.#painter.setOpacity(tileset, this.#opacity(id));
  }

  /** Outlines the feature with this gml:id wherever it is drawn; null outlines none. */
  select(id: string | null): void {
    if (this.#painter.select(id, this.#tilesets.tiles)) this.#showSelection();
  }

  /** A PNG of what is seen, with lines of credit. */
  picture(credit: readonly string[]): Promise<Blob> {
    return pictureOf(this.#widget.scene, credit);
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
    this.#pointer.destroy();
    this.#widget.destroy();
  }

  #look(move: () => void): void {
    move();
    this.#widget.scene.requestRender();
    this.#events.onCamera(this.camera);
  }

  #add(model: SceneModel, tileset: Cesium3DTileset): void {
    if (model.url === this.#model?.url) this.#painter.filtered = tileset;
    this.#tilesets.add(model, tileset);
    this.#editions.split(this.#model);
    this.#fade();
    this.#prepareAll();
    if (this.#cut !== null) this.setCut(this.#cut);
  }

  #prepareAll(): void {
    for (const [{ type }, tileset] of this.#tilesets) {
      this.#painter.prepare(tileset, type === 'bldg');
    }
    this.#makeRoom();
    // Baked shadows are those of whole buildings in the light of drawings.
    const isWhole =
      this.#cut === null &&
      !this.#isFiltered &&
      !this.#editions.areShown &&
      this.#opacity(this.#model?.id ?? '') === 1;
    this.#ground.hasShadows = this.#hour === null && isWhole;
  }

  /** Tells the ground of a terrain among the models. */
  #makeRoom(): void {
    const seen = [...this.#tilesets].map(([{ id, type }]) => (type === TERRAIN ? this.#opacity(id) : 0));
    const most = seen.reduce((a, b) => Math.max(a, b), 0);
    this.#ground.terrainLook = most === 0 ? 'hidden' : most === 1 ? 'opaque' : 'see-through';
  }

  /** The light of the hour and the theme on models, ground and sky; after a move only where the haze is another. */
  #lightAll(isMove = false): void {
    if (this.#light === null || this.#model === null) return;
    const { bounds, low } = this.#model;
    const size = sizeSeen(radiusOf(bounds, 0), this.camera[2]! - low);
    if (isMove && size === this.#size) return;
    this.#size = size;
    const light = lightOnModels(this.#light, this.#theme, bounds, size);
    const { air } = light;
    this.#painter.light = light;
    this.#ground.light = light;
    this.#widget.scene.backgroundColor = Color.fromCssColorString(hexOf(air.horizon));
  }

  /** Draws the ground finer where it is looked at. */
  #refine(): void {
    this.#ground.look(this.#control.middlePlace(), this.#control.distance() * SEEN);
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

  #measure(position: Cartesian2): void {
    const point = this.#widget.scene.pickPosition(position);
    if (point !== undefined) this.#events.onMeasure(this.#ruler.add(point, this.#words));
  }

  #pick(position: Cartesian2): void {
    const hit = this.#pointer.at(position);
    if (hit === null || this.#model === null) {
      this.#events.onPick(null);
      return;
    }
    const { feature, place } = hit;
    this.#events.onPick(pickedFeature(feature, place?.around ?? this.#model.bounds, place?.at ?? null));
  }
}
