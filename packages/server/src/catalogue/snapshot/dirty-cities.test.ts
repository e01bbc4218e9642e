import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Slices } from '@citymodel/base';
import type { PackageRow } from '@citymodel/store';
import { cityPackage } from '../testing/snapshot-rows.ts';
import { assetKey, assetShelf, indexAssets } from './asset-index.ts';
import type { CityPart } from './city-part.ts';
import { dirtyCities, livePackages, namesOf } from './dirty-cities.ts';
import { PackageList } from './package-list.ts';
import { nothing, type SnapshotState } from './snapshot-state.ts';

const slices = new Slices(async () => {});

test('areas are called as the newest live package calls them, of one year as that which came last', async () => {
  const named = (year: number, name: string, changes: Partial<PackageRow> = {}) =>
    cityPackage({ year, areaNames: { '13101': name, [`own${year}`]: name }, ...changes });
  const rows = PackageList.of([
    named(2022, 'new'),
    named(2022, 'newest'),
    named(2020, 'old'),
    named(2024, 'retired', { state: 'retired' }),
  ]);
  assert.deepEqual(Object.fromEntries(await namesOf(rows, slices)), {
    '13101': 'newest',
    own2022: 'newest',
    own2020: 'old',
  });
});

/** A state with these rows and names. */
const stateOf = (rows: PackageRow[], names: Record<string, string> = {}): SnapshotState => ({
  ...nothing(),
  rows: PackageList.of(rows),
  names: new Map(Object.entries(names)),
});

test('cities of what came, went or changed are dirty', async () => {
  const [kept, gone, back] = [
    cityPackage({ cityCode: '22203' }),
    cityPackage({ cityCode: '13101' }),
    cityPackage({ cityCode: '14100', wardCode: '14101', state: 'retired' }),
  ];
  const fresh = cityPackage({ cityCode: '01100' });
  const before = stateOf([kept, gone, back]);
  const rows = PackageList.of([kept, { ...gone, state: 'retired' }, { ...back, state: 'live' }, fresh]);
  const dirty = (touched: PackageRow[]) =>
    dirtyCities(
      before,
      rows,
      touched.map(({ no }) => no),
      new Map(),
      slices,
    );
  assert.deepEqual([...(await dirty([]))], []);
  assert.deepEqual([...(await dirty([gone]))], ['13100'], 'special wards are one city');
  assert.deepEqual([...(await dirty([back, fresh]))], ['14100', '01100']);
  assert.deepEqual([...(await dirty([{ ...gone, no: 999_999 }]))], [], 'a number of nothing');
});

test('cities whose names were guessed are dirty when an area is called otherwise', async () => {
  const city = cityPackage({ cityCode: '22203', guessed: ['city'] });
  const ward = cityPackage({ cityCode: '14100', wardCode: '14101', guessed: ['ward'] });
  const sure = cityPackage({ cityCode: '27100' });
  const retired = cityPackage({ cityCode: '01100', guessed: ['city'], state: 'retired' });
  const rows = [city, ward, sure, retired];
  const known = { '22203': 'a', '14101': 'b', '27100': 'c', '01100': 'd' };
  const dirty = async (names: Record<string, string>) => [
    ...(await dirtyCities(
      stateOf(rows, known),
      PackageList.of(rows),
      [],
      new Map(Object.entries(names)),
      slices,
    )),
  ];
  assert.deepEqual(await dirty(known), []);
  assert.deepEqual(await dirty({ ...known, '22203': 'x', '27100': 'x', '01100': 'x' }), ['22203']);
  assert.deepEqual(await dirty({ ...known, '14101': 'x' }), ['14100']);
  const { '22203': _, ...fewer } = known;
  assert.deepEqual(await dirty(fewer), ['22203'], 'nobody names it any more');
  assert.deepEqual(await dirty({ ...known, '99999': 'new' }), []);
});

test('live packages of dirty cities are those that were there and those that came, by number and named', async () => {
  const old = cityPackage({ cityCode: '14100', guessed: ['city'], city: 'guess' });
  const ward = cityPackage({ cityCode: '14100', wardCode: '14101', ward: 'guess', guessed: ['ward'] });
  const gone = cityPackage({ cityCode: '14100' });
  const fresh = cityPackage({ cityCode: '14100' });
  const other = cityPackage({ cityCode: '22203' });
  const before = {
    ...stateOf([old, ward, gone, other]),
    cities: new Map([
      ['14100', { packages: [ward, old, gone] } as unknown as CityPart],
      ['22203', { packages: [other] } as unknown as CityPart],
    ]),
  };
  const rows = PackageList.of([old, ward, { ...gone, state: 'retired' }, fresh, other]);
  const names = new Map([
    ['14100', '横浜市'],
    ['14101', '鶴見区'],
  ]);
  const touched = [fresh.no, gone.no];
  const found = await livePackages(before, rows, touched, new Set(['14100']), names, slices);
  assert.deepEqual([...found.keys()], ['14100']);
  assert.deepEqual(
    found.get('14100')!.map(({ no, city, ward: name }) => [no, city, name]),
    [
      [old.no, '横浜市', null],
      [ward.no, '市14100', '鶴見区'],
      [fresh.no, '市14100', null],
    ],
  );
  assert.equal(found.get('14100')![2], fresh, 'what has its names stays the same');
  const unnamed = await livePackages(before, rows, touched, new Set(['14100']), new Map(), slices);
  assert.equal(unnamed.get('14100')![0], old);
});

test('an asset directory is of the live package that came last, else of the first retired one', async () => {
  const path = 'ab/cdef';
  const own = (changes: Partial<PackageRow>) => cityPackage({ assetPath: path, name: 'same', ...changes });
  const [first, second, third] = [own({ state: 'retired' }), own({ state: 'retired' }), own({})];
  const elsewhere = cityPackage({ assetPath: 'zz/1', name: 'same' });
  assert.deepEqual([assetShelf(path), assetKey(path, 'same')], ['ab', 'ab/cdef/same']);
  const index = async (before: SnapshotState, list: PackageRow[], touched: PackageRow[]) => {
    const rows = PackageList.of(list);
    const live = PackageList.of(list.filter(({ state }) => state === 'live'));
    return indexAssets(
      before,
      rows,
      touched.map(({ no }) => no),
      new Set(),
      new Map(),
      live,
      slices,
    );
  };
  const all = [first, second, third, elsewhere];
  const byAsset = await index(nothing(), all, all);
  assert.equal(byAsset.get('ab')!.get('ab/cdef/same'), third);
  assert.equal(byAsset.get('zz')!.get('zz/1/same'), elsewhere);
  const state = { ...stateOf(all), byAsset };
  const retired = { ...third, state: 'retired' as const };
  const later = await index(state, [first, second, retired, elsewhere], [retired]);
  assert.equal(later.get('ab')!.get('ab/cdef/same'), first);
  assert.equal(later.get('zz'), byAsset.get('zz'), 'other shelves stay');
  assert.equal(byAsset.get('ab')!.get('ab/cdef/same'), third, 'that of the snapshot before, too');
  const none = await index(state, [elsewhere], [first, second, third]);
  assert.equal(none.get('ab')!.size, 0);
  const two = own({});
  assert.equal((await index(state, [...all, two], [two])).get('ab')!.get('ab/cdef/same'), two);
});

test('packages of dirty cities are found anew, with the names that they have now', async () => {
  const row = cityPackage({ cityCode: '22203' });
  const before = {
    ...stateOf([row]),
    byAsset: new Map([[assetShelf(row.assetPath), new Map([[assetKey(row.assetPath, row.name), row]])]]),
  };
  const named = { ...row, city: '沼津市' };
  const cities = new Map([['22203', { packages: [row] } as unknown as CityPart]]);
  const of = (dirty: string[]) =>
    indexAssets(before, PackageList.of([row]), [], new Set(dirty), cities, PackageList.of([named]), slices);
  const key = assetKey(row.assetPath, row.name);
  assert.equal((await of(['22203'])).get(assetShelf(row.assetPath))!.get(key), named);
  assert.equal((await of(['99999'])).get(assetShelf(row.assetPath))!.get(key), row);
});
