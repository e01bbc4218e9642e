import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compareTexts } from '@citymodel/base';
import fc from 'fast-check';
import {
  COARSE_ERROR,
  planAdding,
  planReplacing,
  type ReplacingItem,
  TEXTURED_ERRORS,
  type TreeItem,
  type TreeNode,
} from './plan-tree.ts';

const CELL = { west: 139, south: 35, east: 139.0125, north: 35.0083 };
const BUDGET = { bytes: 1_000, vertices: 500, pixels: 2_000 };

const items = fc.array(
  fc.record(
    {
      lng: fc.double({ min: 138.99, max: 139.02, noNaN: true }),
      lat: fc.double({ min: 34.99, max: 35.02, noNaN: true }),
      diagonal: fc.double({ min: 0.1, max: 300, noNaN: true }),
      bytes: fc.integer({ min: 1, max: 1_500 }),
      vertices: fc.integer({ min: 3, max: 600 }),
      pixels: fc.integer({ min: 0, max: 500 }),
    },
    { noNullPrototype: true },
  ),
  { maxLength: 120 },
);

function named(values: ReadonlyArray<Omit<TreeItem, 'id'>>): ReplacingItem[] {
  return values.map((value, i) => ({
    ...value,
    // Whole numbers: sums are the same in any order.
    id: `f${String(i).padStart(3, '0')}`,
    innerBytes: Math.ceil(0.7 * value.bytes),
    pixelsAt: TEXTURED_ERRORS.map((error) => Math.ceil(value.pixels / (1 + error))),
    coarse: { bytes: Math.ceil(0.3 * value.bytes), vertices: Math.ceil(0.4 * value.vertices) },
  }));
}

function* nodesOf(node: TreeNode<ReplacingItem>): Generator<TreeNode<ReplacingItem>> {
  yield node;
  for (const child of node.children) yield* nodesOf(child);
}

function check(
  root: TreeNode<ReplacingItem> | null,
  wanted: readonly ReplacingItem[],
  shows: (node: TreeNode<ReplacingItem>) => boolean,
): void {
  assert.equal(root === null, wanted.length === 0);
  if (root === null) return;
  const shown: string[] = [];
  for (const node of nodesOf(root)) {
    if (shows(node)) shown.push(...node.items.map(({ id }) => id));
    assert.deepEqual(
      node.items,
      node.items.toSorted((a, b) => compareTexts(a.id, b.id)),
    );
    if (node.children.length === 0) assert.equal(node.geometricError, 0);
    for (const child of node.children) assert.ok(child.geometricError <= node.geometricError);
  }
  assert.deepEqual(
    shown.sort(),
    wanted.map(({ id }) => id),
  );
}

test('a tree that adds has each feature once, the largest above', () => {
  fc.assert(
    fc.property(items, (values) => {
      const wanted = named(values);
      const root = planAdding(wanted, CELL, BUDGET);
      check(root, wanted, () => true);
      for (const node of root === null ? [] : nodesOf(root)) {
        const least = Math.min(...node.items.map(({ diagonal }) => diagonal));
        const below = node.children.flatMap((child) => child.items.map(({ diagonal }) => diagonal));
        // What is missing without the tiles below: twice the largest of them.
        assert.equal(node.geometricError, below.length === 0 ? 0 : 2 * Math.max(...below));
        for (const diagonal of below) assert.ok(diagonal <= least);
      }
    }),
  );
});

test('a tree that replaces has each feature in one leaf', () => {
  fc.assert(
    fc.property(items, (values) => {
      const wanted = named(values);
      check(planReplacing(wanted, BUDGET), wanted, (node) => node.children.length === 0);
    }),
  );
});

test('a tile that is replaced fits into its budget, and its error is that of what it lacks', () => {
  const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
  fc.assert(
    fc.property(items, (values) => {
      const root = planReplacing(named(values), BUDGET);
      for (const node of root === null ? [] : nodesOf(root)) {
        if (node.children.length === 0) continue;
        const error = node.geometricError;
        const shown = new Set(node.items);
        for (const leaf of nodesOf(node)) {
          for (const item of leaf.children.length === 0 ? leaf.items : []) {
            if (!shown.has(item)) assert.ok(2 * item.diagonal <= error);
          }
        }
        const level = TEXTURED_ERRORS.indexOf(error as (typeof TEXTURED_ERRORS)[number]);
        assert.equal(level < 0, error >= COARSE_ERROR);
        if (node.items.length === 1) continue;
        if (level < 0) {
          assert.ok(sum(node.items.map(({ coarse }) => coarse.bytes)) <= BUDGET.bytes);
          assert.ok(sum(node.items.map(({ coarse }) => coarse.vertices)) <= BUDGET.vertices);
        } else {
          assert.ok(sum(node.items.map(({ innerBytes }) => innerBytes)) <= BUDGET.bytes);
          assert.ok(sum(node.items.map(({ pixelsAt }) => pixelsAt[level]!)) <= BUDGET.pixels);
        }
      }
    }),
  );
});

const total = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0);

/** How many of the first fit into a tile, one at least. */
function fitting(
  costs: ReadonlyArray<{ bytes: number; vertices: number; pixels: number }>,
  budget = BUDGET,
): number {
  let count = costs.length;
  while (count > 1) {
    const first = costs.slice(0, count);
    if (
      total(first.map(({ bytes }) => bytes)) <= budget.bytes &&
      total(first.map(({ vertices }) => vertices)) <= budget.vertices &&
      total(first.map(({ pixels }) => pixels)) <= budget.pixels
    )
      break;
    count--;
  }
  return count;
}
const byDiagonal = <T extends TreeItem>(list: readonly T[]) =>
  list.toSorted((a, b) => b.diagonal - a.diagonal || compareTexts(a.id, b.id));
const idsOf = (list: readonly TreeItem[]) => list.map(({ id }) => id).sort();

test('a tile that adds takes what fits of its cell, or all but seven, and leaves the rest to quarters of it', () => {
  const isIn = (cell: typeof CELL) => (item: TreeItem) =>
    item.lat >= cell.south && item.lat < cell.north && item.lng >= cell.west && item.lng < cell.east;
  const inCell = (list: readonly ReplacingItem[], cell: typeof CELL) => list.filter(isIn(cell));
  const everywhere = { west: -Infinity, south: -Infinity, east: Infinity, north: Infinity };
  const checkNode = (
    node: TreeNode<ReplacingItem>,
    all: readonly ReplacingItem[],
    { cell, within }: { cell: typeof CELL; within: typeof CELL },
  ): void => {
    const sorted = byDiagonal(all);
    const count = fitting(sorted);
    const isWhole = sorted.length - count < 8;
    const rest = isWhole ? [] : sorted.slice(count);
    assert.deepEqual(idsOf(node.items), idsOf(isWhole ? sorted : sorted.slice(0, count)));
    if (fitting(rest) === rest.length) {
      assert.equal(node.children.length, rest.length === 0 ? 0 : 1);
      for (const child of node.children) checkNode(child, rest, { cell, within });
      return;
    }
    const [lng, lat] = [cell.west + (cell.east - cell.west) / 2, cell.south + (cell.north - cell.south) / 2];
    const groups = ([{ north: lat }, { south: lat }] as const).flatMap((half) => {
      const own = { cell: { ...cell, ...half }, within: { ...within, ...half } };
      const inHalf = inCell(rest, own.within);
      if (fitting(inHalf) === inHalf.length) return [own];
      return ([{ east: lng }, { west: lng }] as const).map((side) => ({
        cell: { ...own.cell, ...side },
        within: { ...own.within, ...side },
      }));
    });
    const filled = groups.filter((group) => inCell(rest, group.within).length > 0);
    assert.equal(node.children.length, filled.length);
    for (const [i, group] of filled.entries())
      checkNode(node.children[i]!, inCell(rest, group.within), group);
  };
  // Sums of powers of two, so that middles of cells are exact, and some are on the lines between them.
  const cell = { west: 139, south: 35, east: 140, north: 36 };
  const part = fc.integer({ min: -8, max: 72 }).map((value) => value / 64);
  // Small ones, of which what is left may fit into one tile.
  const small = items.map((values) =>
    values.map((value) => ({
      ...value,
      ...{ bytes: Math.ceil(value.bytes / 16), vertices: Math.ceil(value.vertices / 16) },
    })),
  );
  const placed = fc.tuple(fc.oneof(items, small), fc.infiniteStream(part)).map(([values, parts]) =>
    values.map((value) => ({
      ...value,
      lng: 139 + (parts.next().value as number),
      lat: 35 + (parts.next().value as number),
    })),
  );
  fc.assert(
    fc.property(placed, (values) => {
      const wanted = named(values);
      const root = planAdding(wanted, cell, BUDGET);
      if (root !== null) checkNode(root, wanted, { cell, within: everywhere });
    }),
  );
});

test('a tile that replaces has the least error at which all that counts fits, else mean colours', () => {
  const leafItems = (node: TreeNode<ReplacingItem>): ReplacingItem[] =>
    node.children.length === 0 ? node.items : node.children.flatMap(leafItems);
  const coarseOf = (sorted: readonly ReplacingItem[]) => {
    const count = fitting(sorted.map(({ coarse }) => ({ ...coarse, pixels: 0 })));
    return {
      ids: idsOf(sorted.slice(0, count)),
      error: Math.max(COARSE_ERROR, 2 * (sorted[count]?.diagonal ?? 0)),
    };
  };
  /** The tile below one of mean colours, which may stand between. */
  const inner = (node: TreeNode<ReplacingItem>) => (node.children.length === 1 ? node.children[0]! : node);
  const checkBlocks = (node: TreeNode<ReplacingItem>, above: number, mayHave = true) => {
    const sorted = byDiagonal(leafItems(node));
    const blocks = coarseOf(sorted);
    const hasBlocks = mayHave && inner(node).geometricError < COARSE_ERROR && 2 * blocks.error <= above;
    assert.equal(node.children.length === 1, hasBlocks);
    if (hasBlocks) assert.deepEqual([idsOf(node.items), node.geometricError], [blocks.ids, blocks.error]);
  };
  const checkNode = (node: TreeNode<ReplacingItem>): void => {
    if (node.children.length === 0) {
      if (node.items.length > 1)
        assert.equal(fitting(node.items, { ...BUDGET, pixels: 1.5 * BUDGET.pixels }), node.items.length);
      return;
    }
    const sorted = byDiagonal(leafItems(node));
    const children = node.children.map(inner);
    const below = Math.max(...children.map(({ geometricError }) => geometricError));
    const textured = TEXTURED_ERRORS.map((error, i) => {
      const costs = sorted.map(({ innerBytes, vertices, pixelsAt }) => ({
        ...{ bytes: innerBytes, vertices },
        pixels: pixelsAt[i]!,
      }));
      return { error, count: fitting(costs) };
    }).find(({ error, count }) => error >= below && error >= 2 * (sorted[count]?.diagonal ?? 0));
    const coarse = coarseOf(sorted);
    const expected =
      textured === undefined
        ? { ids: coarse.ids, error: Math.max(below, coarse.error) }
        : { ids: idsOf(sorted.slice(0, textured.count)), error: textured.error };
    assert.deepEqual([idsOf(node.items), node.geometricError], [expected.ids, expected.error]);
    for (const child of node.children)
      checkBlocks(child, textured === undefined ? node.geometricError : 0, textured === undefined);
    for (const child of children) checkNode(child);
  };
  const seen = { blocks: 0, textured: 0, coarse: 0 };
  // Diagonals of houses, so that textures may be enough.
  const low = items.map((values) => values.map((value) => ({ ...value, diagonal: value.diagonal / 20 })));
  fc.assert(
    fc.property(fc.oneof(items, low), (values) => {
      const wanted = named(values);
      const root = planReplacing(wanted, BUDGET);
      if (root === null) return;
      const isMuch = total(wanted.map(({ pixels }) => pixels)) > BUDGET.pixels / 4;
      checkBlocks(root, 2 * Math.max(...wanted.map(({ diagonal }) => diagonal)), isMuch);
      checkNode(inner(root));
      for (const node of nodesOf(root)) {
        if (node.children.length === 1) seen.blocks++;
        else if (node.children.length > 1) seen[node.geometricError < COARSE_ERROR ? 'textured' : 'coarse']++;
      }
    }),
    { numRuns: 50 },
  );
  assert.ok(Math.min(...Object.values(seen)) > 20, JSON.stringify(seen));
});

test('the order of features does not matter', () => {
  fc.assert(
    fc.property(items, (values) => {
      const wanted = named(values);
      assert.deepEqual(planAdding(wanted.toReversed(), CELL, BUDGET), planAdding(wanted, CELL, BUDGET));
      assert.deepEqual(planReplacing(wanted.toReversed(), BUDGET), planReplacing(wanted, BUDGET));
    }),
  );
});

test('errors of textured tiles grow by an eighth or so, and end below those of mean colours', () => {
  assert.deepEqual([TEXTURED_ERRORS[0], COARSE_ERROR], [0.5, 16]);
  for (const [i, error] of [...TEXTURED_ERRORS, COARSE_ERROR].entries()) {
    if (i === 0) continue;
    const growth = error / TEXTURED_ERRORS[i - 1]!;
    assert.ok(growth > 1.06 && growth < 1.16, `${growth} before ${error}`);
  }
});

test('features at one place end in tiles all the same', () => {
  const wanted = named(
    Array.from({ length: 500 }, () => ({
      lng: 139.5,
      lat: 35.5,
      diagonal: 10,
      bytes: 100,
      vertices: 10,
      pixels: 0,
    })),
  );
  const adding = planAdding(wanted, CELL, BUDGET);
  check(adding, wanted, () => true);
  // 24 levels of tiles that are full, then one of all that is left.
  assert.deepEqual(
    [...nodesOf(adding!)].map((node) => node.items.length),
    [...Array.from({ length: 24 }, () => 10), 260],
  );
  check(planReplacing(wanted, BUDGET), wanted, (node) => node.children.length === 0);
});

/** Houses on a grid of columns and rows, each with so many pixels at a metre's error. */
function grid(columns: number, rows: number, pixels: number): ReplacingItem[] {
  return named(
    Array.from({ length: columns * rows }, (_, i) => ({
      lng: CELL.west + (i % columns) * 2e-4,
      lat: CELL.south + Math.floor(i / columns) * 1.5e-4,
      diagonal: 20,
      bytes: 1,
      vertices: 3,
      pixels,
    })),
  );
}

/** Pixels that a tile shows. */
function pixelsIn({ items, geometricError }: TreeNode<ReplacingItem>): number {
  const level = (TEXTURED_ERRORS as readonly number[]).indexOf(geometricError);
  return items.reduce(
    (sum, item) => sum + (geometricError === 0 ? item.pixels : (item.pixelsAt[level] ?? 0)),
    0,
  );
}

test('pages of leaves are full, and each level above has few pixels more than half of those below', () => {
  const root = planReplacing(grid(30, 20, 100), BUDGET)!;
  const leaves = [...nodesOf(root)].filter(({ children }) => children.length === 0);
  assert.ok(leaves.length <= 36, `${leaves.length} leaves for what fits into 30`);
  for (const node of nodesOf(root)) {
    if (node.geometricError === 0 || node.geometricError >= COARSE_ERROR) continue;
    const below = node.children.reduce((sum, child) => sum + pixelsIn(child), 0);
    assert.ok(pixelsIn(node) <= 0.7 * below, `${pixelsIn(node)} of ${below} below`);
  }
});

test('a little more than a tile of textures is one leaf', () => {
  const [few, many] = [27, 33].map((count) => planReplacing(grid(count, 1, 100), BUDGET)!);
  assert.deepEqual(
    [few!, many!].map((root) => [...nodesOf(root)].filter(({ children }) => children.length === 0).length),
    [1, 2],
  );
});

test('halves of a share have as much each as can be, and one item at least', () => {
  const row = (bytes: readonly number[]): ReplacingItem[] =>
    named(
      bytes.map((own, i) => ({
        ...{ lng: 139 + i * 1e-4, lat: 35, diagonal: 10, vertices: 1, pixels: 1 },
        bytes: own,
      })),
    );
  const leaves = (...bytes: number[]) =>
    [...nodesOf(planReplacing(row(bytes), BUDGET)!)]
      .filter(({ children }) => children.length === 0)
      .map(({ items }) => items.map((item) => item.bytes));
  assert.deepEqual(leaves(900, 100, 400, 400), [[900], [100, 400, 400]]);
  assert.deepEqual(leaves(400, 400, 100, 900), [[400, 400, 100], [900]]);
  // The one in the middle goes where more of it is, to the first half of equally much.
  assert.deepEqual(leaves(500, 500, 600), [[500, 500], [600]]);
  assert.deepEqual(leaves(700, 300, 600), [[700], [300, 600]]);
  assert.deepEqual(leaves(600, 400, 600), [[600, 400], [600]]);
});

test('neighbours are in one leaf: leaves are no strips', () => {
  const root = planReplacing(grid(30, 30, 100), BUDGET)!;
  for (const { items, children } of nodesOf(root)) {
    if (children.length > 0) continue;
    const columns = new Set(items.map(({ lng }) => lng)).size;
    const rows = new Set(items.map(({ lat }) => lat)).size;
    assert.ok(Math.max(columns, rows) <= 8, `${columns} columns, ${rows} rows`);
  }
});

test('blocks come before textures that would else be seen from far away', () => {
  // One leaf, whose features can be seen from 4 km.
  const one = planReplacing(grid(4, 4, 50), BUDGET)!;
  assert.equal(one.geometricError, COARSE_ERROR);
  assert.deepEqual(
    one.children.map(({ geometricError, items: { length } }) => [geometricError, length]),
    [[0, 16]],
  );
  // Little texture does not need them.
  assert.equal(planReplacing(grid(4, 4, 5), BUDGET)!.geometricError, 0);
  // A quarter of what a tile may have is little.
  assert.equal(planReplacing(grid(5, 5, 20), BUDGET)!.geometricError, 0);
  assert.equal(planReplacing(grid(4, 4, 32), BUDGET)!.geometricError, COARSE_ERROR);
  // A tile that cannot show all blocks is replaced from afar by one that can.
  const large = grid(40, 40, 100).map((item) => ({ ...item, diagonal: 60 }));
  for (const node of nodesOf(planReplacing(large, BUDGET)!)) {
    if (node.geometricError <= 2 * COARSE_ERROR) continue;
    for (const child of node.children) assert.ok(child.geometricError >= COARSE_ERROR);
  }
});

test('items on the lines between quarters are in one of them', () => {
  const middle = { lng: (CELL.west + CELL.east) / 2, lat: (CELL.south + CELL.north) / 2 };
  const values = Array.from({ length: 40 }, (_, i) => ({
    lng: i % 2 === 0 ? middle.lng : CELL.west + i * 1e-5,
    lat: i % 4 < 2 ? middle.lat : CELL.south + i * 1e-5,
    diagonal: 10,
    bytes: 100,
    vertices: 20,
    pixels: 0,
  }));
  const all = named(values);
  const root = planAdding(all, CELL, BUDGET)!;
  const shown = [...nodesOf(root as TreeNode<ReplacingItem>)].flatMap(({ items: own }) =>
    own.map(({ id }) => id),
  );
  assert.deepEqual(shown.sort(), all.map(({ id }) => id).sort());
});

test('of features in one row those beside each other are in one leaf, whatever their ids are', () => {
  // Four rows of three, whose ids run from east to west. The first leaf takes the westernmost of the second row.
  const rows = (turned: boolean) =>
    named(
      Array.from({ length: 12 }, (_, i) => {
        const [across, along] = [139 + (2 - (i % 3)) * 1e-4, 35 + Math.floor(i / 3) * 1e-3];
        const [lng, lat] = turned ? [139 + (along - 35), 35 + (across - 139)] : [across, along];
        return { lng, lat, diagonal: 10, bytes: 1, vertices: 3, pixels: 400 };
      }),
    );
  for (const turned of [false, true]) {
    const leaves = [...nodesOf(planReplacing(rows(turned), BUDGET)!)]
      .filter(({ children }) => children.length === 0)
      .map(({ items }) => items.map(({ id }) => id).join(' '));
    assert.deepEqual(
      leaves,
      ['f000 f001 f002 f005', 'f003 f004 f007 f008', 'f006 f009 f010 f011'],
      `${turned}`,
    );
  }
});
