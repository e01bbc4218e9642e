/**
 * Which feature of one edition is which of another:
 *
 *   all ──same gml:id──▶ pairs
 *    └ rest ──same stable id, once in each──▶ pairs
 *        └ rest ──footprints that cover each other──▶ pairs, the best first
 *            └ rest: removed, added
 */
import Flatbush from 'flatbush';

/** How a feature of the older edition was found in the newer one. */
export type MatchedBy = 'id' | 'stableId' | 'footprint';

export interface Candidate {
  /** gml:id. */
  id: string | null;
  stableId: string | null;
  /** Qualified name of the element: only features of the same are matched. */
  type: string;
  /** Degrees: west, south, east, north; null without geometry. */
  bounds: readonly number[] | null;
  /** Square metres of the footprint; null without. */
  area: number | null;
}

export interface Pair {
  before: number;
  after: number;
  by: MatchedBy;
}

export interface Matching {
  /** By `after`. */
  pairs: Pair[];
  removed: number[];
  added: number[];
}

/** Footprints are those of the same thing when they share so much of the larger one. */
export const LEAST_SHARE = 0.5;
/** Features of the newer edition that one of the older is compared with, those whose boxes share most with its own. */
const MAX_NEIGHBOURS = 32;

/**
 * Matches features. Of several with the same gml:id the first is the first of the other edition, and so on. `overlap`
 * gives the square metres that the footprints of two have both.
 */
export function matchFeatures(
  before: readonly Candidate[],
  after: readonly Candidate[],
  overlap: (before: number, after: number) => number,
): Matching {
  const pairs: Pair[] = [];
  const rest = { before: new Set(before.keys()), after: new Set(after.keys()) };
  const match = (from: number, to: number, by: MatchedBy) => {
    pairs.push({ before: from, after: to, by });
    rest.before.delete(from);
    rest.after.delete(to);
  };
  for (const [from, to] of sameKeys(before, after, rest, ({ id }) => id, 'each')) match(from, to, 'id');
  for (const [from, to] of sameKeys(before, after, rest, ({ stableId }) => stableId, 'unique')) {
    match(from, to, 'stableId');
  }
  for (const [from, to] of sameFootprints(before, after, rest, overlap)) match(from, to, 'footprint');
  pairs.sort((a, b) => a.after - b.after);
  return { pairs, removed: [...rest.before], added: [...rest.after] };
}

interface Rest {
  before: ReadonlySet<number>;
  after: ReadonlySet<number>;
}

/** Pairs of the same type and key: the first with the first, or only those that each edition has once. */
function sameKeys(
  before: readonly Candidate[],
  after: readonly Candidate[],
  rest: Rest,
  keyOf: (candidate: Candidate) => string | null,
  which: 'each' | 'unique',
): Array<[number, number]> {
  const grouped = (candidates: readonly Candidate[], numbers: ReadonlySet<number>) => {
    const groups = new Map<string, number[]>();
    for (const i of numbers) {
      const key = keyOf(candidates[i]!);
      if (key === null) continue;
      const typed = `${candidates[i]!.type} ${key}`;
      const group = groups.get(typed);
      if (group === undefined) groups.set(typed, [i]);
      else group.push(i);
    }
    return groups;
  };
  const old = grouped(before, rest.before);
  const pairs: Array<[number, number]> = [];
  for (const [key, numbers] of grouped(after, rest.after)) {
    const others = old.get(key) ?? [];
    if (which === 'unique' && (numbers.length > 1 || others.length > 1)) continue;
    for (let i = 0; i < Math.min(numbers.length, others.length); i++) pairs.push([others[i]!, numbers[i]!]);
  }
  return pairs;
}

/** Pairs of footprints, the best first; each feature is in one at most. */
function sameFootprints(
  before: readonly Candidate[],
  after: readonly Candidate[],
  rest: Rest,
  overlap: (before: number, after: number) => number,
): Array<[number, number]> {
  const areas = (candidates: readonly Candidate[], numbers: ReadonlySet<number>) =>
    [...numbers].filter((i) => candidates[i]!.area !== null && candidates[i]!.bounds !== null);
  const [old, young] = [areas(before, rest.before), areas(after, rest.after)];
  if (old.length === 0 || young.length === 0) return [];
  const tree = new Flatbush(young.length);
  for (const i of young) {
    const [west, south, east, north] = after[i]!.bounds!;
    tree.add(west!, south!, east!, north!);
  }
  tree.finish();
  const shares: Array<{ from: number; to: number; share: number }> = [];
  for (const from of old) {
    const { type, area, bounds } = before[from]!;
    const [west, south, east, north] = bounds!;
    const near = tree
      .search(west!, south!, east!, north!)
      .map((i) => young[i]!)
      // One that is more than twice as large cannot share half of itself.
      .filter((to) => after[to]!.type === type && isSimilar(area!, after[to]!.area!));
    for (const to of nearest(near, bounds!, after)) {
      const share = overlap(from, to) / Math.max(area!, after[to]!.area!);
      if (share >= LEAST_SHARE) shares.push({ from, to, share });
    }
  }
  shares.sort((a, b) => b.share - a.share || a.from - b.from || a.to - b.to);
  const taken = { before: new Set<number>(), after: new Set<number>() };
  return shares.flatMap(({ from, to }): Array<[number, number]> => {
    if (taken.before.has(from) || taken.after.has(to)) return [];
    taken.before.add(from);
    taken.after.add(to);
    return [[from, to]];
  });
}

function isSimilar(a: number, b: number): boolean {
  return Math.min(a, b) >= LEAST_SHARE * Math.max(a, b) * (1 - 1e-9);
}

/** Those whose boxes share most with a box; ties by number. */
function nearest(
  numbers: readonly number[],
  bounds: readonly number[],
  after: readonly Candidate[],
): number[] {
  if (numbers.length <= MAX_NEIGHBOURS) return [...numbers];
  const shared = (i: number) => {
    const other = after[i]!.bounds!;
    const width = Math.min(bounds[2]!, other[2]!) - Math.max(bounds[0]!, other[0]!);
    const depth = Math.min(bounds[3]!, other[3]!) - Math.max(bounds[1]!, other[1]!);
    return width * depth;
  };
  return numbers.toSorted((a, b) => shared(b) - shared(a) || a - b).slice(0, MAX_NEIGHBOURS);
}
