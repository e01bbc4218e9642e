import assert from 'node:assert/strict';
import { test } from 'node:test';
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
    id: `f${String(i).padStart(3, '0')}`,
    innerBytes: 0.7 * value.bytes,
    pixelsAt: TEXTURED_ERRORS.map((error) => value.pixels / (1 + error)),
    coarse: { bytes: 0.3 * value.bytes, vertices: 0.4 * value.vertices },
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
      node.items.toSorted((a, b) => (a.id < b.id ? -1 : 1)),
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
        for (const child of node.children) {
          for (const { diagonal } of child.items) {
            assert.ok(diagonal <= least);
            assert.ok(2 * diagonal <= node.geometricError);
          }
        }
      }
    }),
  );
});

test('a tree that replaces has each feature in one leaf', () => {
  fc.assert(
    fc.property(items, (values) => {
      const wanted = named(values);
      check(planReplacing(wanted, CELL, BUDGET), wanted, (node) => node.children.length === 0);
    }),
  );
});

test('a tile that is replaced fits into its budget, and its error is that of what it lacks', () => {
  const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
  fc.assert(
    fc.property(items, (values) => {
      const root = planReplacing(named(values), CELL, BUDGET);
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
          assert.ok(sum(node.items.map(({ pixelsAt }) => pixelsAt[level]!)) <= BUDGET.pixels / 2);
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
      assert.deepEqual(planReplacing(wanted.toReversed(), CELL, BUDGET), planReplacing(wanted, CELL, BUDGET));
    }),
  );
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
  check(planReplacing(wanted, CELL, BUDGET), wanted, (node) => node.children.length === 0);
});
