/** Results are cut to what a model can read; the cut is said, with a way to ask for less. */

/** Characters of JSON in one result. */
const MAX_CHARACTERS = 60_000;

export interface Cut<T> {
  items: T[];
  /** Null where nobody has counted. */
  total: number | null;
  hasMore: boolean;
}

/**
 * The first items: at most `count`, and no more than fit into a result. `total`: how many there are when these are not
 * all; null when that is not known.
 */
export function cut<T>(items: readonly T[], count: number, total: number | null = items.length): Cut<T> {
  const kept: T[] = [];
  let characters = 0;
  for (const item of items.slice(0, count)) {
    characters += JSON.stringify(item).length;
    if (characters > MAX_CHARACTERS && kept.length > 0) break;
    kept.push(item);
  }
  return { items: kept, total, hasMore: total === null || kept.length < total };
}

/** What a list says of itself. `narrower`: sentences that say how to ask for less. */
export function metadataOf({ items, total, hasMore }: Cut<unknown>, narrower: readonly string[]): object {
  return {
    total_count: total,
    returned_count: items.length,
    has_more: hasMore,
    refinement_suggestions: hasMore ? narrower : [],
  };
}
