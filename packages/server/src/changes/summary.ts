/** Sums of a comparison. */
import { compareTexts } from '@citymodel/base';
import type { Difference } from './difference.ts';
import type { MatchedBy } from './match-features.ts';
import type { NotRead } from './read-edition.ts';

/** Names of attributes that are counted one by one. */
const MAX_NAMES = 500;

export interface ComparisonSummary {
  /** Features of each edition; what could not be read is not among them. */
  features: { from: number; to: number };
  added: number;
  removed: number;
  changed: number;
  /** Matched, and the same but for ids. */
  unchanged: number;
  /** Of those that have changed: in attributes, in geometry, or both. */
  changedAttributes: number;
  changedGeometry: number;
  higher: number;
  lower: number;
  /** How features of both editions were matched. */
  matchedBy: Record<MatchedBy, number>;
  /** In how many features each attribute has changed; names beyond the first 500 are in `otherAttributes`. */
  byAttribute: Record<string, number>;
  otherAttributes: number;
  notCompared: { from: NotRead; to: NotRead };
}

/** Counts differences as they are found. */
export class SummaryOf {
  readonly #sums: Omit<ComparisonSummary, 'byAttribute'>;
  readonly #byAttribute = new Map<string, number>();

  constructor(features: ComparisonSummary['features'], notCompared: ComparisonSummary['notCompared']) {
    this.#sums = {
      features,
      added: 0,
      removed: 0,
      changed: 0,
      unchanged: 0,
      changedAttributes: 0,
      changedGeometry: 0,
      higher: 0,
      lower: 0,
      matchedBy: { id: 0, stableId: 0, footprint: 0 },
      otherAttributes: 0,
      notCompared,
    };
  }

  /** Attributes that have changed most often come first. */
  sums(): ComparisonSummary {
    const byAttribute = [...this.#byAttribute].sort(([a, n], [b, m]) => m - n || compareTexts(a, b));
    return { ...this.#sums, byAttribute: Object.fromEntries(byAttribute) };
  }

  /** @param difference null for a pair without any */
  count(difference: Difference | null, by?: MatchedBy): void {
    const sums = this.#sums;
    if (by !== undefined) sums.matchedBy[by]++;
    if (difference === null) {
      sums.unchanged++;
      return;
    }
    sums[difference.change]++;
    if (difference.change !== 'changed') return;
    const { attributes, attributesLeft, geometry } = difference;
    if (attributes.length + attributesLeft > 0) sums.changedAttributes++;
    for (const { name } of attributes) this.#countName(name);
    sums.otherAttributes += attributesLeft;
    if (geometry === null) return;
    sums.changedGeometry++;
    const { from, to } = geometry.height;
    if (from === null || to === null) return;
    if (to > from) sums.higher++;
    if (to < from) sums.lower++;
  }

  #countName(name: string): void {
    const count = this.#byAttribute.get(name) ?? 0;
    if (count === 0 && this.#byAttribute.size >= MAX_NAMES) this.#sums.otherAttributes++;
    else this.#byAttribute.set(name, count + 1);
  }
}
