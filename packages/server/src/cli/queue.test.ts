import assert from 'node:assert/strict';
import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { FakeS3 } from '@citymodel/store/testing';
import { InvalidSettings, readSettings } from '../base/settings.ts';
import { addIngest } from './ingest.ts';
import { keyInStore, queueUploads, refuseRemote } from './queue.ts';
import { type HouseStore, houseStore } from './testing/house-store.ts';
import { writeHouses } from './testing/houses.ts';
import { catchOutput } from './testing/run-command.ts';

/** What a job that the command queued has to do. */
async function queued(store: HouseStore, ...words: string[]) {
  const run = await store.run(addIngest, 'ingest', '--queue', '--json', ...words);
  return { run, jobs: run.out === '' ? [] : JSON.parse(run.out) };
}

test('a job has the path of an upload, and what the options say of the package alone', async (t) => {
  const store = await houseStore(t);
  const zip = join(store.directory, 'houses.zip');
  await writeFile(zip, 'PK');
  const { out, code } = await store.run(addIngest, 'ingest', '--queue', zip);
  assert.equal(code, 0);
  assert.match(out, /^[0-9a-f-]{36} {2}houses\n$/);
  const flags = ['--code', '99101', '--year', '2020', '--texture', '--lod', '2', '--level', '3', '--replace'];
  const { jobs } = await queued(store, zip, ...flags, '--asset-path', '59/984b81');
  assert.deepEqual(jobs[0].payload, {
    source: { path: zip },
    overrides: { code: '99101', year: 2020, lod: 2, texture: true },
    assetPath: '59/984b81',
    replace: true,
    dryRun: false,
    level: 3,
  });
  assert.deepEqual([jobs[0].maxAttempts, jobs[0].objectKey], [readSettings(store.env).JOB_ATTEMPTS, null]);
  const dry = await queued(store, zip, '--dry-run');
  assert.deepEqual([dry.jobs[0].label, dry.jobs[0].payload.assetPath], ['houses (dry run)', undefined]);
});

test('an upload is put into the store where that is asked for, and a directory is refused then', async (t) => {
  const store = await houseStore(t);
  const zip = join(store.directory, 'houses.zip');
  await writeFile(zip, 'some bytes');
  const { run, jobs } = await queued(store, '--upload', zip);
  assert.equal(run.code, 0);
  const { object, name, size } = jobs[0].payload.source;
  assert.deepEqual([name, size, jobs[0].objectKey], ['houses.zip', 10, object]);
  const bytes = await store.use(async ({ objects }) => {
    await using handle = await objects.open(object);
    return buffer(handle.stream(0, handle.size));
  });
  assert.equal(String(bytes), 'some bytes');
  const folder = await writeHouses(store.directory);
  const refused = await queued(store, '--upload', folder, zip);
  assert.deepEqual([refused.run.code, refused.jobs.length], [1, 1]);
  assert.equal(refused.run.err, `citymodel: ${folder}: it is a directory; put it into a zip first.\n`);
  await rename(zip, `${zip}.gone`);
  const missing = await queued(store, zip);
  assert.deepEqual([missing.run.code, missing.jobs], [1, []]);
  assert.equal(missing.run.err, `citymodel: ${zip}: it does not exist.\n`);
});

test('objects are read from the store of the settings alone, and by jobs alone', async (t) => {
  const store = await houseStore(t);
  const queue = await store.run(addIngest, 'ingest', '--queue', 's3://bucket/a.zip');
  assert.equal(queue.code, 1);
  assert.match(queue.err, /s3:\/\/bucket\/a\.zip: it is not below OBJECT_STORE/);
  await assert.rejects(store.run(addIngest, 'ingest', 's3://bucket/a.zip'), InvalidSettings);
  assert.throws(() => refuseRemote(['a.zip', 's3://b/c']), {
    message: /s3:\/\/b\/c is an object of a store/,
  });
  refuseRemote(['a.zip', 'c:/x', '/a//b']);
  assert.equal(keyInStore('s3://b/p/a.zip', 's3://b/p/?region=x'), 'a.zip');
  assert.equal(keyInStore('s3://b/p/a.zip', 's3://b'), 'p/a.zip');
  assert.equal(keyInStore('s3://b/pa.zip', 's3://b/p'), null);
  assert.equal(keyInStore('s3://b/p/a.zip', '/data/store'), null);
  assert.equal(keyInStore('az://b/a.zip', 's3://b'), null);
});

test('a wait ends with the jobs, with 1 where one ended badly', async (t) => {
  const store = await houseStore(t);
  const zip = join(store.directory, 'houses.zip');
  await writeFile(zip, 'PK');
  const settings = readSettings(store.env);
  const flags = { replace: false, dryRun: false, level: 6, json: true };
  for (const [end, code] of [
    ['succeeded', 0],
    ['dead', 1],
    ['cancelled', 1],
  ] as const) {
    const waiting = catchOutput(store.env, () =>
      queueUploads([{ kind: 'file', path: zip }] as never, { ...flags, wait: true }, settings),
    );
    await store.use(async ({ jobs }) => {
      const claim = () =>
        jobs.claim({ worker: 'w', now: Date.now() + 1e9, leaseUntil: Date.now() + 2e9, kinds: ['ingest'] });
      let claimed = await claim();
      while (claimed === null) {
        // The command that queues takes turns of the event loop; a look at the table takes none.
        await setImmediate();
        claimed = await claim();
      }
      if (end === 'succeeded') await jobs.succeed(claimed, {}, Date.now());
      else if (end === 'dead') await jobs.fail(claimed, { reason: 'no', now: Date.now(), retryAt: null });
      else {
        await jobs.cancel(claimed.id, Date.now());
        await jobs.endCancelled(claimed, Date.now());
      }
    });
    const run = await waiting;
    assert.equal(run.code, code, end);
    assert.equal(JSON.parse(run.out)[0].state, end);
  }
});

test('an object of the store is ingested where it lies, and stays when its job is forgotten', async (t) => {
  const fake = await FakeS3.start();
  t.after(() => fake[Symbol.asyncDispose]());
  const store = await houseStore(t, {
    OBJECT_STORE: fake.address('a/'),
    AWS_ACCESS_KEY_ID: 'test',
    AWS_SECRET_ACCESS_KEY: 'testtest',
  });
  const zip = join(store.directory, 'houses.zip');
  await writeFile(zip, 'some bytes');
  // To a bucket files are put by themselves.
  const put = await queued(store, zip);
  const [{ payload, objectKey }] = put.jobs;
  assert.equal(objectKey, payload.source.object);
  const there = await queued(store, `s3://bucket/a/${objectKey}`);
  assert.equal(there.run.code, 0, there.run.err);
  const [job] = there.jobs;
  assert.deepEqual(job.payload.source, { object: objectKey, name: objectKey.split('/').at(-1), size: 10 });
  assert.equal(job.objectKey, null);
  const missing = await queued(store, 's3://bucket/a/incoming/none.zip');
  assert.deepEqual([missing.run.code, missing.jobs], [1, []]);
  assert.match(missing.run.err, /there is no such object\./);
});
