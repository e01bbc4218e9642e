import assert from 'node:assert/strict';
import test from 'node:test';
import type { Issue } from '@citymodel/base';
import { identify, nameAreas } from './identify.ts';
import type { PackageLayout } from './layout.ts';

const numazu = identify(
  ['22203_numazu-shi_city_2023_citygml_1_op'],
  { kind: 'citygml' } as PackageLayout,
  {},
);

function namesFrom(list: Record<string, string>) {
  const issues: Issue[] = [];
  const names = nameAreas(numazu, new Map(Object.entries(list)), {}, (issue) => issues.push(issue));
  return { ...names, codes: issues.map(({ code }) => code) };
}

test('a code list names what the table names otherwise, as far as it can be a name', () => {
  const { pref, city, known, codes } = namesFrom({
    '22': '静岡県',
    '22203': '静岡県沼津市',
    '22989': '静岡県新沼津町',
  });
  assert.deepEqual([pref, city, known.map(({ name }) => name)], ['静岡県', '沼津市', ['新沼津町']]);
  assert.deepEqual(codes, []);
});

test('land that belongs to no municipality has the name of the code list, and no issue', () => {
  const sample = identify(
    ['13999_tokyo_udx-mlit_2023_citygml_2_sample-takeshiba_op'],
    { kind: 'citygml' } as PackageLayout,
    {},
  );
  for (const [listed, city] of [
    ['東京都帰属未定地', '帰属未定地'],
    ['境界未確定地', '境界未確定地'],
  ] as const) {
    const issues: Issue[] = [];
    const names = nameAreas(sample, new Map([['13999', listed]]), {}, (issue) => issues.push(issue));
    assert.deepEqual([names.city, issues], [city, []]);
  }
});

test('the table’s name of a prefecture is no issue where the operator gives another', () => {
  const issues: Issue[] = [];
  const { pref } = nameAreas(numazu, new Map([['22', '静岡県']]), { pref: 'Shizuoka' }, (issue) =>
    issues.push(issue),
  );
  assert.deepEqual([pref, issues], ['Shizuoka', []]);
});

test('a code list cannot rename a prefecture or municipality to any text', () => {
  const { pref, city, known, codes } = namesFrom({
    '22': '<img src=x>',
    '22203': 'Free money 市',
    '22989': 'https://evil.example',
  });
  assert.deepEqual([pref, city, known], ['静岡県', '沼津市', []]);
  assert.deepEqual(codes, ['AREA_NAME_IMPLAUSIBLE', 'AREA_NAME_IMPLAUSIBLE', 'AREA_NAME_IMPLAUSIBLE']);
});
