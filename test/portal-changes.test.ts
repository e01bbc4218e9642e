/** Two editions in the portal, without a browser. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  becameOf,
  changesData,
  changesPath,
  comparisonOf,
  countsOf,
  type Difference,
  inOrder,
  loadChanges,
  textOfComparison,
  viewOf,
} from '../packages/portal/src/changes/comparison.ts';
import type { Changes } from '../packages/portal/src/core/interface-types.ts';

let position = 0;
const appearance = (change: 'added' | 'removed', facts: object = {}) =>
  ({
    ...{ change, position: position++, type: 'bldg:Building', id: 'a', bounds: null, centre: [139, 35] },
    ...{ outline: null, height: 6, footprintArea: 80, volume: null, lods: [1], ...facts },
  }) as unknown as Difference;
const change = (from: number | null, to: number | null) =>
  ({
    ...{ change: 'changed', position: position++, type: 'bldg:Building', id: 'b', bounds: null },
    ...{ centre: null, outline: null, fromId: 'b', matchedBy: 'id', attributes: [], attributesLeft: 0 },
    geometry: { movedBy: 0, height: { from, to }, footprintArea: {}, volume: {}, lods: { from: [], to: [] } },
  }) as unknown as Difference;

test('a comparison comes back from the address as it was, and another text is none', () => {
  for (const text of ['47950,bldg', '47950,tran,2022,2024'])
    assert.equal(textOfComparison(comparisonOf(text)!), text);
  assert.deepEqual(comparisonOf('47950'), { area: '47950', type: 'bldg', from: null, to: null });
  for (const text of [null, '', '4795', '47', '47950,', '47950,bldg,2022', '47950,BLDG', 'x'.repeat(9)])
    assert.equal(comparisonOf(text), null, String(text));
  assert.equal(changesPath(comparisonOf('47950')!), '/citygml/changes?city_code=47950&type=bldg');
  assert.match(changesPath(comparisonOf('47950,tran,2022,2024')!), /&type=tran&from=2022&to=2024$/);
});

test('a feature is higher or lower from half a metre on, and changed otherwise', () => {
  const became = [
    appearance('added'),
    appearance('removed'),
    change(6, 6.5),
    change(6, 5.5),
    change(6, 6.49),
    change(null, 9),
    change(9, null),
    { ...change(6, 9), geometry: null } as Difference,
  ];
  assert.deepEqual(became.map(becameOf), [
    ...['new', 'gone', 'higher', 'lower'],
    ...['changed', 'changed', 'changed', 'changed'],
  ]);
  assert.deepEqual(countsOf(became), { new: 1, gone: 1, higher: 1, lower: 1, changed: 4 });
  assert.deepEqual(
    inOrder(became.toReversed()).map(({ position }) => position),
    became.map(({ position }) => position),
  );
});

test('the map has footprints, points for what has no area, and nothing for what has no place', () => {
  const outline = { type: 'Polygon', coordinates: [] };
  const { features } = changesData([
    appearance('added', { outline }),
    appearance('removed'),
    appearance('added', { centre: null }),
  ]);
  assert.deepEqual(
    features.map(({ geometry, properties }) => [geometry.type, properties!.became]),
    [
      ['Polygon', 'new'],
      ['Point', 'gone'],
    ],
  );
});

test('a feature is shown in 3D in the edition that has it', () => {
  const comparison = comparisonOf('47950')!;
  const years = { from: 2023, to: 2024 };
  for (const change of ['added', 'removed'] as const) {
    const { model, older, camera } = viewOf(appearance(change), comparison, years)!;
    assert.deepEqual([model, older], ['47950-bldg-maxlod4-2024', 2023], 'both editions are shown');
    assert.equal(camera, null, 'nothing here knows how high the ground is');
  }
  assert.equal(viewOf(appearance('added', { centre: null }), comparison, years), null);
});

test('pages are asked for until all are there, or as many as a map draws', async () => {
  const asked: string[] = [];
  const load = (count: number) =>
    loadChanges(comparisonOf('47950')!, async (path) => {
      asked.push(path);
      const after = Number(/after=(\d+)/.exec(path)?.[1] ?? -1);
      const differences = Array.from({ length: 1_000 }, () => appearance('added'));
      return {
        state: 'compared',
        differences,
        next: after + 1 < count ? after + 1 : null,
      } as unknown as Changes;
    });
  const all = await load(2);
  assert.deepEqual([all.differences.length, all.isCut], [3_000, false]);
  assert.match(asked.at(-1)!, /&limit=1000&after=1$/);
  const some = await load(1_000);
  assert.deepEqual([some.differences.length, some.isCut], [5_000, true]);
});
