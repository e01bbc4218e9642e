import type { Bounds } from '@citymodel/geo';
import type { ComponentChildren } from 'preact';
import { useWords } from '../core/store.ts';
import { useTheme } from '../core/theme.ts';
import { outlined, wanted } from '../map/map-link.ts';
import { PALETTES } from '../map/palette.ts';
import { StateLink } from '../ui/link.tsx';
import { becameOf, type Comparison, type Difference, inOrder, viewOf, type Years } from './comparison.ts';
import { wordIn } from './words.ts';

/** Rows of the list; of thousands the CSV has the others. */
const ROWS = 100;
/** Attributes that a row names. */
const NAMES = 3;
/** Degrees around a feature that the map shows. */
const AROUND = 0.0005;

interface ChangeListProps {
  differences: readonly Difference[];
  comparison: Comparison;
  years: Years;
  /** Ways to see a feature on this page; where it is left out, on the map and by a link to the 3D view. */
  actionsOf?: (difference: Difference) => ComponentChildren;
}

/** Features that differ, each with what is other about it and ways to see it. */
export function ChangeList({ differences, comparison, years, actionsOf }: ChangeListProps) {
  const { number, language } = useWords();
  const word = wordIn(language);
  if (differences.length === 0) return null;
  return (
    <>
      <h3>{word('list')}</h3>
      <ul class="plain places">
        {inOrder(differences)
          .slice(0, ROWS)
          .map((difference) => (
            <ChangeRow key={difference.position} difference={difference}>
              {actionsOf?.(difference) ?? (
                <OnMapOr3d difference={difference} comparison={comparison} years={years} />
              )}
            </ChangeRow>
          ))}
      </ul>
      {differences.length > ROWS && (
        <p class="quiet">{word('more', { count: number(differences.length - ROWS) })}</p>
      )}
    </>
  );
}

function ChangeRow({ difference, children }: { difference: Difference; children: ComponentChildren }) {
  const { language } = useWords();
  const word = wordIn(language);
  const became = becameOf(difference);
  const colour = PALETTES[useTheme()].became[became];
  const facts = useFacts(difference);
  return (
    <li>
      <svg class="swatch" viewBox="0 0 14 14" aria-hidden="true">
        <rect width="14" height="14" fill={colour} />
      </svg>{' '}
      <strong>{word(became)}</strong> <span class="quiet">{facts}</span>
      <br />
      <code class="quiet change-id">{difference.id ?? '–'}</code>
      <span class="buttons">{children}</span>
    </li>
  );
}

function OnMapOr3d({
  difference,
  comparison,
  years,
}: Omit<ChangeListProps, 'differences' | 'actionsOf'> & { difference: Difference }) {
  const { t } = useWords();
  const bounds = boundsOf(difference);
  const view = viewOf(difference, comparison, years);
  return (
    <>
      {bounds !== null && (
        <button
          type="button"
          class="button small"
          onClick={() => {
            wanted.set(bounds);
            outlined.set([bounds]);
          }}
        >
          {t('seeMap')}
        </button>
      )}
      {view !== null && (
        <StateLink class="button small" to={view}>
          {t('see3d')}
        </StateLink>
      )}
    </>
  );
}

/** What is other about a feature, or how high it is. */
function useFacts(difference: Difference): string {
  const { number, language, attribute } = useWords();
  const word = wordIn(language);
  if (difference.change !== 'changed')
    return difference.height === null ? '' : word('height', { height: number(difference.height) });
  const { geometry, attributes, attributesLeft } = difference;
  const parts: string[] = [];
  const { from = null, to = null } = geometry?.height ?? {};
  if (from !== null && to !== null && from !== to)
    parts.push(word('metres', { from: number(from), to: number(to) }));
  else if (geometry !== null) parts.push(word('geometry'));
  const names = attributes
    .slice(0, NAMES)
    .map(({ name }) => attribute(name) ?? name.split('/').at(-1)!.replace(/^\w+:/, ''));
  const left = attributes.length + attributesLeft - names.length;
  if (names.length > 0)
    parts.push(word('attributes', { names: names.join(', ') + (left > 0 ? ` +${number(left)}` : '') }));
  return parts.join(' · ');
}

/** A box around a feature, with some room; null for one without a place. */
export function boundsOf({ bounds }: Difference): Bounds | null {
  if (bounds === null) return null;
  const [west, south, east, north] = bounds as [number, number, number, number];
  return { west: west - AROUND, south: south - AROUND, east: east + AROUND, north: north + AROUND };
}
