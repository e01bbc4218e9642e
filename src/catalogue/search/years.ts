/** Which years of a municipality's data a search looks at. */
import { ServiceError } from '../../base/errors.ts';
import { quoted } from '../../base/parameters.ts';
import type { PackageRow } from '../../store/rows.ts';
import { areaOf } from '../rows/citygml-rows.ts';
import type { Snapshot } from '../snapshot/snapshot.ts';

/**
 * `newest`: of each municipality and feature type the newest year that has the type (interface decisions, section 4). `all`:
 * every year. Else those years.
 */
export type Years = 'newest' | 'all' | ReadonlySet<number>;

/** What decides whether a file is of a year that is looked at. */
export interface DatedFile {
  type: string;
  /** Municipality or ward codes that its features name, with commas between. */
  areaCodes: string;
}

/** Tells of a file of a CityGML package whether a search looks at it. */
export type YearFilter = (row: PackageRow, file: DatedFile) => boolean;

/** What an entry of `year` looks like. */
export const YEAR = /^\d{4}$/;

/** The parameters that say which years: `year` is a list of them. */
export interface YearsQuery {
  year?: readonly string[];
  allYears?: boolean;
}

/** The years that parameters ask for. Throws ServiceError 400 `invalid parameter`. */
export function yearsOf({ year = [], allYears = false }: YearsQuery): Years {
  for (const each of year) {
    if (YEAR.test(each)) continue;
    throw new ServiceError(400, 'invalid parameter', {
      reason: `year has ${quoted(each)}; expected years of 4 digits such as 2023, separated by commas.`,
    });
  }
  if (year.length > 0) return new Set(year.map(Number));
  return allYears ? 'all' : 'newest';
}

type YearsByType = Map<string, number>;

/**
 * The filter for the CityGML packages of a snapshot. With `newest` a ward's own package replaces files of an older package of
 * its city that name no other ward. A newer package of the city replaces the ward's.
 */
export function yearFilter(snapshot: Pick<Snapshot, 'cityGml' | 'cityAround'>, years: Years): YearFilter {
  if (years === 'all') return () => true;
  if (years !== 'newest') return (row) => years.has(row.year);
  const { byArea, wardsOf } = newestYears(snapshot);
  return (row, { type, areaCodes }) => {
    if (byArea.get(areaOf(row))?.get(type) !== row.year) return false;
    const wards = wardsOf.get(row.cityCode);
    if (wards === undefined || row.wardCode !== null || areaCodes === '') return true;
    const named = areaCodes.split(',').filter((code) => snapshot.cityAround(code) === row.cityCode);
    return named.length === 0 || !named.every((code) => (wards.get(code)?.get(type) ?? 0) > row.year);
  };
}

/** True when a package may have files of a type that the filter lets pass. */
export function mayHave(filter: YearFilter, row: PackageRow, type: string): boolean {
  return row.types.includes(type) && filter(row, { type, areaCodes: '' });
}

interface NewestYears {
  /** By ward, municipality or prefecture code. */
  byArea: Map<string, YearsByType>;
  /** Years of the wards that have packages of their own, by the code of their city. */
  wardsOf: Map<string, Map<string, YearsByType>>;
}

const newestBySnapshot = new WeakMap<Snapshot['cityGml'], NewestYears>();

function newestYears({ cityGml, cityAround }: Pick<Snapshot, 'cityGml' | 'cityAround'>): NewestYears {
  const found = newestBySnapshot.get(cityGml);
  if (found !== undefined) return found;
  const byArea = new Map([...cityGml].map(([code, rows]) => [code, yearsByType(rows)]));
  const wardsOf: NewestYears['wardsOf'] = new Map();
  for (const [ward, years] of byArea) {
    const city = cityAround(ward);
    const cityYears = city === null ? undefined : byArea.get(city);
    if (city === null || cityYears === undefined || city === ward) continue;
    if (!wardsOf.has(city)) wardsOf.set(city, new Map());
    wardsOf.get(city)!.set(ward, new Map(years));
    // The ward's package is older than the city's: no year of it is the newest.
    for (const [type, year] of years)
      if ((cityYears.get(type) ?? 0) > year) years.set(type, cityYears.get(type)!);
  }
  const newest = { byArea, wardsOf };
  newestBySnapshot.set(cityGml, newest);
  return newest;
}

function yearsByType(rows: readonly PackageRow[]): YearsByType {
  const years: YearsByType = new Map();
  for (const { types, year } of rows) {
    for (const type of types) years.set(type, Math.max(year, years.get(type) ?? 0));
  }
  return years;
}
