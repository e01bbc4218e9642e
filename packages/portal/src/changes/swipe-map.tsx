import { useEffect } from 'preact/hooks';
import { useSignal } from '../core/signal.ts';
import { useWords } from '../core/store.ts';
import { useTheme } from '../core/theme.ts';
import { useLoaded } from '../core/use-loaded.ts';
import { useSummary } from '../core/use-summary.ts';
import { baseArea } from '../map/coverage-path.ts';
import { baseLayersIn } from '../map/load-base.ts';
import { mapView } from '../map/map-link.ts';
import { cityMap } from '../map/map-now.ts';
import { changesData, type Difference, type Years } from './comparison.ts';
import { swipe } from './swipe.ts';
import { wordIn } from './words.ts';

interface SwipeProps {
  /** Features of the older edition. */
  differences: readonly Difference[];
  years: Years;
}

/** Lays the older edition over the map, where the map is there; draws nothing itself. */
export function Swipe({ differences, years }: SwipeProps) {
  const { language, year } = useWords();
  const theme = useTheme();
  const map = useSignal(cityMap);
  const view = useSignal(mapView);
  const cities = useSummary().value?.cities ?? [];
  const box = baseArea(view, cities);
  const key = box === null ? null : `${years.from} ${Object.values(box).join(' ')}`;
  const base = useLoaded(key, (signal) => baseLayersIn(box!, signal, years.from));
  const tiles = base.value;
  useEffect(() => {
    if (map === null || base.loading) return;
    const words = { handle: wordIn(language)('swipeHandle'), from: year(years.from), to: year(years.to) };
    return swipe(map, { base: tiles ?? [], changes: changesData(differences) }, words);
    // Differences are new objects with each drawing, of which the length tells what the legend leaves.
  }, [map, tiles, base.loading, differences.length, theme, language]);
  return null;
}
