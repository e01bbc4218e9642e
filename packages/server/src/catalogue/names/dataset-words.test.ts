import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { DatasetSub, PackageRow } from '@citymodel/store';
import { cityPackage, testUrls, tilePackage } from '../testing/snapshot-rows.ts';
import {
  datasetInEnglish,
  datasetInJapanese,
  partInEnglish,
  partInJapanese,
  partOf,
} from './dataset-words.ts';
import { capital, latinName } from './latin-name.ts';
import { linkPictureOf } from './link-picture.ts';
import { PartNames, partKey, scaleName } from './part-names.ts';

const BUILDINGS = { id: '13101_bldg_lod1', name: '建築物モデル（千代田区）', type: '建築物モデル' };
const river = (id: string, part: string) => ({
  ...{ id, name: `洪水浸水想定区域モデル ${part}（沼津市）`, type: '洪水浸水想定区域モデル' },
});

test('a title has type, part and place, in both languages', () => {
  assert.equal(datasetInEnglish(BUILDINGS, 'bldg', 'Chiyoda'), 'Buildings (Chiyoda)');
  assert.equal(datasetInJapanese(BUILDINGS, 'bldg', '千代田区'), '建築物（千代田区）');
  assert.equal(datasetInEnglish(BUILDINGS, 'xyz', 'Chiyoda'), 'xyz (Chiyoda)');
  assert.equal(datasetInJapanese(BUILDINGS, 'xyz', '千代田区'), '建築物モデル（千代田区）');
  const flood = river('22203_fld_natl_kano-gawa_l1', '狩野川水系狩野川');
  assert.match(datasetInEnglish(flood, 'fld', 'Numazu'), / Kano-Gawa, planned scale \(Numazu\)$/);
  assert.match(datasetInJapanese(flood, 'fld', '沼津市'), / 狩野川（沼津市）$/);
});

test('a part is what stands between type and place', () => {
  assert.equal(partOf(BUILDINGS), '');
  assert.equal(partOf({ name: '建築物モデル A（B）（千代田区）', type: '建築物モデル' }), 'A（B）');
  assert.equal(partOf({ name: '用途地域', type: '都市計画' }), '用途地域');
});

test('a main river is called without its system, others with it, and a zone by its name in law', () => {
  const of = (part: string) => partInJapanese(river('', part));
  assert.equal(of('狩野川水系狩野川'), '狩野川');
  assert.equal(of('狩野川水系狩野川下流'), '狩野川下流');
  assert.equal(of('狩野川水系黄瀬川'), '狩野川水系黄瀬川');
  assert.equal(of('水系狩野川'), '水系狩野川');
  assert.equal(of('高潮'), '高潮');
  assert.equal(of('UseDistrict'), '用途地域');
});

test('rivers have their names of the id in Latin letters, zones the words of their element', () => {
  assert.equal(partInEnglish(river('22203_fld_natl_kano-gawa_l2', 'x')), 'Kano-Gawa, worst case');
  assert.equal(partInEnglish(river('22203_fld_pref_a_b_l1', 'x')), 'A-B, planned scale');
  for (const id of ['22203_fld_natl_kano', 'natl_a_l1', '22203_fld_l1_natl', '22203_fld_natl_l1_x'])
    assert.equal(partInEnglish(river(id, '高潮')), '高潮', id);
  const zone = (part: string) => partInEnglish({ id: '1', name: `都市計画 ${part}`, type: '都市計画' });
  assert.equal(zone('UseDistrict'), 'Use district');
  assert.equal(zone('Park'), 'Park');
  assert.equal(zone('Park2'), 'Park2');
});

test('municipalities are called without their kind', () => {
  for (const [romaji, name] of [
    ['osaka-shi', 'Osaka'],
    ['chiyoda-ku', 'Chiyoda-ku'],
    ['tokyo23-ku', 'Tokyo 23 wards'],
    ['nishi-izu-cho', 'Nishi-izu'],
    ['shizuoka-ken', 'Shizuoka'],
    ['shison', 'Shison'],
  ] as const)
    assert.equal(latinName(romaji), name);
  assert.equal(capital(''), '');
});

const sub = (code: string, scale: 'l1' | 'l2' | null, scaleSuffix: string | null = null): DatasetSub =>
  ({ code, name: code, scale, scaleSuffix }) as DatasetSub;

test('a scale has a name, and its suffix where there are several', () => {
  assert.equal(scaleName(sub('a', null)), '');
  assert.equal(scaleName(sub('a_l1', 'l1')), '計画規模');
  assert.equal(scaleName(sub('a_l2', 'l2', '2')), '想定最大規模 2');
});

test('all scales of a part have one key, and the whole type has none', () => {
  assert.equal(partKey('fld', null), null);
  assert.equal(partKey('fld', sub('natl_kano_l1', 'l1')), 'fld/natl_kano');
  assert.equal(partKey('fld', sub('natl_kano', null)), 'fld/natl_kano');
  assert.equal(partKey('fld', sub('l1', 'l1')), null);
});

test('the newest CityGML of a municipality names its parts, of one year that which came last', () => {
  const named = (year: number, name: string, more: Partial<PackageRow> = {}) =>
    cityPackage({ year, partNames: { 'fld/natl_a': name, [`fld/only_${year}`]: `${year}` }, ...more });
  const names = new PartNames([
    named(2020, 'old'),
    named(2022, 'first of 2022'),
    named(2022, 'last of 2022'),
    named(2024, 'other city', { cityCode: '22203' }),
    { ...tilePackage({}, { year: 2030 }), partNames: { 'fld/natl_a': 'tiles' } },
  ]);
  const of = (code: string, scale: 'l1' | 'l2' | null = null, city = '13101') =>
    names.named(city, 'fld', sub(code, scale))!.name;
  assert.equal(of('natl_a'), 'last of 2022');
  assert.equal(of('natl_a_l1', 'l1'), 'last of 2022 計画規模');
  assert.equal(of('only_2020'), '2020');
  assert.equal(of('natl_a', null, '22203'), 'other city');
  assert.equal(of('natl_b'), 'natl_b');
  assert.equal(of('natl_a', null, '99999'), 'natl_a');
  assert.equal(names.named('13101', 'fld', null), null);
  const own = sub('natl_a', null);
  assert.equal(new PartNames([]).named('13101', 'fld', own), own);
});

test('a link shows the large, light picture, where there is one', () => {
  const image = { theme: 'light', size: 'large', width: 1_200, height: 630, mimeType: 'image/jpeg' };
  const rowOf = (...images: object[]) =>
    ({ ...tilePackage(), pictures: { version: 1, images } }) as unknown as PackageRow;
  const key = { key: 'p', bytes: 1, sha256: 'ab'.repeat(32) };
  const row = rowOf(
    { ...image, ...key, theme: 'dark' },
    { ...image, ...key, size: 'small' },
    { ...image, ...key },
  );
  const found = linkPictureOf(row, testUrls)!;
  assert.equal(found.url, testUrls.picture(row, 'light', 'large'));
  assert.deepEqual([found.width, found.height, found.mimeType], [1_200, 630, 'image/jpeg']);
  assert.equal(linkPictureOf(rowOf({ ...image, ...key, theme: 'dark' }), testUrls), null);
  assert.equal(linkPictureOf(rowOf({ ...image, ...key, size: 'small' }), testUrls), null);
  assert.equal(linkPictureOf(tilePackage(), testUrls), null);
  assert.equal(linkPictureOf(null, testUrls), null);
});
