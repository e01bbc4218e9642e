import assert from 'node:assert/strict';
import { test } from 'node:test';
import { appearanceOf, type Change, type SizeChange } from './difference.ts';
import { SummaryOf } from './summary.ts';

const NOT_READ = { tooLarge: 1, broken: 2, brokenFiles: 3 };
const ALL_READ = { tooLarge: 0, broken: 0, brokenFiles: 0 };

function changeOf(names: readonly string[], left = 0, height: SizeChange | null = null): Change {
  const same = { from: 1, to: 1 };
  return {
    ...{ change: 'changed', type: 'bldg:Building', id: 'a', fromId: 'a', matchedBy: 'id' },
    ...{ bounds: null, centre: null, outline: null },
    attributes: names.map((name) => ({ name })),
    attributesLeft: left,
    geometry:
      height === null
        ? null
        : { movedBy: 0, height, footprintArea: same, volume: same, lods: { from: [], to: [] } },
  };
}

function newSummary(): SummaryOf {
  return new SummaryOf({ from: 5, to: 7 }, { from: NOT_READ, to: ALL_READ });
}

test('sums begin at nothing, beside what was and was not read', () => {
  assert.deepEqual(newSummary().sums(), {
    features: { from: 5, to: 7 },
    added: 0,
    removed: 0,
    changed: 0,
    unchanged: 0,
    changedAttributes: 0,
    changedGeometry: 0,
    higher: 0,
    lower: 0,
    matchedBy: { id: 0, stableId: 0, footprint: 0 },
    byAttribute: {},
    otherAttributes: 0,
    notCompared: { from: NOT_READ, to: ALL_READ },
  });
});

test('each difference counts under what it is, and pairs also under how they were found', () => {
  const summary = newSummary();
  const record = { id: 'a', stableId: null, type: 'bldg:Building', attributes: [], shape: null };
  summary.count(appearanceOf('added', record));
  summary.count(appearanceOf('removed', record));
  summary.count(appearanceOf('removed', record));
  for (const by of ['id', 'stableId', 'stableId', 'footprint'] as const) summary.count(null, by);
  summary.count(changeOf(['usage']), 'id');
  summary.count(changeOf([], 2), 'id');
  summary.count(changeOf([], 0, { from: 3, to: 3 }), 'footprint');
  const { added, removed, changed, unchanged, changedAttributes, changedGeometry, ...rest } = summary.sums();
  assert.deepEqual(
    { added, removed, changed, unchanged },
    { added: 1, removed: 2, changed: 3, unchanged: 4 },
  );
  assert.deepEqual({ changedAttributes, changedGeometry }, { changedAttributes: 2, changedGeometry: 1 });
  assert.deepEqual(rest.matchedBy, { id: 3, stableId: 2, footprint: 2 });
  assert.deepEqual([rest.byAttribute, rest.otherAttributes], [{ usage: 1 }, 2]);
});

test('what is higher or lower counts where both editions tell a height', () => {
  const summary = newSummary();
  const heights = [
    [3, 4],
    [3, 5],
    [4, 3],
    [3, 3],
    [null, 3],
    [3, null],
    [null, null],
  ] as const;
  for (const [from, to] of heights) summary.count(changeOf([], 0, { from, to }), 'id');
  const { higher, lower, changedGeometry, changedAttributes } = summary.sums();
  assert.deepEqual([higher, lower, changedGeometry, changedAttributes], [2, 1, 7, 0]);
});

test('attributes that change most often come first, then those of the first name', () => {
  const summary = newSummary();
  for (const names of [
    ['b', 'c', 'a'],
    ['c', 'd'],
    ['c', 'd'],
  ])
    summary.count(changeOf(names), 'id');
  assert.deepEqual(Object.entries(summary.sums().byAttribute), [
    ['c', 3],
    ['d', 2],
    ['a', 1],
    ['b', 1],
  ]);
});

test('names beyond the first 500 are counted together; those that are there go on', () => {
  const summary = newSummary();
  const names = Array.from({ length: 501 }, (_, i) => `n${i}`);
  summary.count(changeOf(names, 4), 'id');
  summary.count(changeOf(['n499', 'n500', 'n500']), 'id');
  const { byAttribute, otherAttributes } = summary.sums();
  assert.equal(Object.keys(byAttribute).length, 500);
  assert.deepEqual([byAttribute.n499, byAttribute.n500, otherAttributes], [2, undefined, 4 + 1 + 2]);
});
