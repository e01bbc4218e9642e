/** Rows of the catalogue as operation 3 gives them, and what the page makes of them. */
import type { Bounds } from '../../../src/geo/bounds.ts';
import { unite } from './area.ts';
import type * as interfaceTypes from './interface-types.ts';
import type { Filters } from './state.ts';

export type Box = [west: number, south: number, east: number, north: number];

/** A row with its extent as four numbers: west, south, east, north in degrees; null where unknown. */
type WithBox<T> = Omit<T, 'bbox'> & { bbox: Box | null };

export type DatasetRow = WithBox<interfaceTypes.Dataset>;
export type CityGmlRow = WithBox<interfaceTypes.CityGmlRow>;
export type CompositeRow = WithBox<interfaceTypes.CompositeTileset>;

/** A municipality with everything that is published of it. */
export interface City {
  code: string;
  name: string;
  pref: string;
  prefCode: string;
  bounds: Bounds | null;
  types: Set<string>;
  years: Set<number>;
  maxLod: number | null;
  datasets: DatasetRow[];
  citygml: CityGmlRow[];
}

/** Brings rows together by municipality, sorted by code. Rows of CityGML may have several years of one municipality. */
export function citiesOf(citygml: readonly CityGmlRow[], datasets: readonly DatasetRow[]): City[] {
  const cities = new Map<string, City>();
  const cityOf = (row: CityGmlRow | DatasetRow): City => {
    let city = cities.get(row.city_code);
    if (city === undefined) {
      city = {
        code: row.city_code,
        name: row.city,
        pref: row.pref,
        prefCode: row.pref_code,
        bounds: null,
        types: new Set(),
        years: new Set(),
        maxLod: null,
        datasets: [],
        citygml: [],
      };
      cities.set(row.city_code, city);
    }
    const bounds = row.bbox === null ? null : toBounds(row.bbox);
    if (bounds !== null) city.bounds = city.bounds === null ? bounds : unite(city.bounds, bounds);
    city.years.add(row.year);
    return city;
  };
  for (const row of citygml) {
    const city = cityOf(row);
    city.citygml.push(row);
    for (const type of row.feature_types) city.types.add(type);
  }
  for (const row of datasets) {
    const city = cityOf(row);
    city.datasets.push(row);
    city.types.add(row.type_en);
    city.maxLod = Math.max(city.maxLod ?? 0, Number(row.lod));
  }
  return [...cities.values()].sort((a, b) => (a.code < b.code ? -1 : 1));
}

/** Code of the special wards of Tokyo together. */
const SPECIAL_WARDS = '13100';

/** True for 13101 to 13123, municipalities that the code of all of them covers. */
export function isSpecialWard(code: string): boolean {
  return /^131(0[1-9]|1\d|2[0-3])$/.test(code);
}

/** True when a dataset passes the filters, which mean what they mean in operation 3; `text` and `texture` are the page's own. */
export function matches(row: DatasetRow, filters: Filters): boolean {
  const among = (value: string, filter: string | undefined) =>
    filter === undefined || filter.split(',').includes(value);
  const { city_code, texture, bbox, text } = filters;
  if (city_code !== undefined) {
    const codes = city_code.split(',');
    const bySpecialWards = codes.includes(SPECIAL_WARDS) && isSpecialWard(row.city_code);
    if (!codes.includes(row.city_code) && !codes.includes(row.ward_code ?? '') && !bySpecialWards)
      return false;
  }
  if (texture !== undefined && String(row.texture) !== texture) return false;
  if (bbox !== undefined && !meetsBox(row.bbox, bbox.split(',').map(Number))) return false;
  if (
    text !== undefined &&
    !text
      .toLowerCase()
      .split(/\s+/)
      .every((word) => searchText(row).includes(word))
  ) {
    return false;
  }
  return (
    among(row.pref_code, filters.pref_code) &&
    among(row.type_en, filters.type_en) &&
    among(row.format, filters.format) &&
    among(row.lod, filters.lod) &&
    among(String(row.year), filters.year)
  );
}

/** The request of operation 3 that gives the same rows, as far as its filters go. */
export function catalogueQuery(filters: Filters): string {
  const query = ['fields=datasets'];
  for (const key of ['pref_code', 'city_code', 'type_en', 'format', 'lod', 'year', 'bbox'] as const) {
    const value = filters[key];
    if (value !== undefined) query.push(`${key}=${encodeURIComponent(value).replaceAll('%2C', ',')}`);
  }
  return `/datacatalog/citymodel-datasets?${query.join('&')}`;
}

/** The distinct values of a column with how many rows have each, sorted. */
export function countBy<T>(rows: readonly T[], columnOf: (row: T) => string): Array<[string, number]> {
  const counts = new Map<string, number>();
  for (const row of rows) counts.set(columnOf(row), (counts.get(columnOf(row)) ?? 0) + 1);
  return [...counts].sort(([a], [b]) => a.localeCompare(b, 'en', { numeric: true }));
}

export function toBounds([west, south, east, north]: Box): Bounds {
  return { west, south, east, north };
}

function meetsBox(box: Box | null, [west, south, east, north]: number[]): boolean {
  if (box === null) return false;
  return box[0] <= east! && box[2] >= west! && box[1] <= north! && box[3] >= south!;
}

const texts = new WeakMap<DatasetRow, string>();

function searchText(row: DatasetRow): string {
  let text = texts.get(row);
  if (text === undefined) {
    text = [
      row.id,
      row.name,
      row.pref,
      row.city,
      row.city_code,
      row.ward ?? '',
      row.ward_code ?? '',
      row.type_en,
    ]
      .join(' ')
      .toLowerCase();
    texts.set(row, text);
  }
  return text;
}
