import assert from 'node:assert/strict';
import { resolve } from 'node:path';
import { test } from 'node:test';
import { addressOf, exists, hostedRow } from './source-address.ts';
import { houseStore } from './testing/house-store.ts';
import { HOUSES, writeHouses } from './testing/houses.ts';

test('a word is a path where there is such a file, else the name or id of a live package', async (t) => {
  const store = await houseStore(t);
  const path = await writeHouses(store.directory);
  await store.publish(path);
  const [row] = await store.rows();
  await store.use(async (stores) => {
    const flags = { ingest: true };
    assert.deepEqual(await addressOf(path, flags, stores), {
      kind: 'upload',
      path,
      overrides: {},
      isNameless: false,
    });
    for (const name of [HOUSES, row!.id!]) {
      assert.deepEqual(await addressOf(name, flags, stores), { kind: 'hosted', row });
    }
    const nothing = {
      code: 'NO_SUCH_FILE',
      message: /neither a file nothing nor a CityGML package of that name/,
    };
    await assert.rejects(addressOf('nothing', flags, stores), nothing);
    await stores.catalogue.setState(row!.no, 'removed');
    await assert.rejects(hostedRow(HOUSES, stores), { code: 'NO_SUCH_FILE' });
  });
});

test('without a store every word is a path, and the options say what the name of the file does not', async () => {
  const overrides = { name: 'n', code: '99101', year: 2020, pref: 'p', city: 'c' };
  assert.deepEqual(await addressOf('a/../b.gml', { ...overrides, ingest: false }, null), {
    kind: 'upload',
    path: resolve('b.gml'),
    overrides,
    isNameless: true,
  });
  assert.deepEqual([await exists(import.meta.filename), await exists('/no/such/file')], [true, false]);
});
