/** Which years of a municipality's data a search looks at. */

import { quoted } from '@citymodel/base';
import { MESH_DIGITS } from '@citymodel/geo';
import type { PackageRow, PlacedFileRow } from '@citymodel/store';
import { LRUCache } from 'lru-cache';
import { ServiceError } from '../../base/errors.ts';
import { areaOf } from '../rows/citygml-rows.ts';
import type { Snapshot } from '../snapshot/snapshot.ts';

/**
 * `newest`: of each municipality and feature type the newest year that has the type (interface decisions, section 4).
 * `all`: every year. Else those years.
 */
export type Years = 'newest' | 'all' | ReadonlySet<number>;

/** Tells of a file of a CityGML package whether a search looks at it. */
export type YearFilter = (
  row: PackageRow,
  file: Pick<PlacedFileRow, 'type' | 'areaCodes' | 'mesh'>,
) => boolean;

/** What an entry of `year` looks like. */
export const YEAR = /^\d{4}$/;

/** The parameters that say which years: `year` is a list of them. */
export interface YearsQuery {
  year?: readonly string[];
  allYears?: boolean;
}

/** The years that parameters ask for. Throws ServiceError 400 `invalid parameter`. */
export function yearsOf({ year = [], allYears = false }: YearsQuery): Years {
  for (const part of year) {
    if (YEAR.test(part)) continue;
    throw new ServiceError(400, 'invalid parameter', {
      reason: `year has ${quoted(part)}; expected years of 4 digits such as 2023, separated by commas.`,
    });
  }
  if (year.length > 0) return new Set(year.map(Number));
  return allYears ? 'all' : 'newest';
}

/** What of a file of a package says where it is. */
export type TypedMesh = Pick<PlacedFileRow, 'type' | 'mesh'>;

/** Meshes of the files of a package, by feature type. */
type MeshesByType = ReadonlyMap<string, ReadonlySet<string>>;

/** Packages of wards whose meshes are kept from one state of the catalogue to the next, and how many meshes. */
const MAX_PACKAGES = 1_000;
const MAX_MESHES = 200_000;

/** Makes filters for the CityGML packages of snapshots. */
export class YearFilters {
  readonly #filesOf: (row: PackageRow) => Promise<Iterable<TypedMesh>>;
  readonly #newest = new WeakMap<Snapshot['cityGml'], Promise<NewestYears>>();
  readonly #meshes = new LRUCache<string, MeshesByType>({
    max: MAX_PACKAGES,
    maxSize: MAX_MESHES,
    sizeCalculation: (byType) => 1 + [...byType.values()].reduce((sum, meshes) => sum + meshes.size, 0),
  });

  /** @param filesOf the files of a live package; none for another */
  constructor(filesOf: (row: PackageRow) => Promise<Iterable<TypedMesh>>) {
    this.#filesOf = filesOf;
  }

  /**
   * The filter for years. With `newest`, a ward's own package takes the place of an older one of its city: of the files
   * that name no other ward, where it has files of their type in their mesh or in one around it. A newer package of the
   * city replaces the ward's. Throws what `filesOf` throws.
   */
  async filter(snapshot: Pick<Snapshot, 'cityGml' | 'cityAround'>, years: Years): Promise<YearFilter> {
    if (years === 'all') return () => true;
    if (years !== 'newest') return (row) => years.has(row.year);
    const { byArea, wardsOf } = await this.#newestOf(snapshot);
    return (row, { type, areaCodes, mesh }) => {
      if (byArea.get(areaOf(row))?.get(type) !== row.year) return false;
      const wards = wardsOf.get(row.cityCode);
      if (wards === undefined || row.wardCode !== null || areaCodes === '') return true;
      const named = areaCodes.split(',').filter((code) => snapshot.cityAround(code) === row.cityCode);
      return named.length === 0 || !named.every((code) => covers(wards.get(code)?.get(type), mesh));
    };
  }

  /** Tells of packages whether `filter` keeps all files of a type, without a look at these. Throws like it. */
  async wholes(
    snapshot: Pick<Snapshot, 'cityGml' | 'cityAround'>,
    years: Years,
  ): Promise<(row: PackageRow, type: string) => boolean> {
    if (years === 'all') return () => true;
    if (years !== 'newest') return (row) => years.has(row.year);
    const { byArea, wardsOf } = await this.#newestOf(snapshot);
    return (row, type) =>
      byArea.get(areaOf(row))?.get(type) === row.year &&
      (row.wardCode !== null || !wardsOf.has(row.cityCode));
  }

  #newestOf(snapshot: Pick<Snapshot, 'cityGml' | 'cityAround'>): Promise<NewestYears> {
    const { cityGml } = snapshot;
    let newest = this.#newest.get(cityGml);
    if (newest === undefined) {
      newest = newestYears(snapshot, (row) => this.#meshesOf(row));
      this.#newest.set(cityGml, newest);
      newest.catch(() => this.#newest.delete(cityGml));
    }
    return newest;
  }

  async #meshesOf(row: PackageRow): Promise<MeshesByType> {
    const key = `${row.no} ${row.id}`;
    const known = this.#meshes.get(key);
    if (known !== undefined) return known;
    const byType = new Map<string, Set<string>>();
    for (const { type, mesh } of await this.#filesOf(row)) {
      const meshes = byType.get(type);
      if (meshes === undefined) byType.set(type, new Set([mesh]));
      else meshes.add(mesh);
    }
    // A package that has just been retired has none, and may come back.
    if (byType.size > 0) this.#meshes.set(key, byType);
    return byType;
  }
}

/** True when one of the meshes is the given one or contains it; a file outside of the grid has none. */
function covers(meshes: ReadonlySet<string> | undefined, mesh: string): boolean {
  return (
    meshes !== undefined && mesh !== '' && MESH_DIGITS.some((digits) => meshes.has(mesh.slice(0, digits)))
  );
}

type YearsByType = Map<string, number>;

interface NewestYears {
  /** By ward, municipality or prefecture code. */
  byArea: Map<string, YearsByType>;
  /** Meshes of the wards that have newer files of a type than their city, by the codes of city and ward. */
  wardsOf: Map<string, Map<string, MeshesByType>>;
}

async function newestYears(
  { cityGml, cityAround }: Pick<Snapshot, 'cityGml' | 'cityAround'>,
  meshesOf: (row: PackageRow) => Promise<MeshesByType>,
): Promise<NewestYears> {
  const byArea = new Map([...cityGml].map(([code, rows]) => [code, yearsByType(rows)]));
  const wardsOf: NewestYears['wardsOf'] = new Map();
  for (const [ward, years] of byArea) {
    const city = cityAround(ward);
    const cityYears = city === null ? undefined : byArea.get(city);
    if (city === null || cityYears === undefined || city === ward) continue;
    const replaced = new Map<string, Set<string>>();
    for (const row of cityGml.get(ward)!) {
      const newer = row.types.filter(
        (type) => years.get(type) === row.year && row.year > (cityYears.get(type) ?? row.year),
      );
      const meshes = newer.length === 0 ? null : await meshesOf(row);
      for (const type of newer) {
        replaced.set(type, new Set([...(replaced.get(type) ?? []), ...(meshes?.get(type) ?? [])]));
      }
    }
    if (replaced.size > 0) {
      if (!wardsOf.has(city)) wardsOf.set(city, new Map());
      wardsOf.get(city)!.set(ward, replaced);
    }
    // Where the ward's package is older than the city's, no year of it is the newest.
    for (const [type, year] of years)
      if ((cityYears.get(type) ?? 0) > year) years.set(type, cityYears.get(type)!);
  }
  return { byArea, wardsOf };
}

function yearsByType(rows: readonly PackageRow[]): YearsByType {
  const years: YearsByType = new Map();
  for (const { types, year } of rows) {
    for (const type of types) years.set(type, Math.max(year, years.get(type) ?? 0));
  }
  return years;
}
