import assert from 'node:assert/strict';
import test from 'node:test';
import { ServiceError } from '../../base/errors.ts';
import { cityPackage, MemoryCatalogue, testUrls } from '../testing/snapshot-rows.ts';
import { CatalogueWatch } from './catalogue-watch.ts';

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

test('a change during a build is seen by whoever asks after the change', async () => {
  const catalogue = new MemoryCatalogue([cityPackage()]);
  const { watch } = watching(catalogue);
  const running = watch.refresh();
  catalogue.rows = [cityPackage(), cityPackage()];
  catalogue.versionNo = 2;
  assert.equal((await watch.refresh()).version, 2);
  await running;
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
