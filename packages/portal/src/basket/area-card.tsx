/** An area of the basket as a card: its name, its size, what it has, and how it is changed or removed. */
import { type Area, areaBounds, areaSize, formatArea } from '../core/area.ts';
import type { Words } from '../core/i18n.ts';
import { sizeOfPlaces } from '../core/named-place.ts';
import { current, update, usePart, useWords } from '../core/store.ts';
import { useConditionName } from '../map/condition.ts';
import { editing, wanted } from '../map/map-link.ts';
import { AreaName } from '../ui/parts.tsx';
import { namedPlacesOf } from './area-files.ts';
import { type AreaCounts, chosenSum } from './counts.ts';

export function AreaCard({ text, area, counts }: { text: string; area: Area; counts: AreaCounts | null }) {
  const words = useWords();
  const { t, number, bytes } = words;
  const name = useAreaName(area);
  const types = usePart((s) => s.types?.join(',') ?? null);
  const sum = counts === null ? null : chosenSum([counts], types?.split(',') ?? null);
  return (
    <li class="card" data-area={text}>
      <div>
        <strong>
          <AreaName name={name} />
        </strong>
        <p class="quiet">
          {howLarge(area, counts, words)}
          {sum === null
            ? t('loading')
            : sum.files === 0
              ? t('areaEmpty')
              : `${number(sum.files)} ${t('filesUnit')} · ${t('about')} ${bytes(sum.zip)}`}
        </p>
      </div>
      {(area.kind === 'box' || area.kind === 'polygon') && (
        <button
          type="button"
          class="button small"
          aria-label={`${t('changeArea')}: ${name ?? text}`}
          onClick={(event) => {
            // A click without a pointer came from a key.
            editing.set({ text, isNew: false, byKeys: event.detail === 0 });
            wanted.set(areaBounds(area));
          }}
        >
          {t('changeArea')}
        </button>
      )}
      <button
        type="button"
        class="button small"
        aria-label={`${t('removeArea')}: ${name ?? text}`}
        onClick={(event) => {
          neighbourOf(event.currentTarget)?.focus();
          update({ areas: current().areas.filter((area) => area !== text), pack: null }, { push: true });
        }}
      >
        {t('removeArea')}
      </button>
    </li>
  );
}

/**
 * What has the focus once the card of a button is gone: the same button of the next card or of the one before, else the
 * heading.
 */
function neighbourOf(button: HTMLElement): HTMLElement | null {
  const card = button.closest('.card')!;
  const next = card.nextElementSibling ?? card.previousElementSibling;
  return next === null
    ? card.closest('section')!.querySelector('h2')
    : next.querySelector<HTMLElement>('button:last-of-type');
}

/** The size of an area with a separator after it; of one that has no outline, of the meshes that have its files. */
function howLarge(area: Area, counted: AreaCounts | null, { fill, number }: Words): string {
  const size = areaSize(area) ?? sizeOfPlaces(namedPlacesOf(counted ?? undefined));
  const km2 = (size: number) => number(Number(size.toPrecision(3)));
  if (size !== null) return `${size < 0.01 ? `${number(Math.round(size * 1e6))} m²` : `${km2(size)} km²`} · `;
  if (counted === null || counted.counts.meshes === 0) return '';
  const { meshes, meshes_km2 } = counted.counts;
  const values = { count: number(meshes), size: km2(meshes_km2) };
  return `${fill(meshes === 1 ? 'meshWithData' : 'meshesWithData', values)} · `;
}

/** A municipality or place by its name, anything else by what it is. */
function useAreaName(area: Area): string | null {
  const { t, number } = useWords();
  const name = useConditionName(formatArea(area));
  switch (area.kind) {
    case 'city':
    case 'place':
      return name;
    case 'box':
      return t('drawBox');
    case 'polygon':
      return `${t('drawPolygon')} (${number(area.ring.length)})`;
    case 'meshes':
      return `${t('mesh')} ${area.codes.slice(0, 3).join(', ')}${area.codes.length > 3 ? ' …' : ''}`;
  }
}
