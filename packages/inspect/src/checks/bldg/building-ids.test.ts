/** bldg.id and C-bldg-01: how ids of buildings are written, and that no two features share one. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { idOf } from '../../testing/clean-package.ts';
import { cityModel, inspected, pathOf } from '../../testing/typed-files.ts';

interface Id {
  building?: string;
  branch?: string;
  part?: string;
}

function idAttribute({ building, branch, part }: Id): string {
  const element = (name: string, text?: string) =>
    text === undefined ? '' : `<uro:${name}>${text}</uro:${name}>`;
  return (
    '<uro:buildingIDAttribute><uro:BuildingIDAttribute>' +
    element('buildingID', building) +
    element('branchID', branch) +
    element('partID', part) +
    '</uro:BuildingIDAttribute></uro:buildingIDAttribute>'
  );
}

let number = 0;
const building = (id: Id | null, inside = '') =>
  `<bldg:Building gml:id="${idOf('bldg', ++number)}">${inside}${id === null ? '' : idAttribute(id)}</bldg:Building>`;
const partOf = (id: Id) =>
  `<bldg:consistsOfBuildingPart><bldg:BuildingPart gml:id="${idOf('part', ++number)}">${idAttribute(id)}` +
  '</bldg:BuildingPart></bldg:consistsOfBuildingPart>';

/** What a check finds: the row of the table of the official program. */
async function found(code: string, features: string[], spec: 4 | 6 = 4) {
  const { checks } = await inspected({ [pathOf('bldg')]: cityModel(features) }, { spec });
  return checks.find((check) => check.code === code)!.items.map(({ row }) => Object.values(row ?? {}));
}

const GOOD = '13101-bldg-1';
const NONE = '（なし）';

test('a building id is municipality, bldg and a number; branches are integers', async () => {
  for (const spec of [4, 6] as const) {
    for (const id of [
      {},
      { building: GOOD },
      { building: '13101-bldg-00123', branch: '0' },
      { building: GOOD, branch: '-12' },
    ]) {
      assert.deepEqual(await found('bldg.id', [building(id)], spec), [], JSON.stringify(id));
    }
    for (const [wrong, branch] of [
      ['1310-bldg-1', undefined],
      ['131010-bldg-1', undefined],
      ['13101-BLDG-1', undefined],
      ['13101-bldg-', undefined],
      ['13101-bldg-1a', undefined],
      ['x13101-bldg-1', undefined],
      [GOOD, '1.5'],
      [GOOD, 'a'],
    ] as const) {
      const id = { building: wrong, ...(branch === undefined ? {} : { branch }) };
      assert.deepEqual(await found('bldg.id', [building(id)], spec), [
        ['bldg:Building', wrong, branch ?? NONE, NONE],
      ]);
    }
  }
  assert.deepEqual(await found('bldg.id', [building(null)]), []);
});

test('a part may have an integer for itself, a building none at all', async () => {
  const withPart = (part: string) =>
    building({ building: GOOD }, partOf({ building: GOOD, branch: '1', part }));
  assert.deepEqual(await found('bldg.id', [withPart('2')]), []);
  assert.deepEqual(await found('bldg.id', [withPart('x')]), [['bldg:BuildingPart', GOOD, '1', 'x']]);
  assert.deepEqual(await found('bldg.id', [building({ building: GOOD, part: '2' })]), [
    ['bldg:Building', GOOD, NONE, '2'],
  ]);
});

test('ids are shared when building, branch and part are the same', async () => {
  const one = { building: GOOD, branch: '1' };
  const ofTwo = async (other: Id) => (await found('C-bldg-01', [building(one), building(other)])).length;
  assert.equal(await ofTwo({ building: GOOD, branch: '1' }), 2);
  assert.equal(await ofTwo({ building: GOOD, branch: '2' }), 0);
  assert.equal(await ofTwo({ building: GOOD }), 0);
  assert.equal(await ofTwo({ building: '13101-bldg-11', branch: '' }), 0);
  assert.equal(await ofTwo({ building: GOOD, branch: '1', part: '1' }), 0);
  // Features without an id share none.
  assert.deepEqual(await found('C-bldg-01', [building({}), building({}), building(null)]), []);
});

test('parts count in specification 4 alone', async () => {
  const same = { building: GOOD, part: '1' };
  const features = [building({ building: '13101-bldg-2' }, partOf(same) + partOf(same))];
  assert.equal((await found('C-bldg-01', features, 4)).length, 2);
  assert.equal((await found('C-bldg-01', features, 6)).length, 0);
});
