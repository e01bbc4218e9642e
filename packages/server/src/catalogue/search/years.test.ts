import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PackageRow } from '@citymodel/store';
import fc from 'fast-check';
import { Filters } from '../../base/filter.ts';
import { cityPackage, snapshotOf } from '../testing/snapshot-rows.ts';
import { type FileFilter, type FilteredFile, typesFilter, typesOf, yearsFilter } from './file-filter.ts';
import { YearFilters } from './years.ts';

const MESHES = ['6441', '644142', '64414277', '64414278', '644142771', '6441427712', ''];
const WARDS = ['01101', '01102'];

interface DatedPackage {
  row: PackageRow;
  files: FilteredFile[];
}

/** Packages of a designated city, of two of its wards and of another city, with files of three types. */
const packages: fc.Arbitrary<DatedPackage[]> = fc.array(
  fc
    .record({
      area: fc.constantFrom('01100', '01100', ...WARDS, ...WARDS, '01202'),
      year: fc.integer({ min: 2020, max: 2023 }),
      provider: fc.constantFrom('city', 'pref'),
      files: fc.array(
        fc.record({
          type: fc.constantFrom('bldg', 'tran', 'luse'),
          mesh: fc.constantFrom(...MESHES),
          areaCodes: fc.constantFrom(
            '',
            '01101',
            '01101,01102',
            '01102',
            '01100,01101',
            '01100',
            '01202,01101',
          ),
        }),
        { minLength: 1, maxLength: 6 },
      ),
    })
    .map(({ area, year, provider, files }) => {
      const wardCode = WARDS.includes(area) ? area : null;
      const cityCode = wardCode === null ? area : '01100';
      const types = [...new Set(files.map(({ type }) => type))];
      return { row: cityPackage({ cityCode, wardCode, year, provider, types }), files };
    }),
  { maxLength: 8 },
);

/** The rule word by word: every file is compared with every file. */
function isNewest(
  rows: readonly DatedPackage[],
  { row, files: _ }: DatedPackage,
  file: FilteredFile,
): boolean {
  const area = (of: PackageRow) => of.wardCode ?? of.cityCode;
  const withType = rows.filter((other) => other.row.types.includes(file.type));
  const isNewestOfArea = (of: PackageRow) =>
    withType.every((other) => area(other.row) !== area(of) || other.row.year <= of.year);
  if (!isNewestOfArea(row)) return false;
  if (row.wardCode !== null) {
    return withType.every((other) => area(other.row) !== row.cityCode || other.row.year <= row.year);
  }
  const wards = file.areaCodes.split(',').filter((code) => row.cityCode === '01100' && WARDS.includes(code));
  if (wards.length === 0) return true;
  return !wards.every((ward) =>
    withType.some(
      (other) =>
        other.row.wardCode === ward &&
        other.row.year > row.year &&
        isNewestOfArea(other.row) &&
        other.files.some(({ type, mesh }) => type === file.type && mesh !== '' && file.mesh.startsWith(mesh)),
    ),
  );
}

test(
  'a newer package of a ward takes the place of its city’s in the meshes and types for which it has ' +
    'files',
  async () => {
    await fc.assert(
      fc.asyncProperty(packages, async (rows) => {
        const snapshot = await snapshotOf(...rows.map(({ row }) => row));
        const reads: number[] = [];
        const filters = new YearFilters(async ({ no }) => {
          reads.push(no);
          return rows.find(({ row }) => row.no === no)!.files;
        });
        const filter = await filters.filter(snapshot, 'newest');
        const hasAll = await filters.wholes(snapshot, 'newest');
        for (const candidate of rows) {
          for (const file of candidate.files) {
            assert.ok(filter(candidate.row, file) || !hasAll(candidate.row, file.type));
            assert.equal(
              filter(candidate.row, file),
              isNewest(rows, candidate, file),
              JSON.stringify([candidate.row.year, file]),
            );
          }
        }
        await filters.filter({ ...snapshot }, 'newest');
        await filters.filter(await snapshotOf(...rows.map(({ row }) => row)), 'newest');
        assert.equal(reads.length, new Set(reads).size, 'each package is read once');
      }),
      { numRuns: 500 },
    );
  },
);

test('what could not be read, and a package that has just gone, are asked for again', async () => {
  const city = cityPackage({ cityCode: '01100', year: 2020, types: ['bldg'] });
  const ward = cityPackage({ cityCode: '01100', wardCode: '01101', year: 2023, types: ['bldg'] });
  const file = { type: 'bldg', mesh: '64414277', areaCodes: '01101' };
  const snapshot = await snapshotOf(city, ward);
  const answers = [() => assert.fail('away'), () => [], () => [file]];
  const filters = new YearFilters(async () => answers.shift()!());
  await assert.rejects(filters.filter(snapshot, 'newest'), /away/);
  assert.equal((await filters.filter(snapshot, 'newest'))(city, file), true);
  assert.equal((await filters.filter(await snapshotOf(city, ward), 'newest'))(city, file), false);
});

test('a package is known to have all files of its years where no ward takes the place of any', async () => {
  const city = cityPackage({ cityCode: '01100', year: 2020, types: ['bldg'] });
  const ward = cityPackage({ cityCode: '01100', wardCode: '01101', year: 2023, types: ['bldg'] });
  const other = cityPackage({ cityCode: '22203', year: 2021, types: ['bldg', 'luse'] });
  const newer = cityPackage({ cityCode: '22203', year: 2023, types: ['bldg'] });
  const snapshot = await snapshotOf(city, ward, other, newer);
  const filters = new YearFilters(async () => [{ type: 'bldg', mesh: '64414277' }]);
  const newest = await filters.wholes(snapshot, 'newest');
  assert.deepEqual(
    [city, ward, other, newer].map((row) => newest(row, 'bldg')),
    [false, true, false, true],
  );
  assert.deepEqual([newest(other, 'luse'), newest(newer, 'luse')], [true, false]);
  const of2021 = await filters.wholes(snapshot, new Set([2021]));
  assert.deepEqual([of2021(other, 'bldg'), of2021(newer, 'bldg')], [true, false]);
  assert.ok((await filters.wholes(snapshot, 'all'))(city, 'bldg'));
});

test('the database reads files of the types alone that all filters let through', () => {
  const of = (...filters: Array<FileFilter | null>) => typesOf(new Filters(filters));
  const newest = yearsFilter('newest');
  assert.deepEqual(of(typesFilter(['bldg', 'tran']), newest), ['bldg', 'tran']);
  assert.deepEqual(of(newest, typesFilter(['bldg', 'tran']), typesFilter(['tran', 'veg'])), ['tran']);
  assert.equal(of(newest, typesFilter(null)), undefined);
});
