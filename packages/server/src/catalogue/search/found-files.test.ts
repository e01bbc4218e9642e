import assert from 'node:assert/strict';
import { test } from 'node:test';
import { meshBounds, squareKilometres } from '@citymodel/geo';
import type { ListedFileRow, MeasuredFileRow, PackageRow } from '@citymodel/store';
import { Filters } from '../../base/filter.ts';
import { cityPackage } from '../testing/snapshot-rows.ts';
import { FileCounts } from './file-counts.ts';
import {
  type FileFilter,
  type FilterState,
  fileTestOf,
  typesFilter,
  typesOf,
  yearsFilter,
} from './file-filter.ts';
import { FoundFiles } from './found-files.ts';
import { WardFiles } from './ward-files.ts';

const fileOf = (pkg: PackageRow, path: string, changes: Partial<ListedFileRow> = {}): ListedFileRow => ({
  ...{ packageNo: pkg.no, type: 'bldg', path, mesh: '53394525', maxLod: 1, extras: '', areaCodes: '' },
  ...changes,
});
const LIMITS = { maxBytes: 1_000_000, maxFiles: 100, prefixBytes: () => 10 };

test('files are counted by package and type, and kept while an answer of them is small', () => {
  const pkg = cityPackage();
  const found = new FoundFiles(LIMITS);
  found.add(pkg, fileOf(pkg, 'b'));
  found.add(pkg, fileOf(pkg, 'a', { extras: 'xyz' }));
  found.add(pkg, fileOf(pkg, 'c', { type: 'tran' }));
  assert.deepEqual([found.files, found.keepsRows], [3, true]);
  // Each stands there twice: path, extras, the address of the package and 48 bytes around them.
  assert.equal(found.bytes, 2 * (3 * (1 + 10 + 48) + 3));
  const [only] = found.sorted();
  assert.equal(only!.package, pkg);
  const groups = [...only!.types.values()];
  assert.deepEqual(
    groups.map(({ type, count, rows, package: own }) => [
      type,
      count,
      rows.map(({ path }) => path),
      own === pkg,
    ]),
    [
      ['bldg', 2, ['a', 'b'], true],
      ['tran', 1, ['c'], true],
    ],
  );
});

test('beyond a limit, or of what only counts, rows are dropped and counts go on', () => {
  const pkg = cityPackage();
  const rowsOf = (found: FoundFiles) =>
    [...found.sorted()[0]!.types.values()].flatMap(({ rows }) => rows).length;
  const add = (limits: Partial<typeof LIMITS> | null, count: number) => {
    const found = new FoundFiles(limits === null ? null : { ...LIMITS, ...limits });
    for (let i = 0; i < count; i++) found.add(pkg, fileOf(pkg, `${i}`));
    return [found.files, found.keepsRows, rowsOf(found)];
  };
  assert.deepEqual(add({ maxFiles: 3 }, 3), [3, true, 3]);
  assert.deepEqual(add({ maxFiles: 3 }, 5), [5, false, 0]);
  const own = 2 * (1 + 10 + 48);
  assert.deepEqual(add({ maxBytes: 2 * own }, 2), [2, true, 2]);
  assert.deepEqual(add({ maxBytes: 2 * own - 1 }, 2), [2, false, 0]);
  assert.deepEqual(add(null, 2), [2, false, 0]);
  const counted = new FoundFiles(LIMITS);
  counted.add(pkg, fileOf(pkg, 'a'));
  counted.count(pkg, fileOf(pkg, 'b'));
  assert.deepEqual([counted.files, counted.keepsRows, rowsOf(counted)], [2, false, 0]);
});

test('packages are in the order of year, municipality, ward, owner and name', () => {
  const packages = [
    cityPackage({ year: 2024, cityCode: '22203' }),
    cityPackage({ year: 2023, cityCode: '13101', name: 'a' }),
    cityPackage({ year: 2023, cityCode: '13101', name: 'b' }),
    cityPackage({ year: 2023, cityCode: '13101', name: '0', provider: 'pref' }),
    cityPackage({ year: 2023, cityCode: '13101', name: '1', provider: 'natl' }),
    cityPackage({ year: 2023, cityCode: '13101', wardCode: '13102', name: '0' }),
    cityPackage({ year: 2023, cityCode: '13102', name: '0' }),
    cityPackage({ year: 2022, cityCode: '01100' }),
  ];
  for (const order of [
    packages,
    packages.toReversed(),
    packages.toSorted((a, b) => (a.name < b.name ? -1 : 1)),
  ]) {
    const found = new FoundFiles(LIMITS);
    for (const pkg of order) found.add(pkg, fileOf(pkg, 'a'));
    assert.deepEqual(
      found.sorted().map(({ package: pkg }) => packages.indexOf(pkg)),
      [...packages.keys()],
    );
  }
});

test('sums are of each package and type; 3rd meshes count once, larger ones not at all', () => {
  const pkg = cityPackage();
  const counts = new FileCounts();
  const row = (changes: Partial<MeasuredFileRow>): MeasuredFileRow => ({
    ...{ packageNo: pkg.no, type: 'bldg', mesh: '53394525', areaCodes: '', size: 10, features: 2, maxLod: 1 },
    ...changes,
  });
  counts.add(pkg, row({}));
  counts.add(pkg, row({ maxLod: 3, size: 5, mesh: '5339452511' }));
  counts.add(pkg, row({ maxLod: 2, mesh: '533945' }));
  counts.add(pkg, row({ type: 'tran', mesh: '53394526', features: 7 }));
  const other = cityPackage();
  counts.add(other, row({ mesh: '' }));
  assert.deepEqual(Object.fromEntries(counts.packages.get(pkg)!), {
    bldg: { files: 3, features: 6, bytes: 25, maxLod: 3 },
    tran: { files: 1, features: 7, bytes: 10, maxLod: 1 },
  });
  assert.equal(counts.packages.get(other)!.get('bldg')!.files, 1);
  const km2 = squareKilometres(meshBounds('53394525')) + squareKilometres(meshBounds('53394526'));
  assert.deepEqual(counts.meshes, { count: 2, km2 });
});

test('files of a ward are those that name it, and those that name none in its meshes', () => {
  const pkg = cityPackage({ cityCode: '14100' });
  const around = (code: string) => (code.startsWith('141') ? '14100' : null);
  const file = (mesh: string, areaCodes = '') => ({ mesh, areaCodes });
  const own = [file('53394525', '14101'), file('53394526', '14102,14101'), file('53394527', '14102')];
  const passing = (wards: string[], files = own) => {
    const wardFiles = new WardFiles(pkg, wards, around);
    for (const one of files) wardFiles.learn(one);
    const accepts = wardFiles.filter();
    return [...own, file('53394525'), file('533945'), file('53394527'), file('53394599', '99999')]
      .map((one) => (accepts(one) ? 1 : 0))
      .join('');
  };
  assert.equal(passing(['14101']), '1101100');
  assert.equal(passing(['14102']), '0110110');
  assert.equal(passing(['14101', '14102']), '1111110');
  assert.equal(passing(['14103']), '0001111', 'a ward that no file names may be anywhere');
  assert.equal(passing(['14101', '14103']), '1101111');
  assert.equal(passing(['14101'], []), '1111111', 'no file names a ward');
  assert.equal(passing(['14101'], [file('53394525', '99999')]), '1111111', 'nor one of the city');
});

test('filters of types and years have a key that does not depend on the order', async () => {
  assert.deepEqual([typesFilter(null), yearsFilter('all')], [null, null]);
  const types = typesFilter(['tran', 'bldg'])!;
  assert.equal(types.key, typesFilter(['bldg', 'tran', 'bldg'])!.key);
  assert.deepEqual([types.words, types.types], ['of type tran, bldg', ['tran', 'bldg']]);
  const years = yearsFilter(new Set([2023, 2021]) as never)!;
  assert.deepEqual([years.key, years.words], ['["years",2021,2023]', 'of 2021, 2023']);
  const newest = yearsFilter('newest')!;
  assert.deepEqual([newest.key, newest.words], ['["years","newest"]', 'of the newest year']);
  assert.notEqual(newest.key, years.key);
});

test('a file passes where all filters let it; types of all are those that each lets through', async () => {
  const pkg = cityPackage({ types: ['bldg', 'tran'] });
  const state = {} as FilterState;
  const some = (hasAll?: boolean): FileFilter => ({
    ...{ name: 'x', key: 'x', words: 'x' },
    at: async () => ({
      accepts: (_, { mesh }) => mesh === '1',
      mayHave: (_, type) => type !== 'tran',
      ...(hasAll !== undefined && { hasAll: () => hasAll }),
    }),
  });
  const testOf = (...filters: Array<FileFilter | null>) => fileTestOf(new Filters(filters), state);
  const file = (type: string, mesh: string) => ({ type, mesh, areaCodes: '' });
  const none = await testOf();
  assert.ok(none.accepts(pkg, file('x', '')) && none.mayHave(pkg, 'bldg') && none.hasAll!(pkg, 'bldg'));
  assert.ok(!none.mayHave(pkg, 'luse'), 'the package has none');
  const both = await testOf(typesFilter(['bldg', 'luse']), some());
  assert.ok(both.accepts(pkg, file('bldg', '1')));
  assert.ok(!both.accepts(pkg, file('bldg', '2')) && !both.accepts(pkg, file('tran', '1')));
  assert.deepEqual(
    ['bldg', 'tran', 'luse'].map((type) => both.mayHave(pkg, type)),
    [true, false, false],
  );
  assert.equal(both.hasAll!(pkg, 'bldg'), false, 'only a look tells');
  assert.equal((await testOf(typesFilter(['bldg']), some(true))).hasAll!(pkg, 'bldg'), true);
  assert.equal((await testOf(typesFilter(['bldg']), some(true))).hasAll!(pkg, 'tran'), false);
  const types = (...filters: Array<FileFilter | null>) => typesOf(new Filters(filters));
  assert.deepEqual(types(), undefined);
  assert.deepEqual(types(some(), typesFilter(['b', 'a'])), ['b', 'a']);
  assert.deepEqual(types(typesFilter(['b', 'a']), typesFilter(['a', 'c'])), ['a']);
});
