/** The best city in 3D over the map, until somebody wants the map. It comes after all that the page itself shows. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { loadCityDatasets } from '../core/data.ts';
import { addressOf, useWords } from '../core/store.ts';
import { areaName, type Summary } from '../core/summary.ts';
import { useTheme } from '../core/theme.ts';
import { useLoaded } from '../core/use-loaded.ts';
import { isOurs } from '../three/embed-protocol.ts';
import { doorTitle, doorWord } from './door-words.ts';
import { type DoorSource, doorOf } from './doors.ts';
import { liveIsClosed } from './live.ts';

/** Of the best city nothing but its datasets is asked for. */
const SOURCE: DoorSource = {
  datasets: loadCityDatasets,
  buildings: () => Promise.reject(new Error('not asked for')),
  json: () => Promise.reject(new Error('not asked for')),
};

export function LiveCity({ summary }: { summary: Summary }) {
  const { language } = useWords();
  const theme = useTheme();
  const { value: door } = useLoaded('live', () => doorOf('city', summary, SOURCE));
  const [isDrawn, setDrawn] = useState(false);
  const frame = useRef<HTMLIFrameElement>(null);
  useEffect(() => {
    const listen = ({ source, data }: MessageEvent) => {
      if (source !== frame.current?.contentWindow || !isOurs(data)) return;
      const { type } = data as { type?: unknown };
      if (type === 'loaded') setDrawn(true);
      // The map is there instead.
      if (type === 'failed') liveIsClosed.set(true);
    };
    addEventListener('message', listen);
    return () => removeEventListener('message', listen);
  }, []);
  if (door === null) return null;
  const name = areaName(door.city, language);
  const shown = { ...door.to, at: null, embed: true, lang: language, theme };
  return (
    <div class={isDrawn ? 'live drawn' : 'live'} aria-hidden={!isDrawn}>
      <iframe
        ref={frame}
        src={addressOf(shown)}
        title={doorTitle(language, 'city', { city: name }).join('')}
        tabIndex={isDrawn ? 0 : -1}
      />
      <p class="live-caption">
        {doorWord(language, 'live', { city: name })}
        <button type="button" class="button small" onClick={() => liveIsClosed.set(true)}>
          {doorWord(language, 'toMap')}
        </button>
      </p>
    </div>
  );
}
