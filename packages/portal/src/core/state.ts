/** What the page shows, as the address bar holds it: a link shows the same thing. */

import type { Key } from './strings.ts';

/** Facts of a page. */
interface PageFacts {
  /** Path below the base path; pages of one path differ by the parameter `view`. */
  readonly path: string;
  /** True for a page that stands among the tabs. */
  readonly isTab: boolean;
  /** Word for its title and its tab. */
  readonly title: Key;
  /** Class of the main element. */
  readonly layout: string;
  /** True when the map is behind its panel. */
  readonly onMap: boolean;
}

/** Every page, the tabs in their order. */
export const PAGES = {
  map: { path: '/', isTab: true, title: 'map', layout: 'split', onMap: true },
  '3d': { path: '/', isTab: true, title: '3d', layout: 'split view-3d', onMap: false },
  datasets: { path: '/', isTab: true, title: 'datasets', layout: 'view-datasets', onMap: false },
  basket: { path: '/', isTab: true, title: 'basket', layout: 'split', onMap: true },
  status: { path: '/status', isTab: false, title: 'status', layout: 'view-status', onMap: false },
} as const satisfies Record<string, PageFacts>;

export type View = keyof typeof PAGES;
export const VIEWS = Object.keys(PAGES) as readonly View[];
export type Language = 'ja' | 'en';
export type Theme = 'light' | 'dark';
/** What municipalities and meshes are coloured by. */
export const COLOURINGS = ['lod', 'types', 'year'] as const;
export type Colouring = (typeof COLOURINGS)[number];

/** What the map of the country can be narrowed to. */
export const SHOWN = ['3d', 'textured', 'flood', 'road', 'year'] as const;
export type Shown = (typeof SHOWN)[number];

export const SORTS = ['place', 'type', 'lod', 'year', 'size'] as const;
export type Sort = (typeof SORTS)[number];

/** Filters of the table of datasets, under the API's own names. */
export const FILTER_KEYS = [
  'pref_code',
  'city_code',
  'type_en',
  'format',
  'lod',
  'year',
  'texture',
  'bbox',
  'text',
] as const;
export type FilterKey = (typeof FILTER_KEYS)[number];
export type Filters = Partial<Record<FilterKey, string>>;

/** Areas that one basket holds. */
export const MOST_AREAS = 20;

export interface State {
  view: View;
  /** Null: what the browser prefers. */
  lang: Language | null;
  /** Null: what the system prefers. */
  theme: Theme | null;
  /** Longitude, latitude, zoom of the map; null: everything. */
  at: [number, number, number] | null;
  by: Colouring;
  /** What the country is narrowed to. */
  shown: Shown | null;
  /** Code of the prefecture whose municipalities are listed. */
  pref: string | null;
  /** A condition of operation 7 whose files are shown, e.g. `m:53394509`, `47900`, `g:…`. */
  pick: string | null;
  /** Ids of MVT datasets that are drawn. */
  layers: string[];
  /** Longitude and latitude of the click whose features of layers are shown. */
  hit: [number, number] | null;
  filters: Filters;
  /** Id of the dataset whose details are open. */
  row: string | null;
  /** What the table of datasets is sorted by. */
  sort: Sort;
  /** Spec of a composite tileset, or id of a dataset. */
  model: string | null;
  /** Longitude, latitude, height (m), heading, pitch (degrees). */
  camera: number[] | null;
  /** What features are coloured by: a property, or `''` for nothing. */
  colour: string;
  /** gml:id of the chosen feature. */
  feature: string | null;
  /** Specs or ids of models that are shown beside `model`. */
  also: string[];
  /**
   * Conditions on attributes that features have to meet to be drawn, as the interface's `where` has them; '' for none.
   */
  where: string;
  /** Hour of the day in Japan that the sun stands for; null: a light for drawings. */
  sun: number | null;
  /** Metres above the ground above which the models are cut off; null: whole. */
  cut: number | null;
  /** True in a frame of another page: the 3D view alone. */
  embed: boolean;
  /** Areas of the basket, at most `MOST_AREAS`; see `area.ts`. */
  areas: string[];
  /** Feature types in the basket; null: all. */
  types: string[] | null;
  /** Older years in the basket too. */
  allYears: boolean;
  /** Metadata and specifications in the basket too. */
  papers: boolean;
  pack: string | null;
}

/** Models that a link may open beside the one. */
export const MOST_MODELS_BESIDE = 6;

export const INITIAL: State = {
  view: 'map',
  lang: null,
  theme: null,
  at: null,
  by: 'lod',
  shown: null,
  pref: null,
  pick: null,
  layers: [],
  hit: null,
  filters: {},
  row: null,
  sort: 'place',
  model: null,
  camera: null,
  colour: '',
  feature: null,
  also: [],
  where: '',
  sun: null,
  cut: null,
  embed: false,
  areas: [],
  types: null,
  allYears: false,
  papers: false,
  pack: null,
};

/** True for a page with a path of its own. */
function hasPath(view: View): boolean {
  return PAGES[view].path !== PAGES[INITIAL.view].path;
}

/** Reads path (below the base path) and query. What cannot be understood falls back to the initial state. */
export function parseState(path: string, search: string): State {
  const query = new URLSearchParams(search);
  const one = (name: string) => query.get(name) || null;
  const list = (name: string) => one(name)?.split(',').filter(Boolean) ?? null;
  const filters: Filters = {};
  for (const key of FILTER_KEYS) {
    const value = one(key);
    if (value !== null) filters[key] = value;
  }
  const own = VIEWS.find((page) => hasPath(page) && path.replace(/(.)\/$/, '$1') === PAGES[page].path);
  const shared = VIEWS.filter((page) => !hasPath(page));
  const view = own ?? oneOf(shared, one('view'), INITIAL.view);
  return {
    view,
    lang: oneOf(['ja', 'en'] as const, one('lang'), null),
    theme: oneOf(['light', 'dark'] as const, one('theme'), null),
    at: place(one('at'), 3) as State['at'],
    by: oneOf(COLOURINGS, one('by'), INITIAL.by),
    shown: oneOf(SHOWN, one('shown'), null),
    pref: /^\d\d$/.test(one('pref') ?? '') ? one('pref') : null,
    pick: one('pick'),
    layers: list('layers') ?? [],
    hit: place(one('hit'), 2) as State['hit'],
    filters,
    row: one('row'),
    sort: oneOf(SORTS, one('sort'), INITIAL.sort),
    model: one('model'),
    camera: place(one('camera'), 5),
    colour: one('colour') ?? '',
    feature: one('feature'),
    also: (list('also') ?? []).slice(0, MOST_MODELS_BESIDE),
    where: one('where') ?? '',
    sun: within(one('sun'), 0, 24),
    cut: within(one('cut'), 0, 1_000),
    embed: query.has('embed'),
    areas: (one('area')?.split('~') ?? []).filter(Boolean).slice(0, MOST_AREAS),
    types: list('types'),
    allYears: query.has('all_years'),
    papers: query.has('papers'),
    pack: /^[0-9a-f]{64}$/.test(one('pack') ?? '') ? one('pack') : null,
  };
}

/** Path (below the base path) with query; `parseState` reads it back. Whatever is as at the beginning is left out. */
export function formatState(state: State): string {
  const query: string[] = [];
  const add = (name: string, value: string | null) => {
    if (value !== null && value !== '') query.push(`${name}=${encode(value)}`);
  };
  if (!hasPath(state.view) && state.view !== INITIAL.view) add('view', state.view);
  add('lang', state.lang);
  add('theme', state.theme);
  add('at', state.at?.map((n, i) => trim(n, i === 2 ? 2 : 5)).join(',') ?? null);
  if (state.by !== INITIAL.by) add('by', state.by);
  add('shown', state.shown);
  add('pref', state.pref);
  add('pick', state.pick);
  add('layers', state.layers.join(','));
  add('hit', state.hit?.map((n) => trim(n, 6)).join(',') ?? null);
  for (const key of FILTER_KEYS) add(key, state.filters[key] ?? null);
  add('row', state.row);
  if (state.sort !== INITIAL.sort) add('sort', state.sort);
  add('model', state.model);
  add('camera', state.camera?.map((n, i) => trim(n, i < 2 ? 6 : 1)).join(',') ?? null);
  add('colour', state.colour);
  add('feature', state.feature);
  add('also', state.also.join(','));
  add('where', state.where);
  add('sun', state.sun === null ? null : String(trim(state.sun, 2)));
  add('cut', state.cut === null ? null : String(trim(state.cut, 1)));
  if (state.embed) query.push('embed');
  add('area', state.areas.join('~'));
  add('types', state.types?.join(',') ?? null);
  if (state.allYears) query.push('all_years');
  if (state.papers) query.push('papers');
  add('pack', state.pack);
  const { path } = PAGES[state.view];
  return query.length === 0 ? path : `${path}?${query.join('&')}`;
}

/** Percent-encoding that leaves readable what a query may hold as it is (RFC 3986, section 3.4). */
function encode(value: string): string {
  return encodeURIComponent(value).replace(/%(2C|3A|3B|2F)/g, decodeURIComponent);
}

/** Numbers of which the first two are longitude and latitude; null for what lies outside the world. */
function place(text: string | null, count: number): number[] | null {
  const values = numbers(text, count);
  return values === null || Math.abs(values[0]!) > 180 || Math.abs(values[1]!) > 90 ? null : values;
}

function numbers(text: string | null, count: number): number[] | null {
  const values = text?.split(',').map(Number) ?? [];
  return values.length === count && values.every(Number.isFinite) ? values : null;
}

/** A number in a range, else null. */
function within(text: string | null, low: number, high: number): number | null {
  const value = text === null ? Number.NaN : Number(text);
  return value >= low && value <= high ? value : null;
}

function trim(value: number, digits: number): number {
  return Number(value.toFixed(digits));
}

function oneOf<T extends string, D>(among: readonly T[], value: string | null, otherwise: D): T | D {
  return among.includes(value as T) ? (value as T) : otherwise;
}
