/** Which municipality or ward a path of `/city/` means: a code, or a name in any script. */
import { compareTexts } from '@citymodel/base';
import type { PackageRow } from '@citymodel/store';
import { romajiOfCity } from '../catalogue/coverage/summary.ts';
import { builtInAreaNames } from '../catalogue/names/area-reading.ts';
import { areasRead, readingsOf } from '../catalogue/names/area-readings.ts';
import { area, membersOf, prefectureOf } from '../catalogue/names/areas.ts';
import { normalizePlaceName } from '../catalogue/names/normalise-place-name.ts';
import type { Snapshot } from '../catalogue/snapshot/snapshot.ts';

/** Longest name that is looked up, UTF-16 code units. */
const MAX_NAME = 100;

/** What a page of an area needs of the catalogue. */
export type AreaSnapshot = Pick<Snapshot, 'packages' | 'cityAround' | 'boundsOf'>;

/** A municipality or ward as its page names it. */
export interface CityArea {
  /** 5 digits. */
  readonly code: string;
  readonly name: string;
  /** Hiragana, and Latin letters such as `osaka-shi`; null where unknown. */
  readonly kana: string | null;
  readonly romaji: string | null;
  /** Its prefecture, 2 digits. */
  readonly prefCode: string;
  readonly pref: string;
  /** The city that a ward lies in; null for a municipality. */
  readonly around: { readonly code: string; readonly name: string; readonly romaji: string | null } | null;
  /** Live packages of the area itself, of its wards where it has none, else of the city around it. */
  readonly packages: readonly PackageRow[];
  /** `own`: packages of the area; `wards`: of its wards alone; `city`: of the city around it, which cover it. */
  readonly extent: 'own' | 'wards' | 'city';
}

/** The area of a code, with its packages; null where nothing of it is published. */
export function cityArea(snapshot: AreaSnapshot, code: string): CityArea | null {
  if (!/^\d{5}$/.test(code)) return null;
  const found = packagesOf(snapshot, code);
  if (found === null) return null;
  const newest = found.packages.reduce((best, row) => (row.year > best.year ? row : best));
  const cityCode = snapshot.cityAround(code);
  const named = found.packages.find((row) => row.wardCode === code);
  const ownName = named?.ward ?? (newest.cityCode === code ? newest.city : null);
  return {
    code,
    name: ownName ?? area(code)?.name ?? code,
    kana: readingsOf(code)?.kana ?? null,
    romaji: romajiOfCity(code, found.extent === 'own' ? found.packages : []),
    prefCode: newest.prefCode,
    pref: prefectureOf(code)?.name ?? newest.pref,
    around:
      cityCode === null
        ? null
        : {
            code: cityCode,
            name: area(cityCode)?.name ?? newest.city,
            romaji: romajiOfCity(cityCode, []),
          },
    ...found,
  };
}

/** Codes of the areas with a page that a name means, by code: several where a name alone does not tell. */
export function citiesNamed(snapshot: AreaSnapshot, name: string): string[] {
  const text = name.normalize('NFKC').trim();
  if (text === '' || text.length > MAX_NAME) return [];
  const plain = normalizePlaceName(text);
  const codes = new Set(areasRead(text));
  for (const { chain, length } of builtInAreaNames().read(plain))
    if (length === plain.length) codes.add(chain.at(-1)!.code);
  const latin = text.toLowerCase();
  for (const row of snapshot.packages) {
    const { pref, cityCode, city, wardCode, ward } = row;
    if ([city, pref + city].includes(text) || romajiOfCity(cityCode, [row]) === latin) codes.add(cityCode);
    if (wardCode !== null && ward !== null && [ward, city + ward, pref + city + ward].includes(text))
      codes.add(wardCode);
  }
  return [...codes]
    .filter((code) => /^\d{5}$/.test(code) && packagesOf(snapshot, code) !== null)
    .sort(compareTexts);
}

function packagesOf(
  { packages, cityAround }: AreaSnapshot,
  code: string,
): Pick<CityArea, 'packages' | 'extent'> | null {
  const own = packages.filter(({ cityCode, wardCode }) => (wardCode ?? cityCode) === code);
  if (own.length > 0) return { packages: own, extent: 'own' };
  const members = new Set(membersOf(code));
  const wards = packages.filter(
    ({ cityCode, wardCode }) => cityCode === code || members.has(wardCode ?? cityCode),
  );
  if (wards.length > 0) return { packages: wards, extent: 'wards' };
  const city = cityAround(code);
  const whole = city === null ? [] : packages.filter((row) => (row.wardCode ?? row.cityCode) === city);
  return whole.length === 0 ? null : { packages: whole, extent: 'city' };
}
