import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listedFile } from '../../store/file-facts.ts';
import type { GmlFileRow, PackageRow } from '../../store/rows.ts';
import { cityPackage, testUrls } from '../testing/snapshot-rows.ts';
import { PackageTexts } from './package-texts.ts';

function texts(rowsOf: (of: PackageRow) => GmlFileRow[]) {
  const loads: number[][] = [];
  const kept = new PackageTexts({
    urls: testUrls,
    load: async (packages) => {
      loads.push(packages.map((of) => of.no));
      return new Map(
        packages
          .map((of) => [of.no, rowsOf(of).map(listedFile)] as const)
          .filter(([, rows]) => rows.length > 0),
      );
    },
  });
  return { kept, loads };
}

function row(of: PackageRow, i: number): GmlFileRow {
  return {
    packageNo: of.no,
    path: `udx/bldg/${i}.gml`,
    type: i % 2 === 0 ? 'bldg' : 'tran',
    mesh: '53394509',
    meshGuessed: false,
    size: i,
    features: 1,
    lods: [],
    maxLod: 1,
    sha256: String(i).padStart(64, '0'),
    bounds: null,
    minAlt: null,
    maxAlt: null,
    crs: null,
    areaCodes: [],
    wellFormed: true,
  };
}

const rows = (of: PackageRow) => Array.from({ length: 100 }, (_, i) => row(of, i));
const PACKAGES = [1, 2, 3, 4].map((no) => cityPackage({ no }));

test('what was listed once is not loaded again, and says the same', async () => {
  const { kept, loads } = texts(rows);
  const [a, b] = PACKAGES;
  const first = await kept.list([a!]);
  assert.deepEqual(await kept.list([b!, a!]).then((lists) => lists.map((list) => list?.package.no)), [2, 1]);
  assert.deepEqual(loads, [[1], [2]]);
  const [again] = await kept.list([a!]);
  assert.equal(again!.types, first[0]!.types);
  const [renamed] = await kept.list([{ ...a!, city: '新市' }]);
  assert.equal(renamed!.package.city, '新市', 'what is kept are the files, not the package');
  const objects = JSON.parse(`[${await again!.types.get('bldg')!.json.bytes()}]`);
  assert.deepEqual(
    objects.map((file: { fileSize: number }) => file.fileSize),
    Array.from({ length: 50 }, (_, i) => 2 * i),
  );
});

test('a package without files in the database is not kept', async () => {
  let isThere = false;
  const { kept, loads } = texts((of) => (isThere ? rows(of) : []));
  assert.deepEqual(await kept.list([PACKAGES[0]!]), [null]);
  isThere = true;
  assert.equal((await kept.list([PACKAGES[0]!]))[0]?.types.size, 2);
  assert.equal(loads.length, 2);
});

test('lists can be made in advance, until that is no longer wanted', async () => {
  const { kept, loads } = texts(rows);
  await kept.prepare(PACKAGES.slice(0, 3), new AbortController().signal);
  assert.deepEqual(loads, [[1], [2], [3]]);
  await kept.list(PACKAGES);
  assert.deepEqual(loads.at(-1), [4]);
  const abort = new AbortController();
  const stopped = texts((of) => {
    if (of.no === 2) abort.abort();
    return rows(of);
  });
  await stopped.kept.prepare(PACKAGES, abort.signal);
  assert.deepEqual(stopped.loads, [[1], [2]]);
});
