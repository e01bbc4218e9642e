/** What a condition of operation 7 is called, and where it lies, once what is known of places has come. */
import { type Bounds, isMeshCode, meshBounds, parseSpatialId, spatialIdBounds } from '@citymodel/geo';
import { unite } from '../core/area.ts';
import type { Places } from '../core/gazetteer.ts';
import type { Words } from '../core/i18n.ts';
import { prefectureCode } from '../core/prefectures.ts';
import { areaName, cityBounds, type Summary } from '../core/summary.ts';
import type { Loaded } from '../core/use-loaded.ts';

const POINT = /^r:(-?[\d.]+),(-?[\d.]+)$/;

/** A condition without its prefix, a point with its latitude first, as people write it. */
export function plainName(condition: string): string {
  const point = POINT.exec(condition);
  return point === null ? condition.replace(/^\w+:/, '') : `${point[2]}, ${point[1]}`;
}

/** Whether a condition is the code of a municipality. */
export function isCityCode(condition: string): boolean {
  return /^\d{5}$/.test(condition);
}

/** Whether the list of all names has to be asked for: the summary has come without the municipality. */
export function isUnknownCity(condition: string, summary: Pick<Summary, 'cities'> | null): boolean {
  return isCityCode(condition) && summary !== null && !summary.cities.some(({ code }) => code === condition);
}

/** A value that is asked for, or why it does not come. */
type Coming<T> = Pick<Loaded<T>, 'value' | 'error'>;

/**
 * The name in a language; null until that of a municipality is loaded, what was searched for where none is known. The
 * list of names is asked for once the summary has come without the municipality.
 */
export function conditionName(
  condition: string,
  { language, prefecture }: Pick<Words, 'language' | 'prefecture'>,
  summary: Coming<Pick<Summary, 'cities'>>,
  places: Coming<Pick<Places, 'named'>>,
): string | null {
  if (isCityCode(condition)) {
    const city = summary.value?.cities.find(({ code }) => code === condition);
    const known = city ?? places.value?.named(condition);
    if (known) return areaName(known, language);
    const [isSummaryDue, arePlacesDue] = [summary, places].map(
      ({ value, error }) => value === null && error === null,
    );
    if (isSummaryDue || (summary.value !== null && arePlacesDue)) return null;
  }
  const pref = condition.startsWith('g:') ? prefectureCode(condition.slice(2)) : null;
  return pref === null ? plainName(condition) : prefecture(pref);
}

/** Where a condition lies that says so itself. */
export function conditionBounds(condition: string): Bounds | null {
  const text = condition.slice(2);
  if (condition.startsWith('m:') && isMeshCode(text)) return meshBounds(text);
  if (condition.startsWith('s:')) return spatialIdBounds(parseSpatialId(text));
  const point = POINT.exec(condition);
  if (point === null) return null;
  const [lng, lat] = [Number(point[1]), Number(point[2])];
  return { west: lng, south: lat, east: lng, north: lat };
}

/** Where the data of a municipality or of a prefecture lie; null for other conditions. */
export function dataBounds(condition: string, { cities }: Pick<Summary, 'cities'>): Bounds | null {
  const pref = condition.startsWith('g:') ? prefectureCode(condition.slice(2)) : null;
  const boxes = cities
    .filter((city) => city.code === condition || city.pref_code === pref)
    .map(cityBounds)
    .filter((box) => box !== null);
  return boxes.length === 0 ? null : boxes.reduce(unite);
}

/** Degrees between boxes that are outlined as one: about the side of a 3rd mesh. */
const BESIDE = 0.0125;

/** Boxes of files as the map outlines them: one around those that lie beside each other, and others for what is afar. */
export function separateBoxes(boxes: readonly Bounds[]): Bounds[] {
  const separate: Bounds[] = [];
  for (const box of boxes) {
    let grown = box;
    for (let at = separate.findIndex((other) => isBeside(grown, other)); at !== -1; ) {
      grown = unite(grown, separate.splice(at, 1)[0]!);
      at = separate.findIndex((other) => isBeside(grown, other));
    }
    separate.push(grown);
  }
  return separate;
}

function isBeside(a: Bounds, b: Bounds): boolean {
  return (
    a.west - BESIDE <= b.east &&
    b.west - BESIDE <= a.east &&
    a.south - BESIDE <= b.north &&
    b.south - BESIDE <= a.north
  );
}
