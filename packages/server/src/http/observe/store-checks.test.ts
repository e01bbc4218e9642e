import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { type CatalogueStore, type ObjectStore, StoreUnavailable } from '@citymodel/store';
import type { DiskWatch } from './disk-checks.ts';
import { checkDisks, checkStores } from './store-checks.ts';

const NEVER = () => new Promise<never>(() => {});
const SILENT = 'does not answer: nothing came in 2 s';

/** What is told when so many ms have passed; null when nothing is told yet. */
async function answerAfter<T>(t: TestContext, ms: number, asked: () => Promise<T>): Promise<T | null> {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  let answer: T | null = null;
  void asked().then((state) => {
    answer = state;
  });
  await setImmediate();
  t.mock.timers.tick(ms);
  await setImmediate();
  t.mock.timers.reset();
  return answer;
}

test('stores and disks that are silent are told of after two seconds, and no sooner', async (t) => {
  const catalogue = { state: async () => ({}) } as unknown as CatalogueStore;
  const objects = { probe: NEVER } as unknown as ObjectStore;
  const stores = () => checkStores({ catalogue, objects });
  assert.equal(await answerAfter(t, 1_999, stores), null);
  assert.deepEqual(await answerAfter(t, 2_000, stores), { database: 'ok', objects: SILENT });
  const disks = {
    parts: ['disk', 'cache'],
    look: (part: string) => (part === 'disk' ? NEVER() : Promise.resolve({ state: 'has only 3 MiB left' })),
  } as unknown as DiskWatch;
  assert.equal(await answerAfter(t, 1_999, () => checkDisks(disks)), null);
  const states = await answerAfter(t, 2_000, () => checkDisks(disks));
  assert.deepEqual(states, { disk: SILENT, cache: 'has only 3 MiB left' });
});

test('why a store does not answer is told where it knows words for callers, and no more', async () => {
  const failing = (error: Error) => async () => {
    throw error;
  };
  const why = new StoreUnavailable('secret', { why: 'the keys do not allow it' });
  const catalogue = { state: failing(new Error('/srv/secret')) } as unknown as CatalogueStore;
  const objects = { probe: failing(why) } as unknown as ObjectStore;
  assert.deepEqual(await checkStores({ catalogue, objects }), {
    database: 'does not answer',
    objects: 'does not answer: the keys do not allow it',
  });
});
