/**
 * The choice of a model as people make it: a municipality, what of it, how detailed, which year. What is chosen is the
 * spec of a composite tileset, so that a municipality in wards is one model.
 */

import { compareTexts, HIGHEST_LOD } from '@citymodel/base';
import { parseTilesSpec, type TilesSpec, withHighestLod } from 'citymodel-server/shared';
import type { Box, DatasetRow } from '../core/catalogue.ts';
import { MODELS } from '../core/output-kinds.ts';
import type { State } from '../core/state.ts';
import type { SummaryCity } from '../core/summary.ts';

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
const BEST = HIGHEST_LOD;
/** From this zoom on the map shows a municipality, not the country. */
const CITY_ZOOM = 9;

/** Municipalities with 3D Tiles, by code. */
export function citiesWithModels(cities: readonly SummaryCity[]): SummaryCity[] {
  return cities
    .filter(({ formats }) => formats.includes(MODELS))
    .sort((a, b) => compareTexts(a.code, b.code));
}

/** Municipalities in whose names every word occurs, those whose own name begins with the text first. */
export function findCities(cities: readonly SummaryCity[], typed: string): SummaryCity[] {
  const text = typed.normalize('NFKC').trim().toLowerCase();
  const words = text.split(/\s+/).filter(Boolean);
  const isFirst = ({ name, code, kana, romaji }: SummaryCity) =>
    [name, code, kana, romaji].some((word) => word?.toLowerCase().startsWith(text));
  return cities
    .filter((city) => {
      const all =
        `${city.pref}${city.name} ${city.code} ${city.kana ?? ''} ${city.romaji ?? ''}`.toLowerCase();
      return words.every((word) => all.includes(word));
    })
    .sort((a, b) => Number(isFirst(b)) - Number(isFirst(a)));
}

/** The spec that stands for a dataset alone. */
export function specOfRow(row: DatasetRow): TilesSpec | null {
  const spec = row.composite_url?.split('/').at(-2);
  return spec === undefined ? null : readSpec(spec);
}

/** The kinds of models among the datasets of a municipality, buildings first. */
export function kindsOf(rows: readonly DatasetRow[]): ModelKind[] {
  const kinds = new Map<string, Omit<ModelKind, 'texture'> & { textures: Set<boolean> }>();
  for (const row of rows) {
    const spec = row.format === MODELS ? specOfRow(row) : null;
    if (spec === null || spec.interior) continue;
    const key = keyOf(spec);
    let kind = kinds.get(key);
    if (kind === undefined) {
      const { type, sub } = spec;
      kind = { key, type, sub, name: row.name, lods: [], years: [], textures: new Set() };
      kinds.set(key, kind);
    }
    if (!kind.lods.includes(spec.lod.value)) kind.lods.push(spec.lod.value);
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
export function bestOf(code: string, { type, sub }: ModelKind): TilesSpec {
  const lod = { max: true, value: BEST };
  return { area: code, type, sub, lod, interior: false, texture: null, year: 'latest' };
}

/** What a model of the address bar means; null for one that is no spec and no dataset. */
export function choiceOf(model: string, datasets: readonly DatasetRow[]): TilesSpec | null {
  const row = datasets.find(({ id, format }) => id === model && format === MODELS);
  return row === undefined ? readSpec(model) : specOfRow(row);
}

/**
 * The spec that a model of the address bar is; links of former times have specs without a LOD. Null for any other text.
 */
export function readSpec(text: string): TilesSpec | null {
  try {
    return parseTilesSpec(withHighestLod(text) ?? text);
  } catch {
    return null;
  }
}

/**
 * The municipality that the view opens on when nothing is chosen: that of the map, else the one whose textured
 * buildings are the newest; null when none has models.
 */
export function firstCity(
  cities: readonly SummaryCity[],
  { pick, at }: Pick<State, 'pick' | 'at'>,
): SummaryCity | null {
  return cityOfMap(cities, { pick, at }) ?? newestTextured(cities);
}

function cityOfMap(
  cities: readonly SummaryCity[],
  { pick, at }: Pick<State, 'pick' | 'at'>,
): SummaryCity | null {
  const known = new Map(cities.map((city) => [city.code, city]));
  // A ward of a designated city, or a special ward of Tokyo, has the next ten or hundred below as its city.
  const codes = /^\d{5}$/.test(pick ?? '') ? [pick!, `${pick!.slice(0, 4)}0`, `${pick!.slice(0, 3)}00`] : [];
  const picked = codes.map((code) => known.get(code)).find((city) => city !== undefined);
  if (picked !== undefined) return picked;
  if (at === null || at[2] < CITY_ZOOM) return null;
  const [lng, lat] = at;
  const near = cities
    .map((city) => ({ city, distance: distanceTo(city.bbox, lng, lat) }))
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

function newestTextured(cities: readonly SummaryCity[]): SummaryCity | null {
  let best: SummaryCity | null = null;
  let highest = -1;
  for (const city of cities) {
    const { types, textured, years, max_lod } = city;
    const value =
      (types.includes('bldg') ? 1e5 : 0) + (textured ? 5e4 : 0) + (years[0] ?? 0) * 10 + (max_lod ?? 0);
    if (value > highest) {
      highest = value;
      best = city;
    }
  }
  return best;
}
