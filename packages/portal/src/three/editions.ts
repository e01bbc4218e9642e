/** Two editions in one view: which features of which are drawn, and in what colour. */
import { formatTilesSpec, type TilesSpec } from 'citymodel-server/shared';
import { type Became, becameOf, type Comparison, type Difference } from '../changes/comparison.ts';
import type { ModelKind } from './choice.ts';

/** Features of which nothing has become; floods keep the colours of their depths. */
export const UNCHANGED = '#e3e6e4';

/** How the features of two editions look. */
export interface EditionLook {
  /** False where nothing is known of what differs: features keep their own colours. */
  isColoured: boolean;
  /**
   * Colour of a feature; null for one that is not drawn, undefined for one of which nothing has become.
   *
   * @param id its gml:id
   * @param isOlder whether it is of the older edition
   */
  colourOf(id: string | null, isOlder: boolean): string | null | undefined;
}

/** Two editions of what a model is of. */
export interface Editions {
  comparison: Comparison;
  /** Spec of the model's older edition. */
  older: string;
  from: number;
  to: number;
}

/**
 * Years that a model can be compared with, the newest first: those of its kind before its own. None for a part of a
 * type, such as the floods of one river: the service compares all features of a type, and areas of floods have no ids.
 */
export function olderYears(spec: TilesSpec, { years, sub }: Pick<ModelKind, 'years' | 'sub'>): number[] {
  if (sub !== null) return [];
  const own = yearOf(spec, years);
  return years.filter((year) => year < own);
}

/** The editions of a model and of a year before; null where the model has none of that year. */
export function editionsOf(spec: TilesSpec, kind: ModelKind, older: number): Editions | null {
  if (!olderYears(spec, kind).includes(older)) return null;
  const to = yearOf(spec, kind.years);
  return {
    comparison: { area: spec.area, type: spec.type, from: String(older), to: String(to) },
    older: formatTilesSpec({ ...spec, year: older }),
    from: older,
    to,
  };
}

function yearOf({ year }: TilesSpec, years: readonly number[]): number {
  return year === 'latest' ? Math.max(...years) : year;
}

/**
 * How features look by what has become of them. Of the older edition only what is gone is drawn, and all of it beside
 * a border.
 *
 * @param differences null where they are not known
 * @param hidden what the legend leaves out: it looks as if it were the same
 */
export function lookOf(
  differences: readonly Difference[] | null,
  hidden: ReadonlySet<Became>,
  colours: Readonly<Record<Became, string>>,
  hasBorder: boolean,
): EditionLook {
  const newer = new Map<string | null, Became>();
  const older = new Map<string | null, Became>();
  for (const difference of differences ?? []) {
    const became = becameOf(difference);
    if (hidden.has(became)) continue;
    const { id, change } = difference;
    if (id !== null && change !== 'removed') newer.set(id, became);
    const before = change === 'changed' ? difference.fromId : change === 'removed' ? id : null;
    if (before !== null) older.set(before, became);
  }
  return {
    isColoured: differences !== null,
    colourOf(id, isOlder) {
      const became = (isOlder ? older : newer).get(id);
      if (isOlder && !hasBorder && became !== 'gone') return null;
      return became && colours[became];
    },
  };
}
