/** Comparisons of packages that are served, in the thread that makes them. */
import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { PACKAGE, writeSmallPackage } from '../convert/testing/small-package.ts';
import { host } from '../features/testing/hosted.ts';
import { comparePackages } from './compare-packages.ts';

test('two packages are compared in a thread, and what they differ in is kept', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'citymodel-changes-'));
  try {
    const objectStore = join(directory, 'objects');
    const stagingDir = join(directory, 'staging');
    await mkdir(stagingDir);
    const zips = ['2023', '2024'].map((year) => join(directory, `${PACKAGE.replace('2023', year)}.zip`));
    await writeSmallPackage(zips[0]!, 'a', 200);
    await writeSmallPackage(zips[1]!, 'b', 300);
    await using hosted = await host(zips, objectStore);
    const { catalogue, objects, comparisons } = hosted.stores;
    const [from, to] = hosted.rows.toSorted((a, b) => a.year - b.year);
    const heard: number[] = [];
    const staged: Array<string | null> = [];
    const compare = (type: string, signal = new AbortController().signal, older = from!.id) =>
      comparePackages(
        { from: older, to: to!.id, type },
        {
          catalogue: {
            findPackages: (by) => catalogue.findPackages(by),
            touchIntent: (id, at) => catalogue.touchIntent(id, at),
            endIntent: (id) => catalogue.endIntent(id),
            beginIntent(intent) {
              staged.push(intent.staging);
              return catalogue.beginIntent(intent);
            },
          },
          objects,
          comparisons,
          storeSettings: { dataDir: directory, databaseUrl: '', objectStore },
          stagingDir,
          signal,
          onProgress: ({ done, total }) => heard.push(done / total),
        },
      );
    const summary = await compare('luse');
    const { features, added, removed, changed, unchanged } = summary!;
    assert.deepEqual(features, { from: 800, to: 1200 });
    assert.deepEqual([removed, changed + unchanged, added], [0, 800, 400]);
    assert.equal(heard.at(-1), 1);
    const kept = await comparisons.find({ from: from!.no, to: to!.no, type: 'luse' });
    assert.deepEqual(JSON.parse(kept!.summary), summary);
    const rows = await comparisons.rows({
      list: kept!.list,
      change: null,
      bounds: null,
      after: -1,
      limit: 9999,
    });
    assert.equal(rows.length, added + changed, 'more than a page');
    assert.deepEqual(
      rows.map(({ position }) => position),
      [...rows.keys()],
    );
    // Again: the list before goes.
    await compare('luse');
    assert.notEqual((await comparisons.find({ from: from!.no, to: to!.no, type: 'luse' }))!.list, kept!.list);
    assert.equal(await compare('luse', undefined, 'gone'), null);
    await assert.rejects(compare('tran', AbortSignal.abort(new Error('enough'))), /enough/);
    assert.equal(await comparisons.find({ from: from!.no, to: to!.no, type: 'tran' }), null);
    assert.deepEqual(await readdir(stagingDir), []);
    // A killed comparison is cleaned up after by its intent, which names the directory of its records.
    assert.ok(staged.length >= 2 && staged.every((path) => path?.startsWith(stagingDir)), String(staged));
    assert.deepEqual(await catalogue.intents(), []);
  } finally {
    await rm(directory, { recursive: true });
  }
});
