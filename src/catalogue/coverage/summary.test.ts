import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cityPackage, snapshotOf, tilePackage } from '../testing/snapshot-rows.ts';
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
