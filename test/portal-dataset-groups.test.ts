import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { DatasetRow } from '../packages/portal/src/core/catalogue.ts';
import { groupsOf } from '../packages/portal/src/datasets/groups.ts';

const USUAL = {
  type_en: 'bldg',
  name: '建築物モデル',
  format: '3D Tiles',
  lod: '2',
  texture: true,
  interior: false,
};
const row = (changes: Partial<DatasetRow>) => ({ ...USUAL, city_code: '27100', ...changes }) as DatasetRow;

test('datasets of a municipality stand together, of one thing all years', () => {
  const plain = row({ year: 2024, texture: false });
  const [of2024, of2022, of2020] = [2024, 2022, 2020].map((year) => row({ year }));
  const ward = row({ year: 2022, ward_code: '27104' });
  const [low, inside] = [row({ year: 2022, lod: '1' }), row({ year: 2022, interior: true })];
  const [river, other] = ['natl_a', 'natl_b'].map((name) => row({ year: 2022, type_en: 'fld', name }));
  const next = row({ year: 2022, ward_code: '27105' });
  const elsewhere = row({ year: 2022, city_code: '27140' });
  const all = [
    of2024,
    of2022,
    of2020,
    plain,
    ward,
    next,
    low,
    inside,
    river,
    other,
    elsewhere,
  ] as DatasetRow[];
  const groups = groupsOf(all);
  assert.deepEqual(
    groups.map(({ code, sets }) => [code, sets.length]),
    [
      ['27100', 8],
      ['27140', 1],
    ],
  );
  assert.deepEqual(groups[0]!.sets[0], { newest: of2024, older: [of2022, of2020], beginsType: true });
  const others = groups[0]!.sets.slice(1);
  assert.deepEqual(
    others.map(({ newest }) => newest),
    [plain, ward, next, low, inside, river, other],
  );
  assert.deepEqual(
    others.map(({ older, beginsType }) => [older.length, beginsType]),
    [
      [0, false],
      [0, false],
      [0, false],
      [0, false],
      [0, false],
      [0, true],
      [0, false],
    ],
  );
  assert.deepEqual(groups[1]!.sets, [{ newest: elsewhere, older: [], beginsType: true }]);
  assert.deepEqual(groupsOf([]), []);
});
