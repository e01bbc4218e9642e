/** Municipalities as the summary of the catalogue tells of them, and how pages name and choose them. */

import { compareTexts, typesOfNature } from '@citymodel/base';
import type { Bounds } from '@citymodel/geo';
import { latinName } from 'citymodel-server/shared';
import { unite } from './area.ts';
import type * as interfaceTypes from './interface-types.ts';
import { MODELS } from './output-kinds.ts';
import type { Language, Shown } from './state.ts';

export type SummaryCity = Omit<interfaceTypes.SummaryCity, 'bbox'> & {
  bbox: [west: number, south: number, east: number, north: number] | null;
};
export type Summary = Omit<interfaceTypes.Summary, 'cities'> & { cities: SummaryCity[] };

const FLOODS: ReadonlySet<string> = new Set(typesOfNature('flood'));

/** True for a municipality that has what a chip asks for. `newest` is the newest year of the catalogue. */
export function hasShown(city: SummaryCity, shown: Shown | null, newest: number): boolean {
  switch (shown) {
    case null:
      return true;
    case '3d':
      return city.types.includes('bldg') && city.formats.includes(MODELS);
    case 'textured':
      return city.textured;
    case 'flood':
      return city.types.some((type) => FLOODS.has(type));
    case 'road':
      return city.types.includes('tran');
    case 'year':
      return city.years.includes(newest);
  }
}

/**
 * The highest LOD of what a chip asks for; without a chip that asks for types, of anything. Null where nothing tells.
 */
export function shownLod(
  { max_lod, max_lods }: Pick<SummaryCity, 'max_lod' | 'max_lods'>,
  shown: Shown | null,
): number | null {
  const types = typesShown(shown);
  if (types === null) return max_lod;
  const lods = types.map((type) => max_lods[type]).filter((lod) => lod !== undefined);
  return lods.length === 0 ? null : Math.max(...lods);
}

/** Feature types that a chip asks for; null where it asks for none. */
export function typesShown(shown: Shown | null): string[] | null {
  switch (shown) {
    case '3d':
    case 'textured':
      return ['bldg'];
    case 'flood':
      return [...FLOODS];
    case 'road':
      return ['tran'];
    default:
      return null;
  }
}

/** The filters of the coverage that a chip stands for, as a query. */
export function coverageFilter(shown: Shown | null, newest: number): string {
  if (shown === 'year') return `&year=${newest}`;
  const types = typesShown(shown);
  return types === null ? '' : `&type_en=${types.join(',')}`;
}

export function cityBounds({ bbox }: Pick<SummaryCity, 'bbox'>): Bounds | null {
  if (bbox === null) return null;
  const [west, south, east, north] = bbox;
  return { west, south, east, north };
}

/** The smallest box around all that is known; null when nothing is. */
export function boundsOfAll(cities: readonly SummaryCity[]): Bounds | null {
  const known = cities.map(cityBounds).filter((bounds) => bounds !== null);
  return known.length === 0 ? null : known.reduce(unite);
}

interface Named {
  name: string;
  romaji: string | null;
}

/** Name of a municipality or prefecture in a language: Osaka for osaka-shi, Chiyoda-ku for chiyoda-ku. */
export function areaName({ name, romaji }: Named, language: Language): string {
  if (language === 'ja' || romaji === null) return name;
  return latinName(romaji);
}

/** LOD as the map colours it: 0 where there is nothing in 3D, 4 at most. */
function lodClass(lod: number | null): number {
  return Math.max(0, Math.min(4, lod ?? 0));
}

export interface PrefectureRow extends Named {
  code: string;
  cities: SummaryCity[];
  /** Number of municipalities by highest LOD, 0 to 4. */
  lods: [number, number, number, number, number];
}

/** Prefectures that have data, those with most municipalities first; `shown`: whose LODs count. */
export function prefecturesOf({ cities, prefectures }: Summary, shown: Shown | null = null): PrefectureRow[] {
  const byCode = new Map<string, PrefectureRow>(
    prefectures.map(({ code, name, romaji }) => [
      code,
      { code, name, romaji: romaji ?? null, cities: [], lods: [0, 0, 0, 0, 0] },
    ]),
  );
  for (const city of cities) {
    const row = byCode.get(city.pref_code);
    if (row === undefined) continue;
    row.cities.push(city);
    row.lods[lodClass(shownLod(city, shown))]!++;
  }
  return [...byCode.values()].sort(
    (a, b) => b.cities.length - a.cities.length || compareTexts(a.code, b.code),
  );
}

const romaji = new Map<string, string>();

/** Notes names in Latin letters, so that rows which have only Japanese ones can be named in English. */
export function rememberNames(names: Iterable<readonly [code: string, romaji: string]>): void {
  for (const [code, name] of names) romaji.set(code, name);
}

/** The name of an area in Latin letters, once it is known; else null. */
export function knownRomaji(code: string): string | null {
  return romaji.get(code) ?? null;
}
