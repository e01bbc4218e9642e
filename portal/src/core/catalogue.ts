/** Rows of the catalogue as operation 3 gives them, and what the page makes of them. */
import type { Bounds } from '../../../src/geo/bounds.ts';
import { unite } from './area.ts';
import type * as interfaceTypes from './interface-types.ts';

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

export function toBounds([west, south, east, north]: Box): Bounds {
  return { west, south, east, north };
}
