/** The map itself: MapLibre GL, loaded when a view with a map opens. */
import landUrl from 'virtual:land';
import type { FeatureCollection } from 'geojson';
import {
  AttributionControl,
  addProtocol,
  type GeoJSONSource,
  Map as GlMap,
  NavigationControl,
  type Point,
  ScaleControl,
  type StyleSpecification,
  setWorkerUrl,
} from 'maplibre-gl';
import workerUrl from 'maplibre-gl/dist/maplibre-gl-worker.mjs?url';
import 'maplibre-gl/dist/maplibre-gl.css';
import type { Bounds } from '@citymodel/geo';
import { afterFrame } from '../core/after-frame.ts';
import type { Area } from '../core/area.ts';
import { BASE_PREFIX } from './base-layers.ts';
import { Handles, type Handling } from './handles.ts';
import { Land } from './land.ts';
import { loadShores } from './load-shores.ts';
import type { Hit } from './map-link.ts';
import { type DataSource, type MapModel, styleOf, TILE_PREFIX } from './map-style.ts';
import { changesOf, type StyleChange } from './style-changes.ts';
import { COUNTED, startOf, type TileState, TileTally } from './tile-tally.ts';

export interface CityMapEvents {
  /** Everything that is in view is drawn, or no longer. */
  onRest(rests: boolean): void;
  /** Vector tiles arrived or failed. */
  onTiles(state: TileState): void;
  /** The view has come to rest. */
  onView(view: { bounds: Bounds; center: [number, number]; zoom: number }): void;
  /** What lies under a click, finest first. */
  onClick(click: { lng: number; lat: number; hits: Hit[]; mesh: string | null; city: string | null }): void;
}

setWorkerUrl(new URL(workerUrl, import.meta.url).href);

/** Milliseconds of a flight to what was asked for. */
const FLIGHT = 600;

/** What the map, its keys and its buttons are called. */
export interface MapWords {
  title: string;
  help: string;
  zoomIn: string;
  zoomOut: string;
  credits: string;
}

export class CityMap {
  readonly gl: GlMap;
  #model: MapModel;
  #style: StyleSpecification;
  readonly #tiles: TileTally;
  readonly #resizes: ResizeObserver;
  readonly #land: Land;
  /** Maps that show the same place; see `twin`. */
  readonly #twins = new Set<GlMap>();
  #colours: ReadonlyMap<string, string> = new Map();
  /** Width and height that the map is drawn in, pixels. */
  #size: [number, number];
  /** False while something is being drawn, so that clicks are corners and not questions. */
  asks = true;

  constructor(
    container: HTMLElement,
    model: MapModel,
    at: { center: [number, number]; zoom: number } | { bounds: Bounds },
    words: MapWords,
    events: CityMapEvents,
  ) {
    this.#model = model;
    this.#style = styleOf(model);
    this.#size = [container.clientWidth, container.clientHeight];
    this.#tiles = new TileTally(events.onTiles);
    addProtocol(COUNTED, async ({ url }, { signal }) => ({
      data: await this.#tiles.fetch(url.slice(`${COUNTED}://`.length), signal),
    }));
    this.gl = new GlMap({
      container,
      style: this.#style,
      ...('bounds' in at
        ? { bounds: asArray(at.bounds), fitBoundsOptions: { padding: paddingOf(container), maxZoom: 14.2 } }
        : { center: at.center, zoom: at.zoom }),
      minZoom: 2.4,
      maxBounds: [70, -25, 205, 75],
      renderWorldCopies: false,
      maxZoom: 20,
      pitchWithRotate: false,
      dragRotate: false,
      fadeDuration: 0,
      attributionControl: false,
      trackResize: false,
    });
    this.gl.touchZoomRotate.disableRotation();
    this.gl.addControl(new NavigationControl({ showCompass: false }), 'top-right');
    this.gl.addControl(new ScaleControl({ maxWidth: 110 }), 'bottom-left');
    this.gl.addControl(new AttributionControl({ compact: container.clientWidth < 500 }), 'bottom-right');
    this.speak(words);
    this.#resizes = new ResizeObserver(() => afterFrame(() => this.#fit()));
    this.#resizes.observe(container);
    const tell = () => events.onView({ bounds: this.bounds, center: this.center, zoom: this.gl.getZoom() });
    this.gl.on('moveend', tell);
    this.gl.on('resize', tell);
    this.gl.once('load', tell);
    this.gl.on('error', (event) => {
      // Tiles are told of by their number.
      if (!('tile' in event)) console.error(event.error);
    });
    // The map comes to rest again where the coasts come too late for the view.
    const loadLand = () => loadShores().finally(() => this.gl.triggerRepaint());
    this.#land = new Land(new URL(landUrl, location.href).href, loadLand, {
      drawLand: (address) => this.setData('land', address),
      drawCoast: (coast) => this.setData('coast', coast),
      doWithoutCoast: () => this.restyle({ hasCoast: false }),
    });
    const followLand = () => this.#land.follow(this.bounds, this.gl.getZoom());
    followLand();
    this.gl.on('move', followLand);
    this.gl.on('resize', followLand);
    this.gl.on('idle', () => events.onRest(!this.#land.isLoading));
    for (const begins of ['movestart', 'dataloading', 'styledata'] as const) {
      this.gl.on(begins, () => events.onRest(false));
    }
    this.gl.on('click', (event) => {
      if (this.asks) events.onClick({ ...event.lngLat, ...this.#under(event.point) });
    });
    this.gl.on('mousemove', (event) => {
      if (!this.asks) return;
      const { hits, mesh, city } = this.#under(event.point);
      this.gl.getCanvas().style.cursor = hits.length > 0 || mesh !== null || city !== null ? 'pointer' : '';
    });
  }

  get bounds(): Bounds {
    const box = this.gl.getBounds();
    return { west: box.getWest(), south: box.getSouth(), east: box.getEast(), north: box.getNorth() };
  }

  get center(): [number, number] {
    const { lng, lat } = this.gl.getCenter();
    return [lng, lat];
  }

  /** Gives the canvas and its buttons their names in another language. The library names them when it makes them. */
  speak({ title, help, zoomIn, zoomOut, credits }: MapWords): void {
    const canvas = this.gl.getCanvas();
    canvas.setAttribute('aria-label', title);
    canvas.setAttribute('aria-description', help);
    for (const [part, name] of [
      ['zoom-in', zoomIn],
      ['zoom-out', zoomOut],
      ['attrib-button', credits],
    ] as const) {
      const button = this.gl.getContainer().querySelector<HTMLElement>(`.maplibregl-ctrl-${part}`);
      if (button === null) continue;
      button.title = name;
      button.setAttribute('aria-label', name);
    }
  }

  /** Changes how things look, or which layers there are. */
  restyle(change: Partial<MapModel>): void {
    this.#model = { ...this.#model, ...change };
    const style = styleOf(this.#model);
    // Only a style that is there can be changed in part.
    const changes = this.gl.getLayer('sea') === undefined ? null : changesOf(this.#style, style);
    this.#style = style;
    if (changes === null) this.gl.setStyle(style);
    else for (const change of changes) apply(this.gl, change);
    if ('layers' in change || 'base' in change) {
      this.#tiles.keep(this.#vectorTiles().map(([, template]) => template));
    }
  }

  /** Asks again for vector tiles that failed. */
  retryTiles(): void {
    const lost = this.#tiles.takeFailed();
    // A dataset may be drawn twice, as a layer and as the map below.
    for (const [source, template] of this.#vectorTiles()) {
      const own = lost.filter(({ url }) => url.startsWith(startOf(template)));
      if (own.length > 0) this.gl.refreshTiles(source, own);
    }
  }

  /** Names of the sources of vector tiles, and the addresses of their tiles. */
  #vectorTiles(): Array<[source: string, template: string]> {
    const { layers, base } = this.#model;
    return [
      ...layers.map(
        ({ datasetId, tileJson }) => [TILE_PREFIX + datasetId, tileJson.tiles[0]!] as [string, string],
      ),
      ...base.map(({ id, tileJson }) => [BASE_PREFIX + id, tileJson.tiles[0]!] as [string, string]),
    ];
  }

  /** Data of a source, or the address of the land. */
  setData(name: Exclude<DataSource, 'land'>, data: FeatureCollection): void;
  setData(name: 'land', data: string): void;
  setData(name: DataSource, data: FeatureCollection | string): void {
    if (this.#model[name] === data) return;
    this.#model = { ...this.#model, [name]: data };
    this.#style = styleOf(this.#model);
    this.#tellData(this.gl, name);
    // Of what changes with the view, the twins have no more than this map had when they began.
    if (name === 'land' || name === 'coast') for (const twin of this.#twins) this.#tellData(twin, name);
  }

  #tellData(gl: GlMap, name: DataSource): void {
    const source = gl.getSource(name) as GeoJSONSource | undefined;
    if (source === undefined) {
      gl.once('styledata', () => this.#tellData(gl, name));
      return;
    }
    source.setData(this.#model[name]);
  }

  /** Gives the circles of municipalities these colours, by code. */
  setColours(colours: ReadonlyMap<string, string>): void {
    this.#colours = colours;
    this.#tellColours();
  }

  #tellColours(): void {
    if (this.gl.getSource('cities') === undefined) {
      this.gl.once('styledata', () => this.#tellColours());
      return;
    }
    for (const [id, colour] of this.#colours) this.gl.setFeatureState({ source: 'cities', id }, { colour });
  }

  show(bounds: Bounds): void {
    const still = matchMedia('(prefers-reduced-motion: reduce)').matches;
    this.gl.fitBounds(asArray(bounds), {
      padding: paddingOf(this.gl.getContainer()),
      maxZoom: 16,
      duration: still ? 0 : FLIGHT,
    });
  }

  /** Degrees at a place on the screen, pixels from the upper left of the map. */
  positionAt(x: number, y: number): [number, number] {
    const { lng, lat } = this.gl.unproject([x, y]);
    return [lng, lat];
  }

  /** Features of layers at a place, finest first. */
  hitsAt(place: [number, number]): Hit[] {
    return this.#under(this.gl.project(place)).hits;
  }

  /** Handles on the corners of an area. */
  handles(area: Area, handling: Handling): Handles {
    return new Handles(this.gl, area, handling);
  }

  /** Another map of the same place that only shows: what differs from this one is in `change`. */
  twin(container: HTMLElement, change: Partial<MapModel>): GlMap {
    const twin = new GlMap({
      container,
      style: styleOf({ ...this.#model, ...change }),
      center: this.center,
      zoom: this.gl.getZoom(),
      renderWorldCopies: false,
      interactive: false,
      fadeDuration: 0,
      attributionControl: false,
    });
    this.#twins.add(twin);
    twin.once('remove', () => this.#twins.delete(twin));
    return twin;
  }

  /** Takes the size of its place: not while that is hidden, and not anew when it comes back as it was. */
  #fit(): void {
    const { clientWidth, clientHeight } = this.gl.getContainer();
    const [width, height] = this.#size;
    if (clientWidth === 0 || (clientWidth === width && clientHeight === height)) return;
    this.#size = [clientWidth, clientHeight];
    this.gl.resize();
  }

  destroy(): void {
    this.#resizes.disconnect();
    this.#land.end();
    this.gl.remove();
  }

  #under(point: Point) {
    const found = this.gl.queryRenderedFeatures(point);
    const hits: Hit[] = [];
    let mesh: string | null = null;
    let city: string | null = null;
    for (const feature of found) {
      const { source, properties } = feature;
      if (source.startsWith(TILE_PREFIX)) {
        const hit = {
          datasetId: source.slice(TILE_PREFIX.length),
          layer: feature.sourceLayer ?? '',
          properties,
        };
        // An area is found as a fill and as an outline.
        if (!hits.some((other) => JSON.stringify(other) === JSON.stringify(hit))) hits.push(hit);
      } else if (feature.layer.id === 'mesh-fill' && properties.code.length >= 8 && mesh === null) {
        mesh = properties.code;
      } else if (source === 'cities' && city === null) {
        city = properties.code;
      }
    }
    return { hits, mesh, city };
  }
}

function apply(gl: GlMap, { layer, kind, name, value }: StyleChange): void {
  if (kind === 'paint') gl.setPaintProperty(layer, name as never, value as never);
  else gl.setLayoutProperty(layer, name as never, value as never);
}

/** What lies over the edges of the map, pixels: chips above, and on an upright phone the panel below. */
function paddingOf(container: HTMLElement): { top: number; bottom: number; left: number; right: number } {
  if (matchMedia('(max-height: 480px)').matches) return { top: 58, bottom: 12, left: 12, right: 48 };
  return matchMedia('(max-width: 760px)').matches
    ? { top: 100, bottom: container.clientHeight * 0.54, left: 24, right: 24 }
    : { top: 64, bottom: 48, left: 48, right: 48 };
}

function asArray({ west, south, east, north }: Bounds): [number, number, number, number] {
  return [west, south, east, north];
}
