/** What a caller is told when nothing matches a spec. */
import assert from 'node:assert/strict';
import test from 'node:test';
import type { DatasetSub } from '@citymodel/store';
import { ServiceError } from '../../base/errors.ts';
import type { Snapshot } from '../snapshot/snapshot.ts';
import { cityPackage, snapshotOf, testUrls, tilePackage } from '../testing/snapshot-rows.ts';
import { cityZipFor } from './city-zips.ts';
import { compositeFor } from './composite-tilesets.ts';
import { tileJsonFor } from './mvt-tilejson.ts';
import { areaLabel } from './nearest.ts';

type Resolve = (snapshot: Snapshot, urls: typeof testUrls, spec: string) => unknown;

function reasonOf(resolve: Resolve, snapshot: Snapshot, spec: string): string {
  try {
    resolve(snapshot, testUrls, spec);
  } catch (error) {
    assert.ok(error instanceof ServiceError && error.status === 404, String(error));
    return error.reason!;
  }
  return assert.fail(`${spec} resolves`);
}

const part = (code: string): DatasetSub => ({
  code,
  name: code,
  admin: null,
  river: null,
  scale: null,
  scaleSuffix: null,
});

test('an area is told by its name and code, or by a code that nobody knows', () => {
  assert.equal(areaLabel('all'), 'the whole country');
  assert.equal(areaLabel('13101'), '千代田区 (13101)');
  assert.equal(areaLabel('99999'), '99999');
});

test('3D Tiles: the LODs, years, textures and interiors of the type in the area', async () => {
  const of = (...rows: ReturnType<typeof tilePackage>[]) => snapshotOf(...rows);
  const several = await of(
    tilePackage({ lod: 2 }, { year: 2022 }),
    tilePackage({ lod: 1 }),
    tilePackage({ lod: 3, lodEx: 33, interior: true }),
  );
  assert.equal(
    reasonOf(compositeFor, several, '13101-bldg-lod4-latest'),
    'Nothing matches "13101-bldg-lod4-latest". 建築物モデル in 千代田区 (13101) exists as: LOD 1, 2, 33; years 2022, 2023; ' +
      'textured; interior too.',
  );
  const inner = await of(tilePackage({ interior: true }), tilePackage({ interior: true, texture: false }));
  assert.match(
    reasonOf(compositeFor, inner, '13101-bldg-lod4-latest'),
    /LOD 1; years 2023; textured and untextured; interior only\.$/,
  );
  const plain = await of(tilePackage({ texture: false }));
  assert.match(reasonOf(compositeFor, plain, '13101-bldg-lod4-latest'), /LOD 1; years 2023; untextured\.$/);
});

test('3D Tiles: up to ten parts of a type, and how many more there are', async () => {
  const parts = (count: number) =>
    snapshotOf(
      ...Array.from({ length: count }, (_, i) =>
        tilePackage({ type: 'fld', texture: false, sub: part(`natl_r${String(i).padStart(2, '0')}`) }),
      ),
    );
  const ten = reasonOf(compositeFor, await parts(10), '13101-fld-lod4-latest');
  assert.ok(ten.endsWith(('parts fld_natl_r00, fld_natl_r01, fld_natl_r02, fld_natl_r03, fld_natl_r04, fld_natl_r05, ' +
    'fld_natl_r06, fld_natl_r07, fld_natl_r08, fld_natl_r09.')), ten); // biome-ignore format: one sentence
  assert.match(
    reasonOf(compositeFor, await parts(12), '13101-fld-lod4-latest'),
    /fld_natl_r09 and 2 more\.$/,
  );
});

test('3D Tiles: other types of the area, data of the city around a ward, or nothing at all', async () => {
  const snapshot = await snapshotOf(
    tilePackage({ type: 'brid' }, { cityCode: '01100' }),
    tilePackage({}, { cityCode: '01100' }),
    tilePackage({ type: 'tran' }, { cityCode: '22203' }),
  );
  assert.match(
    reasonOf(compositeFor, snapshot, '22203-bldg-lod1-latest'),
    /For 沼津市 \(22203\) there are 3D Tiles of the types tran\.$/,
  );
  assert.match(reasonOf(compositeFor, snapshot, '01101-bldg-lod4-latest'), /exists as: LOD 1; years 2023/);
  assert.match(
    reasonOf(compositeFor, snapshot, '47201-bldg-lod1-latest'),
    /No 3D Tiles are published for 那覇市 \(47201\)\.$/,
  );
});

test('MVT: what the area or its city has, the wards that have the type, or nothing', async () => {
  const mvt = { format: 'MVT' as const, type: 'fld' };
  const snapshot = await snapshotOf(
    tilePackage({ ...mvt, sub: part('natl_a') }, { cityCode: '22203' }),
    tilePackage({ ...mvt, type: 'luse' }, { cityCode: '01100', wardCode: '01101' }),
    tilePackage({ ...mvt, type: 'urf' }, { cityCode: '01100' }),
  );
  assert.equal(
    reasonOf(tileJsonFor, snapshot, '22203-fld_natl_b-2020'),
    'Nothing matches "22203-fld_natl_b-2020". 洪水浸水想定区域モデル in 沼津市 (22203) exists as MVT: LOD 1; years 2023; parts ' +
      'fld_natl_a.',
  );
  assert.match(reasonOf(tileJsonFor, snapshot, '01102-urf-2020'), /exists as MVT: LOD 1; years 2023\.$/);
  assert.match(
    reasonOf(tileJsonFor, snapshot, '01100-luse-2023'),
    /札幌市 \(01100\) has this type in parts; give the code of one of them: 01101\.$/,
  );
  assert.match(
    reasonOf(tileJsonFor, snapshot, '47201-fld-2023'),
    /No MVT of the type fld is published for 那覇市 \(47201\)\.$/,
  );
});

test('CityGML: the years of the municipality, or of the city around a ward', async () => {
  const snapshot = await snapshotOf(
    cityPackage({ cityCode: '01100', year: 2021 }),
    cityPackage({ cityCode: '22203', year: 2022 }),
  );
  assert.match(
    reasonOf(cityZipFor, snapshot, '01101-2019'),
    /中央区 \(01101\) is published for the years 2021\.$/,
  );
  assert.match(
    reasonOf(cityZipFor, snapshot, '22203-2019'),
    /沼津市 \(22203\) is published for the years 2022\.$/,
  );
});

test('a spec is cut after a hundred characters in what is said of it', async () => {
  const snapshot = await snapshotOf(cityPackage());
  assert.throws(
    () => cityZipFor(snapshot, testUrls, 'x'.repeat(300)),
    (error) => error instanceof ServiceError && error.reason!.startsWith(`"${'x'.repeat(100)}…" `),
  );
});

test('MVT: at most thirty wards are named', async () => {
  const wards = Array.from({ length: 31 }, (_, i) => String(14_101 + i));
  const rows = wards.map((wardCode) =>
    tilePackage({ format: 'MVT', type: 'luse' }, { cityCode: '14100', wardCode }),
  );
  const reason = reasonOf(tileJsonFor, await snapshotOf(...rows), '14100-luse-2023');
  assert.ok(reason.endsWith(`: ${wards.slice(0, 30).join(', ')}.`), reason);
});
