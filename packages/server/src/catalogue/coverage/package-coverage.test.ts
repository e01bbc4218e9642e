import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FEATURE_TYPES } from '@citymodel/base';
import type { MeasuredFileRow } from '@citymodel/store';
import { cityPackage } from '../testing/snapshot-rows.ts';
import { CoverageCache, MESH, MESH_NUMBERS, maxLodAt, typeBit } from './package-coverage.ts';

/** A store that tells which packages it was asked for. */
function storeOf(rows: MeasuredFileRow[], pageSize = 2) {
  const asked: number[][] = [];
  let fault: Error | null = null;
  const store = {
    async *placedFiles({ packageNos }: { packageNos?: readonly number[] }) {
      asked.push([...packageNos!]);
      if (fault !== null) throw fault;
      const own = rows.filter(({ packageNo }) => packageNos!.includes(packageNo));
      for (let at = 0; at < own.length; at += pageSize) yield own.slice(at, at + pageSize);
    },
  };
  return {
    cache: new CoverageCache(store as never),
    asked,
    fail: (error: Error | null) => {
      fault = error;
    },
  };
}

const row = (packageNo: number, changes: Partial<MeasuredFileRow> = {}): MeasuredFileRow => ({
  ...{ packageNo, type: 'bldg', mesh: '53394525', areaCodes: '', size: 10, features: 2, maxLod: 1 },
  ...changes,
});

test('a type has the bit of its place, one that is not known the last', () => {
  assert.deepEqual(FEATURE_TYPES.slice(0, 3).map(typeBit), [1, 2, 4]);
  assert.equal(typeBit('no type'), 2 ** 31);
  const bits = FEATURE_TYPES.map(typeBit);
  assert.equal(new Set(bits.slice(0, 31)).size, Math.min(31, bits.length));
});

test('a package has its meshes with types, counts and levels, its bytes and highest levels', async () => {
  const pkg = cityPackage();
  const { cache } = storeOf([
    row(pkg.no),
    row(pkg.no, { type: 'tran', maxLod: 3, features: 5 }),
    row(pkg.no, { maxLod: 2, size: 7 }),
    row(pkg.no, { mesh: '533946', type: 'no type', maxLod: 4 }),
    row(pkg.no, { mesh: '', type: 'tran', maxLod: 0 }),
  ]);
  const { meshes, maxLods, bytes } = (await cache.of([pkg])).get(pkg.no)!;
  assert.equal(bytes, 47);
  assert.deepEqual(Object.fromEntries(maxLods), { bldg: 2, tran: 3, 'no type': 4 });
  const [bldg, tran, unknown] = ['bldg', 'tran', 'no type'].map(typeBit) as [number, number, number];
  assert.deepEqual(
    [...meshes],
    [
      [53394525, bldg + tran, 3, 9, bldg + tran, bldg + tran, tran, 0],
      [533946, unknown, 1, 2, unknown, unknown, unknown, unknown],
      [0, tran, 1, 2, 0, 0, 0, 0],
    ].flat(),
  );
  assert.deepEqual([MESH_NUMBERS, MESH.features], [8, 3]);
  const lods = (place: number, bits: number) => maxLodAt(meshes, place * MESH_NUMBERS, bits);
  assert.deepEqual([lods(0, bldg), lods(0, tran), lods(0, bldg + tran), lods(0, unknown)], [2, 3, 3, 0]);
  assert.deepEqual([lods(1, unknown), lods(2, tran)], [4, 0]);
});

test('each package is read once, fifty at a time, and forgotten when it has gone', async () => {
  const packages = Array.from({ length: 101 }, () => cityPackage());
  const { cache, asked } = storeOf(packages.map(({ no }) => row(no)));
  const all = await cache.of(packages);
  assert.deepEqual(
    asked.map(({ length }) => length),
    [50, 50, 1],
  );
  assert.equal(all.size, 101);
  const [first, second] = packages as [(typeof packages)[0], (typeof packages)[0]];
  await Promise.all([cache.of([first], packages), cache.of([second], packages)]);
  assert.equal(asked.length, 3, 'both are known');
  assert.deepEqual([...(await cache.of([first])).keys()], [first.no], 'others have gone');
  await cache.of([second]);
  assert.deepEqual(asked.slice(3), [[second.no]]);
  const none = cityPackage();
  assert.deepEqual((await cache.of([none])).get(none.no), {
    meshes: new Float64Array(0),
    maxLods: new Map(),
    bytes: 0,
  });
});

test('what a store does not tell is asked again', async () => {
  const pkg = cityPackage();
  const { cache, asked, fail } = storeOf([row(pkg.no)]);
  fail(new Error('away'));
  await assert.rejects(cache.of([pkg]), { message: 'away' });
  fail(null);
  assert.equal((await cache.of([pkg])).size, 1);
  assert.equal(asked.length, 2);
});
