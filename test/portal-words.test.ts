/** What the portal calls things, in both languages. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import type { DatasetRow } from '../packages/portal/src/core/catalogue.ts';
import { englishValue, valueIn } from '../packages/portal/src/core/code-names.ts';
import { datasetName, datasetPart } from '../packages/portal/src/core/dataset-names.ts';
import { wordsOf } from '../packages/portal/src/core/i18n.ts';
import { licenceClaim } from '../packages/portal/src/core/licence.ts';
import { translated } from '../packages/portal/src/core/reasons.ts';
import { en, ja } from '../packages/portal/src/core/strings.ts';
import { areaName, rememberNames } from '../packages/portal/src/core/summary.ts';
import { snippetsFor } from '../packages/portal/src/datasets/snippets.ts';
import { classNames, classOf } from '../packages/portal/src/map/classes.ts';
import { compositeName } from '../packages/portal/src/three/models.ts';
import { row } from './support/portal-rows.ts';

const STANDARD_LISTS = new URL('../packages/citygml/src/attributes/standard-code-lists.tsv', import.meta.url);

describe('names in English', () => {
  test('every value of the standard code lists has a name in English', () => {
    const rows = readFileSync(STANDARD_LISTS, 'utf8').split('\n');
    let known = 0;
    for (const row of rows) {
      const [list, code, label] = row.split('\t');
      if (label === undefined || !/[^\x20-\x7e]/.test(label)) continue;
      const english = englishValue(label);
      assert.ok(english !== null && /^[\x20-\x7e²]+$/.test(english), `${list} ${code} ${label}: ${english}`);
      known++;
    }
    assert.ok(known > 600, `${known} values`);
  });

  test('ranges, names with both languages and prefectures are read, anything else is left', () => {
    for (const [label, english] of [
      ['0.5m以上3m未満', '0.5 m to 3 m'],
      ['3m-5.5m未満', '3 m to 5.5 m'],
      ['20.0m以上', '20.0 m and more'],
      ['4m未満', 'below 4 m'],
      ['river / stream（河川/小川）', 'River / stream'],
      ['沖縄県', 'Okinawa'],
      ['青凪市役所', null],
      ['12.5', null],
      ['', null],
    ] as const) {
      assert.equal(englishValue(label), english, label);
    }
  });

  test('values keep their text on the Japanese page, and several are joined', () => {
    assert.equal(valueIn('ja', '住宅'), '住宅');
    assert.equal(valueIn('en', '住宅'), 'House');
    assert.equal(valueIn('en', '住宅、工場'), 'House, Factory');
    assert.equal(valueIn('en', '住宅; 青凪'), '住宅; 青凪');
    assert.equal(valueIn('en', 318.5), '318.5');
    const field = '畑（畑、樹園地、採草地、養鶏（牛・豚）場）';
    assert.equal(valueIn('en', field), 'Farmland other than rice', 'a comma within a label');
  });

  test('of datasets are put together from type, part and place', () => {
    rememberNames([['47900', 'aonagi-shi']]);
    const row = { city: '青凪市', city_code: '47900', ward: null, ward_code: null };
    const [en, ja] = [wordsOf('en'), wordsOf('ja')];
    const flood = {
      ...row,
      id: '47900_fld_natl_sumimigawa_l2_lod1_mvt',
      name: '洪水浸水想定区域モデル 澄見川水系澄見川 想定最大規模（青凪市）',
      type: '洪水浸水想定区域モデル',
      type_en: 'fld',
    };
    assert.equal(datasetName(flood, en), 'River flooding Sumimigawa, worst case (Aonagi)');
    assert.equal(datasetName(flood, ja), '洪水浸水想定区域 澄見川 想定最大規模（青凪市）');
    assert.equal(datasetPart(flood, ja), '澄見川 想定最大規模');
    const ward = { ...flood, ward: '港見区', ward_code: '47901' };
    assert.equal(datasetName(ward, ja), '洪水浸水想定区域 澄見川 想定最大規模（港見区）');
    const zone = { id: '47900_urf_usedistrict_lod1', name: '都市計画決定情報モデル UseDistrict（青凪市）' };
    const plan = { ...zone, type: '都市計画決定情報モデル' };
    assert.equal(datasetPart(plan, en), 'Use district');
    assert.equal(datasetPart(plan, ja), '用途地域');
    const area = { ...plan, name: '区域モデル Zone（青凪市）', type: '区域モデル' };
    assert.equal(datasetName({ ...row, ...area, type_en: 'area' }, ja), '区域（青凪市）', 'no word twice');
    assert.equal(datasetName({ ...row, ...plan, type_en: 'urf' }, ja), '都市計画決定情報 用途地域（青凪市）');
    const other = '洪水浸水想定区域モデル 狩野川水系黄瀬川 計画規模（沼津市）';
    assert.equal(
      datasetPart({ ...flood, name: other }, ja),
      '狩野川水系黄瀬川 計画規模',
      'a river beside the main one keeps its system',
    );
    assert.equal(datasetPart({ id: 'fld_pref_a_b_l1', name: '', type: '' }, en), 'A-B, planned scale');
  });
});

test('composites have names that tell them apart, in the language of the page', () => {
  const composite = {
    id: '13-bldg-lod3-latest',
    url: 'http://a.example/datacatalog/3dtiles/13-bldg-lod3-latest/tileset.json',
    area: 'pref' as const,
    pref: '東京都',
    type: '建築物モデル',
    type_en: 'bldg',
    lod: 3,
    texture: null,
    year: 'latest',
    format_version: '1.0' as const,
    bbox: null,
  };
  const nameOf = (changes: object, language: 'ja' | 'en' = 'en') =>
    compositeName({ ...composite, ...changes }, wordsOf(language));
  assert.equal(nameOf({}), '東京都 · Buildings · LOD 3 · newest year');
  assert.equal(nameOf({ interior: true, year: '2023' }), '東京都 · Buildings · LOD 3 · Indoor · 2023');
  assert.equal(nameOf({ texture: true }), '東京都 · Buildings · LOD 3 · newest year · Textured');
  assert.equal(nameOf({ texture: false }, 'ja'), '東京都 · 建築物 · LOD 3 · 最新年度 · テクスチャなし');
});

describe('the code to paste', () => {
  test('asks for a tile that holds the whole dataset', () => {
    const mvt = { format: 'MVT' as const, url: 'http://a.example/t/{z}/{x}/{y}.mvt' };
    const tileOf = (bbox: DatasetRow['bbox'] & object) =>
      /\/t\/(\d+\/\d+\/\d+)\.mvt/.exec(
        snippetsFor(row({ ...mvt, bbox }), '').find(({ kind }) => kind === 'curl')!.text,
      )![1];
    // A port whose ship routes lie at the edges of its extent: the tile in its middle does not exist at zoom 12
    assert.equal(tileOf([138.765, 34.97, 138.883, 35.085]), '9/453/202');
    assert.equal(tileOf([139.6657, 35.6727, 139.666, 35.6729]), '12/3637/1613');
    // Across an edge of zoom 8
    assert.equal(tileOf([139.2, 35.6, 139.22, 35.61]), '8/226/100');
  });

  test('bears datasets without a licence', () => {
    const { text } = snippetsFor(row({}), 'http://a.example').find(({ kind }) => kind === 'Python')!;
    assert.doesNotMatch(text, /\["license"\]/);
  });
});

test('every class of the map has a name', () => {
  const words = { lods: ['0', '1', '2', '3', '4'], older: 'or older', ja: false };
  for (const by of ['lod', 'types', 'year'] as const) {
    assert.equal(classNames(by, 2024, words).length, 5);
    for (const maxLod of [null, 0, 1, 2, 3, 4]) {
      for (const types of [1, 3, 6, 9, 25]) {
        const found = classOf({ maxLod, types, year: 2016 + types / 5 }, by, 2024);
        assert.ok(found >= 0 && found <= 4);
      }
    }
  }
});

test('both languages have all words', () => {
  assert.deepEqual(Object.keys(ja).sort(), Object.keys(en).sort());
  for (const words of [en, ja])
    for (const [key, text] of Object.entries(words)) assert.notEqual(text, '', key);
});

test('names of areas in both languages', () => {
  assert.equal(areaName({ name: '大阪市', romaji: 'osaka-shi' }, 'en'), 'Osaka');
  assert.equal(areaName({ name: '千代田区', romaji: 'chiyoda-ku' }, 'en'), 'Chiyoda-ku');
  assert.equal(areaName({ name: '東京都23区', romaji: 'tokyo23-ku' }, 'en'), 'Tokyo 23 wards');
  assert.equal(areaName({ name: '大阪市', romaji: 'osaka-shi' }, 'ja'), '大阪市');
  assert.equal(areaName({ name: '青凪市', romaji: null }, 'en'), '青凪市');
});

test('the reasons of the service are said in Japanese', () => {
  assert.match(
    translated('The conditions find 40100 files; at most 20000 are accepted in one pack.')!,
    /40100ファイル.*20000/,
  );
  assert.equal(
    translated('No CityGML is published for 27999.'),
    'この市区町村のCityGMLは公開されていません。',
  );
  assert.match(
    translated('"47900-x" is neither the id of a 3D Tiles dataset nor a spec of a composite.')!,
    /「47900-x」は/,
  );
  assert.match(
    translated(
      'Nothing matches "47900-x". 建築物モデル in 47900 exists as: LOD 1, 2; years 2024; textured and untextured.',
    )!,
    /LOD 1, 2、年度 2024 /,
  );
  assert.match(
    translated('Nothing matches "1-x". For 中央区 (1) there are 3D Tiles of the types bldg, fld.')!,
    /bldg, fld。$/,
  );
  assert.match(
    translated('No hosted package has this file; expected URLs that the catalogue or the file search gave.')!,
    /このファイルを含むパッケージはありません/,
  );
  assert.equal(translated('Something that nobody translated.'), null);
});

test('a licence is named for all data only where all have it, and called free only where it is', () => {
  for (const [ofAll, licence, isOpen] of [
    [null, null, false],
    ['Licensed under CC BY 4.0', 'CC BY 4.0', true],
    ['CC0', 'CC0', true],
    ['CC BY-NC-ND 4.0', 'CC BY-NC-ND 4.0', false],
    ['CC BY-NC 4.0', 'CC BY-NC 4.0', false],
    ['For members only', 'For members only', false],
    ['CC BY 4.0, '.repeat(20), null, false],
  ] as const) {
    assert.deepEqual(licenceClaim(ofAll), { licence, isOpen }, String(ofAll));
  }
});

test('counts of feature types and years are as each language writes them', () => {
  const [en, ja] = [wordsOf('en'), wordsOf('ja')];
  assert.deepEqual([en.types(1), en.types(3), ja.types(3)], ['1 type', '3 types', '3種類']);
  assert.deepEqual([en.year(2024), ja.year(2024)], ['2024', '2024年度']);
});
