import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hashOf } from '@citymodel/citygml';
import type { Archives, PackageRow } from '@citymodel/store';
import type { GmlFile } from './gml-files.ts';
import type { GmlIndexes } from './gml-indexes.ts';
import { IdDirectory } from './id-directory.ts';

const ROW = { no: 1, id: 'p' } as PackageRow;
const IDS: Readonly<Record<string, readonly string[]>> = {
  'udx/bldg/a.gml': ['bldg_1', 'bldg_2'],
  'udx/bldg/b.gml': ['bldg_2', 'bldg_3'],
  'udx/bldg/none.gml': [],
};
const FILES = [...Object.keys(IDS), 'udx/bldg/lost.gml'].map((path) => ({ path }) as GmlFile);

/** A directory over the files, and the paths of those whose hashes it reads. */
function directory(maxBytes?: number) {
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
  const ids = new IdDirectory(archives, indexes, maxBytes);
  const mayHave = (id: string) => ids.mayHave(id, ROW, 'bldg');
  const pathsWith = async (id: string) =>
    (await ids.filesWith(id, ROW, 'bldg', FILES)).map(({ path }) => path);
  return { pathsWith, mayHave, reads };
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
  assert.equal(mayHave('bldg_9'), true, 'nothing is known yet');
  assert.deepEqual(await pathsWith('bldg_9'), []);
  for (let n = 0; n < 20; n++) await pathsWith(`tran_${n}`);
  assert.equal(reads.length, once, 'the filter passes strangers over');
  assert.deepEqual([mayHave('bldg_9'), mayHave('bldg_3')], [false, true]);
  assert.deepEqual(await pathsWith('bldg_3'), ['udx/bldg/b.gml']);
  assert.equal(reads.length, 2 * once);
});
