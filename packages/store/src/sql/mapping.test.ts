import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FindingRow, GmlFileRow, PackageRow } from '../rows.ts';
import { DATASET, gmlFileOf, packageOf, placeOf } from '../testing/fixtures.ts';
import type { SqlValue } from './driver.ts';
import {
  FINDING,
  findingFromRow,
  GML_FILE,
  GML_FILE_COLUMNS,
  gmlFileFromRow,
  INTENT,
  ISSUE,
  intentFromRow,
  issueFromRow,
  LISTED_FILE_COLUMNS,
  listedFileFromRow,
  PACKAGE,
  PackageReader,
  PLACE,
  PLACED_FILE_COLUMNS,
  packageFromRow,
  placedFileFromRow,
  placeFromRow,
} from './mapping.ts';
import type { Table } from './table.ts';

/** What stands in a column of the row of an object. */
const cellOf = <T>(of: Table<T>, object: T, column: string): SqlValue =>
  of.toRow(object)[of.columns.indexOf(column)]!;
const some = <T>(row: readonly T[], columns: readonly string[], wanted: readonly string[]) =>
  wanted.map((column) => row[columns.indexOf(column)]!);

test('a package comes back from its row as it was, with what it may lack or without it', () => {
  const plain: PackageRow = { ...packageOf('a'), no: 7, state: 'live' };
  const picture = {
    theme: 'light',
    size: 'large',
    key: 'k',
    bytes: 1,
    sha256: 'c',
    width: 2,
    height: 3,
  } as const;
  const full: PackageRow = {
    ...plain,
    bounds: null,
    dataset: DATASET,
    quality: { spec: 5, errors: 1, warnings: 2, complete: true, checkedAt: '2031-01-01T00:00:00.000Z' },
    tables: [{ type: 'bldg', key: 't', size: 8, sha256: 'd', features: 9, version: 1 }],
    pictures: { version: 3, images: [{ ...picture, mimeType: 'image/png' }] },
  };
  for (const row of [plain, full]) assert.deepEqual(packageFromRow(PACKAGE.toRow(row)), row);
  const optional = ['dataset', 'quality', 'tables', 'pictures', 'west', 'south', 'east', 'north'];
  // What is not there is NULL, and no text of it.
  assert.deepEqual(
    optional.map((column) => cellOf(PACKAGE, { ...plain, bounds: null }, column)),
    optional.map(() => null),
  );
});

test('what packages say alike is one value for all rows of a reader, but for long texts', () => {
  const reader = new PackageReader();
  const of = (changes: Partial<PackageRow>) =>
    reader.read(PACKAGE.toRow({ ...packageOf('a'), no: 7, state: 'live', ...changes }));
  const [one, other] = [of({}), of({})];
  assert.equal(one.types, other.types);
  assert.ok(Object.isFrozen(one.areaNames));
  assert.deepEqual(of({ types: ['veg'] }).types, ['veg']);
  assert.deepEqual(one.types, ['bldg', 'tran']);
  // 200 characters are shared yet: `{"a":"…"}` has eight around the name.
  for (const [length, isShared] of [
    [192, true],
    [193, false],
  ] as const) {
    const areaNames = { a: 'x'.repeat(length) };
    const [first, second] = [of({ areaNames }).areaNames, of({ areaNames }).areaNames];
    assert.equal(first === second, isShared, `${length}`);
    assert.deepEqual(first, areaNames);
  }
  const long = 'y'.repeat(300);
  assert.deepEqual([of({ provider: long }).provider, of({ revision: '' }).revision], [long, '']);
});

test('a GML file comes back as it was; lists and sums have some of its columns', () => {
  const file: GmlFileRow = { ...gmlFileOf('53394525'), packageNo: 7 };
  const others: GmlFileRow = {
    ...file,
    ...{ meshGuessed: true, wellFormed: false, lods: [1, 2, 3, 4, 5], bounds: null, areaCodes: [] },
    ...{ minAlt: null, maxAlt: null, crs: null },
  };
  for (const row of [file, others]) {
    const cells = GML_FILE.toRow(row);
    assert.deepEqual(gmlFileFromRow(some(cells, GML_FILE.columns, GML_FILE_COLUMNS)), row);
    const { packageNo, type, path, mesh, maxLod, size, features } = row;
    const areaCodes = row.areaCodes.join(',');
    assert.deepEqual(placedFileFromRow(some(cells, GML_FILE.columns, PLACED_FILE_COLUMNS)), {
      ...{ packageNo, type, mesh, areaCodes, size, features, maxLod },
    });
    const { extras, ...listed } = listedFileFromRow(some(cells, GML_FILE.columns, LISTED_FILE_COLUMNS));
    assert.deepEqual(listed, { packageNo, type, path, mesh, maxLod, areaCodes });
    assert.equal(extras, cells.at(-1));
  }
  assert.equal(GML_FILE_COLUMNS.length, GML_FILE.columns.length - 1);
  assert.deepEqual(GML_FILE.columns.at(-1), 'extras');
});

test('places, issues, findings and intents come back as they were', () => {
  const place = { ...placeOf('本町'), packageNo: 7 };
  assert.deepEqual(placeFromRow(PLACE.toRow(place)), place);
  const issue = { code: 'A', severity: 'error', message: 'b', member: 'c' } as const;
  for (const at of [{}, { line: 3 }, { byte: 0 }, { line: 0, byte: 9 }])
    assert.deepEqual(issueFromRow(ISSUE.toRow({ ...issue, ...at, packageNo: 7, position: 1 })), {
      ...issue,
      ...at,
    });
  const finding: FindingRow = {
    ...{ position: 1, code: 'L13', file: 'f', id: 'g', ref: 'h', line: 4, type: 't', lod: 2, message: 'm' },
    ...{ place: [139.5, 35.5, 0], row: { 列: 'x', n: 3 } },
  };
  const nowhere = {
    file: null,
    id: null,
    ref: null,
    line: null,
    type: null,
    lod: null,
    place: null,
    row: null,
  };
  for (const row of [finding, { ...finding, ...nowhere }])
    assert.deepEqual(findingFromRow(FINDING.toRow({ ...row, packageNo: 7 })), row);
  const absent = { ...finding, ...nowhere, packageNo: 7 };
  assert.deepEqual(
    ['lng', 'lat', 'height', 'official_row'].map((column) => cellOf(FINDING, absent, column)),
    [null, null, null, null],
  );
  const intent = { id: 'i', keys: ['k'], staging: null, host: 'here', pid: 5, heartbeatAt: 6 };
  for (const abandoned of [true, false])
    assert.deepEqual(intentFromRow(INTENT.toRow({ ...intent, abandoned }), ['k']), { ...intent, abandoned });
  assert.equal(intentFromRow(INTENT.toRow(intent), []).abandoned, false);
});
