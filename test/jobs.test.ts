/** Jobs over the command line: asked for by one process, done by others, which may die at any moment. */
import assert from 'node:assert/strict';
import type { ChildProcess } from 'node:child_process';
import { createReadStream } from 'node:fs';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { constants, getPriority } from 'node:os';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { setTimeout as pause, setImmediate } from 'node:timers/promises';
import { ROUNDS } from '../packages/base/src/testing/rounds.ts';
import { Random } from '../packages/sample/src/random.ts';
import { readSettings } from '../packages/server/src/base/settings.ts';
import { addCheck } from '../packages/server/src/cli/check.ts';
import { addIngest } from '../packages/server/src/cli/ingest.ts';
import { addJobs } from '../packages/server/src/cli/jobs.ts';
import { addList } from '../packages/server/src/cli/list.ts';
import { storesOf } from '../packages/server/src/cli/stores.ts';
import { catchOutput, runCommand } from '../packages/server/src/cli/testing/run-command.ts';
import { runWorker } from '../packages/server/src/cli/worker.ts';
import type { StatusDocument } from '../packages/server/src/http/operations/status.ts';
import { JOB_KINDS } from '../packages/server/src/jobs/registry.ts';
import type { JobRow } from '../packages/store/src/job-store.ts';
import type { PackageRow } from '../packages/store/src/rows.ts';
import { parseS3Address } from '../packages/store/src/s3/s3-address.ts';
import { S3Store } from '../packages/store/src/s3/s3-store.ts';
import { FakeS3 } from '../packages/store/src/testing/fake-s3.ts';
import { withPostgres } from '../packages/store/src/testing/postgres.ts';
import { checkFigures, logLine } from './support/figures.ts';
import { gml, goodPackage, type Members, PACKAGE, writeZip } from './support/packages.ts';
import { finished, QUIET, runProgram, spawnProgram, tempDirectory } from './support/program.ts';
import { startServer } from './support/server.ts';

/** Workers that must die, and rounds that may pass until then. */
const KILLS = 4 * ROUNDS;
const MAX_ROUNDS = 60;

const QUICK = { JOB_POLL_MS: '50', JOB_RETRY_S: '0', JOB_LEASE_S: '5' };

/** Where the processes of one test keep everything. */
interface Place {
  directory: string;
  data: string;
  env: Record<string, string>;
}

type Open = (t: TestContext) => Promise<Place>;

const onSqlite: Open = async (t) => {
  const directory = await tempDirectory(t);
  const data = join(directory, 'data');
  return { directory, data, env: { ...QUICK, DATA_DIR: data } };
};

const onPostgres: Open = async (t) => {
  const place = await onSqlite(t);
  return { ...place, env: { ...place.env, DATABASE_URL: await withPostgres(t) } };
};

async function run(place: Place, args: readonly string[], code = 0): Promise<string> {
  const result = await runProgram(args, place.env);
  assert.equal(result.code, code, result.stderr + result.stdout);
  return result.stdout;
}

/** Runs a command in this process, for tests of what others do: starting it takes longer than its work. */
async function runHere(
  place: Place,
  add: Parameters<typeof runCommand>[0],
  ...words: string[]
): Promise<string> {
  const { code, out, err } = await runCommand(add, words, place.env);
  assert.equal(code, 0, err + out);
  return out;
}

async function list(place: Place): Promise<PackageRow[]> {
  return JSON.parse(await runHere(place, addList, 'list', '--json'));
}

/** Everything that the stores hold must be in order. */
async function assertClean(place: Place): Promise<void> {
  await runHere(place, addCheck, 'check', '--json');
}

async function queue(place: Place, paths: readonly string[], ...flags: string[]): Promise<JobRow[]> {
  return JSON.parse(await runHere(place, addIngest, 'ingest', '--queue', '--json', ...flags, ...paths));
}

/** Runs a worker until there is nothing to do. */
async function work(place: Place): Promise<void> {
  await run(place, ['worker', '--until-idle', '1', '--concurrency', '2']);
}

/** Does what waits, by a worker in this process, for tests of what becomes of it. */
async function workHere({ env }: Place): Promise<void> {
  await catchOutput({ ...QUIET, LOG_LEVEL: 'silent', ...env }, async () => {
    const settings = readSettings(process.env);
    const stores = await storesOf(settings);
    await runWorker({ kinds: JOB_KINDS.map(({ name }) => name), concurrency: 2 }, settings);
    const [stop] = process.listeners('SIGTERM').slice(-1) as Array<() => Promise<void>>;
    const isBusy = async () => {
      const jobs = await stores.jobs.list({ states: ['queued', 'running'] }, { limit: 100, offset: 0 });
      return jobs.some(({ kind }) => kind !== 'sweep');
    };
    try {
      while (await isBusy()) await pause(20);
    } finally {
      await stop!();
      await stores.close();
    }
  });
}

async function show(place: Place, { id }: { id: string }): Promise<JobRow> {
  return JSON.parse(await runHere(place, addJobs, 'jobs', 'show', id.slice(0, 8)));
}

async function objects({ data }: Place, prefix: string): Promise<string[]> {
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

for (const [database, open] of [
  ['SQLite', onSqlite],
  ['PostgreSQL', onPostgres],
] as const) {
  describe(`jobs in ${database}`, () => {
    it('are asked for, done by a worker, listed and shown', async (t) => {
      const place = await open(t);
      const { directory } = place;
      const zip = await writeZip(join(directory, `${PACKAGE}.zip`), goodPackage());
      const broken = join(directory, '47203_sample-shi_city_2023_citygml_1_op.zip');
      await writeFile(broken, 'this is no zip');
      const ids = (await run(place, ['ingest', '--queue', zip, broken])).trim().split('\n');
      assert.equal(ids.length, 2);
      assert.match(ids[0]!, /^[0-9a-f-]{36} {2}47201_naha-shi_city_2023_citygml_1_op$/);
      assert.match(await run(place, ['jobs']), /2 queued/);
      assert.deepEqual(JSON.parse(await run(place, ['list', '--json'])), []);

      await work(place);
      assert.deepEqual(
        (await list(place)).map(({ name }) => name),
        [PACKAGE],
      );
      const done: JobRow = JSON.parse(await run(place, ['jobs', 'show', ids[0]!.slice(0, 8)]));
      assert.equal(done.state, 'succeeded');
      assert.equal((done.result as { outcome: string }).outcome, 'published');
      const dead = await run(place, ['jobs', '--dead']);
      assert.match(dead, /given up: .*zip/);
      assert.match(dead, /1 succeeded, 1 dead/);

      // A person mends the file and tries again.
      await writeZip(broken, goodPackage(2));
      await run(place, ['jobs', 'retry', '--dead']);
      await workHere(place);
      assert.equal((await list(place)).length, 2);
      assert.equal((await show(place, { id: ids[1]! })).state, 'succeeded');
      await run(place, ['jobs', 'show', 'ffff'], 1);
      await run(place, ['jobs', 'retry', ids[0]!.slice(0, 8)], 1);
      await run(place, ['check', '--json']);
    });

    it('of the same package are done one after the other, and publish it once', async (t) => {
      const place = await open(t);
      const { directory } = place;
      const zip = await writeZip(join(directory, `${PACKAGE}.zip`), largePackage(1));
      const jobs = [
        ...(await queue(place, [zip])),
        ...(await queue(place, [zip])),
        ...(await queue(place, [zip])),
      ];
      await Promise.all([work(place), work(place)]);
      const outcomes = [];
      for (const job of jobs) {
        const { state, result, attempts } = await show(place, job);
        assert.deepEqual([state, attempts], ['succeeded', 1]);
        outcomes.push((result as { outcome: string }).outcome);
      }
      assert.deepEqual(outcomes.sort(), ['published', 'unchanged', 'unchanged']);
      await assertClean(place);
    });

    it('are shown until they end, and tell whether all went well', async (t) => {
      const place = await open(t);
      const { directory } = place;
      const zip = await writeZip(join(directory, `${PACKAGE}.zip`), goodPackage());
      // The first one makes the database. The worker stays until the job has ended, however late it was asked
      // for.
      const worker = spawnProgram(['worker'], { ...place.env, WORKER_PORT: '0', HOST: '127.0.0.1' });
      const ended = finished(worker);
      const line = logLine(worker, 'working');
      const result = await runProgram(['ingest', '--queue', '--wait', zip], place.env);
      const { address } = await line;
      const ask = (path: string) => fetch(`${address}${path}`, { headers: { connection: 'close' } });
      assert.deepEqual(await (await ask('/health/ready')).json(), {
        status: 'ok',
        checks: { database: 'ok', objects: 'ok', disk: 'ok' },
      });
      const figures = await (await ask('/metrics')).text();
      assert.match(figures, /citymodel_jobs\{kind="ingest",state="succeeded"\} 1\n/);
      assert.match(figures, /citymodel_job_attempts_total\{kind="ingest",outcome="succeeded"\} 1\n/);
      checkFigures(figures);
      worker.kill('SIGTERM');
      assert.equal((await ended).code, 0);
      assert.equal(result.code, 0, result.stderr);
      assert.match(result.stderr, /succeeded/);
    });

    it('go back to the queue when their worker is stopped', async (t) => {
      const place = await open(t);
      const { directory } = place;
      const zip = await writeZip(join(directory, `${PACKAGE}.zip`), largePackage(3));
      const [job]: JobRow[] = JSON.parse(await run(place, ['ingest', '--queue', '--json', zip]));
      const worker = spawnProgram(['worker'], place.env);
      const ended = finished(worker);
      while ((await show(place, job!)).state === 'queued') await pause(5);
      if (process.platform === 'linux') {
        // What its threads free goes back to two pools of memory, not to one of each thread.
        assert.match(await readFile(`/proc/${worker.pid}/environ`, 'latin1'), /(^|\0)MALLOC_ARENA_MAX=2\0/);
      }
      worker.kill('SIGTERM');
      assert.equal((await ended).code, 0);
      const row = await show(place, job!);
      assert.ok(
        row.state === 'succeeded' || (row.state === 'queued' && row.attempts === 0),
        JSON.stringify(row),
      );
      await workHere(place);
      assert.equal((await show(place, job!)).state, 'succeeded');
      await assertClean(place);
    });

    it('survive workers that are killed at any moment', async (t) => {
      const place = await open(t);
      const { directory } = place;
      const random = new Random('kill jobs');
      const zips: string[] = [];
      for (let n = 1; n <= 4; n++)
        zips.push(await writeZip(join(directory, `${other(n)}.zip`), largePackage(n)));
      const env = { ...place.env, JOB_ATTEMPTS: '100', RETIRED_GRACE_S: '0' };
      const jobs: JobRow[] = [];
      let killed = 0;
      for (let round = 0; killed < KILLS; round++) {
        assert.ok(round < MAX_ROUNDS, `${killed} of ${round} were killed`);
        jobs.push(
          ...(await queue(place, [random.pick(zips)], '--replace', ...(round % 2 === 0 ? ['--upload'] : []))),
        );
        const workers = [1, 2].map(() => spawnProgram(['worker', '--until-idle', '2'], env));
        const ends = workers.map((worker) => killAfter(worker, random.between(300, 1_500)));
        for (const isKilled of await Promise.all(ends)) if (isKilled) killed++;
      }
      await work(place);
      for (const job of jobs) assert.equal((await show(place, job)).state, 'succeeded');
      const names = new Set(jobs.map(({ label }) => label));
      assert.deepEqual(new Set((await list(place)).map(({ name }) => name)), names);
      assert.deepEqual(await objects(place, 'incoming'), []);
      // What the dead left in staging goes with the next sweep, which the worker has done.
      assert.deepEqual(await readdir(join(place.data, 'staging')), []);
      await assertClean(place);
    });
  });
}

// What is the same on every database, which has its own tests below the queue.
describe('jobs', () => {
  it('are not done once they are cancelled', async (t) => {
    const place = await onSqlite(t);
    const { directory } = place;
    const first = await writeZip(join(directory, `${PACKAGE}.zip`), largePackage(1));
    const [waiting] = await queue(place, [first]);
    await run(place, ['jobs', 'cancel', waiting!.id]);
    await work(place);
    assert.equal((await show(place, waiting!)).state, 'cancelled');
    assert.deepEqual(await list(place), []);
    await run(place, ['jobs', 'cancel', waiting!.id.slice(0, 8)]);
  });

  it('take uploads from the object store, and delete them when they are done', async (t) => {
    const place = await onSqlite(t);
    const { directory } = place;
    const zip = await writeZip(join(directory, `${PACKAGE}.zip`), goodPackage());
    const [job] = await queue(place, [zip], '--upload');
    assert.match(job!.objectKey!, /^incoming\/jobs\//);
    assert.equal((await objects(place, 'incoming')).length, 1);
    await workHere(place);
    assert.equal((await show(place, job!)).state, 'succeeded');
    assert.deepEqual(await objects(place, 'incoming'), []);
    assert.equal((await list(place)).length, 1);
    const refused = await runProgram(
      ['ingest', '--queue', '--upload', directory, '/nowhere.zip', 's3://x/y.zip'],
      place.env,
    );
    assert.equal(refused.code, 1);
    assert.match(refused.stderr, /\/nowhere.zip: it does not exist/);
    assert.match(refused.stderr, /s3:\/\/x\/y.zip: it is not below OBJECT_STORE/);
  });

  it('go before the commands that nobody waits for', async (t) => {
    const place = await onSqlite(t);
    const zip = await writeZip(join(place.directory, `${PACKAGE}.zip`), largePackage(3));
    const ingestion = spawnProgram(['ingest', zip], place.env);
    const ended = finished(ingestion);
    // The program begins as any other, and says what it is when it runs.
    while (ingestion.exitCode === null && getPriority(ingestion.pid) === 0) await setImmediate();
    assert.equal(ingestion.exitCode, null);
    assert.equal(getPriority(ingestion.pid), constants.priority.PRIORITY_BELOW_NORMAL);
    assert.equal((await ended).code, 0);
  });

  it('are shown by the server page by page, without anything of the machine', async (t) => {
    const place = await onSqlite(t);
    const zips = [1, 2, 3].map((n) => join(place.directory, `${other(n)}.zip`));
    for (const zip of zips) await writeFile(zip, 'this is no zip');
    await queue(place, zips);
    await using server = await startServer(place.data, { env: place.env });
    const path = '/status.json?jobs_limit=2&jobs_page=2&jobs_state=queued,running';
    const { work: page } = await server.json<StatusDocument>(path);
    assert.deepEqual([page.counts.queued, page.page, page.pages, page.jobs.length], [3, 2, 2, 1]);
    assert.deepEqual(
      [page.jobs[0]!.label, page.jobs[0]!.state, page.jobs[0]!.id.length],
      [other(1), 'queued', 8],
    );
    await workHere(place);
    const text = (await server.request('/status.json?jobs_state=dead')).text;
    assert.equal((JSON.parse(text) as StatusDocument).work.jobs.length, 3);
    assert.ok(!text.includes(place.directory));
    assert.equal((await server.request('/status.json?jobs_state=gone')).status, 400);
  });

  it('reindex and refuse what makes no sense', async (t) => {
    const place = await onSqlite(t);
    const { directory } = place;
    const zip = await writeZip(join(directory, `${PACKAGE}.zip`), goodPackage());
    await queue(place, [zip]);
    await workHere(place);
    const job: JobRow = JSON.parse(await run(place, ['reindex', '--all', '--queue', '--json']));
    await workHere(place);
    const { state, result } = await show(place, job);
    assert.equal(state, 'succeeded');
    assert.deepEqual((result as { rebuilt: string[] }).rebuilt, [PACKAGE]);
    const unknown = await runProgram(['worker', '--kinds', 'ingest,dance'], place.env);
    assert.match(unknown.stderr, /There is no kind "dance"; known are pack, ingest/);
    const nothing = await runProgram(['worker', '--kinds', 'pack'], { ...place.env, PACK_WORKERS: '0' });
    assert.equal(nothing.code, 2);
  });
});

describe('jobs whose uploads lie in a bucket', () => {
  it('take what they put there themselves, and what people have put there, which stays', async (t) => {
    await using bucket = await FakeS3.start();
    const place = await onSqlite(t);
    const keys = { AWS_ACCESS_KEY_ID: 'test', AWS_SECRET_ACCESS_KEY: 'test' };
    Object.assign(place.env, keys, { OBJECT_STORE: bucket.address('prefix') });
    const first = await writeZip(join(place.directory, `${other(1)}.zip`), goodPackage());
    const second = await writeZip(join(place.directory, `${other(2)}.zip`), goodPackage(2));
    const key = `incoming/${other(2)}.zip`;
    Object.assign(process.env, keys);
    const store = new S3Store(parseS3Address(bucket.address('prefix')));
    await store.put(key, createReadStream(second));
    await store.close();
    const jobs = await queue(place, [first, `s3://bucket/prefix/${key}`]);
    assert.deepEqual(
      jobs.map(({ objectKey }) => objectKey?.startsWith('incoming/jobs/') ?? null),
      [true, null],
    );
    await workHere(place);
    assert.deepEqual((await list(place)).map(({ name }) => name).sort(), [other(1), other(2)]);
    const left = [...bucket.objects.keys()].filter((path) => path.includes('incoming/'));
    assert.deepEqual(left, [`prefix/${key}`]);
    const refused = await runProgram(['ingest', 's3://bucket/prefix/x.zip'], place.env);
    assert.match(refused.stderr, /give --queue/);
    assert.equal(refused.code, 2);
  });
});

/** Ends the child after so many milliseconds; false when it was faster. */
async function killAfter(child: ChildProcess, ms: number): Promise<boolean> {
  const timer = setTimeout(() => child.kill('SIGKILL'), ms);
  const { signal } = await finished(child);
  clearTimeout(timer);
  return signal === 'SIGKILL';
}
