/** The map in the page: brings MapLibre in and keeps it in step with the state. */
import type { Bounds } from '@citymodel/geo';
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { ApiFailure, api } from '../core/api.ts';
import { type Area, areaBounds, formatArea, parseArea, unite } from '../core/area.ts';
import { config } from '../core/config.ts';
import { findDataset, loadPlaces } from '../core/data.ts';
import type { Words } from '../core/i18n.ts';
import { boundsOfPlaces, namedPlaces } from '../core/named-place.ts';
import { useSignal } from '../core/signal.ts';
import { MOST_AREAS, PAGES, type State } from '../core/state.ts';
import { current, update, useLaterWords, usePart, useWords } from '../core/store.ts';
import { boundsOfAll, coverageFilter, hasShown, type Summary } from '../core/summary.ts';
import { themeNow, useTheme } from '../core/theme.ts';
import { useLoaded } from '../core/use-loaded.ts';
import { useSummary } from '../core/use-summary.ts';
import { isFront } from '../front/live.ts';
import { Failure, Loading } from '../ui/parts.tsx';
import type { CityMap, MapWords } from './city-map.ts';
import { countCondition } from './condition.ts';
import { dataBounds } from './condition-place.ts';
import { baseArea, coveragePath } from './coverage-path.ts';
import { draw } from './drawing.ts';
import { firstBounds, firstPlaceOnly } from './first-view.ts';
import { gridFor } from './grid.ts';
import { handleArea } from './handle-area.ts';
import { baseLayersIn } from './load-base.ts';
import {
  areasData,
  type CoverageRow,
  citiesData,
  cityColours,
  EMPTY,
  meshesData,
  namesData,
  outlineData,
} from './map-data.ts';
import {
  changesShown,
  drawMode,
  drawn,
  editing,
  findings,
  handled,
  mapHits,
  mapRests,
  mapView,
  meshesLoading,
  outlined,
  pickedOnMap,
  placeBoxes,
  tileState,
  wanted,
} from './map-link.ts';
import { cityMap } from './map-now.ts';
import type { DrawnLayer } from './map-style.ts';
import { PALETTES } from './palette.ts';
import type { TileJson } from './tilejson.ts';

export function MapCanvas({ shown }: { shown: boolean }) {
  const { t } = useLaterWords();
  const container = useRef<HTMLDivElement>(null);
  const [map, setMap] = useState<CityMap | null>(null);
  const [failed, setFailed] = useState<unknown>(null);
  const view = usePart((s) => s.view);
  const begun = useRef(false);
  // Views without a map ask for what they need themselves.
  const summary = useSummary(shown || begun.current);

  // The map begins once, when its first data are there
  useEffect(() => {
    if (!shown || summary.value === null || begun.current) return;
    begun.current = true;
    begin(container.current!, summary.value, mapWords(t)).then(setMap, (error) => {
      begun.current = false;
      setFailed(error);
    });
  }, [shown, summary.value, failed]);
  useEffect(() => {
    cityMap.set(map);
    return () => map?.destroy();
  }, [map]);
  useEffect(() => map?.speak(mapWords(t)), [map, t]);

  const areMeshesLoading = useSignal(meshesLoading);
  const rests = useSignal(mapRests);
  const busy = useSignal(mapView) === null || areMeshesLoading || !rests;
  // A chunk that could not be fetched may come later; a machine without WebGL will not get it.
  const isOffline = failed instanceof TypeError || failed instanceof ApiFailure;
  return (
    <div class="canvas" hidden={!shown}>
      <div class="canvas-fill" ref={container} aria-busy={busy} />
      {/* The panel of the map says so itself. */}
      {summary.error !== null && view !== 'map' && <Failure error={summary.error} retry={summary.retry} />}
      {failed !== null && (
        <div class="over">
          {isOffline ? (
            <Failure error={new ApiFailure('offline', 0, '')} retry={() => setFailed(null)} />
          ) : (
            <p class="notice bad">{t('failWebgl')}</p>
          )}
        </div>
      )}
      {map !== null && <TilesMissing map={map} />}
      <HandleBar />
      {shown && map === null && failed === null && summary.error === null && <Loading />}
      {map !== null && summary.value !== null && (
        <Drawn map={map} summary={summary.value} drawing={view === 'basket'} />
      )}
    </div>
  );
}

/** Buttons that end the handling of corners. */
function HandleBar() {
  const { t } = useWords();
  const now = useSignal(handled);
  if (now === null) return null;
  return (
    <div class="map-notice handle-bar" role="toolbar" aria-label={t('handles')}>
      <span class="quiet">{t('handlesHelp')}</span>
      <button type="button" class="button primary" onClick={now.finish}>
        {t('drawDone')}
      </button>
      <button type="button" class="button" disabled={now.undo === null} onClick={() => now.undo?.()}>
        {t('handlesUndo')}
      </button>
    </div>
  );
}

/** How many tiles of the view are missing, and a way to ask for them again. */
function TilesMissing({ map }: { map: CityMap }) {
  const { t, fill, number } = useWords();
  const { loaded, failed, offline } = useSignal(tileState);
  if (failed === 0) return null;
  const counts = { failed: number(failed), all: number(loaded + failed) };
  return (
    <div class="map-notice" role="alert">
      <span>{fill(offline ? 'tilesOffline' : 'tilesMissing', counts)}</span>
      <button type="button" class="button small" onClick={() => map.retryTiles()}>
        {t('retry')}
      </button>
    </div>
  );
}

function mapWords(t: Words['t']): MapWords {
  return {
    title: t('mapCanvas'),
    help: t('mapKeyboard'),
    zoomIn: t('zoomIn'),
    zoomOut: t('zoomOut'),
    credits: t('mapCredits'),
  };
}

/** Loads the library and makes the map, looking at what the address says. */
async function begin(container: HTMLElement, { cities }: Summary, words: MapWords): Promise<CityMap> {
  const { CityMap } = await import('./city-map.ts');
  const { at, areas, pref, by } = current();
  // A reload shows the front page again, and not the map, until somebody has moved it.
  const isResting = firstPlaceOnly(at === null && areas.length === 0 && isFront(current()));
  const first =
    at !== null
      ? { center: [at[0], at[1]] as [number, number], zoom: at[2] }
      : {
          bounds:
            (await extentOf(
              areas.map(parseArea).filter((area) => area !== null),
              cities,
            )) ??
            boundsOfAll(cities.filter(({ pref_code }) => pref_code === pref)) ??
            firstBounds(cities, container.clientWidth),
        };
  return new CityMap(
    container,
    {
      theme: themeNow(),
      by,
      language: 'ja',
      land: EMPTY,
      hasCoast: true,
      coast: EMPTY,
      baseMap: config.baseMap,
      cities: EMPTY,
      meshes: EMPTY,
      names: EMPTY,
      grid: EMPTY,
      outline: EMPTY,
      area: EMPTY,
      findings: EMPTY,
      changes: EMPTY,
      layers: [],
      base: [],
    },
    first,
    words,
    {
      onRest: (rests) => mapRests.set(rests),
      onTiles: (state) => tileState.set(state),
      onView({ bounds, center, zoom }) {
        mapView.set({ bounds, zoom });
        const place: State['at'] = [center[0], center[1], zoom];
        if (PAGES[current().view].onMap && !isResting(place)) update({ at: place });
      },
      onClick({ lng, lat, hits, mesh, city }) {
        mapHits.set(hits);
        update({ hit: hits.length === 0 ? null : [lng, lat] });
        if (hits.length > 0 || current().view !== 'map') return;
        const pick = mesh !== null ? `m:${mesh}` : city;
        if (pick === null) return;
        pickedOnMap.set(pick);
        update({ pick }, { push: true });
      },
    },
  );
}

async function extentOf(areas: readonly Area[], cities: Summary['cities']): Promise<Bounds | null> {
  const known = await Promise.all(
    areas.map(async (area) => {
      const box = areaBounds(area) ?? dataBounds(formatArea(area), { cities });
      if (box !== null || area.kind !== 'place') return box;
      // A map of the country is still a map.
      const counts = await countCondition(formatArea(area)).catch(() => null);
      return counts && boundsOfPlaces(namedPlaces(counts) ?? []);
    }),
  );
  const boxes = known.filter((box) => box !== null);
  return boxes.length === 0 ? null : boxes.reduce(unite);
}

/** What is drawn on the map, each part when what it depends on changes. */
function Drawn({ map, summary, drawing }: { map: CityMap; summary: Summary; drawing: boolean }) {
  const words = useLaterWords();
  const { language } = words;
  const theme = useTheme();
  const by = usePart((s) => s.by);
  const shown = usePart((s) => s.shown);
  const areaTexts = usePart((s) => s.areas.join('~'));
  const layerIds = usePart((s) => s.layers.join(','));
  const at = useSignal(mapView);
  const boxes = useSignal(outlined);
  const target = useSignal(wanted);
  const mode = useSignal(drawMode);
  const newest = summary.totals.newest_year ?? 0;
  const cities = useMemo(
    () => summary.cities.filter((city) => hasShown(city, shown, newest)),
    [summary, shown, newest],
  );
  const path = coveragePath(at, cities);
  const meshes = useLoaded(path && path + coverageFilter(shown, newest), (signal) =>
    api<{ rows: CoverageRow[] }>(path + coverageFilter(shown, newest), { signal }),
  );
  const layers = useLoaded(layerIds || null, () => loadLayers(layerIds.split(',')));
  const baseBox = baseArea(at, cities);
  const base = useLoaded(
    baseBox && Object.values(baseBox).join(','),
    // A map without streets is still a map.
    (signal) => baseLayersIn(baseBox!, signal).catch(() => []),
  );
  const names = useLoaded(at !== null && at.zoom >= 7.5 ? 'places' : null, loadPlaces);

  useEffect(() => map.restyle({ theme, by, language }), [map, theme, by, language]);
  useEffect(() => map.restyle({ layers: layers.value ?? [] }), [map, layers.value]);
  useEffect(() => map.restyle({ base: base.value ?? [] }), [map, base.value]);
  useEffect(
    () => map.setData('cities', citiesData(cities, language, names.value)),
    [map, cities, language, names.value],
  );
  useEffect(
    () => map.setColours(cityColours(cities, by, newest, PALETTES[theme], shown)),
    [map, cities, by, newest, theme, shown],
  );
  useEffect(() => {
    const prefectures = summary.prefectures.map(({ code, name, romaji }) => ({
      code,
      name,
      romaji: romaji ?? null,
    }));
    map.setData('names', namesData(summary, names.value, prefectures, language));
  }, [map, summary, names.value, language]);
  useEffect(
    () => map.setData('meshes', path === null ? EMPTY : meshesData(meshes.value?.rows ?? [], by, newest)),
    [map, path === null, meshes.value, by, newest],
  );
  useEffect(() => meshesLoading.set(meshes.loading), [meshes.loading]);
  useEffect(() => {
    if (at !== null) map.setData('grid', gridFor(at.bounds, at.zoom));
  }, [map, at]);
  useEffect(
    () => map.setData('outline', drawing || boxes.length === 0 ? EMPTY : outlineData(boxes)),
    [map, boxes, drawing],
  );
  const found = useSignal(findings);
  useEffect(() => map.setData('findings', found ?? EMPTY), [map, found]);
  const changed = useSignal(changesShown);
  useEffect(() => map.setData('changes', changed ?? EMPTY), [map, changed]);
  const places = useSignal(placeBoxes);
  const kept = () => (drawing ? areasOf(areaTexts, summary) : []);
  useEffect(() => map.setData('area', areasData(kept())), [map, areaTexts, drawing, summary, places]);
  useEffect(() => {
    if (target === null) return;
    map.show(target);
    wanted.set(null);
  }, [map, target]);
  // Before the browser takes the next click.
  useLayoutEffect(() => {
    if (mode === null || !drawing) return;
    return draw(map, mode, {
      onSketch: (sketch) => map.setData('area', areasData(kept(), sketch)),
      onDone: (area) => {
        addArea(area);
        if (area.kind === 'meshes') return;
        drawMode.set(null);
        editing.set({ text: formatArea(area), isNew: true, byKeys: false });
      },
    });
  }, [map, mode, drawing, areaTexts]);
  const rests = useSignal(mapRests);
  const shownHit = useRef(false);
  useEffect(() => {
    const { hit } = current();
    // Once, for a page that was opened by a link: later, clicks tell.
    if (hit === null || shownHit.current || !rests || layers.value === null) return;
    const hits = mapHits.get().length > 0 ? mapHits.get() : map.hitsAt(hit);
    if (hits.length === 0) return;
    shownHit.current = true;
    mapHits.set(hits);
  }, [map, rests, layers.value]);
  const edit = useSignal(editing);
  useEffect(() => {
    // What begins to be drawn has the pointer for itself.
    if (mode !== null || !drawing) editing.set(null);
  }, [mode, drawing]);
  useEffect(() => {
    if (edit === null) return;
    return handleArea(map, edit, words, (others, sketch) =>
      map.setData('area', areasData(areasOf(others.join('~'), summary), sketch)),
    );
  }, [map, edit]);
  useEffect(() => () => drawn.set(null), [mode]);
  if (layers.error !== null) {
    return (
      <div class="over">
        <Failure error={layers.error} retry={layers.retry} />
      </div>
    );
  }
  return meshes.error === null ? null : (
    <div class="map-notice" role="alert">
      <span>{words.t('meshesFailed')}</span>
      <button type="button" class="button small" onClick={meshes.retry}>
        {words.t('retry')}
      </button>
    </div>
  );
}

/** Puts an area into the basket; meshes are one area, which grows and shrinks. */
function addArea(area: Area): void {
  const { areas } = current();
  const text = formatArea(area);
  const others = area.kind === 'meshes' ? areas.filter((area) => !area.startsWith('m:')) : areas;
  const next = parseArea(text) === null || others.includes(text) ? others : [...others, text];
  update({ areas: next.slice(0, MOST_AREAS), pack: null }, { push: true });
}

/** Areas for drawing; of a named place its boxes, of a municipality or prefecture the box around its data. */
function areasOf(texts: string, summary: Summary): Area[] {
  return texts
    .split('~')
    .map(parseArea)
    .filter((area) => area !== null)
    .flatMap((area): Area[] => {
      if (area.kind !== 'city' && area.kind !== 'place') return [area];
      const text = formatArea(area);
      const around = dataBounds(text, summary);
      const boxes = placeBoxes.get().get(text) ?? (around === null ? [] : [around]);
      return boxes.map((bounds) => ({ kind: 'box', bounds }));
    });
}

async function loadLayers(ids: readonly string[]): Promise<DrawnLayer[]> {
  const rows = await Promise.all(ids.map((id) => findDataset(id)));
  return Promise.all(
    rows
      .filter((row) => row?.composite_url)
      .map(async (row, position) => ({
        datasetId: row!.id,
        position,
        tileJson: await api<TileJson>(new URL(row!.composite_url!).pathname.slice(config.base.length)),
      })),
  );
}
