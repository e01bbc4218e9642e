/** The frame of the page: header, views, and what stands beside what. */
import type { ComponentType } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { PAGES, type View } from './core/state.ts';
import { usePart, useWords } from './core/store.ts';
import { useTheme } from './core/theme.ts';
import { LiveStage } from './front/live-stage.tsx';
import { Header } from './header.tsx';
import { Chips } from './map/chips.tsx';
import { Legend } from './map/legend.tsx';
import { MapCanvas } from './map/map-canvas.tsx';
import { MapPanel } from './map/map-panel.tsx';
import { lazy } from './ui/lazy.tsx';
import { LeftOut } from './ui/left-out.tsx';
import { Sheet } from './ui/sheet.tsx';

const Basket = lazy(() => import('./basket/basket-panel.tsx').then((module) => module.BasketPanel));
const Datasets = lazy(() => import('./datasets/datasets-page.tsx').then((module) => module.DatasetsPage));
const ThreeD = lazy(() => import('./three/three-page.tsx').then((module) => module.ThreePage));
const Quality = lazy(() => import('./quality/quality-panel.tsx').then((module) => module.QualityPanel));
const Statistics = lazy(() =>
  import('./statistics/statistics-panel.tsx').then((module) => module.StatisticsPanel),
);
const Changes = lazy(() => import('./changes/changes-panel.tsx').then((module) => module.ChangesPanel));
const Status = lazy(() => import('./status/status-page.tsx').then((module) => module.StatusPage));

/** What each page has beside the map, or in its place. */
const PARTS: Record<View, ComponentType> = {
  map: MapPanel,
  '3d': ThreeD,
  datasets: Datasets,
  basket: Basket,
  quality: Quality,
  statistics: Statistics,
  changes: Changes,
  status: Status,
};

/** What depends on the view alone: another language does not come here, so that each part takes it by itself. */
export function App() {
  const view = usePart((s) => s.view);
  const first = useRef(true);
  useEffect(() => {
    // A person who comes by keys or by ear goes on from the beginning of the new view.
    if (!first.current) document.getElementById('main')?.focus({ preventScroll: true });
    first.current = false;
  }, [view]);
  const embed = usePart((s) => s.embed);
  if (embed) {
    return (
      <main id="main" class="view-3d embed" tabIndex={-1}>
        <Title view={view} />
        <ThreeD />
        <LeftOut />
      </main>
    );
  }
  const { onMap, layout } = PAGES[view];
  const Page = PARTS[view];
  return (
    <>
      <Skip />
      <Header />
      <main id="main" class={layout} tabIndex={-1}>
        <Title view={view} />
        {onMap && (
          <Sheet key={view}>
            <Page />
          </Sheet>
        )}
        {/* The map stays when another view comes and goes. */}
        <div class="stage" hidden={!onMap}>
          <MapCanvas shown={onMap} />
          {view === 'map' && <Chips />}
          {/* The page of two editions has colours of its own, in its panel. */}
          {onMap && view !== 'changes' && <Legend />}
          {view === 'map' && <LiveStage />}
        </div>
        {!onMap && <Page />}
      </main>
      <LeftOut />
    </>
  );
}

function Skip() {
  const { t } = useWords();
  return (
    <a class="skip" href="#main">
      {t('skip')}
    </a>
  );
}

/**
 * The title of a view, for the window and for screen readers, and what the whole page knows of language and theme.
 */
function Title({ view }: { view: View }) {
  const { t, language } = useWords();
  const theme = useTheme();
  const title = `${t(PAGES[view].title)} – ${t('title')}`;
  useEffect(() => {
    const root = document.documentElement;
    root.lang = language;
    root.dataset.theme = theme;
    document.title = title;
  }, [language, theme, title]);
  return <h1 class="visually-hidden">{title}</h1>;
}
