import assert from 'node:assert/strict';
import test from 'node:test';
import { ServiceError } from '../../base/errors.ts';
import { cityPackage, snapshotOf, testUrls } from '../testing/snapshot-rows.ts';
import { cityTableFor, cityZipFor } from './city-zips.ts';

const old = cityPackage({ cityCode: '22203', year: 2021 });
const recent = cityPackage({ cityCode: '22203', year: 2023 });
const sapporo = cityPackage({ cityCode: '01100' });
const specialWards = cityPackage({ cityCode: '13100', year: 2022 });
const chiyoda = cityPackage({ cityCode: '13101', year: 2023 });
const perWard = cityPackage({ cityCode: '27100', wardCode: '27102' });
const snapshot = await snapshotOf(old, recent, sapporo, specialWards, chiyoda, perWard);

const locationOf = (spec: string) => cityZipFor(snapshot, testUrls, spec).location;

test('a year or the newest, of the municipality, or for a ward of its city', () => {
  assert.equal(locationOf('22203-latest'), testUrls.archive(recent));
  assert.equal(locationOf('22203-2021'), testUrls.archive(old));
  assert.equal(locationOf('01101-latest'), testUrls.archive(sapporo));
  assert.equal(locationOf('13101-latest'), testUrls.archive(chiyoda));
  assert.equal(locationOf('13101-2022'), testUrls.archive(specialWards));
  assert.equal(locationOf('13105-latest'), testUrls.archive(specialWards));
  assert.equal(locationOf('27102-2023'), testUrls.archive(perWard));
});

test('the entity tag is that of the target', () => {
  const { etag } = cityZipFor(snapshot, testUrls, '22203-latest');
  assert.equal(cityZipFor(snapshot, testUrls, '22203-2023').etag, etag);
  assert.notEqual(cityZipFor(snapshot, testUrls, '22203-2021').etag, etag);
});

test('a table is of the newest edition that has the type, of a ward or of its city', async () => {
  const table = (type: string) => ({ type, key: type, size: 1, sha256: '', features: 1, version: 1 });
  const packageWith = (of: Parameters<typeof cityPackage>[0], ...types: string[]) =>
    cityPackage({ ...of, types, tables: types.map(table) });
  const city = packageWith({ cityCode: '27100', year: 2021 }, 'bldg', 'luse', 'tran');
  const newer = packageWith({ cityCode: '27100', year: 2022 }, 'bldg', 'tran');
  const ward = packageWith({ cityCode: '27100', wardCode: '27102', year: 2023 }, 'bldg');
  const unmade = cityPackage({ cityCode: '22203', types: ['bldg'] });
  const editions = await snapshotOf(city, newer, ward, unmade);
  const tableOf = (spec: string, type: string) => cityTableFor(editions, testUrls, spec, type).location;
  assert.equal(tableOf('27100-latest', 'bldg'), testUrls.table(newer, 'bldg'));
  assert.equal(tableOf('27100-latest', 'luse'), testUrls.table(city, 'luse'));
  assert.equal(tableOf('27100-2021', 'bldg'), testUrls.table(city, 'bldg'));
  assert.equal(tableOf('27102-latest', 'bldg'), testUrls.table(ward, 'bldg'));
  assert.equal(tableOf('27102-latest', 'tran'), testUrls.table(newer, 'tran'));
  const fails = (spec: string, type: string, reason: RegExp) =>
    assert.throws(
      () => tableOf(spec, type),
      (error) => error instanceof ServiceError && error.status === 404 && reason.test(error.reason!),
      spec,
    );
  fails('27100-latest', 'brid', /2022.* has no "brid"; its types are bldg, tran/);
  fails('27100-2022', 'luse', /has no "luse"/);
  fails('27100-2020', 'bldg', /years 2022, 2021/);
  fails('22203-latest', 'bldg', /not made yet/);
});

test('malformed is 400, nothing there is 404 with what there is', () => {
  const fails = (spec: string, status: number, reason: RegExp) =>
    assert.throws(
      () => locationOf(spec),
      (error) => error instanceof ServiceError && error.status === status && reason.test(error.reason!),
      spec,
    );
  for (const spec of ['', '22203', '22203-', '22203-23', 'all-latest', '222-latest', '22203-latest-x']) {
    fails(spec, 400, /not of the form <code>-<year>/);
  }
  fails('22203-2022', 404, /years 2023, 2021/);
  fails('27100-latest', 404, /27102/);
  fails('47201-latest', 404, /No CityGML is published for/);
});
