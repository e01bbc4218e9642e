/** The map in the page: brings MapLibre in and keeps it in step with the state. */
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { Bounds } from '../../../src/geo/bounds.ts';
import { ApiFailure, api, filesPath } from '../core/api.ts';
import { type Area, formatArea, parseArea, unite } from '../core/area.ts';
import { config } from '../core/config.ts';
import { type Catalogue, loadCatalogue } from '../core/data.ts';
import type { FileList } from '../core/files.ts';
import { useSignal } from '../core/signal.ts';
import { current, update, usePart, useWords } from '../core/store.ts';
import { themeNow, useTheme } from '../core/theme.ts';
import { useLoaded } from '../core/use-loaded.ts';
import { Failure, Loading } from '../ui/parts.tsx';
import type { CityMap } from './city-map.ts';
import { draw } from './drawing.ts';
import { gridFor } from './grid.ts';
import { areaData, citiesData, EMPTY, meshesData, outlineData } from './map-data.ts';
import { drawMode, mapHits, mapView, meshState, outlined, pickedOnMap, wanted } from './map-link.ts';
import { type DrawnLayer, MESH_ZOOM, type TileJson } from './map-style.ts';

/** All of Japan, for a catalogue without extents. */
const JAPAN: Bounds = { west: 122, south: 24, east: 149, north: 46 };
/** A box with more than this (square degrees) is not asked for meshes. */
const MOST_AREA = 0.5;

export function MapCanvas({ shown }: { shown: boolean }) {
  const { t } = useWords();
  const container = useRef<HTMLDivElement>(null);
  const [map, setMap] = useState<CityMap | null>(null);
  const [failed, setFailed] = useState<unknown>(null);
  const view = usePart((s) => s.view);
  const begun = useRef(false);
  // Views without a map ask for what they need themselves.
  const catalogue = useLoaded(shown || begun.current ? 'catalogue' : null, loadCatalogue);

  // The map begins once, when its first data are there
  useEffect(() => {
    if (!shown || catalogue.value === null || begun.current) return;
    begun.current = true;
    begin(container.current!, catalogue.value).then(setMap, setFailed);
  }, [shown, catalogue.value]);
  useEffect(() => () => map?.destroy(), [map]);
  useEffect(() => {
    if (shown) map?.gl.resize();
  }, [shown, map]);

  const meshes = useSignal(meshState);
  const busy = useSignal(mapView) === null || meshes === 'loading';
  const loaded = map !== null && catalogue.value !== null;
  return (
    <div class="canvas" hidden={!shown}>
      <section class="canvas-fill" ref={container} aria-label={t('mapCanvas')} aria-busy={busy} />
      {catalogue.error !== null && <Failure error={catalogue.error} retry={catalogue.retry} />}
      {failed !== null && <p class="notice bad over">{t('failWebgl')}</p>}
      {shown && map === null && failed === null && catalogue.error === null && <Loading />}
      {loaded && <Drawn map={map} catalogue={catalogue.value!} drawing={view === 'basket'} />}
    </div>
  );
}

/** Loads the library and makes the map, looking at what the address says. */
async function begin(container: HTMLElement, { cities }: Catalogue): Promise<CityMap> {
  const { CityMap } = await import('./city-map.ts');
  const { at, area } = current();
  const everything = cities.map((city) => city.bounds).filter((bounds) => bounds !== null);
  const drawn = area === null ? null : parseArea(area);
  const first =
    at !== null
      ? { center: [at[0], at[1]] as [number, number], zoom: at[2] }
      : { bounds: areaExtent(drawn, cities) ?? (everything.length > 0 ? everything.reduce(unite) : JAPAN) };
  return new CityMap(
    container,
    {
      theme: themeNow(),
      baseMap: config.baseMap,
      cities: EMPTY,
      meshes: EMPTY,
      grid: EMPTY,
      outline: EMPTY,
      area: EMPTY,
      layers: [],
    },
    first,
    {
      onView({ bounds, center, zoom }) {
        mapView.set({ bounds, zoom });
        const { view } = current();
        if (view === 'map' || view === 'basket') update({ at: [center[0], center[1], zoom] });
      },
      onClick({ hits, mesh, city }) {
        mapHits.set(hits);
        if (hits.length > 0 || current().view !== 'map') return;
        const pick = mesh !== null ? `m:${mesh}` : city;
        if (pick === null) return;
        pickedOnMap.set(pick);
        update({ pick }, { push: true });
      },
    },
  );
}

function areaExtent(area: Area | null, cities: Catalogue['cities']): Bounds | null {
  if (area === null) return null;
  if (area.kind === 'city') return cities.find((city) => city.code === area.code)?.bounds ?? null;
  return outlineBounds(areaData(area).features);
}

function outlineBounds(features: ReturnType<typeof areaData>['features']): Bounds | null {
  const positions = features.flatMap((feature) =>
    feature.geometry.type === 'Polygon' ? feature.geometry.coordinates.flat() : [],
  );
  if (positions.length === 0) return null;
  const [lngs, lats] = [positions.map((p) => p[0]!), positions.map((p) => p[1]!)];
  return {
    west: Math.min(...lngs),
    south: Math.min(...lats),
    east: Math.max(...lngs),
    north: Math.max(...lats),
  };
}

/** What is drawn on the map, each part when what it depends on changes. */
function Drawn({ map, catalogue, drawing }: { map: CityMap; catalogue: Catalogue; drawing: boolean }) {
  const theme = useTheme();
  const by = usePart((s) => s.by);
  const areaText = usePart((s) => s.area);
  const layerIds = usePart((s) => s.layers.join(','));
  const at = useSignal(mapView);
  const boxes = useSignal(outlined);
  const target = useSignal(wanted);
  const mode = useSignal(drawMode);
  const newest = Math.max(...catalogue.cities.flatMap((city) => [...city.years]), 0);
  const around = meshArea(at);
  // Where no municipality has CityGML there is nothing to ask for.
  const bounds = around !== null && catalogue.cities.some((city) => hasFilesIn(city, around)) ? around : null;
  const meshes = useLoaded(
    bounds && filesPath(`r:${bounds.west},${bounds.south},${bounds.east},${bounds.north}`),
    (signal) => meshesAt(bounds!, signal),
  );
  const layers = useLoaded(layerIds || null, () => loadLayers(layerIds.split(','), catalogue));

  useEffect(() => map.restyle({ theme }), [map, theme]);
  useEffect(() => map.restyle({ layers: layers.value ?? [] }), [map, layers.value]);
  useEffect(
    () => map.setData('cities', citiesData(catalogue.cities, by, newest)),
    [map, catalogue, by, newest],
  );
  useEffect(
    () => map.setData('meshes', meshes.value === null ? EMPTY : meshesData(meshes.value, by, newest)),
    [map, meshes.value, by, newest],
  );
  useEffect(() => {
    meshState.set(meshes.error !== null ? 'failed' : meshes.loading ? 'loading' : 'idle');
  }, [meshes.loading, meshes.error]);
  useEffect(() => {
    if (at !== null) map.setData('grid', gridFor(at.bounds, at.zoom));
  }, [map, at]);
  useEffect(() => map.setData('outline', outlineData(drawing ? [] : boxes)), [map, boxes, drawing]);
  useEffect(() => {
    const area = drawing && areaText !== null ? parseArea(areaText) : null;
    if (area?.kind === 'city') {
      const city = catalogue.cities.find(({ code }) => code === area.code);
      map.setData('area', outlineData(city?.bounds ? [city.bounds] : []));
    } else map.setData('area', areaData(area));
  }, [map, areaText, drawing, catalogue]);
  useEffect(() => {
    if (target === null) return;
    map.show(target);
    wanted.set(null);
  }, [map, target]);
  // Before the browser takes the next click.
  useLayoutEffect(() => {
    if (mode === null || !drawing) return;
    return draw(map, mode, {
      onSketch: (area) => map.setData('area', areaData(area ?? parseArea(current().area ?? ''))),
      onDone: (area) => {
        const text = formatArea(area);
        update({ area: parseArea(text) === null ? null : text, pack: null }, { push: true });
        if (area.kind !== 'meshes') drawMode.set(null);
      },
    });
  }, [map, mode, drawing]);
  return null;
}

/** The box to ask for meshes: the view, widened to whole hundredths so that small moves need no new answer. */
function meshArea(at: { bounds: Bounds; zoom: number } | null): Bounds | null {
  if (at === null || at.zoom < MESH_ZOOM) return null;
  const down = (n: number) => Math.floor(n * 50) / 50;
  const up = (n: number) => Math.ceil(n * 50) / 50;
  const box = {
    west: down(at.bounds.west),
    south: down(at.bounds.south),
    east: up(at.bounds.east),
    north: up(at.bounds.north),
  };
  return (box.east - box.west) * (box.north - box.south) <= MOST_AREA ? box : null;
}

function hasFilesIn({ citygml, bounds }: Catalogue['cities'][number], box: Bounds): boolean {
  if (citygml.length === 0) return false;
  if (bounds === null) return true;
  return (
    bounds.west <= box.east &&
    bounds.east >= box.west &&
    bounds.south <= box.north &&
    bounds.north >= box.south
  );
}

/** Files around; where there are none the map is empty, which is no failure. */
async function meshesAt(box: Bounds, signal: AbortSignal): Promise<FileList> {
  try {
    return await api<FileList>(filesPath(`r:${box.west},${box.south},${box.east},${box.north}`), { signal });
  } catch (error) {
    if (error instanceof ApiFailure && error.kind === 'missing') return { cities: [] };
    throw error;
  }
}

async function loadLayers(ids: readonly string[], { datasets }: Catalogue): Promise<DrawnLayer[]> {
  const rows = ids.map((id) => datasets.find((row) => row.id === id)).filter((row) => row !== undefined);
  return Promise.all(
    rows.map(async (row, position) => ({
      datasetId: row.id,
      position,
      tileJson: await api<TileJson>(new URL(row.composite_url!).pathname.slice(config.base.length)),
    })),
  );
}
