/** Two editions of a municipality as the map and the list show what they differ in. */
import type { FeatureCollection } from 'geojson';
import type { Changes } from '../core/interface-types.ts';
import type { State } from '../core/state.ts';

/** What became of a feature, in the order of the legend. A feature that is higher or lower counts as that alone. */
export const BECAME = ['new', 'gone', 'higher', 'lower', 'changed'] as const;
export type Became = (typeof BECAME)[number];

export type Difference = Changes['differences'][number];

/** What is compared; null for what the service chooses: the newest edition, and the one before. */
export interface Comparison {
  area: string;
  type: string;
  from: string | null;
  to: string | null;
}

/** Reads the parameter `compared`; null for another text. */
export function comparisonOf(text: string | null): Comparison | null {
  const found = /^(\d{5})(?:,([a-z][a-z0-9]*)(?:,(\d{4}),(\d{4}))?)?$/.exec(text ?? '');
  if (found === null) return null;
  const [, area, type = 'bldg', from = null, to = null] = found;
  return { area: area!, type, from, to };
}

export function textOfComparison({ area, type, from, to }: Comparison): string {
  return [area, type, ...(from === null || to === null ? [] : [from, to])].join(',');
}

/** The request that tells the differences. */
export function changesPath({ area, type, from, to }: Comparison): string {
  const years = from === null || to === null ? '' : `&from=${from}&to=${to}`;
  return `/citygml/changes?city_code=${area}&type=${type}${years}`;
}

/** Differences of a page, and of all pages that are drawn: more would take a browser seconds. */
const PAGE = 1_000;
const MOST = 5_000;

export interface Compared extends Omit<Changes, 'differences' | 'next'> {
  differences: Difference[];
  /** True where there are more than are drawn. */
  isCut: boolean;
}

/** All differences up to what is drawn, by requests of `ask`; none while the service still compares. */
export async function loadChanges(
  comparison: Comparison,
  ask: (path: string) => Promise<Changes>,
): Promise<Compared> {
  const path = `${changesPath(comparison)}&limit=${PAGE}`;
  const first = await ask(path);
  const differences = [...first.differences];
  let next = first.next;
  while (next !== null && differences.length < MOST) {
    const page = await ask(`${path}&after=${next}`);
    differences.push(...page.differences);
    next = page.next;
  }
  return { ...first, differences, isCut: next !== null };
}

/** Metres by which a height has to differ, so that a survey of another day is no storey. */
const OTHER_HEIGHT = 0.5;

export function becameOf(difference: Difference): Became {
  if (difference.change === 'added') return 'new';
  if (difference.change === 'removed') return 'gone';
  const by = heightChange(difference);
  if (by !== null && Math.abs(by) >= OTHER_HEIGHT) return by > 0 ? 'higher' : 'lower';
  return 'changed';
}

/** Metres that a feature has grown; null where an edition has no height of it, or only one has the feature. */
export function heightChange(difference: Difference): number | null {
  if (difference.change !== 'changed' || difference.geometry === null) return null;
  const { from, to } = difference.geometry.height;
  return from === null || to === null ? null : to - from;
}

/** In the order of the legend, so that what is new or gone comes before attributes that differ. */
export function inOrder(differences: readonly Difference[]): Difference[] {
  const place = (one: Difference) => BECAME.indexOf(becameOf(one));
  return differences.toSorted((a, b) => place(a) - place(b) || a.position - b.position);
}

/** How many there are of each. */
export function countsOf(differences: readonly Difference[]): Record<Became, number> {
  const counts = { new: 0, gone: 0, higher: 0, lower: 0, changed: 0 };
  for (const difference of differences) counts[becameOf(difference)]++;
  return counts;
}

/** A set with one more or one less. */
export function toggled(set: ReadonlySet<Became>, one: Became): ReadonlySet<Became> {
  const next = new Set(set);
  if (!next.delete(one)) next.add(one);
  return next;
}

/** Differences for the map: footprints, else points in the middle of what has no area. */
export function changesData(differences: readonly Difference[]): FeatureCollection {
  return {
    type: 'FeatureCollection',
    features: differences.flatMap((difference) => {
      const { outline, centre, id, position } = difference;
      const geometry = outline ?? (centre === null ? null : { type: 'Point', coordinates: centre });
      if (geometry === null) return [];
      const properties = { became: becameOf(difference), id, position };
      return [{ type: 'Feature', geometry: geometry as GeoJSON.Geometry, properties }];
    }),
  };
}

/**
 * The 3D view of a feature with both editions; null for one without a place. The view finds where to look from: nothing
 * here tells how high the ground is.
 */
export function viewOf(
  difference: Difference,
  { area, type }: Comparison,
  years: Years,
): Partial<State> | null {
  const { centre, id } = difference;
  if (centre === null) return null;
  return {
    view: '3d',
    model: `${area}-${type}-maxlod4-${years.to}`,
    older: years.from,
    border: null,
    camera: null,
    feature: id,
  };
}

export interface Years {
  from: number;
  to: number;
}
