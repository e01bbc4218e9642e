/**
 * A page of items in their order, from behind the last item of the page before: whatever comes or goes meanwhile,
 * nothing is told twice.
 */
import { compareTexts, firstWhere, type Slices } from '@citymodel/base';
import type { StacEntry } from './entries.ts';
import { type ItemFilter, meansItem } from './item-filter.ts';

export interface EntryPage {
  readonly entries: readonly StacEntry[];
  /** Where the next page goes on; null behind the last. */
  readonly next: string | null;
}

/** Throws a RangeError where the token is none. */
export async function entryPage(
  all: readonly StacEntry[],
  filter: ItemFilter,
  { limit, token }: { limit: number; token: string | null },
  slices: Slices,
): Promise<EntryPage> {
  const entries: StacEntry[] = [];
  let at = token === null ? 0 : placeAfter(all, token);
  for (; at < all.length && entries.length <= limit; at++) {
    if (meansItem(filter, all[at]!)) entries.push(all[at]!);
    if (slices.due()) await slices.pause();
  }
  if (entries.length <= limit) return { entries, next: null };
  entries.pop();
  return { entries, next: tokenOf(entries.at(-1)) };
}

function tokenOf(entry: StacEntry | undefined): string | null {
  return entry === undefined ? null : `${entry.collection}/${entry.id}`;
}

function placeAfter(all: readonly StacEntry[], token: string): number {
  const slash = token.indexOf('/');
  if (slash < 1) throw new RangeError('token is none that a page gave.');
  const [collection, id] = [token.slice(0, slash), token.slice(slash + 1)];
  return firstWhere(
    all.length,
    (n) => (compareTexts(all[n]!.collection, collection) || compareTexts(all[n]!.id, id)) > 0,
  );
}
