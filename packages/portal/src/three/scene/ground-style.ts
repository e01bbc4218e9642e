/** How the vector tiles of a place are drawn as its ground: calm, so that models stand out. */

import type { DatasetRow } from '../../core/catalogue.ts';
import { MAP_TILES } from '../../core/output-kinds.ts';
import type { Theme } from '../../core/state.ts';

/** Feature types that make a ground, the lowest first. */
export const GROUND_TYPES = ['luse', 'wtr', 'squr', 'tran', 'rwy', 'bldg'] as const;

/**
 * Of the datasets of a municipality those that its ground is drawn from: of each type one, the newest, of the lowest
 * LOD.
 */
export function groundDatasets(datasets: readonly DatasetRow[]): DatasetRow[] {
  const chosen = new Map<string, DatasetRow>();
  for (const row of datasets) {
    const isGround = (GROUND_TYPES as readonly string[]).includes(row.type_en);
    if (row.format !== MAP_TILES || !isGround) continue;
    const key = `${row.ward_code ?? ''} ${row.type_en}`;
    const known = chosen.get(key);
    const isBetter =
      known === undefined || row.year > known.year || (row.year === known.year && row.lod < known.lod);
    if (isBetter) chosen.set(key, row);
  }
  return [...chosen.values()].sort((a, b) => order(a) - order(b));
}

function order({ type_en }: DatasetRow): number {
  return (GROUND_TYPES as readonly string[]).indexOf(type_en);
}

interface Paper {
  land: string;
  road: string;
  roadEdge: string;
  rail: string;
  water: string;
  building: string;
  shadow: string;
  uses: Array<[RegExp, string]>;
}

/** Land uses by words of their labels, the first that fits. */
const WORDS = {
  water: /水面|河川|海|湖|沼/,
  park: /公園|緑地|広場|公共空地/,
  forest: /山林|森林|荒地|原野/,
  farm: /^田|^畑|農/,
  road: /道路|交通/,
  works: /工業/,
  commerce: /商業/,
  home: /住宅/,
  public: /公益|公共|文教/,
};

/** Land uses that have colours, in the order of `uses`. */
export const LAND_USES = Object.keys(WORDS) as ReadonlyArray<keyof typeof WORDS>;

export const PAPER: Record<Theme, Paper> = {
  light: {
    land: '#e0e4da',
    road: '#ffffff',
    roadEdge: '#c9cfca',
    rail: '#a9b0b5',
    water: '#b3d2e4',
    building: '#b3b8b6',
    shadow: 'rgb(38 52 62 / 42%)',
    uses: [
      [WORDS.water, '#b3d2e4'],
      [WORDS.park, '#bdd8a5'],
      [WORDS.forest, '#b2cfa6'],
      [WORDS.farm, '#dbe3b8'],
      [WORDS.road, '#f4f4f1'],
      [WORDS.works, '#d8d5e0'],
      [WORDS.commerce, '#ecd9cc'],
      [WORDS.home, '#e3e4da'],
      [WORDS.public, '#e2dfd2'],
    ],
  },
  dark: {
    land: '#1c262b',
    road: '#2c383f',
    roadEdge: '#222d33',
    rail: '#46545c',
    water: '#172f3f',
    building: '#141c20',
    shadow: 'rgb(0 0 0 / 55%)',
    uses: [
      [WORDS.water, '#172f3f'],
      [WORDS.park, '#20332a'],
      [WORDS.forest, '#1f3129'],
      [WORDS.farm, '#272f27'],
      [WORDS.road, '#263138'],
      [WORDS.works, '#262a33'],
      [WORDS.commerce, '#2c2a2b'],
      [WORDS.home, '#1f292e'],
      [WORDS.public, '#252b2e'],
    ],
  },
};

/** Colour of a piece of land, by whatever its properties say of its use. */
export function landColour(properties: Record<string, unknown>, theme: Theme): string {
  const { uses, land } = PAPER[theme];
  for (const value of Object.values(properties)) {
    if (typeof value !== 'string') continue;
    const found = uses.find(([words]) => words.test(value));
    if (found !== undefined) return found[1];
  }
  return land;
}
