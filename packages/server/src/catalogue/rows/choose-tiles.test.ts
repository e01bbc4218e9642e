import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { DatasetSub, DatasetSummary, PackageRow } from '@citymodel/store';
import { PartNames } from '../names/part-names.ts';
import type { LodChoice, TilesChoice } from '../specs/tiles-spec.ts';
import { tilePackage } from '../testing/snapshot-rows.ts';
import { chooseMvt, chooseMvtOfRegion } from './choose-mvt.ts';
import {
  chooseTiles,
  findTiles,
  inArea,
  inPart,
  lodMatches,
  newestPerArea,
  packageCodes,
} from './choose-tiles.ts';
import { type Dataset, toDataset } from './snapshot-dataset.ts';

const subOf = (code: string): DatasetSub => ({ code, name: code, scale: null }) as unknown as DatasetSub;

function dataset(row: Partial<PackageRow> = {}, facts: Partial<DatasetSummary> = {}): Dataset {
  return toDataset(tilePackage(facts, row), new PartNames([]))!;
}

const mvt = (row: Partial<PackageRow> = {}, facts: Partial<DatasetSummary> = {}) =>
  dataset(row, { format: 'MVT', type: 'luse', lodNamed: false, ...facts });

const CHOICE: TilesChoice = {
  ...{ sub: null, lod: { max: true, value: 4 }, interior: false, texture: null, year: 'latest' },
};

/** Numbers of those that were chosen. */
const chosen = (all: readonly Dataset[], found: readonly Dataset[]) =>
  found.map((one) => all.indexOf(one)).join();
const choose = (all: readonly Dataset[], changes: Partial<TilesChoice> = {}) =>
  chosen(all, chooseTiles(all, { ...CHOICE, ...changes }));

test('an area covers its wards, a prefecture its municipalities, 13100 the special wards', () => {
  const all = [
    dataset({ cityCode: '13101' }),
    dataset({ cityCode: '13201' }),
    dataset({ cityCode: '14100', wardCode: '14101' }),
    dataset({ cityCode: '14100' }),
  ];
  for (const [code, expected] of [
    ['all', '0,1,2,3'],
    ['13', '0,1'],
    ['14', '2,3'],
    ['13100', '0'],
    ['13101', '0'],
    ['14100', '2,3'],
    ['14101', '2'],
    ['14102', ''],
  ] as const)
    assert.equal(chosen(all, inArea(all, code)), expected, code);
});

test('a sub code names a part, else the provider of a package of exactly the area, with its revision', () => {
  const all = [
    dataset({ cityCode: '14100', provider: 'pref', revision: '2' }),
    dataset({ cityCode: '14100', wardCode: '14101', provider: 'pref' }),
    dataset({ cityCode: '14100' }, { type: 'fld', sub: subOf('natl_a') }),
  ];
  const part = (sub: string | null) => chosen(all, inPart(all, { area: '14100', sub }));
  assert.equal(part(null), '0,1,2');
  assert.equal(part('natl_a'), '2');
  assert.equal(part('pref'), '0');
  assert.equal(part('pref_2'), '0');
  assert.equal(part('pref_3'), '');
  assert.equal(part('natl_a_city_1'), '2');
  assert.deepEqual(packageCodes(all[0]!), ['pref', 'pref_2']);
  assert.deepEqual(packageCodes(all[2]!), ['natl_a_city', 'natl_a_city_1']);
  const spec = { ...CHOICE, area: '14101', type: 'bldg', sub: 'pref' };
  assert.equal(chosen(all, findTiles(all, spec)), '1');
  assert.equal(chosen(all, findTiles(all, { ...spec, area: '14', sub: null })), '0,1,2');
});

test('a level of detail is exact or the highest up to one, 3.3 by its two digits', () => {
  const [two, three, inside] = [
    dataset({}, { lod: 2 }),
    dataset({}, { lod: 3 }),
    dataset({}, { lod: 3, lodEx: 33 }),
  ];
  const matching = (lod: LodChoice) =>
    [two, three, inside].map((one) => (lodMatches(one, lod) ? 1 : 0)).join('');
  for (const [max, value, expected] of [
    [false, 2, '100'],
    [false, 3, '011'],
    [false, 33, '001'],
    [false, 30, '010'],
    [true, 2, '100'],
    [true, 3, '111'],
    [true, 4, '111'],
    [true, 1, '000'],
    [true, 32, '110'],
    [true, 33, '111'],
    [false, 10, '000'],
  ] as const)
    assert.equal(matching({ max, value }), expected, `${max} ${value}`);
  const one = dataset({}, { lod: 1 });
  for (const max of [false, true]) assert.ok(lodMatches(one, { max, value: 10 }), 'LOD 1.0 is LOD 1');
  assert.ok(!lodMatches(two, { max: true, value: 10 }));
});

test('a dataset must match all that is asked, and have a volume', () => {
  const all = [
    dataset({ cityCode: '1', year: 2020 }),
    dataset({ cityCode: '2', year: 2021 }, { texture: false }),
    dataset({ cityCode: '3', year: 2021 }, { interior: true }),
    dataset({ cityCode: '4', year: 2021 }, { sub: subOf('a') }),
    dataset({ cityCode: '5', bounds: null }, { boundingVolume: null, region: null }),
    mvt({ cityCode: '6' }),
  ];
  assert.equal(choose(all), '0,1,3');
  assert.equal(choose(all, { interior: true }), '2');
  assert.equal(choose(all, { year: 2021 }), '1,3');
  assert.equal(choose(all, { texture: false }), '1');
  assert.equal(choose(all, { texture: true }), '0,3');
  assert.equal(choose(all, { sub: 'a' }), '3');
  assert.equal(choose(all, { lod: { max: false, value: 2 } }), '');
});

test('of one area the highest level is taken, then the texture, then what is preferred', () => {
  const exact = { lod: { max: false, value: 3 } };
  const levels = [dataset({}, { lod: 2 }), dataset({}, { lod: 3 }), dataset({}, { lod: 3, lodEx: 33 })];
  assert.equal(choose(levels), '2', '3.3 is higher than 3');
  assert.equal(choose(levels, exact), '1', 'a plain 3 is meant');
  assert.equal(choose([levels[2]!, levels[0]!], exact), '0', '3.3 where there is no other');
  const textures = [dataset({}, { texture: false }), dataset({}, { texture: true })];
  assert.equal(choose(textures), '1');
  assert.equal(choose(textures.toReversed()), '0');
  const named = [dataset({}, { lodNamed: false }), dataset()];
  assert.equal(choose(named), '1');
  const owners = [dataset({ provider: 'pref' }), dataset({ provider: 'city' })];
  assert.equal(choose(owners), '1');
  assert.equal(choose([...levels, dataset({ cityCode: '22203' })]), '2,3', 'in their order');
});

test('the newest of each area counts; city and wards give way to what is newer of the other', () => {
  const city = (year: number) => dataset({ cityCode: '14100', year });
  const ward = (year: number, wardCode = '14101') => dataset({ cityCode: '14100', wardCode, year });
  const newest = (...all: Dataset[]) => chosen(all, newestPerArea(all));
  assert.equal(newest(city(2020), city(2022), city(2021)), '1');
  assert.equal(newest(city(2020), ward(2021)), '1', 'a ward is newer');
  assert.equal(newest(city(2021), ward(2021)), '0,1');
  assert.equal(newest(city(2022), ward(2021), ward(2022, '14102')), '0,2', 'the city is newer');
  assert.equal(newest(ward(2019), ward(2021, '14102')), '0,1', 'wards are not of each other');
  const other = dataset({ cityCode: '22203', year: 2001 });
  assert.equal(newest(other, city(2021)), '0,1');
  const part = dataset({ cityCode: '14100', year: 2001 }, { sub: subOf('a') });
  assert.equal(newest(part, city(2021)), '0,1', 'each part has its own');
  assert.equal(choose([city(2020), ward(2021)], { year: 2020 }), '0');
});

const MVT = { area: '13101', type: 'luse', sub: null, lod: null, interior: false, year: 'latest' } as const;

test('vector tiles are of exactly their area: the newest, the whole type, the highest level', () => {
  const all = [
    mvt({ year: 2022 }, { sub: subOf('b') }),
    mvt({ year: 2022 }, { sub: subOf('a') }),
    mvt({ year: 2022 }),
    mvt({ year: 2021 }),
    mvt({ cityCode: '13102', year: 2024 }),
    mvt({ year: 2022 }, { lod: 2 }),
    mvt({ year: 2023 }, { interior: true }),
  ];
  const of = (list: readonly Dataset[], changes = {}) => {
    const found = chooseMvt(list, { ...MVT, ...changes });
    return found === undefined ? '' : chosen(all, [found]);
  };
  assert.equal(of(all), '5');
  assert.equal(of(all.toReversed()), '5');
  assert.equal(of(all.slice(0, 5)), '2');
  assert.equal(of(all.slice(0, 2)), '1');
  assert.equal(of(all, { year: 2021 }), '3');
  assert.equal(of(all, { year: 2020 }), '');
  assert.equal(of(all, { sub: 'b' }), '0');
  assert.equal(of(all, { lod: 1 }), '2');
  assert.equal(of(all, { lod: 2 }), '5');
  assert.equal(of(all, { interior: true }), '6');
  assert.equal(of(all, { area: '13102' }), '4');
  assert.equal(of(all, { area: '13' }), '');
});

test('a plain level of vector tiles goes before 3.3 where the level is named, behind it elsewhere', () => {
  const all = [mvt({}, { lod: 3 }), mvt({}, { lod: 3, lodEx: 33 })];
  assert.equal(chooseMvt(all, MVT), all[1]);
  assert.equal(chooseMvt(all, { ...MVT, lod: 3 }), all[0]);
});

test('vector tiles of a region are one of each area and part', () => {
  const all = [
    mvt({ year: 2021 }),
    mvt({ year: 2022 }),
    mvt({ cityCode: '13102', year: 2020 }),
    mvt({ cityCode: '13102', year: 2020 }, { lod: 2 }),
    mvt({ cityCode: '13102', year: 2019 }, { sub: subOf('a') }),
    mvt({ cityCode: '22203', year: 2022 }),
  ];
  const of = (changes = {}) => chosen(all, chooseMvtOfRegion(all, { ...MVT, area: '13', ...changes }));
  assert.equal(of(), '1,3,4');
  assert.equal(of({ year: 2021 }), '0');
  assert.equal(of({ area: 'all' }), '1,3,4,5');
  assert.equal(of({ lod: 1, year: 2020 }), '2');
});
