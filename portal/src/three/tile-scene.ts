/** The scene: CesiumJS, loaded when the 3D view opens. There is no globe and no sky; a sheet with the mesh grid is the ground. */
import './cesium-base.ts';
import {
  BoundingSphere,
  Cartesian2,
  Cartesian3,
  Cartographic,
  type Cesium3DTile,
  Cesium3DTileColorBlendMode,
  Cesium3DTileFeature,
  Cesium3DTileset,
  Math as CesiumMath,
  CesiumWidget,
  Clock,
  Color,
  ColorGeometryInstanceAttribute,
  Credit,
  CreditDisplay,
  DirectionalLight,
  Ellipsoid,
  GeometryInstance,
  HeadingPitchRange,
  JulianDate,
  Matrix4,
  PerInstanceColorAppearance,
  PolylineColorAppearance,
  PolylineGeometry,
  Primitive,
  PrimitiveCollection,
  Rectangle,
  RectangleGeometry,
  ScreenSpaceEventHandler,
  ScreenSpaceEventType,
  Transforms,
} from 'cesium';
import type { Bounds } from '../../../src/geo/bounds.ts';
import { countMeshesIn, meshBounds, meshesIn } from '../../../src/geo/mesh.ts';
import type { Theme } from '../core/state.ts';
import type { Properties, Scale } from './colouring.ts';

/** A tileset that was asked for, with the region of its root: degrees, and metres above the ellipsoid. */
export interface SceneModel {
  url: string;
  bounds: Bounds;
  low: number;
  high: number;
}

export interface PickedFeature {
  properties: Properties;
  /** URL of the tile that it is in. */
  tile: string;
  /** Where it was clicked, degrees. */
  lng: number;
  lat: number;
}

export interface SceneEvents {
  /** A click or key asked for what is at a place; null when nothing is. */
  onPick(feature: PickedFeature | null): void;
  /** The camera has come to rest: longitude, latitude, height, heading, pitch. */
  onCamera(camera: number[]): void;
  /** Tiles came, with features that were not known before. */
  onFeatures(): void;
  /** Everything that is in view is there. */
  onLoaded(): void;
}

const COLOURS: Record<Theme, { ground: string; sheet: string; line: string }> = {
  light: { ground: '#e6ecec', sheet: '#f4f7f7', line: '#b9c7ca' },
  dark: { ground: '#10171b', sheet: '#182228', line: '#33444c' },
};
const SELECTED = '#e8702a';

/** A ground sheet is drawn below models up to this extent, degrees; larger ones curve away. */
const SHEET_UP_TO = 0.6;
/** Pieces of a line along a side of a mesh. */
const PIECES = 30;
/** Values that are looked at for the colours of a property. */
const MOST_VALUES = 50_000;

// Nothing comes from Cesium ion, whose mark is the default.
CreditDisplay.cesiumCredit = new Credit('CesiumJS', true);

export class TileScene {
  readonly #widget: CesiumWidget;
  readonly #events: SceneEvents;
  readonly #sheet = new PrimitiveCollection();
  readonly #handler: ScreenSpaceEventHandler;
  #theme: Theme;
  #model: SceneModel | null = null;
  #tileset: Cesium3DTileset | null = null;
  /** Tiles whose features have the colours of the scale of now. */
  #painted = new WeakSet<object>();
  #colouring: { property: (properties: PropertySource, tile: string) => unknown; scale: Scale } | null = null;
  #selected: string | null = null;
  #tiles = new Set<Cesium3DTile>();

  constructor(container: HTMLElement, theme: Theme, events: SceneEvents) {
    this.#events = events;
    this.#theme = theme;
    this.#widget = new CesiumWidget(container, {
      baseLayer: false,
      globe: false,
      skyBox: false,
      skyAtmosphere: false,
      scene3DOnly: true,
      requestRenderMode: true,
      maximumRenderTimeChange: Number.POSITIVE_INFINITY,
      msaaSamples: 2,
      clock: new Clock({ currentTime: JulianDate.fromIso8601('2024-06-21T02:00:00Z'), shouldAnimate: false }),
      showRenderLoopErrors: false,
    });
    const { scene, canvas } = this.#widget;
    scene.sun = undefined as never;
    scene.moon = undefined as never;
    scene.fog.enabled = false;
    scene.highDynamicRange = false;
    scene.primitives.add(this.#sheet);
    scene.screenSpaceCameraController.minimumZoomDistance = 3;
    canvas.tabIndex = 0;
    this.#handler = new ScreenSpaceEventHandler(canvas);
    this.#handler.setInputAction(
      ({ position }: { position: Cartesian2 }) => this.#pick(position),
      ScreenSpaceEventType.LEFT_CLICK,
    );
    canvas.addEventListener('keydown', (event) => this.#onKey(event));
    this.#widget.camera.moveEnd.addEventListener(() => this.#events.onCamera(this.camera));
    this.setTheme(theme);
  }

  get canvas(): HTMLCanvasElement {
    return this.#widget.canvas;
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

  /** Shows a model instead of the one before. Throws what CesiumJS throws for a tileset that it cannot read. */
  async open(model: SceneModel, camera: readonly number[] | null): Promise<void> {
    const { scene } = this.#widget;
    const tileset = await Cesium3DTileset.fromUrl(model.url, {
      maximumScreenSpaceError: 12,
      environmentMapOptions: { enabled: false },
    });
    if (this.#widget.isDestroyed()) return;
    // The same light from everywhere, so that walls in the shade can be read; the sun adds the shape.
    const dim = Array.from({ length: 9 }, (_, i) =>
      i === 0 ? new Cartesian3(0.36, 0.37, 0.39) : Cartesian3.ZERO,
    );
    tileset.imageBasedLighting.sphericalHarmonicCoefficients = dim;
    // No reflections: they would wash the colours out that a legend explains.
    tileset.imageBasedLighting.imageBasedLightingFactor = new Cartesian2(1, 0);
    if (this.#tileset !== null) scene.primitives.remove(this.#tileset);
    this.#tiles.clear();
    this.#painted = new WeakSet();
    this.#tileset = tileset;
    this.#model = model;
    tileset.tileLoad.addEventListener((tile: Cesium3DTile) => {
      this.#tiles.add(tile);
      this.#events.onFeatures();
    });
    tileset.tileUnload.addEventListener((tile: Cesium3DTile) => this.#tiles.delete(tile));
    tileset.tileVisible.addEventListener((tile: Cesium3DTile) => this.#paint(tile));
    tileset.allTilesLoaded.addEventListener(() => this.#events.onLoaded());
    scene.primitives.add(tileset);
    this.#light();
    this.#drawSheet();
    if (camera === null) this.fit();
    else this.camera = camera;
    this.#repaint();
  }

  /** Looks at the whole model, from the south and above. */
  fit(): void {
    if (this.#model === null) return;
    const { bounds, low, high } = this.#model;
    const rectangle = Rectangle.fromDegrees(bounds.west, bounds.south, bounds.east, bounds.north);
    const centre = Cartographic.toCartesian(
      new Cartographic(...centreOf(rectangle), (low + Math.min(high, low + 60)) / 2),
    );
    const radius = Math.max(40, BoundingSphere.fromRectangle3D(rectangle).radius);
    const { camera } = this.#widget;
    camera.viewBoundingSphere(
      new BoundingSphere(centre, radius),
      new HeadingPitchRange(CesiumMath.toRadians(-18), CesiumMath.toRadians(-38), radius * 2.1),
    );
    camera.lookAtTransform(Matrix4.IDENTITY);
    this.#widget.scene.requestRender();
    this.#events.onCamera(this.camera);
  }

  /** Asks what is in the middle of the view, for those who have no pointer. */
  pickMiddle(): void {
    const { clientWidth, clientHeight } = this.canvas;
    this.#pick(new Cartesian2(clientWidth / 2, clientHeight / 2));
  }

  setTheme(theme: Theme): void {
    this.#theme = theme;
    this.#widget.scene.backgroundColor = Color.fromCssColorString(COLOURS[theme].ground);
    this.#drawSheet();
    this.#widget.scene.requestRender();
  }

  /** Colours features by what `property` gives for each; null: as the model has them. */
  setColouring(
    colouring: { property: (properties: PropertySource, tile: string) => unknown; scale: Scale } | null,
  ): void {
    this.#colouring = colouring;
    this.#repaint();
  }

  /** Marks the feature with this gml:id wherever it is drawn; null marks none. */
  select(id: string | null): void {
    if (id === this.#selected) return;
    this.#selected = id;
    this.#repaint();
  }

  /** Names of the properties that the loaded features have. */
  propertyNames(): Set<string> {
    const names = new Set<string>();
    for (const tile of this.#tiles) {
      // Features of one tile share their properties.
      if (tile.content.featuresLength === 0) continue;
      for (const name of tile.content.getFeature(0).getPropertyIds()) names.add(name);
    }
    return names;
  }

  /** Values of the loaded features, as `property` reads them. */
  values(property: (properties: PropertySource, tile: string) => unknown): unknown[] {
    const values: unknown[] = [];
    for (const { content } of this.#tiles) {
      for (let i = 0; i < content.featuresLength && values.length < MOST_VALUES; i++) {
        values.push(property(content.getFeature(i), content.url));
      }
    }
    return values;
  }

  destroy(): void {
    this.#handler.destroy();
    this.#widget.destroy();
  }

  #repaint(): void {
    this.#painted = new WeakSet();
    if (this.#tileset !== null) {
      this.#tileset.colorBlendMode =
        this.#colouring === null ? Cesium3DTileColorBlendMode.HIGHLIGHT : Cesium3DTileColorBlendMode.REPLACE;
    }
    this.#widget.scene.requestRender();
  }

  #paint(tile: Cesium3DTile): void {
    const { content } = tile;
    if (this.#painted.has(content)) return;
    this.#painted.add(content);
    const selected = Color.fromCssColorString(SELECTED);
    const known = new Map<string, Color>();
    for (let i = 0; i < content.featuresLength; i++) {
      const feature = content.getFeature(i);
      if (this.#selected !== null && idOf(feature) === this.#selected) {
        feature.color = selected;
      } else if (this.#colouring === null) {
        feature.color = Color.WHITE;
      } else {
        const css = this.#colouring.scale.colourOf(this.#colouring.property(feature, content.url));
        if (!known.has(css)) known.set(css, Color.fromCssColorString(css));
        feature.color = known.get(css)!;
      }
    }
  }

  #pick(position: Cartesian2): void {
    const { scene } = this.#widget;
    const picked = scene.pick(position);
    if (!(picked instanceof Cesium3DTileFeature)) {
      this.#events.onPick(null);
      return;
    }
    const properties: Properties = {};
    for (const name of picked.getPropertyIds()) properties[name] = picked.getProperty(name);
    const place = scene.pickPositionSupported ? scene.pickPosition(position) : undefined;
    const on = place === undefined ? undefined : Cartographic.fromCartesian(place);
    const { bounds } = this.#model!;
    this.#events.onPick({
      properties,
      tile: (picked as unknown as { content: { url: string } }).content.url,
      lng: on === undefined ? (bounds.west + bounds.east) / 2 : CesiumMath.toDegrees(on.longitude),
      lat: on === undefined ? (bounds.south + bounds.north) / 2 : CesiumMath.toDegrees(on.latitude),
    });
  }

  #onKey(event: KeyboardEvent): void {
    const { camera } = this.#widget;
    const reach = Math.max(5, (camera.positionCartographic.height - (this.#model?.low ?? 0)) * 0.15);
    const moves: Record<string, () => void> = {
      ArrowLeft: () => camera.moveLeft(reach),
      ArrowRight: () => camera.moveRight(reach),
      ArrowUp: () => camera.moveUp(reach),
      ArrowDown: () => camera.moveDown(reach),
      '+': () => camera.moveForward(reach),
      '-': () => camera.moveBackward(reach),
      Enter: () => this.pickMiddle(),
    };
    const move = moves[event.key];
    if (move === undefined) return;
    event.preventDefault();
    move();
    this.#widget.scene.requestRender();
  }

  /** The sun stands in the south-south-east of the model, 50 degrees high. */
  #light(): void {
    const { bounds } = this.#model!;
    const rectangle = Rectangle.fromDegrees(bounds.west, bounds.south, bounds.east, bounds.north);
    const frame = Transforms.eastNorthUpToFixedFrame(
      Cartographic.toCartesian(new Cartographic(...centreOf(rectangle))),
    );
    const direction = Matrix4.multiplyByPointAsVector(
      frame,
      new Cartesian3(-0.45, 0.55, -0.77),
      new Cartesian3(),
    );
    this.#widget.scene.light = new DirectionalLight({ direction, intensity: 1.55 });
  }

  #drawSheet(): void {
    this.#sheet.removeAll();
    if (this.#model === null) return;
    const { bounds, low } = this.#model;
    if (Math.max(bounds.east - bounds.west, bounds.north - bounds.south) > SHEET_UP_TO) return;
    const meshes = [...meshesIn(bounds, countMeshesIn(bounds, 8) > 400 ? 6 : 8)].map(meshBounds);
    if (meshes.length === 0) return;
    const height = low - 0.4;
    const { sheet, line } = COLOURS[this.#theme];
    const rectangles = meshes.map(
      ({ west, south, east, north }) =>
        new GeometryInstance({
          geometry: new RectangleGeometry({
            rectangle: Rectangle.fromDegrees(west, south, east, north),
            ellipsoid: Ellipsoid.WGS84,
            height,
            vertexFormat: PerInstanceColorAppearance.FLAT_VERTEX_FORMAT,
          }),
          attributes: { color: ColorGeometryInstanceAttribute.fromColor(Color.fromCssColorString(sheet)) },
        }),
    );
    const lines = meshes.map(
      ({ west, south, east, north }) =>
        new GeometryInstance({
          geometry: new PolylineGeometry({
            positions: [
              [west, south],
              [east, south],
              [east, north],
              [west, north],
              [west, south],
            ].map(([lng, lat]) => Cartesian3.fromDegrees(lng!, lat!, height + 0.2)),
            width: 1,
            // In pieces: the depth of a long piece is only right at its ends, and it would shine through buildings.
            granularity: CesiumMath.toRadians((east - west) / PIECES),
            vertexFormat: PolylineColorAppearance.VERTEX_FORMAT,
          }),
          attributes: { color: ColorGeometryInstanceAttribute.fromColor(Color.fromCssColorString(line)) },
        }),
    );
    const common = { asynchronous: false, allowPicking: false };
    this.#sheet.add(
      new Primitive({
        ...common,
        geometryInstances: rectangles,
        appearance: new PerInstanceColorAppearance({ flat: true, translucent: false }),
      }),
    );
    this.#sheet.add(
      new Primitive({
        ...common,
        geometryInstances: lines,
        appearance: new PolylineColorAppearance({ translucent: false }),
      }),
    );
  }
}

/** What gives a property by its name: a feature of a tile. */
export type PropertySource = Pick<Cesium3DTileFeature, 'getProperty'>;

/** gml:id of a feature, under the names that converters give it. */
export function idOf(source: PropertySource): string | null {
  for (const name of ['gml_id', 'gml:id', '_gml_id', 'gmlID', 'id']) {
    const value = source.getProperty(name);
    if (typeof value === 'string' && value !== '') return value;
  }
  return null;
}

function centreOf({ west, south, east, north }: Rectangle): [number, number] {
  return [(west + east) / 2, (south + north) / 2];
}
