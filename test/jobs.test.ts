/** Jobs over the command line: asked for by one process, done by others, which may die at any moment. */
import assert from 'node:assert/strict';
import type { ChildProcess } from 'node:child_process';
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { Random } from '../src/sample/random.ts';
import type { JobRow } from '../src/store/job-store.ts';
import { gml, goodPackage, type Members, PACKAGE, writeZip } from './support/packages.ts';
import { finished, runProgram, spawnProgram, tempDirectory } from './support/program.ts';
import { assertClean, list } from './support/store.ts';

/** Workers that must die, and rounds that may pass until then. */
const KILLS = 10;
const MAX_ROUNDS = 60;

const QUICK = { JOB_POLL_MS: '50', JOB_RETRY_S: '0', JOB_LEASE_S: '5' };

async function run(data: string, args: readonly string[], code = 0): Promise<string> {
  const result = await runProgram(args, { DATA_DIR: data, ...QUICK });
  assert.equal(result.code, code, result.stderr + result.stdout);
  return result.stdout;
}

async function queue(data: string, paths: readonly string[], ...flags: string[]): Promise<JobRow[]> {
  return JSON.parse(await run(data, ['ingest', '--queue', '--json', ...flags, ...paths]));
}

/** Runs a worker until there is nothing to do. */
async function work(data: string): Promise<void> {
  await run(data, ['worker', '--until-idle', '1', '--concurrency', '2']);
}

async function show(data: string, { id }: { id: string }): Promise<JobRow> {
  return JSON.parse(await run(data, ['jobs', 'show', id.slice(0, 8)]));
}

async function objects(data: string, prefix: string): Promise<string[]> {
  const all = await readdir(join(data, 'store/objects'), { recursive: true });
  return all.filter((path) => path.startsWith(prefix) && /[0-9a-f]{12}$/.test(path));
}

function other(n: number): string {
  return PACKAGE.replace('47201_naha-shi', `4720${n}_sample${n}-shi`);
}

/** Large enough that killing meets reading, compressing, writing and publishing. */
function largePackage(n: number): Members {
  const members = goodPackage(10 * n);
  for (let i = 0; i < 6; i++) members[`udx/bldg/392725${50 + i}_bldg_6697_op.gml`] = gml(200 + i + n);
  return members;
}

describe('jobs', () => {
  it('are asked for, done by a worker, listed and shown', async (t) => {
    const directory = await tempDirectory(t);
    const data = join(directory, 'data');
    const zip = await writeZip(join(directory, `${PACKAGE}.zip`), goodPackage());
    const broken = join(directory, '47203_sample-shi_city_2023_citygml_1_op.zip');
    await writeFile(broken, 'this is no zip');
    const ids = (await run(data, ['ingest', '--queue', zip, broken])).trim().split('\n');
    assert.equal(ids.length, 2);
    assert.match(ids[0]!, /^[0-9a-f-]{36} {2}47201_naha-shi_city_2023_citygml_1_op$/);
    assert.match(await run(data, ['jobs']), /2 queued/);
    assert.deepEqual(await list(data), []);

    await work(data);
    assert.deepEqual(
      (await list(data)).map(({ name }) => name),
      [PACKAGE],
    );
    const done = await show(data, { id: ids[0]! });
    assert.equal(done.state, 'succeeded');
    assert.equal((done.result as { outcome: string }).outcome, 'published');
    const dead = await run(data, ['jobs', '--dead']);
    assert.match(dead, /given up: .*zip/);
    assert.match(dead, /1 succeeded, 1 dead/);

    // A person mends the file and tries again.
    await writeZip(broken, goodPackage(2));
    await run(data, ['jobs', 'retry', '--dead']);
    await work(data);
    assert.equal((await list(data)).length, 2);
    assert.equal((await show(data, { id: ids[1]! })).state, 'succeeded');
    await run(data, ['jobs', 'show', 'ffff'], 1);
    await run(data, ['jobs', 'retry', ids[0]!.slice(0, 8)], 1);
    await assertClean(data);
  });

  it('are not done once they are cancelled', async (t) => {
    const directory = await tempDirectory(t);
    const data = join(directory, 'data');
    const first = await writeZip(join(directory, `${PACKAGE}.zip`), largePackage(1));
    const [waiting] = await queue(data, [first]);
    await run(data, ['jobs', 'cancel', waiting!.id]);
    await work(data);
    assert.equal((await show(data, waiting!)).state, 'cancelled');
    assert.deepEqual(await list(data), []);
    await run(data, ['jobs', 'cancel', waiting!.id.slice(0, 8)]);
  });

  it('take uploads from the object store, and delete them when they are done', async (t) => {
    const directory = await tempDirectory(t);
    const data = join(directory, 'data');
    const zip = await writeZip(join(directory, `${PACKAGE}.zip`), goodPackage());
    const [job] = await queue(data, [zip], '--upload');
    assert.match(job!.objectKey!, /^incoming\/jobs\//);
    assert.equal((await objects(data, 'incoming')).length, 1);
    await work(data);
    assert.equal((await show(data, job!)).state, 'succeeded');
    assert.deepEqual(await objects(data, 'incoming'), []);
    assert.equal((await list(data)).length, 1);
    const refused = await runProgram(
      ['ingest', '--queue', '--upload', directory, '/nowhere.zip', 's3://x/y.zip'],
      {
        DATA_DIR: data,
      },
    );
    assert.equal(refused.code, 1);
    assert.match(refused.stderr, /\/nowhere.zip: it does not exist/);
    assert.match(refused.stderr, /s3:\/\/x\/y.zip: it is not below OBJECT_STORE/);
  });

  it('of the same package are done one after the other, and publish it once', async (t) => {
    const directory = await tempDirectory(t);
    const data = join(directory, 'data');
    const zip = await writeZip(join(directory, `${PACKAGE}.zip`), largePackage(1));
    const jobs = [
      ...(await queue(data, [zip])),
      ...(await queue(data, [zip])),
      ...(await queue(data, [zip])),
    ];
    await Promise.all([work(data), work(data)]);
    const outcomes = [];
    for (const job of jobs) {
      const { state, result, attempts } = await show(data, job);
      assert.deepEqual([state, attempts], ['succeeded', 1]);
      outcomes.push((result as { outcome: string }).outcome);
    }
    assert.deepEqual(outcomes.sort(), ['published', 'unchanged', 'unchanged']);
    await assertClean(data);
  });

  it('are shown until they end, and tell whether all went well', async (t) => {
    const directory = await tempDirectory(t);
    const data = join(directory, 'data');
    const zip = await writeZip(join(directory, `${PACKAGE}.zip`), goodPackage());
    const waiting = runProgram(['ingest', '--queue', '--wait', zip], { DATA_DIR: data });
    // Whoever comes first makes the database.
    await work(data);
    const result = await waiting;
    assert.equal(result.code, 0, result.stderr);
    assert.match(result.stderr, /succeeded/);
  });

  it('go back to the queue when their worker is stopped', async (t) => {
    const directory = await tempDirectory(t);
    const data = join(directory, 'data');
    const zip = await writeZip(join(directory, `${PACKAGE}.zip`), largePackage(3));
    const [job] = await queue(data, [zip]);
    const worker = spawnProgram(['worker'], { DATA_DIR: data, ...QUICK });
    const ended = finished(worker);
    while ((await show(data, job!)).state === 'queued');
    worker.kill('SIGTERM');
    assert.equal((await ended).code, 0);
    const row = await show(data, job!);
    assert.ok(
      row.state === 'succeeded' || (row.state === 'queued' && row.attempts === 0),
      JSON.stringify(row),
    );
    await work(data);
    assert.equal((await show(data, job!)).state, 'succeeded');
    await assertClean(data);
  });

  it('reindex and refuse what makes no sense', async (t) => {
    const directory = await tempDirectory(t);
    const data = join(directory, 'data');
    const zip = await writeZip(join(directory, `${PACKAGE}.zip`), goodPackage());
    await queue(data, [zip]);
    await work(data);
    const job: JobRow = JSON.parse(await run(data, ['reindex', '--all', '--queue', '--json']));
    await work(data);
    const { state, result } = await show(data, job);
    assert.equal(state, 'succeeded');
    assert.deepEqual((result as { rebuilt: string[] }).rebuilt, [PACKAGE]);
    const unknown = await runProgram(['worker', '--kinds', 'ingest,dance'], { DATA_DIR: data });
    assert.match(unknown.stderr, /There is no kind "dance"; known are pack, ingest/);
    const nothing = await runProgram(['worker', '--kinds', 'pack'], { DATA_DIR: data, PACK_WORKERS: '0' });
    assert.equal(nothing.code, 2);
  });

  it('survive workers that are killed at any moment', async (t) => {
    const directory = await tempDirectory(t);
    const data = join(directory, 'data');
    const random = new Random('kill jobs');
    const zips: string[] = [];
    for (let n = 1; n <= 4; n++)
      zips.push(await writeZip(join(directory, `${other(n)}.zip`), largePackage(n)));
    const env = { DATA_DIR: data, ...QUICK, JOB_ATTEMPTS: '100', RETIRED_GRACE_S: '0' };
    const jobs: JobRow[] = [];
    let killed = 0;
    for (let round = 0; killed < KILLS; round++) {
      assert.ok(round < MAX_ROUNDS, `${killed} of ${round} were killed`);
      jobs.push(
        ...(await queue(data, [random.pick(zips)], '--replace', ...(round % 2 === 0 ? ['--upload'] : []))),
      );
      const workers = [1, 2].map(() => spawnProgram(['worker', '--until-idle', '2'], env));
      const ends = workers.map((worker) => killAfter(worker, random.between(300, 1_500)));
      for (const isKilled of await Promise.all(ends)) if (isKilled) killed++;
    }
    await work(data);
    for (const job of jobs) assert.equal((await show(data, job)).state, 'succeeded');
    const names = new Set(jobs.map(({ label }) => label));
    assert.deepEqual(new Set((await list(data)).map(({ name }) => name)), names);
    assert.deepEqual(await objects(data, 'incoming'), []);
    // What the dead left in staging goes with the next sweep, which the worker has done.
    assert.deepEqual(await readdir(join(data, 'staging')), []);
    await assertClean(data);
  });
});

/** Ends the child after so many milliseconds; false when it was faster. */
async function killAfter(child: ChildProcess, ms: number): Promise<boolean> {
  const timer = setTimeout(() => child.kill('SIGKILL'), ms);
  const { signal } = await finished(child);
  clearTimeout(timer);
  return signal === 'SIGKILL';
}
