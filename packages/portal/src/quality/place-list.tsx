/** Places of findings in a list, each with ways to see it. */
import type { QualityReport } from '../core/interface-types.ts';
import { useWords } from '../core/store.ts';
import { wanted } from '../map/map-link.ts';
import { StateLink } from '../ui/link.tsx';
import { boundsOfPlaces, type Place, viewOf } from './places.ts';

interface PlaceListProps {
  report: QualityReport;
  /** Code of the only check that is shown; null for all. */
  check: string | null;
  /** `<code>-<year>`. */
  spec: string;
}

export function PlaceList({ report: { checks, places }, check, spec }: PlaceListProps) {
  const { t, number } = useWords();
  const asked = checks.filter(({ code }) => check === null || code === check);
  const left = asked.reduce((sum, { errors }) => sum + errors, 0) - places.length;
  if (places.length === 0) return null;
  return (
    <>
      <h3>{t('qualityPlaces')}</h3>
      <ul class="plain places">
        {places.map((place) => (
          <PlaceRow key={place.position} place={place} spec={spec} />
        ))}
      </ul>
      {left > 0 && (
        <p class="quiet">
          {t('qualityPlacesLeft')} {number(left)}
        </p>
      )}
    </>
  );
}

function PlaceRow({ place, spec }: { place: Place; spec: string }) {
  const { t } = useWords();
  const bounds = boundsOfPlaces([place]);
  const view = viewOf(place, spec);
  return (
    <li>
      <code>{place.code}</code> <span lang="en">{place.message}</span>
      <br />
      <span class="quiet">
        {place.file?.split('/').at(-1)}
        {place.line !== null && `:${place.line}`} {bounds === null && t('qualityNoPlace')}
      </span>
      <span class="buttons">
        {bounds !== null && (
          <button type="button" class="button small" onClick={() => wanted.set(bounds)}>
            {t('seeMap')}
          </button>
        )}
        {view !== null && (
          <StateLink class="button small" to={view}>
            {t('see3d')}
          </StateLink>
        )}
      </span>
    </li>
  );
}
