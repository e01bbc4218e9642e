/** What a chip of the map asks, answered in numbers: which municipalities have it at which LOD. */
import type { Shown } from '../core/state.ts';
import { hasShown, type SummaryCity, shownLod, typesShown } from '../core/summary.ts';

export interface LodAnswer {
  lod: number;
  /** Municipalities whose highest LOD of what is asked for is this, by code. */
  cities: SummaryCity[];
}

/** By LOD, the highest first; LODs that no municipality has are left out. */
export function answersOf(cities: readonly SummaryCity[], shown: Shown, newest: number): LodAnswer[] {
  const byLod = Map.groupBy(
    cities.filter((city) => hasShown(city, shown, newest)),
    (city) => shownLod(city, shown) ?? 0,
  );
  return [...byLod].sort(([a], [b]) => b - a).map(([lod, found]) => ({ lod, cities: found }));
}

/** One line for each municipality (RFC 4180), with a byte order mark for spreadsheets. */
export function citiesCsv(cities: readonly SummaryCity[], shown: Shown): string {
  const types = typesShown(shown) ?? [];
  const head = [
    'code',
    'prefecture',
    'name',
    'romaji',
    'kana',
    'years',
    'highest_lod',
    ...types.map((type) => `lod_${type}`),
  ];
  const lines = cities.map((city) => [
    city.code,
    city.pref,
    city.name,
    city.romaji ?? '',
    city.kana ?? '',
    city.years.join(' '),
    String(shownLod(city, shown) ?? ''),
    ...types.map((type) => String(city.max_lods[type] ?? '')),
  ]);
  return `\ufeff${[head, ...lines].map((cells) => cells.map(cell).join(',')).join('\r\n')}\r\n`;
}

/** What a spreadsheet takes for a formula begins with a quotation mark. */
function cell(value: string): string {
  const text = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
