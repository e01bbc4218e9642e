/** What figures are of, how they are asked for, and what is drawn of an answer. */
import type { FeatureStatistics } from '../core/interface-types.ts';
import { SOURCES } from '../core/output-kinds.ts';
import type { SummaryCity } from '../core/summary.ts';
import type { Word } from './words.ts';

/** What the address says. */
export interface Figures {
  /** 5 digits, 2 digits, or `all`. */
  readonly area: string;
  /** Feature-type code. */
  readonly type: string;
  /** Null: the newest of each municipality. */
  readonly year: string | null;
}

export function figuresOf(text: string | null): Figures {
  const [area = 'all', type = 'bldg', year = null] = text?.split(',') ?? [];
  return { area, type, year };
}

export function textOfFigures({ area, type, year }: Figures): string {
  return [area, type, ...(year === null ? [] : [year])].join();
}

/** A question and how its answer is drawn. */
export interface Chart {
  readonly kind: 'bars' | 'histogram';
  /** What features are grouped by. */
  readonly name: string;
  readonly title: Word;
  /** Width of classes; 0 for values as they are. */
  readonly step: number;
}

const BUILDINGS: readonly Chart[] = [
  { kind: 'bars', name: 'bldg:usage', title: 'bldg:usage', step: 0 },
  { kind: 'histogram', name: 'bldg:measuredHeight', title: 'bldg:measuredHeight', step: 5 },
  { kind: 'histogram', name: 'bldg:yearOfConstruction', title: 'bldg:yearOfConstruction', step: 10 },
  { kind: 'histogram', name: 'bldg:storeysAboveGround', title: 'bldg:storeysAboveGround', step: 1 },
  { kind: 'bars', name: 'uro:buildingStructureType', title: 'uro:buildingStructureType', step: 0 },
];

const WARD = 'uro:city';

/** What an area is divided into: the country into prefectures, these into municipalities. */
export function partsOf(area: string): Chart | null {
  const bars = { kind: 'bars', step: 0 } as const;
  if (area === 'all') return { ...bars, name: '_prefecture', title: 'byPrefecture' };
  if (area.length === 2) return { ...bars, name: '_municipality', title: 'byMunicipality' };
  return null;
}

/** What is drawn of a type whose features have these attributes. */
export function chartsOf({ area, type }: Figures, attributes: readonly string[]): Chart[] {
  const isThere = (name: string) => attributes.some((one) => one === name || one.endsWith(`.${name}`));
  const bars = { kind: 'bars', step: 0 } as const;
  const own: readonly Chart[] =
    type === 'bldg'
      ? BUILDINGS
      : (['class', 'function', 'usage'] as const).map((title) => ({
          ...bars,
          name: `${type}:${title}`,
          title,
        }));
  const wards: Chart[] = area.length === 5 ? [{ ...bars, name: WARD, title: 'byWard' }] : [];
  return [{ ...bars, name: '_type', title: 'byKind' } as const, ...wards, ...own].filter(({ name }) =>
    isThere(name),
  );
}

/** The request of a chart; without one, that of the sums. Cities of CityGML 3.0 have the names of 2.0 in it. */
export function statisticsPath({ area, type, year }: Figures, chart: Chart | null): string {
  const query = new URLSearchParams({ area, type });
  if (year !== null) query.set('year', year);
  query.set('attributes', 'v2');
  if (chart !== null) query.set('by', chart.name);
  if (chart !== null && chart.step > 0) query.set('step', String(chart.step));
  if (type === 'bldg' && (chart === null || chart.name.startsWith('_')))
    query.set('of', 'bldg:measuredHeight');
  return `/citygml/statistics?${query.toString().replaceAll('%3A', ':')}`;
}

/** A bar: null is for features without a value. */
export interface Bar {
  readonly value: string | number | null;
  readonly count: number;
}

type Group = FeatureStatistics['groups'][number];

/** Bars that are drawn; the rest is one. */
const MOST_BARS = 15;
/** Classes that are drawn, the last with all above it. */
const MOST_CLASSES = 40;

/** The largest values, then how many features have another one or none. */
export function barsOf(
  groups: readonly Group[],
  { name }: Chart,
  several: string,
): { bars: Bar[]; others: number } {
  const values = groups.map(({ by, count }): Bar => {
    const value = by[name] ?? null;
    return {
      value: Array.isArray(value) ? value.join(several) : value === null ? null : String(value),
      count,
    };
  });
  const known = values.filter(({ value }) => value !== null);
  const isPlace = name.startsWith('_');
  const shown = isPlace ? known : known.slice(0, MOST_BARS);
  const others = known.slice(shown.length).reduce((sum, { count }) => sum + count, 0);
  return { bars: [...shown, ...values.filter(({ value }) => value === null)], others };
}

/** Classes of numbers from the least on, those without a feature among them; `rest` has no number. */
export function classesOf(
  groups: readonly Group[],
  { name, step }: Chart,
): { bars: Array<Bar & { value: number }>; isOpen: boolean; rest: number } {
  const counts = new Map<number, number>();
  let rest = 0;
  for (const { by, count } of groups) {
    const value = by[name];
    if (typeof value === 'number' && Number.isFinite(value)) {
      const edge = Math.round(value / step);
      counts.set(edge, (counts.get(edge) ?? 0) + count);
    } else rest += count;
  }
  if (counts.size === 0) return { bars: [], isOpen: false, rest };
  const total = [...counts.values()].reduce((sum, count) => sum + count, 0);
  const edges = [...counts.keys()].sort((a, b) => a - b);
  // What hardly any feature has would leave no room for the others.
  const first = Math.max(edges[0]!, quantileOf(edges, counts, total * LEAST) - MOST_CLASSES / 2);
  const last = Math.min(edges.at(-1)!, first + MOST_CLASSES - 1);
  const bars = Array.from({ length: last - first + 1 }, (_, n) => ({
    value: Number(((first + n) * step).toPrecision(12)),
    count: counts.get(first + n) ?? 0,
  }));
  const below = sumOf(counts, (edge) => edge < first);
  const above = sumOf(counts, (edge) => edge > last);
  if (above > 0) bars[bars.length - 1]!.count += above;
  return { bars, isOpen: above > 0, rest: rest + below };
}

/** Share of features below the classes that are drawn in any case. */
const LEAST = 0.001;

function quantileOf(edges: readonly number[], counts: ReadonlyMap<number, number>, most: number): number {
  let sum = 0;
  for (const edge of edges) {
    sum += counts.get(edge)!;
    if (sum > most) return edge;
  }
  return edges.at(-1)!;
}

function sumOf(counts: ReadonlyMap<number, number>, isWanted: (edge: number) => boolean): number {
  return [...counts].reduce((sum, [edge, count]) => (isWanted(edge) ? sum + count : sum), 0);
}

/** Types and years that there is CityGML of in an area. */
export function choicesOf(
  cities: readonly SummaryCity[],
  area: string,
): { types: string[]; years: number[] } {
  const own = cities.filter(
    ({ code, formats }) => formats.includes(SOURCES) && (area === 'all' || code.startsWith(area)),
  );
  return {
    types: [...new Set(own.flatMap(({ types }) => types))],
    years: [...new Set(own.flatMap(({ years }) => years))].sort((a, b) => b - a),
  };
}
