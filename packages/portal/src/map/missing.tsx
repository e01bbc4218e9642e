/** What is said of a place without data: where it is, and what is near. */

import type { Bounds } from '@citymodel/geo';
import { useEffect } from 'preact/hooks';
import { loadPlaces } from '../core/data.ts';
import type { Match, Places } from '../core/gazetteer.ts';
import { useWords } from '../core/store.ts';
import { areaName } from '../core/summary.ts';
import { useLoaded } from '../core/use-loaded.ts';
import { StateLink } from '../ui/link.tsx';
import { CityRow } from './cities.tsx';
import { useConditionName } from './condition.ts';
import { conditionBounds, plainName } from './condition-place.ts';
import { pickedOnMap, wanted } from './map-link.ts';

/** Degrees around the middle of a town and of a prefecture. */
const AROUND_TOWN = 0.08;
const AROUND_PREFECTURE = 0.4;
/** Names that a text with typing errors may mean. */
const MOST_SIMILAR = 3;

interface MissingProps {
  condition: string;
  /** What a click on a municipality near does, where it does not pick it. */
  onChoose?: (code: string) => void;
}

export function Missing({ condition, onChoose }: MissingProps) {
  const { t, fill } = useWords();
  const name = useConditionName(condition);
  const loaded = useLoaded('places', loadPlaces);
  const places = loaded.value;
  const found = places === null ? null : placeOf(condition, places);
  useEffect(() => {
    if (found === null || pickedOnMap.get() === condition) return;
    const { at, around } = found;
    wanted.set({ west: at[0] - around, south: at[1] - around, east: at[0] + around, north: at[1] + around });
  }, [places, condition]);
  const similar = found === null ? (places?.similar(plainName(condition), MOST_SIMILAR) ?? []) : [];
  const near = found === null ? [] : places!.nearest(found.at, 3);
  return (
    <div class="notice" role="status">
      <p>
        {found !== null
          ? fill('noDataFor', { name: name ?? plainName(condition) })
          : loaded.loading
            ? t('loading')
            : fill('searchNothing', { name: plainName(condition) })}
      </p>
      {found === null && !loaded.loading && <p class="quiet">{t('searchKnown')}</p>}
      {similar.length > 0 && (
        <p class="examples">
          <span class="quiet">{t('didYouMean')}</span>
          {similar.map((match) => (
            <SimilarName key={match.code} match={match} {...(onChoose && { onChoose })} />
          ))}
        </p>
      )}
      {near.length > 0 && (
        <>
          <p class="quiet">{t('nearest')}</p>
          <ul class="list">
            {near.map((city) => (
              <CityRow key={city.code} city={city} withPref {...(onChoose && { onChoose })} />
            ))}
          </ul>
        </>
      )}
    </div>
  );
}

/** A name that was perhaps meant. */
function SimilarName({ match, onChoose }: { match: Match; onChoose?: (code: string) => void }) {
  const { language } = useWords();
  const { code, name, romaji } = match;
  const label = areaName({ name, romaji: romaji === '' ? null : romaji }, language);
  const pick = code.length === 2 ? `g:${name}` : code;
  if (onChoose === undefined) return <StateLink to={{ pick, view: 'map' }}>{label}</StateLink>;
  return (
    <button type="button" class="link" onClick={() => onChoose(pick)}>
      {label}
    </button>
  );
}

/** Where a condition is: what it says itself, a municipality, or one whose name it is or begins with. */
function placeOf(
  condition: string,
  places: Places,
): { at: readonly [lng: number, lat: number]; around: number } | null {
  const bounds = conditionBounds(condition);
  if (bounds !== null) return { at: middleOf(bounds), around: AROUND_TOWN };
  const name = plainName(condition);
  const [exact] = places.find(name, 1);
  const code = /^\d{5}$/.test(condition)
    ? condition
    : (exact?.rank === 0 ? exact : places.begins(name))?.code;
  const at = code === undefined ? null : places.whereIs(code);
  return at === null ? null : { at, around: code!.length === 2 ? AROUND_PREFECTURE : AROUND_TOWN };
}

function middleOf({ west, south, east, north }: Bounds): [number, number] {
  return [(west + east) / 2, (south + north) / 2];
}
