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
  quality: { path: '/', isTab: false, title: 'quality', layout: 'split', onMap: true },
  statistics: { path: '/', isTab: false, title: 'statistics', layout: 'split', onMap: true },
  changes: { path: '/', isTab: false, title: 'changes', layout: 'split', onMap: true },
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
  'map_symbols',
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
  /** CityGML whose quality is shown: `<code>-<year>`. */
  inspected: string | null;
  /** Code of the check whose places are shown. */
  check: string | null;
  /** What statistics are of: area, type and year with commas between (`statistics/figures.ts`); null: the country. */
  figures: string | null;
  /** What two editions are compared of: area, type, and both years with commas between (`changes/comparison.ts`). */
  compared: string | null;
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
  /** `<layer>:<percent>` of layers of the 3D view that are not wholly opaque: models, or `ground`. */
  opacity: string[];
  /**
   * Conditions on attributes that features have to meet to be drawn, as the interface's `where` has them; '' for none.
   */
  where: string;
  /** Hour of the day in Japan that the sun stands for; null: a light for drawings. */
  sun: number | null;
  /** Metres above the ground above which the models are cut off; null: whole. */
  cut: number | null;
  /** Year of the older edition that the model is compared with; null: with none. */
  older: number | null;
  /** Per cent of the view's width, from the left, that the older edition has; null: both are drawn as one. */
  border: number | null;
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
  inspected: null,
  check: null,
  figures: null,
  compared: null,
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
  opacity: [],
  where: '',
  sun: null,
  cut: null,
  older: null,
  border: null,
  embed: false,
  areas: [],
  types: null,
  allYears: false,
  papers: false,
  pack: null,
};
