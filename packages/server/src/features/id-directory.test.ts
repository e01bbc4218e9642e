import assert from 'node:assert/strict';
import { test } from 'node:test';
import { backgroundSlices } from '@citymodel/base';
import { hashOf } from '@citymodel/citygml';
import type { Archives, PackageRow, PackageTable } from '@citymodel/store';
import type { GmlFile } from './gml-files.ts';
import type { GmlIndexes } from './gml-indexes.ts';
import { type FilterTables, IdDirectory } from './id-directory.ts';
import { TABLE_VERSION } from './tables/table-facts.ts';

const ROW = { no: 1, id: 'p' } as PackageRow;
const IDS: Readonly<Record<string, readonly string[]>> = {
  'udx/bldg/a.gml': ['bldg_1', 'bldg_2'],
  'udx/bldg/b.gml': ['bldg_2', 'bldg_3'],
  'udx/bldg/none.gml': [],
};
const FILES = [...Object.keys(IDS), 'udx/bldg/lost.gml'].map((path) => ({ path }) as GmlFile);

/** A directory over the files, and the paths of those whose hashes it reads. */
function directory(maxBytes?: number, tables: FilterTables | null = null) {
  const reads: string[] = [];
  const archives = {
    open: async () => ({
      index: { find: (path: string) => (path in IDS ? { path } : undefined) },
      async [Symbol.asyncDispose]() {},
    }),
  } as unknown as Archives;
  const indexes = {
    async idHashes(_row: PackageRow, { path }: { path: string }) {
      reads.push(path);
      return Uint32Array.from(IDS[path]!.map((id) => hashOf(Buffer.from(id)))).sort();
    },
  } as unknown as GmlIndexes;
  const ids = new IdDirectory(archives, indexes, tables, maxBytes);
  const mayHave = (id: string, row = ROW) => ids.mayHave(id, row, 'bldg');
  const pathsWith = async (id: string, row = ROW) =>
    (await ids.filesWith(id, row, 'bldg', FILES)).map(({ path }) => path);
  return { ids, pathsWith, mayHave, reads };
}

test('names the files that may have an id, and reads hashes once', async () => {
  const { pathsWith, reads } = directory();
  assert.deepEqual(await pathsWith('bldg_1'), ['udx/bldg/a.gml']);
  assert.deepEqual(await pathsWith('bldg_2'), ['udx/bldg/a.gml', 'udx/bldg/b.gml']);
  assert.deepEqual(await pathsWith('bldg_9'), []);
  assert.deepEqual(reads, Object.keys(IDS));
});

test('a package that is too large to be kept is read for ids that it may have alone', async () => {
  const { pathsWith, mayHave, reads } = directory(1);
  const once = Object.keys(IDS).length;
  assert.equal(await mayHave('bldg_9'), true, 'nothing is known yet');
  assert.deepEqual(await pathsWith('bldg_9'), []);
  for (let n = 0; n < 20; n++) await pathsWith(`tran_${n}`);
  assert.equal(reads.length, once, 'the filter passes strangers over');
  assert.deepEqual([await mayHave('bldg_9'), await mayHave('bldg_3')], [false, true]);
  assert.deepEqual(await pathsWith('bldg_3'), ['udx/bldg/b.gml']);
  assert.equal(reads.length, 2 * once);
});

/** A package with a table. */
function withTable(no: number, { type = 'bldg', version = TABLE_VERSION } = {}): PackageRow {
  const tables = [{ type, version, key: `table ${no}` }];
  return { no, id: `p${no}`, tables } as unknown as PackageRow;
}

test('filters of tables come before all hashes, once each', async () => {
  const asked: string[] = [];
  const tables: FilterTables = {
    async ids(table: PackageTable | undefined) {
      const key = table?.key ?? 'no table';
      asked.push(key);
      if (key === 'table 3') throw new Error('damaged');
      // None, as in tables of earlier versions.
      if (key === 'table 4') return null;
      return { byteLength: 8, mayHave: (id) => key === 'table 2' && id === 'bldg_1' };
    },
  };
  const { ids, pathsWith, reads } = directory(undefined, tables);
  const [no, yes, damaged, none] = [1, 2, 3, 4].map((n) => withTable(n));
  const others = [ROW, withTable(5, { type: 'tran' }), withTable(6, { version: TABLE_VERSION + 1 })];
  const all = [no!, yes!, damaged!, none!, ...others];
  const packagesWith = (id: string, rows: PackageRow[]) =>
    ids.packagesWith(id, rows, 'bldg', backgroundSlices());
  assert.deepEqual(await packagesWith('bldg_9', all), new Set([damaged, none, ...others]));
  assert.deepEqual(asked.sort(), ['table 1', 'table 2', 'table 3', 'table 4']);
  assert.deepEqual(await packagesWith('bldg_1', [no!, yes!]), new Set([yes]));
  assert.equal(asked.length, 4, 'filters are kept');
  assert.deepEqual(reads, [], 'no index is read');
  assert.deepEqual(await pathsWith('bldg_1', no), []);
  assert.deepEqual(reads, []);
  assert.deepEqual(await pathsWith('bldg_1', yes), ['udx/bldg/a.gml']);
});
