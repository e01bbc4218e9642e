/** Changes an area of the basket by its corners. */
import { type Area, formatArea, parseArea } from '../core/area.ts';
import type { Words } from '../core/i18n.ts';
import { current, subscribe, update } from '../core/store.ts';
import type { CityMap } from './city-map.ts';
import { type Editing, editing, handled } from './map-link.ts';

/**
 * Puts handles on the corners of an area until the returned function is called. Each change is at once in the basket.
 *
 * @param draw shows the other areas, and the area as it is being dragged
 */
export function handleArea(
  map: CityMap,
  { text, isNew, byKeys }: Editing,
  { t, fill, number }: Words,
  draw: (others: readonly string[], sketch: Area) => void,
): () => void {
  const first = parseArea(text);
  if (first === null || (first.kind !== 'box' && first.kind !== 'polygon')) return () => {};
  let now = text;
  const past: string[] = [];
  const others = () => current().areas.filter((area) => area !== now);
  const replace = (next: string | null) => {
    const before = now;
    now = next ?? '';
    const areas = current().areas.flatMap((area) => (area !== before ? [area] : next === null ? [] : [next]));
    update({ areas: [...new Set(areas)], pack: null });
  };
  const finish = () => {
    editing.set(null);
    // A person who goes by keys goes on at the card of the area.
    const card = [...document.querySelectorAll<HTMLElement>('.card')].find(
      ({ dataset }) => dataset.area === now,
    );
    card?.querySelector('button')?.focus();
  };
  const handles = map.handles(first, {
    nameOf: (index, all) => fill('corner', { index: number(index + 1), all: number(all) }),
    help: t('cornerHelp'),
    onSketch: (area) => draw(others(), area),
    onChange(area) {
      const next = formatArea(area);
      if (next === now || parseArea(next) === null) return;
      past.push(now);
      replace(next);
      tell();
    },
    onEnd: finish,
  });
  const undo = () => {
    const before = past.pop();
    replace(before ?? null);
    if (before === undefined) return;
    handles.show(parseArea(before)!);
    tell();
  };
  // What was drawn just now can be taken back as a whole.
  const tell = () => handled.set({ finish, undo: isNew || past.length > 0 ? undo : null });
  tell();
  if (byKeys) handles.focus();
  // An area that is removed, by its card or by going back, has no corners.
  const end = subscribe(({ areas }) => {
    if (!areas.includes(now)) editing.set(null);
  });
  return () => {
    end();
    handled.set(null);
    handles.remove();
  };
}
