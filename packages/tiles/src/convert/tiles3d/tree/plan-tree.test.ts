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
  if (root === null) {
    assert.equal(wanted.length, 0);
    return;
  }
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
  check(planAdding(wanted, CELL, BUDGET), wanted, () => true);
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
