/** Trees of tiles: which features a tile shows, and how far away it is replaced or added to. */
import { compareTexts } from '@citymodel/base';
import type { Bounds } from '@citymodel/geo';

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
 * Tiles between 256 and 512 kB: smaller ones cost more for what each says of its columns, larger ones load late. Pixels
 * just fit on a page of 1024 × 512 and one of half that. With three times as many, views of a dense city have more than
 * 200 MB of textures: more of each tile lies outside of the view, or is finer than it needs to be.
 */
export const BUDGET: Budget = {
  bytes: 480_000,
  vertices: 65_000,
  pixels: 650_000,
};
/** Geometric errors of tiles that show textures and are replaced, metres: so close together that tiles can be full. */
export const TEXTURED_ERRORS: readonly number[] = [
  0.5, 0.56, 0.63, 0.71, 0.8, 0.9, 1, 1.1, 1.25, 1.4, 1.6, 1.8, 2, 2.25, 2.5, 2.8, 3.2, 3.6, 4, 4.5, 5, 5.6,
  6.3, 7.1, 8, 9, 10, 11, 12.5, 14, 15,
];
/** Tiles with this geometric error or more show mean colours: from 1.6 km on, with CesiumJS as it comes. */
export const COARSE_ERROR = 16;
/**
 * A leaf may have so many times the pixels of a tile: two would be half empty, and the tile above them hardly smaller
 * than both.
 */
const ROOMY = 1.5;
/** Leaves are filled up to this part: what features take is known about. */
const FULL = 0.95;
/** Fewer features than this get no tiles of their own. */
const FEW = 8;
/** Levels; cells are smaller than a metre then. */
const MAX_DEPTH = 24;

/**
 * A tree whose tiles add to those above them (`ADD`): a tile takes the largest features of its cell up to the budget,
 * its children the rest. Each feature is in one tile. Null without items.
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
 * A tree whose tiles replace those above them (`REPLACE`): leaves show all of their features, a tile above the largest
 * of what is below it, textured where all that counts fits, else coarse. Each feature is in one leaf. Leaves are as
 * full as can be: a page of textures takes what it takes, however little is on it. Null without items.
 */
export function planReplacing<T extends ReplacingItem>(
  items: readonly T[],
  budget = BUDGET,
): TreeNode<T> | null {
  if (items.length === 0) return null;
  const root = replacingNode({ items, leaves: leavesFor(items, budget) }, budget);
  const sorted = largestFirst(items);
  // What shows nothing of them is replaced from as far away as the largest feature can be seen.
  return hasMuchTexture(items, budget) ? withBlocks(root, missingError(sorted, 0), budget) : root;
}

/** Part of the pixels of a tile from which on textures are not shown from afar, even if one tile shows all. */
const MUCH = 1 / 4;

function hasMuchTexture(items: readonly TreeItem[], { pixels: most }: Budget): boolean {
  return items.reduce((sum, { pixels }) => sum + pixels, 0) > MUCH * most;
}

/**
 * A textured tile below one that shows blocks of its features, where the tile above both is replaced much farther away
 * than blocks are.
 */
function withBlocks<T extends ReplacingItem>(node: TreeNode<T>, above: number, budget: Budget): TreeNode<T> {
  if (node.geometricError >= COARSE_ERROR) return node;
  const blocks = coarseNode(largestFirst(itemsBelow(node)), budget);
  return 2 * blocks.geometricError > above ? node : { ...blocks, children: [node] };
}

function replacingNode<T extends ReplacingItem>({ items, leaves }: Share<T>, budget: Budget): TreeNode<T> {
  const roomy = { ...budget, pixels: ROOMY * budget.pixels };
  if ((leaves === 1 && within(items, roomy) === items.length) || items.length === 1) {
    return { items: byId(items), children: [], geometricError: 0 };
  }
  const children = halves({ items, leaves: Math.max(2, leaves) }, budget).map((half) =>
    replacingNode(half, budget),
  );
  const sorted = largestFirst(items);
  const below = Math.max(...children.map((child) => child.geometricError));
  const textured = texturedNode(sorted, budget, below);
  if (textured !== null) return { ...textured, children };
  const coarse = coarseNode(sorted, budget);
  const geometricError = Math.max(below, coarse.geometricError);
  return {
    items: coarse.items,
    children: children.map((child) => withBlocks(child, geometricError, budget)),
    geometricError,
  };
}

/** What a tile shows of items, the largest first, with textures; null where too much would be missing. */
function texturedNode<T extends ReplacingItem>(
  items: readonly T[],
  budget: Budget,
  below: number,
): Pick<TreeNode<T>, 'items' | 'geometricError'> | null {
  for (const [i, error] of TEXTURED_ERRORS.entries()) {
    if (error < below) continue;
    const shown = within(items, budget, ({ innerBytes, vertices, pixelsAt }) => ({
      bytes: innerBytes,
      vertices,
      pixels: pixelsAt[i]!,
    }));
    if (error >= missingError(items, shown))
      return { items: byId(items.slice(0, shown)), geometricError: error };
  }
  return null;
}

/** What a tile shows of items, the largest first, in mean colours. */
function coarseNode<T extends ReplacingItem>(
  items: readonly T[],
  budget: Budget,
): Pick<TreeNode<T>, 'items' | 'geometricError'> {
  const shown = within(items, budget, ({ coarse }) => ({ ...coarse, pixels: 0 }));
  return {
    items: byId(items.slice(0, shown)),
    geometricError: Math.max(COARSE_ERROR, missingError(items, shown)),
  };
}

/** What is wrong with a tile that shows the first items only, metres. */
function missingError(items: readonly TreeItem[], shown: number): number {
  return 2 * (items[shown]?.diagonal ?? 0);
}

function itemsBelow<T extends TreeItem>(node: TreeNode<T>): T[] {
  return node.children.length === 0 ? node.items : node.children.flatMap(itemsBelow);
}

/** Items, and how many leaves will show them: more where it turns out that they do not fit. */
interface Share<T> {
  items: readonly T[];
  leaves: number;
}

/**
 * Two halves of a share, side by side, of as many leaves each, or nearly. Halves instead of quarters: each level then
 * has half the pixels of the one below, and less is shown finer than it needs to be.
 */
function halves<T extends TreeItem>({ items, leaves }: Share<T>, budget: Budget): Share<T>[] {
  const sorted = alongLongerSide(items);
  const first = Math.floor(leaves / 2);
  const wanted = (cost(items, budget) * first) / leaves;
  let taken = 0;
  let cut = 0;
  while (cut < sorted.length - 1) {
    const next = taken + costOf(sorted[cut]!, budget);
    // The item in the middle goes where more of it is.
    if (cut > 0 && next - wanted > wanted - taken) break;
    taken = next;
    cut++;
  }
  return [
    { items: sorted.slice(0, cut), leaves: first },
    { items: sorted.slice(cut), leaves: leaves - first },
  ];
}

function leavesFor(items: readonly TreeItem[], budget: Budget): number {
  const tiles = cost(items, budget);
  return tiles <= ROOMY ? 1 : Math.ceil(tiles / FULL);
}

function cost(items: readonly TreeItem[], budget: Budget): number {
  return items.reduce((total, item) => total + costOf(item, budget), 0);
}

/** What an item takes of a tile, by what it takes most of. */
function costOf({ bytes, vertices, pixels }: TreeItem, budget: Budget): number {
  return Math.max(bytes / budget.bytes, vertices / budget.vertices, pixels / budget.pixels);
}

/** From west to east or from south to north, whichever is longer. */
function alongLongerSide<T extends TreeItem>(items: readonly T[]): T[] {
  let [west, east, south, north] = [Infinity, -Infinity, Infinity, -Infinity];
  for (const { lng, lat } of items) {
    west = Math.min(west, lng);
    east = Math.max(east, lng);
    south = Math.min(south, lat);
    north = Math.max(north, lat);
  }
  const isWide = (east - west) * Math.cos((south * Math.PI) / 180) > north - south;
  return isWide
    ? items.toSorted((a, b) => a.lng - b.lng || a.lat - b.lat || compareTexts(a.id, b.id))
    : items.toSorted((a, b) => a.lat - b.lat || a.lng - b.lng || compareTexts(a.id, b.id));
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
 * Items by the quarter of the cell that the middle of their box lies in; only those that have some. The two quarters of
 * a half are one where one tile can hold them.
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
  return items.toSorted((a, b) => b.diagonal - a.diagonal || compareTexts(a.id, b.id));
}

function byId<T extends TreeItem>(items: readonly T[]): T[] {
  return items.toSorted((a, b) => compareTexts(a.id, b.id));
}
