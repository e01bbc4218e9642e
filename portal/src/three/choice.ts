/**
 * The choice of a model as people make it: a municipality, what of it, how detailed, which year. What is chosen is the spec of a
 * composite tileset, so that a municipality in wards is one model.
 */
import { formatTilesSpec, parseTilesSpec, type TilesSpec } from '../../../src/catalogue/specs/tiles-spec.ts';
import type { Box, DatasetRow } from '../core/catalogue.ts';
import type { State } from '../core/state.ts';

/** A municipality that has 3D Tiles. */
export interface ModelCity {
  code: string;
  name: string;
  /** `aonagi-shi`; null where the package's name does not say it. */
  romaji: string | null;
  pref: string;
  /** Everything that it is found by, in lower case. */
  text: string;
  newest: number;
  rows: DatasetRow[];
}

/** What there is of a municipality under one type, and sub type where there are several. */
export interface ModelKind {
  /** `bldg`, `fld_natl_sumimigawa_l2`. */
  key: string;
  type: string;
  sub: string | null;
  /** Name of the data, for a sub type. */
  name: string;
  /** Ascending. */
  lods: number[];
  /** Newest first. */
  years: number[];
  /** True where there are sets with and without textures. */
  texture: boolean;
}

/** A LOD so high that every model has less. */
const BEST = 4;
/** From this zoom on the map shows a municipality, not the country. */
const CITY_ZOOM = 9;

/** Municipalities with 3D Tiles, by code. */
export function citiesWithModels(datasets: readonly DatasetRow[]): ModelCity[] {
  const cities = new Map<string, ModelCity>();
  for (const row of datasets) {
    if (row.format !== '3D Tiles') continue;
    let city = cities.get(row.city_code);
    if (city === undefined) {
      const { city_code: code, city: name, pref } = row;
      const romaji = romanised(row);
      city = {
        code,
        name,
        romaji,
        pref,
        text: `${pref}${name} ${code} ${romaji ?? ''}`,
        newest: 0,
        rows: [],
      };
      cities.set(code, city);
    }
    city.newest = Math.max(city.newest, row.year);
    city.rows.push(row);
    for (const word of [row.ward, row.ward_code]) {
      if (word && !city.text.includes(word)) city.text += ` ${word}`;
    }
  }
  for (const city of cities.values()) city.text = city.text.toLowerCase();
  return [...cities.values()].sort((a, b) => (a.code < b.code ? -1 : 1));
}

/** Municipalities in whose names every word occurs, those whose own name begins with the text first. */
export function findCities(cities: readonly ModelCity[], typed: string): ModelCity[] {
  const text = typed.normalize('NFKC').trim().toLowerCase();
  const words = text.split(/\s+/).filter(Boolean);
  const rank = ({ name, code, text: all }: ModelCity) =>
    name.toLowerCase().startsWith(text) || code.startsWith(text) || all.includes(` ${text}`) ? 0 : 1;
  return cities
    .filter((city) => words.every((word) => city.text.includes(word)))
    .sort((a, b) => rank(a) - rank(b));
}

/** What a package's name says: `aonagi-shi` of `47900_aonagi-shi_city_2024_…`. */
function romanised({ url }: DatasetRow): string | null {
  return /\/\d{5}_([a-z0-9-]+)_/.exec(url)?.[1] ?? null;
}

/** The spec that stands for a dataset alone. */
export function specOfRow(row: DatasetRow): TilesSpec | null {
  const spec = /\/3dtiles\/([^/]+)\/tileset\.json$/.exec(row.composite_url ?? '')?.[1];
  return spec === undefined ? null : readSpec(spec);
}

/** The kinds of models of a municipality: buildings first, then by how much there is of them. */
export function kindsOf({ rows }: ModelCity): ModelKind[] {
  const kinds = new Map<string, ModelKind & { textures: Set<boolean> }>();
  for (const row of rows) {
    const spec = specOfRow(row);
    if (spec === null || spec.interior) continue;
    const key = keyOf(spec);
    let kind = kinds.get(key);
    if (kind === undefined) {
      const { type, sub } = spec;
      kind = { key, type, sub, name: row.name, lods: [], years: [], texture: false, textures: new Set() };
      kinds.set(key, kind);
    }
    if (spec.lod !== null && !kind.lods.includes(spec.lod.value)) kind.lods.push(spec.lod.value);
    if (!kind.years.includes(row.year)) kind.years.push(row.year);
    if (spec.texture !== null) kind.textures.add(spec.texture);
  }
  const weight = ({ type }: ModelKind) => (type === 'bldg' ? 0 : 1);
  return [...kinds.values()]
    .map(({ textures, ...kind }) => ({
      ...kind,
      lods: kind.lods.sort((a, b) => a - b),
      years: kind.years.sort((a, b) => b - a),
      texture: textures.size > 1,
    }))
    .sort((a, b) => weight(a) - weight(b) || a.key.localeCompare(b.key, 'en'));
}

/** A spec's type with its sub type. */
export function keyOf({ type, sub }: Pick<TilesSpec, 'type' | 'sub'>): string {
  return sub === null ? type : `${type}_${sub}`;
}

/** The best and newest of a kind. */
export function bestOf(code: string, { type, sub, lods }: ModelKind): TilesSpec {
  const lod = lods.length === 0 ? null : { max: true, value: BEST };
  return { area: code, type, sub, lod, interior: false, texture: null, year: 'latest' };
}

/** What a model of the address bar means; null for one that is no spec and no dataset. */
export function choiceOf(model: string, datasets: readonly DatasetRow[]): TilesSpec | null {
  const row = datasets.find(({ id, format }) => id === model && format === '3D Tiles');
  return row === undefined ? readSpec(model) : specOfRow(row);
}

export function readSpec(text: string): TilesSpec | null {
  try {
    return parseTilesSpec(text);
  } catch {
    return null;
  }
}

/**
 * What the view opens on when nothing is chosen: buildings of the municipality that the map shows, else of the one whose textured model
 * is the newest; null when there are no models.
 */
export function firstModel(
  datasets: readonly DatasetRow[],
  { pick, at }: Pick<State, 'pick' | 'at'>,
): string | null {
  const cities = citiesWithModels(datasets);
  const city = cityOfMap(cities, { pick, at }) ?? newestTextured(cities);
  const kind = city === null ? undefined : kindsOf(city)[0];
  return kind === undefined ? null : formatTilesSpec(bestOf(city!.code, kind));
}

function cityOfMap(cities: readonly ModelCity[], { pick, at }: Pick<State, 'pick' | 'at'>): ModelCity | null {
  const picked = cities.find(
    ({ code, rows }) => code === pick || rows.some(({ ward_code }) => ward_code === pick),
  );
  if (picked !== undefined) return picked;
  if (at === null || at[2] < CITY_ZOOM) return null;
  const [lng, lat] = at;
  const near = cities
    .map((city) => ({ city, distance: Math.min(...city.rows.map(({ bbox }) => distanceTo(bbox, lng, lat))) }))
    .sort((a, b) => a.distance - b.distance)[0];
  // Within what the map shows at this zoom, degrees
  return near !== undefined && near.distance <= 360 / 2 ** at[2] ? near.city : null;
}

/** Degrees from a point to a box; 0 inside. */
function distanceTo(box: Box | null, lng: number, lat: number): number {
  if (box === null) return Number.POSITIVE_INFINITY;
  const [west, south, east, north] = box;
  return Math.hypot(Math.max(west - lng, 0, lng - east), Math.max(south - lat, 0, lat - north));
}

function newestTextured(cities: readonly ModelCity[]): ModelCity | null {
  let best: ModelCity | null = null;
  let highest = -1;
  for (const city of cities) {
    for (const { type_en, texture, year, lod } of city.rows) {
      const value = (type_en === 'bldg' ? 1e5 : 0) + (texture ? 5e4 : 0) + year * 10 + Number(lod);
      if (value > highest) {
        highest = value;
        best = city;
      }
    }
  }
  return best;
}
