import { readFileSync } from 'node:fs';

/*
 * The areas that data is published for: 47 prefectures (2-digit codes), municipalities and the wards of the
 * designated cities (5-digit codes, JIS X 0402 without the check digit).
 *
 * The 23 special wards of Tokyo (13101 to 13123) are municipalities of their own, and a package of one of them is that
 * municipality's. But data is also published for all of them together under 13100, named 東京都23区, and divided by ward
 * there, just as a designated city's is. So 13100 is a municipality here that covers the 23 for `wardsOf` and
 * `membersOf`. The kind of 13101 stays `municipality`, and `cityOfWard('13101')` is undefined: its own package is not
 * one of 13100.
 */

export interface Area {
  /** 2 digits for a prefecture, else 5. */
  code: string;
  name: string;
  kind: 'prefecture' | 'municipality' | 'ward';
  /** Code of the prefecture of a municipality, of the city of a ward; null for a prefecture. */
  parent: string | null;
}

/** The code under which the special wards of Tokyo are published together. */
export const SPECIAL_WARDS_CODE = '13100';

/** What data calls the special wards of Tokyo together. */
export const SPECIAL_WARDS_NAME = '東京都23区';

/** Every area, by code. */
export const AREAS: ReadonlyMap<string, Area> = readTable(
  readFileSync(new URL('./data/areas.tsv', import.meta.url), 'utf8'),
);

const wardsByCity = new Map<string, Area[]>();
for (const entry of AREAS.values()) {
  const city = entry.kind === 'ward' ? entry.parent! : isSpecialWard(entry.code) ? SPECIAL_WARDS_CODE : null;
  if (city !== null) wardsByCity.set(city, [...(wardsByCity.get(city) ?? []), entry]);
}

/** The area of a code, or undefined when there is none. */
export function area(code: string): Area | undefined {
  return AREAS.get(code);
}

/** The name of a larger area before that of one within: 神奈川県横浜市, but Nordrhein-Westfalen Köln. */
export function joinNames(outer: string, name: string): string {
  return JAPANESE_END.test(outer) ? outer + name : `${outer} ${name}`;
}

const JAPANESE_END = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]$/u;

/** The prefecture of any code, by its first two digits, also where the table lacks the code itself. */
export function prefectureOf(code: string): Area | undefined {
  return AREAS.get(code.slice(0, 2));
}

/** The wards that a city is divided into, by code: none unless it is a designated city, or 13100. */
export function wardsOf(code: string): readonly Area[] {
  return wardsByCity.get(code) ?? [];
}

/** Code of the designated city that a ward belongs to; undefined for everything else, special wards included. */
export function cityOfWard(code: string): string | undefined {
  const found = AREAS.get(code);
  return found?.kind === 'ward' ? found.parent! : undefined;
}

/** True for 13101 to 13123. */
export function isSpecialWard(code: string): boolean {
  return code > SPECIAL_WARDS_CODE && code <= '13123' && code.length === 5;
}

/**
 * The codes that rows may carry which a code covers: itself, and for a designated city (or 13100) its wards.
 * A prefecture covers itself alone, because every row carries its prefecture's code beside its own.
 */
export function membersOf(code: string): string[] {
  return [code, ...wardsOf(code).map((ward) => ward.code)];
}

/** Lines of code, name and, for wards, the city's code, separated by tabs; `#` begins a comment. */
function readTable(text: string): Map<string, Area> {
  const areas = new Map<string, Area>();
  for (const line of text.split('\n')) {
    if (line === '' || line.startsWith('#')) continue;
    const [code, name, city] = line.split('\t') as [string, string, string | undefined];
    if (code.length === 2) areas.set(code, { code, name, kind: 'prefecture', parent: null });
    else if (city !== undefined) areas.set(code, { code, name, kind: 'ward', parent: city });
    else areas.set(code, { code, name, kind: 'municipality', parent: code.slice(0, 2) });
  }
  return areas;
}
