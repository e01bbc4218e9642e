/** Trees of tiles: which features a tile shows, and how far away it is replaced or added to. */
import type { Bounds } from '../../geo/bounds.ts';

/** What a tree wants to know of a feature. */
export interface TreeItem {
  id: string;
  /** Middle of its box, degrees. */
  lng: number;
  lat: number;
  /** Diagonal of its box in space, metres. */
  diagonal: number;
  /** Bytes that it will take in a tile, about, without images. */
  bytes: number;
  /** Vertices that it may take at most. */
  vertices: number;
  /** Pixels of textures that it will take, about; 0 without textures. */
  pixels: number;
}

/** What a tree that replaces wants to know besides. */
export interface ReplacingItem extends TreeItem {
  /** Pixels of its textures in a tile with each of `TEXTURED_ERRORS`, about. */
  pixelsAt: readonly number[];
  /** What it takes in a tile that shows it from afar, in its mean colour. */
  coarse: { bytes: number; vertices: number };
  /** What it takes in a textured tile that others replace: `bytes` without what only they have. */
  innerBytes: number;
}

export interface TreeNode<T extends TreeItem> {
  /** What the tile shows, by id. */
  items: T[];
  children: TreeNode<T>[];
  /** Metres; 0 in leaves, never more than that of the node above. */
  geometricError: number;
}

export interface Budget {
  bytes: number;
  vertices: number;
  pixels: number;
}

/**
 * Tiles between 256 and 512 kB: smaller ones cost more for what each says of its columns, larger ones load late. Pixels just fit on a page of
 * 2048 × 1024: with four million a view of a dense city from 1 km has twice the textures (bench/convert-views.ts).
 */
export const BUDGET: Budget = { bytes: 480_000, vertices: 65_000, pixels: 1_900_000 };
/** Part of the pixels that tiles above the leaves may have. */
const INNER_PIXELS = 1 / 2;
/** Geometric errors of tiles that show textures and are replaced, metres. */
export const TEXTURED_ERRORS = [1, 2, 4, 8, 15] as const;
/** Tiles with this geometric error or more show mean colours: from 1.6 km on, with CesiumJS as it comes. */
export const COARSE_ERROR = 16;
/** Fewer features than this get no tiles of their own. */
const FEW = 8;
/** Levels; cells are smaller than a metre then. */
const MAX_DEPTH = 24;

/**
 * A tree whose tiles add to those above them (`ADD`): a tile takes the largest features of its cell up to the budget, its children the rest.
 * Each feature is in one tile. Null without items.
 */
export function planAdding<T extends TreeItem>(
  items: readonly T[],
  cell: Bounds,
  budget = BUDGET,
): TreeNode<T> | null {
  return items.length === 0 ? null : addingNode(largestFirst(items), cell, budget, 0);
}

/** `items`: the largest first. */
function addingNode<T extends TreeItem>(
  items: readonly T[],
  cell: Bounds,
  budget: Budget,
  depth: number,
): TreeNode<T> {
  let taken = within(items, budget);
  if (items.length - taken < FEW || depth === MAX_DEPTH) taken = items.length;
  const rest = items.slice(taken);
  const node: TreeNode<T> = { items: byId(items.slice(0, taken)), children: [], geometricError: 0 };
  if (rest.length === 0) return node;
  node.geometricError = 2 * rest[0]!.diagonal;
  // What fits into one tile needs no quarters.
  const groups =
    within(rest, budget) === rest.length ? [{ items: rest, cell }] : quarters(rest, cell, budget);
  node.children = groups.map((group) => addingNode(group.items, group.cell, budget, depth + 1));
  return node;
}

/**
 * A tree whose tiles replace those above them (`REPLACE`): leaves show everything in their cell, a tile above the largest features of its
 * cell, textured where all that counts fits, else coarse. Each feature is in one leaf. Null without items.
 */
export function planReplacing<T extends ReplacingItem>(
  items: readonly T[],
  cell: Bounds,
  budget = BUDGET,
): TreeNode<T> | null {
  return items.length === 0 ? null : replacingNode(largestFirst(items), cell, budget, 0);
}

function replacingNode<T extends ReplacingItem>(
  items: readonly T[],
  cell: Bounds,
  budget: Budget,
  depth: number,
): TreeNode<T> {
  if (within(items, budget) === items.length || items.length === 1 || depth === MAX_DEPTH) {
    return { items: byId(items), children: [], geometricError: 0 };
  }
  const children = quarters(items, cell, budget).map((group) =>
    replacingNode(group.items, group.cell, budget, depth + 1),
  );
  const below = Math.max(...children.map((child) => child.geometricError));
  /** What is wrong with a tile that shows the first items only. */
  const errorOf = (shown: number) => 2 * (items[shown]?.diagonal ?? 0);
  const inner = { ...budget, pixels: INNER_PIXELS * budget.pixels };
  for (const [i, error] of TEXTURED_ERRORS.entries()) {
    const shown = within(items, inner, ({ innerBytes, vertices, pixelsAt }) => ({
      bytes: innerBytes,
      vertices,
      pixels: pixelsAt[i]!,
    }));
    if (error < below || error < errorOf(shown)) continue;
    return { items: byId(items.slice(0, shown)), children, geometricError: error };
  }
  const shown = within(items, budget, ({ coarse }) => ({ ...coarse, pixels: 0 }));
  return {
    items: byId(items.slice(0, shown)),
    children,
    geometricError: Math.max(below, errorOf(shown), COARSE_ERROR),
  };
}

/** The largest items that fit into a tile, by id, and the others, the largest first. */
export function largestWithin<T extends TreeItem>(
  items: readonly T[],
  budget = BUDGET,
  costOf?: (item: T) => Budget,
): { shown: T[]; left: T[] } {
  const sorted = largestFirst(items);
  const count = within(sorted, budget, costOf);
  return { shown: byId(sorted.slice(0, count)), left: sorted.slice(count) };
}

/** How many of the first items fit into a tile, one at least. */
function within<T extends TreeItem>(
  items: readonly T[],
  budget: Budget,
  costOf: (item: T) => Budget = (item) => item,
): number {
  let [bytes, vertices, pixels] = [0, 0, 0];
  for (const [i, item] of items.entries()) {
    const cost = costOf(item);
    bytes += cost.bytes;
    vertices += cost.vertices;
    pixels += cost.pixels;
    if (bytes > budget.bytes || vertices > budget.vertices || pixels > budget.pixels) return Math.max(1, i);
  }
  return items.length;
}

interface Group<T> {
  items: T[];
  cell: Bounds;
}

/**
 * Items by the quarter of the cell that the middle of their box lies in; only those that have some. The two quarters of a half are one
 * where one tile can hold them.
 */
function quarters<T extends TreeItem>(items: readonly T[], cell: Bounds, budget: Budget): Group<T>[] {
  const [lng, lat] = [(cell.west + cell.east) / 2, (cell.south + cell.north) / 2];
  const halves = [
    { items: items.filter((item) => item.lat < lat), cell: { ...cell, north: lat } },
    { items: items.filter((item) => item.lat >= lat), cell: { ...cell, south: lat } },
  ];
  const groups = halves.flatMap((half) => {
    if (within(half.items, budget) === half.items.length) return [half];
    return [
      { items: half.items.filter((item) => item.lng < lng), cell: { ...half.cell, east: lng } },
      { items: half.items.filter((item) => item.lng >= lng), cell: { ...half.cell, west: lng } },
    ];
  });
  return groups.filter((group) => group.items.length > 0);
}

function largestFirst<T extends TreeItem>(items: readonly T[]): T[] {
  return items.toSorted((a, b) => b.diagonal - a.diagonal || compare(a.id, b.id));
}

function byId<T extends TreeItem>(items: readonly T[]): T[] {
  return items.toSorted((a, b) => compare(a.id, b.id));
}

/** By code units: the same on every system. */
function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
