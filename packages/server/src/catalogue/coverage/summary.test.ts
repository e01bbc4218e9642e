import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { MeasuredFileRow } from '@citymodel/store';
import { cityPackage, snapshotOf, tilePackage } from '../testing/snapshot-rows.ts';
import { meshCoverage } from './mesh-coverage.ts';
import { CoverageCache } from './package-coverage.ts';
import { summaryOf } from './summary.ts';

test('a licence is that of all only where every package states it', async () => {
  const totals = async (...licences: Array<string | null>) => {
    const rows = licences.map((license, i) =>
      i === 0
        ? tilePackage({}, { license })
        : cityPackage({ license, year: 2000 + i, identity: `citygml/${i}` }),
    );
    return summaryOf(await snapshotOf(...rows), new Map()).totals;
  };
  const one = await totals('CC BY 4.0', 'CC BY 4.0');
  assert.deepEqual([one.licences, one.licence_of_all], [['CC BY 4.0'], 'CC BY 4.0']);
  const silent = await totals('CC BY 4.0', 'CC BY 4.0', null);
  assert.deepEqual([silent.licences, silent.licence_of_all], [['CC BY 4.0'], null]);
  assert.equal((await totals('CC BY 4.0', 'CC BY-NC 4.0')).licence_of_all, null);
  assert.equal((await totals(null, null)).licence_of_all, null);
  assert.equal((await totals()).licence_of_all, null);
});

test('totals are sums over municipalities, and bytes and years of all packages', async () => {
  const rows = [
    cityPackage({ features: 5, year: 2021 }),
    cityPackage({ features: 7, year: 2023 }),
    cityPackage({ features: 11, cityCode: '27100', license: 'a' }),
    cityPackage({ features: 13, cityCode: '27', license: 'a' }),
    tilePackage({}, { features: 99, year: 2024, license: 'b' }),
  ];
  const { totals } = summaryOf(await snapshotOf(...rows), new Map());
  assert.deepEqual(totals, {
    ...{ cities: 2, packages: 5, datasets: 1, features: 7 + 11, newest_year: 2024 },
    bytes: rows.reduce((sum, { archiveSize }) => sum + archiveSize, 0),
    ...{ licences: ['a', 'b'], licence_of_all: null },
  });
  const none = summaryOf(await snapshotOf(), new Map()).totals;
  assert.deepEqual([none.cities, none.features, none.bytes, none.newest_year], [0, 0, 0, null]);
});

test('wards have data by packages of their own, or by those of their city', async () => {
  const wards = async (...rows: Parameters<typeof snapshotOf>) => {
    const { cities } = summaryOf(await snapshotOf(...rows), new Map());
    return cities.map(({ code, wards: codes }) => [code, codes.length, codes[0] ?? null]);
  };
  assert.deepEqual(await wards(cityPackage({ cityCode: '27100' })), [['27100', 24, '27102']]);
  assert.deepEqual(await wards(cityPackage({ cityCode: '27100', wardCode: '27127' })), [
    ['27100', 1, '27127'],
  ]);
  assert.deepEqual(await wards(tilePackage({}, { cityCode: '13100' })), [['13100', 23, '13101']]);
  assert.deepEqual(
    await wards(cityPackage({ cityCode: '12100', wardCode: '12999' }), cityPackage({ cityCode: '01202' })),
    [
      ['01202', 0, null],
      ['12100', 1, '12999'],
    ],
  );
});

test('the highest LOD is told of each type, by 3D Tiles and by the files of CityGML', async () => {
  const rows = [
    tilePackage({ type: 'bldg', lod: 1 }),
    tilePackage({ type: 'luse', format: 'MVT' }),
    cityPackage({ year: 2021 }),
  ];
  const snapshot = await snapshotOf(...rows);
  const files = [
    ['53394509', 'bldg', 2],
    ['53394509', 'tran', 1],
    ['53394519', 'tran', 3],
    ['53394519', 'dem', 0],
  ].map(([mesh, type, maxLod]) => ({
    packageNo: snapshot.packages.find(({ kind }) => kind === 'citygml')!.no,
    mesh,
    type,
    maxLod,
    size: 1,
    features: 1,
  })) as unknown as MeasuredFileRow[];
  const cache = new CoverageCache({
    async *placedFiles() {
      yield files;
    },
  });
  const coverage = await cache.of(snapshot.packages);
  const [city] = summaryOf(snapshot, coverage).cities;
  assert.equal(city!.max_lod, 3);
  assert.deepEqual(city!.max_lods, { bldg: 2, tran: 3, dem: 0 });
  const highest = async (...rows: Parameters<typeof snapshotOf>) =>
    summaryOf(await snapshotOf(...rows), new Map()).cities[0]!.max_lod;
  assert.equal(await highest(tilePackage({ type: 'bldg', lod: 2 })), 2, 'of one type');
  assert.equal(await highest(tilePackage({ type: 'luse', format: 'MVT' })), null, 'nobody knows of any');
  const lods = (types: string[] | null) =>
    meshCoverage(snapshot.packages, coverage, { digits: 8, types, years: null, bbox: null }).map(
      ([mesh, maxLod]) => [mesh, maxLod],
    );
  assert.deepEqual(lods(null), [
    ['53394509', 2],
    ['53394519', 3],
  ]);
  assert.deepEqual(lods(['tran']), [
    ['53394509', 1],
    ['53394519', 3],
  ]);
  assert.deepEqual(lods(['dem']), [['53394519', 0]]);
});
