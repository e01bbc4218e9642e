/** The catalogue in a few kilobytes: what a first page needs to know of each municipality. */

import { compareTexts, factsOfFormat, SOURCE_LABEL } from '@citymodel/base';
import { compareTypes } from '@citymodel/citygml';
import { boundsToArray } from '@citymodel/geo';
import type { PackageRow } from '@citymodel/store';
import { readingsOf } from '../names/area-readings.ts';
import { area, wardsOf } from '../names/areas.ts';
import type { Snapshot } from '../snapshot/snapshot.ts';
import type { PackageCoverage } from './package-coverage.ts';

export interface SummaryCity {
  code: string;
  name: string;
  /** Hiragana, and Latin letters such as `osaka-shi`; null where unknown. */
  kana: string | null;
  romaji: string | null;
  pref_code: string;
  pref: string;
  /** West, south, east, north in degrees; null where unknown. */
  bbox: readonly number[] | null;
  /** Codes of feature types, in the order of the catalogue. */
  types: string[];
  /** Formats of tiles, and CityGML. */
  formats: string[];
  /** Newest first. */
  years: number[];
  /** Highest LOD of tiles and CityGML; null where nothing tells. */
  max_lod: number | null;
  /** The same by feature type, of those of which something tells. */
  max_lods: Record<string, number>;
  /** Whether there are textured 3D Tiles. */
  textured: boolean;
  /** Codes of wards that have packages of their own, or that a package of their city covers. */
  wards: string[];
  /** Tile packages. */
  datasets: number;
  /** Top-level features of the newest CityGML. */
  features: number;
  /** Bytes of all archives. */
  bytes: number;
}

export interface Summary {
  cities: SummaryCity[];
  prefectures: Array<{ code: string; name: string; kana: string | null; romaji: string | null }>;
  totals: {
    cities: number;
    packages: number;
    datasets: number;
    /** Top-level features of the newest CityGML of each municipality. */
    features: number;
    bytes: number;
    newest_year: number | null;
    /** Licences, the most used first. */
    licences: string[];
    /** The licence that all packages state; null where they differ, or one states none. */
    licence_of_all: string | null;
  };
}

/** `coverage` tells the LODs of CityGML; a package that it lacks counts with those of its tiles alone. */
export function summaryOf(snapshot: Snapshot, coverage: ReadonlyMap<number, PackageCoverage>): Summary {
  const byCity = Map.groupBy(
    snapshot.packages.filter(({ cityCode }) => cityCode.length === 5),
    ({ cityCode }) => cityCode,
  );
  const cities = [...byCity]
    .map(([code, packages]) => cityOf(code, packages, snapshot, coverage))
    .sort((a, b) => compareTexts(a.code, b.code));
  const prefectures = new Map(cities.map((city) => [city.pref_code, city.pref]));
  const licences = Map.groupBy(
    snapshot.packages.filter(({ license }) => license !== null),
    ({ license }) => license!,
  );
  return {
    cities,
    prefectures: [...prefectures].sort().map(([code, name]) => ({ code, name, ...scriptsOf(code) })),
    totals: {
      cities: cities.length,
      packages: snapshot.packages.length,
      datasets: snapshot.datasets.length,
      features: cities.reduce((sum, { features }) => sum + features, 0),
      bytes: snapshot.packages.reduce((sum, { archiveSize }) => sum + archiveSize, 0),
      newest_year: snapshot.packages.reduce<number | null>(
        (newest, { year }) => Math.max(newest ?? 0, year),
        null,
      ),
      licences: [...licences].sort((a, b) => b[1].length - a[1].length).map(([licence]) => licence),
      licence_of_all: licenceOfAll(snapshot.packages),
    },
  };
}

function licenceOfAll(packages: readonly PackageRow[]): string | null {
  const first = packages[0]?.license ?? null;
  return packages.every(({ license }) => license === first) ? first : null;
}

function cityOf(
  code: string,
  packages: readonly PackageRow[],
  snapshot: Snapshot,
  coverage: ReadonlyMap<number, PackageCoverage>,
): SummaryCity {
  const types = new Set<string>();
  const formats = new Set<string>();
  const years = new Set<number>();
  const maxLods = new Map<string, number>();
  const note = (type: string, lod: number) => maxLods.set(type, Math.max(maxLods.get(type) ?? 0, lod));
  let textured = false;
  const cityGml = packages.filter(({ kind }) => kind === 'citygml');
  for (const pkg of packages) {
    for (const type of pkg.types) types.add(type);
    years.add(pkg.year);
    formats.add(pkg.dataset?.format ?? SOURCE_LABEL);
    if (pkg.dataset === null) {
      for (const [type, lod] of coverage.get(pkg.no)?.maxLods ?? []) note(type, lod);
    } else if (factsOfFormat(pkg.dataset.format).showsLod) {
      note(pkg.dataset.type, pkg.dataset.lod ?? 1);
    }
    textured ||= pkg.dataset?.texture === true;
  }
  const newest = Math.max(0, ...cityGml.map(({ year }) => year));
  const { pref, prefCode } = packages[0]!;
  const bounds = snapshot.boundsOf(code);
  const scripts = scriptsOf(code);
  return {
    code,
    name: packages.reduce((latest, pkg) => (pkg.year >= latest.year ? pkg : latest)).city,
    kana: scripts.kana,
    romaji: romajiOfCity(code, packages),
    pref_code: prefCode,
    pref: area(prefCode)?.name ?? pref,
    bbox: bounds === null ? null : boundsToArray(bounds).map((degrees) => Number(degrees.toFixed(4))),
    types: [...types].sort(compareTypes),
    formats: [...formats].sort(),
    years: [...years].sort((a, b) => b - a),
    max_lod: maxLods.size === 0 ? null : Math.max(...maxLods.values()),
    max_lods: Object.fromEntries([...maxLods].sort(([a], [b]) => compareTypes(a, b))),
    textured,
    wards: wardsWithData(code, packages),
    datasets: packages.length - cityGml.length,
    features: cityGml.reduce((sum, pkg) => (pkg.year === newest ? sum + pkg.features : sum), 0),
    bytes: packages.reduce((sum, { archiveSize }) => sum + archiveSize, 0),
  };
}

function wardsWithData(code: string, packages: readonly PackageRow[]): string[] {
  const own = packages.flatMap(({ wardCode }) => (wardCode === null ? [] : [wardCode]));
  const isWhole = packages.some(({ wardCode }) => wardCode === null);
  return [...new Set([...own, ...(isWhole ? wardsOf(code).map((ward) => ward.code) : [])])].sort();
}

/** The name of a municipality in Latin letters, such as `osaka-shi`; null where unknown. */
export function romajiOfCity(code: string, packages: readonly PackageRow[]): string | null {
  return scriptsOf(code).romaji ?? romajiIn(packages);
}

/** The name in Latin letters that packages have after the code: `47900_aonagi-shi_city_2024_…`. */
function romajiIn(packages: readonly PackageRow[]): string | null {
  for (const { name, wardCode } of packages) {
    const found = wardCode === null ? /^\d{5}_([a-z0-9]+-[a-z]+)_/.exec(name) : null;
    if (found !== null) return found[1]!;
  }
  return null;
}

function scriptsOf(code: string): { kana: string | null; romaji: string | null } {
  const found = readingsOf(code);
  return { kana: found?.kana ?? null, romaji: found?.romaji ?? null };
}
