import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addBringBack } from './bring-back.ts';
import { addRemove } from './remove.ts';
import { houseStore } from './testing/house-store.ts';
import { HOUSES, writeHouses } from './testing/houses.ts';

test('packages are removed by name or id, and brought back while they are kept', async (t) => {
  const store = await houseStore(t);
  await store.publish(await writeHouses(store.directory));
  const removed = await store.run(addRemove, 'remove', 'nobody', HOUSES);
  assert.deepEqual(removed, {
    code: 1,
    out: `removed ${HOUSES}\n`,
    err: 'citymodel: there is no package nobody; `citymodel list` shows what there is.\n',
  });
  const [row] = await store.rows();
  assert.equal(row!.state, 'removed');
  const twice = await store.run(addRemove, 'remove', HOUSES);
  assert.deepEqual([twice.code, twice.out], [1, '']);
  const back = await store.run(addBringBack, 'bring-back', 'nobody', HOUSES);
  assert.deepEqual([back.code, back.out], [1, `live again: ${HOUSES}\n`]);
  assert.match(back.err, /^citymodel: There is no package "nobody"\. .*\n$/);
  assert.equal((await store.rows())[0]!.state, 'live');
  const byId = await store.run(addRemove, 'remove', row!.id!);
  assert.deepEqual(byId, { code: 0, out: `removed ${HOUSES}\n`, err: '' });
});

test('a revision that was replaced takes the place of the one that did it', async (t) => {
  const store = await houseStore(t);
  await store.publish(await writeHouses(store.directory));
  const newer = HOUSES.replace('citygml_1', 'citygml_2');
  await store.publish(await writeHouses(store.directory, { name: newer, count: 4 }));
  assert.deepEqual(await store.run(addBringBack, 'bring-back', HOUSES), {
    code: 0,
    out: `live again: ${HOUSES} in place of ${newer}\n`,
    err: '',
  });
});

test('what was removed is deleted at once where nothing is kept', async (t) => {
  const store = await houseStore(t, { RETIRED_GRACE_S: '0' });
  await store.publish(await writeHouses(store.directory));
  // A quick machine removes and sweeps within a millisecond.
  t.mock.timers.enable({ apis: ['Date'], now: Date.now() });
  assert.equal((await store.run(addRemove, 'remove', HOUSES)).code, 0);
  assert.deepEqual(await store.rows(), []);
});
