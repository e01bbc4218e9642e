/** Answers to chips of the map, wards in suggestions, and areas of the list of data, without a browser. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Places } from '../packages/portal/src/core/gazetteer.ts';
import type { SummaryCity } from '../packages/portal/src/core/summary.ts';
import { areaLabels, codeTyped } from '../packages/portal/src/datasets/area-labels.ts';
import { answersOf, citiesCsv } from '../packages/portal/src/map/chip-answer.ts';

const city = (code: string, changes: Partial<SummaryCity> = {}): SummaryCity => ({
  ...{
    code,
    name: `市${code}`,
    kana: null,
    romaji: null,
    pref_code: code.slice(0, 2),
    pref: '県',
    bbox: null,
  },
  ...{
    types: ['bldg', 'tran'],
    formats: ['CityGML', '3D Tiles'],
    years: [2024, 2022],
    max_lod: 4,
    textured: false,
  },
  ...{ max_lods: { bldg: 4, tran: 1 }, wards: [], datasets: 1, features: 1, bytes: 1 },
  ...changes,
});

test('municipalities are counted by the LOD of what is asked for, the highest first', () => {
  const cities = [
    city('01100', { max_lods: { bldg: 4, tran: 3 } }),
    city('02100'),
    city('03100', { max_lods: { bldg: 2, tran: 3 } }),
    city('04100', { types: ['bldg'], max_lods: { bldg: 3 } }),
    city('05100', { max_lods: {} }),
  ];
  const counts = (shown: 'road' | '3d') =>
    answersOf(cities, shown, 2024).map(({ lod, cities: found }) => [lod, found.map(({ code }) => code)]);
  assert.deepEqual(counts('road'), [
    [3, ['01100', '03100']],
    [1, ['02100']],
    [0, ['05100']],
  ]);
  assert.deepEqual(
    answersOf([...cities].reverse(), 'road', 2024).map(({ lod }) => lod),
    [3, 1, 0],
  );
  assert.deepEqual(counts('3d')[0], [4, ['01100', '02100']]);
});

test('a table has the LOD of each type that is asked for, and runs nothing', () => {
  const text = citiesCsv([city('01100', { name: '=SUM(A1)', pref: 'a "b", c' })], 'road');
  assert.equal(
    text,
    '\ufeffcode,prefecture,name,romaji,kana,years,highest_lod,lod_tran\r\n' +
      `01100,"a ""b"", c",'=SUM(A1),,,2024 2022,1,1\r\n`,
  );
  assert.match(citiesCsv([city('01100')], 'flood'), /,lod_fld,/);
  const named = city('01100', { romaji: 'sapporo-shi', kana: 'さっぽろし' });
  assert.match(citiesCsv([named], 'road'), /,sapporo-shi,さっぽろし,/);
});

test('a ward has what its city has, and one of a city without data has none', () => {
  const areas: Array<[string, string, string]> = [
    ['27', '大阪府', 'おおさか-ふ'],
    ['27100', '大阪市', 'おおさか-し'],
    ['27127', '大阪市北区', 'きた-く'],
    ['26104', '京都市中京区', 'なかぎょう-く'],
  ];
  const places = new Places(areas, [city('27100', { wards: ['27127'] })]);
  assert.equal(places.find('大阪市北区', 8)[0]!.city!.code, '27100');
  assert.equal(places.find('京都市中京区', 8)[0]!.city, null);
});

test('areas of the list of data are found by name in both languages, and by code', () => {
  const named = (code: string) =>
    ({ '27100': { name: '大阪市', romaji: 'osaka-shi' }, '27127': { name: '北区', romaji: 'kita-ku' } })[
      code
    ] ?? null;
  const values: Array<[string, number, string]> = [
    ['27100', 12, '大阪市'],
    ['27127', 3, '大阪市 北区'],
    ['47900', 7, '青凪市'],
  ];
  const labels = areaLabels(values, { named }, 'en');
  assert.deepEqual(
    [...labels.values()],
    ['Osaka 大阪市 27100 (12)', 'Kita-ku 大阪市 北区 27127 (3)', '青凪市 47900 (7)'],
  );
  for (const known of [null, { named }])
    assert.deepEqual([...areaLabels(values, known, 'ja').values()][1], '大阪市 北区 27127 (3)');
  for (const [text, code] of [
    ['Osaka 大阪市 27100 (12)', '27100'],
    ['kita-ku', '27127'],
    ['２７１００', '27100'],
    ['青凪', '47900'],
    ['', ''],
    ['大阪市', null],
    ['nix', null],
  ] as const)
    assert.equal(codeTyped(labels, text), code, text);
  labels.set('47901', '27100 (1)');
  assert.equal(codeTyped(labels, '27100'), '27100', 'a code, though it stands in another label, too');
});
