/** Rows of the arrays `citygml` and `latest_citygml`: one zip per municipality. */
import { compareTexts } from '@citymodel/base';
import type { Bounds } from '@citymodel/geo';
import type { PackageRow } from '@citymodel/store';
import type { AssetUrls } from '../names/asset-urls.ts';
import { extentColumns } from './dataset-rows.ts';
import type { RowKeys } from './row-block.ts';

/** Ward code of a package that is stored per ward, else the municipality's or prefecture's. */
export function areaOf(row: PackageRow): string {
  return row.wardCode ?? row.cityCode;
}

/**
 * CityGML packages by area, newest year first; within a year the municipality's own before a prefecture's,
 * then by identity. The first of each list is the one that `latest` means.
 */
export function cityGmlByArea(rows: Iterable<PackageRow>): Map<string, PackageRow[]> {
  const byArea = new Map<string, PackageRow[]>();
  for (const row of rows) {
    if (row.kind !== 'citygml') continue;
    const list = byArea.get(areaOf(row));
    if (list) list.push(row);
    else byArea.set(areaOf(row), [row]);
  }
  for (const list of byArea.values()) {
    list.sort(compareEditions);
  }
  return byArea;
}

/** The order of packages of one area: the newest first. */
export function compareEditions(a: PackageRow, b: PackageRow): number {
  return (
    b.year - a.year ||
    Number(b.provider === 'city') - Number(a.provider === 'city') ||
    compareTexts(a.identity, b.identity)
  );
}

/** Rows of one area with their ids: the code for the newest, `{code}_{year}` for older ones, unique in any case. */
export function withIds(newestFirst: readonly PackageRow[]): Array<{ row: PackageRow; id: string }> {
  const usedIds = new Set<string>();
  return newestFirst.map((row, place) => {
    const ofYear = `${areaOf(row)}_${row.year}`;
    let id = place === 0 ? areaOf(row) : ofYear;
    if (usedIds.has(id) || (place > 0 && row.year === newestFirst[0]!.year)) id = `${ofYear}_${row.provider}`;
    for (let n = 2; usedIds.has(id); n++) id = `${ofYear}_${row.provider}_${n}`;
    usedIds.add(id);
    return { row, id };
  });
}

export function cityGmlRow(row: PackageRow, id: string, urls: AssetUrls, bounds: Bounds | null): object {
  const spec = `${areaOf(row)}-${row.year}`;
  return {
    ...placeColumns(row, id),
    url: urls.archive(row),
    file_size: row.archiveSize,
    composite_url: /^(\d{2}|\d{5})-\d{4}$/.test(spec) ? urls.cityZip(spec) : null,
    feature_types: row.types,
    year: row.year,
    registration_year: row.registrationYear,
    spec: row.spec,
    ...(row.tables === undefined
      ? {}
      : {
          tables: row.tables.map(({ type, size, sha256, features }) => ({
            type,
            parquet_url: urls.table(row, type),
            features,
            file_size: size,
            sha256,
          })),
        }),
    ...(row.quality === undefined ? {} : { quality: row.quality }),
    ...extentColumns(bounds, row.license),
  };
}

export function latestCityGmlRow(row: PackageRow, urls: AssetUrls, bounds: Bounds | null): object {
  return {
    ...placeColumns(row, areaOf(row)),
    url: urls.cityZip(`${areaOf(row)}-latest`),
    file_size: row.archiveSize,
    feature_types: row.types,
    year: 'latest',
    ...extentColumns(bounds, row.license),
  };
}

/** What filters see of either row; `year` is the row's own. */
export function cityGmlKeys(row: PackageRow, year: string, bounds: Bounds | null): RowKeys {
  return {
    pref: row.prefCode,
    city: row.cityCode,
    ward: row.wardCode ?? '',
    types: row.types.join(','),
    year,
    bounds,
  };
}

function placeColumns(row: PackageRow, id: string): object {
  return {
    id,
    pref: row.pref,
    pref_code: row.prefCode,
    city: row.city,
    city_code: row.cityCode,
    ...(row.wardCode === null ? {} : { ward: row.ward ?? row.city, ward_code: row.wardCode }),
  };
}
