import assert from 'node:assert/strict';
import test from 'node:test';
import { setImmediate } from 'node:timers/promises';
import type { CatalogueState } from '@citymodel/store';
import { ServiceError } from '../../base/errors.ts';
import { cityPackage, MemoryCatalogue, testUrls } from '../testing/snapshot-rows.ts';
import { CatalogueWatch } from './catalogue-watch.ts';
import type { Snapshot } from './snapshot.ts';

function watching(catalogue: MemoryCatalogue) {
  const swaps: number[] = [];
  const errors: unknown[] = [];
  const watch = new CatalogueWatch({
    store: catalogue.asStore(),
    urls: testUrls,
    pollMs: 1,
    onSwap: (snapshot) => swaps.push(snapshot.version),
    onError: (error) => errors.push(error),
  });
  return { watch, swaps, errors };
}

test('there is no snapshot before the first is built, then the newest version', async () => {
  const catalogue = new MemoryCatalogue([cityPackage()]);
  const { watch, swaps } = watching(catalogue);
  assert.equal(watch.ready, false);
  assert.throws(
    () => watch.current(),
    (error) => error instanceof ServiceError && error.status === 503 && error.retryAfter === 1,
  );
  const first = await watch.refresh();
  assert.equal(watch.current(), first);
  assert.equal(await watch.refresh(), first, 'the same version is not built again');
  catalogue.rows.push(cityPackage());
  catalogue.versionNo = 2;
  assert.equal(watch.current(), first, 'nobody has looked yet');
  const second = await watch.refresh();
  assert.equal(second.packages.length, 2);
  assert.equal(first.packages.length, 1, 'a snapshot does not change');
  assert.deepEqual(swaps, [1, 2]);
});

test('a change during a build is seen by the one who asks after the change', async () => {
  const catalogue = new MemoryCatalogue([cityPackage()]);
  const { watch } = watching(catalogue);
  const running = watch.refresh();
  catalogue.rows = [cityPackage(), cityPackage()];
  catalogue.versionNo = 2;
  assert.equal((await watch.refresh()).version, 2);
  await running;
});

test('a change when a build has read all takes another look, for the one who asks then', async () => {
  const catalogue = new MemoryCatalogue([cityPackage()]);
  const asked = Promise.withResolvers<Snapshot>();
  const watch = new CatalogueWatch({
    store: catalogue.asStore(),
    urls: testUrls,
    onSwap() {
      if (catalogue.versionNo > 1) return;
      catalogue.versionNo = 2;
      asked.resolve(watch.refresh());
    },
  });
  await watch.refresh();
  assert.equal((await asked.promise).version, 2);
});

test('all who ask during a build wait for one further look, and share what it finds', async () => {
  const catalogue = new MemoryCatalogue([cityPackage()]);
  const { watch, swaps } = watching(catalogue);
  const found = await Promise.all([watch.refresh(), watch.refresh(), watch.refresh()]);
  assert.deepEqual(swaps, [1]);
  assert.deepEqual(new Set(found), new Set([watch.current()]));
});

test('a failure is reported and the old snapshot stays', async () => {
  const catalogue = new MemoryCatalogue([cityPackage()]);
  const { watch, errors } = watching(catalogue);
  const first = await watch.refresh();
  catalogue.failure = new Error('away');
  await assert.rejects(watch.refresh(), /away/);
  assert.deepEqual(errors, [catalogue.failure]);
  assert.equal(watch.current(), first);
  catalogue.failure = null;
  catalogue.versionNo = 2;
  assert.equal((await watch.refresh()).version, 2);
});

test('a single change is shown at once, a burst when it is over or its first change is old', async () => {
  const catalogue = new MemoryCatalogue([cityPackage()]);
  let time = 0;
  const watch = new CatalogueWatch({
    store: catalogue.asStore(),
    urls: testUrls,
    quietMs: 2_000,
    gatherMs: 10_000,
    now: () => time,
  });
  await watch.refresh();
  /** The version that is shown after a look at that time. */
  const look = async (at: number, publishes: boolean) => {
    time = at;
    if (publishes) catalogue.versionNo++;
    const isNewest = await watch.poll();
    assert.equal(isNewest, watch.current().version === catalogue.versionNo);
    return watch.current().version;
  };
  assert.equal(await look(100_000, true), 2, 'alone, at once');
  assert.equal(await look(101_000, true), 2, 'soon after another, it waits');
  assert.equal(await look(102_000, true), 2, 'and so does the next');
  assert.equal(await look(103_000, false), 2);
  assert.equal(await look(104_000, false), 4, 'nothing for two seconds');
  assert.equal(await look(105_000, true), 5, 'it is quiet again');
  for (let at = 106_000; at < 116_000; at += 1_000) assert.equal(await look(at, true), 5, `${at}`);
  assert.equal(await look(116_000, true), 16, 'the first of them is ten seconds old');
  assert.equal(await look(117_000, true), 16, 'gathering begins anew');
  assert.equal(await look(200_000, false), 17);
  assert.equal((await watch.refresh()).version, 17);
  assert.equal(await look(300_000, true), 18);
  catalogue.versionNo++;
  assert.equal((await watch.refresh()).version, 19, 'one who must have the newest gets it');
});

test('a store that tells of changes wakes it, until it is stopped', async () => {
  const catalogue = new MemoryCatalogue([cityPackage()]);
  const { promise, resolve } = Promise.withResolvers<void>();
  const watch = new CatalogueWatch({
    store: catalogue.asStore(),
    urls: testUrls,
    pollMs: 600_000,
    onSwap: ({ version }) => version === 3 && resolve(),
  });
  await watch.refresh();
  watch.start();
  catalogue.versionNo = 2;
  catalogue.announce();
  catalogue.versionNo = 3;
  catalogue.announce();
  await promise;
  await watch.stop();
  catalogue.versionNo = 4;
  catalogue.announce();
  assert.equal(watch.current().version, 3);
});

test('started, it looks by itself until it is stopped', async () => {
  const catalogue = new MemoryCatalogue([cityPackage()]);
  const { promise, resolve } = Promise.withResolvers<void>();
  const watch = new CatalogueWatch({
    store: catalogue.asStore(),
    urls: testUrls,
    pollMs: 1,
    onSwap: ({ version }) => version === 2 && resolve(),
  });
  await watch.refresh();
  watch.start();
  watch.start();
  catalogue.versionNo = 2;
  // The watch’s own timer does not keep the process alive, so the test does.
  const alive = setInterval(() => {}, 1000);
  await promise;
  clearInterval(alive);
  await watch.stop();
  assert.equal(watch.current().version, 2);
});

for (const asked of ['state', 'hasBeen'] as const) {
  test(`stopped while the store answers ${asked}(), it ends that look and builds nothing`, async (t) => {
    const catalogue = new MemoryCatalogue([cityPackage()]);
    const { watch, swaps, errors } = watching(catalogue);
    await watch.refresh();
    let isClosed = false;
    const held = Promise.withResolvers<void>();
    const begun = Promise.withResolvers<void>();
    for (const method of ['state', 'hasBeen'] as const) {
      const ask = catalogue[method].bind(catalogue) as (state?: CatalogueState) => Promise<never>;
      t.mock.method(catalogue, method, async (state: CatalogueState) => {
        if (isClosed) throw new Error('the store is closed');
        if (method === asked) {
          begun.resolve();
          await held.promise;
        }
        return ask(state);
      });
    }
    catalogue.versionNo = 2;
    watch.start();
    catalogue.announce();
    await begun.promise;
    const stopped = watch.stop().then(() => {
      isClosed = true;
    });
    for (let i = 0; i < 20; i++) await setImmediate();
    assert.equal(isClosed, false);
    held.resolve();
    await stopped;
    for (let i = 0; i < 20; i++) await setImmediate();
    assert.deepEqual([errors, swaps], [[], [1]]);
  });
}
