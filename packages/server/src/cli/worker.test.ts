import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { until } from '@citymodel/base/testing';
import type { JobRow, JobStore } from '@citymodel/store';
import pino from 'pino';
import { InvalidSettings, readSettings } from '../base/settings.ts';
import { addReindex } from './reindex.ts';
import { houseStore } from './testing/house-store.ts';
import { catchOutput } from './testing/run-command.ts';
import { addWorker, runWorker } from './worker.ts';
import { WorkerProcess } from './worker-process.ts';

test('a worker does the jobs of its kinds, and ends by a signal', async (t) => {
  const store = await houseStore(t, { LOG_LEVEL: 'silent', JOB_POLL_MS: '10' });
  await store.run(addReindex, 'reindex', '--queue');
  const states = () =>
    store.use(async ({ jobs }) => (await jobs.list({}, { limit: 9, offset: 0 })).map(({ state }) => state));
  const work = (kinds: string[]) =>
    catchOutput(store.env, async () => {
      await runWorker({ kinds }, readSettings(store.env));
      const stop = process.listeners('SIGTERM').at(-1) as () => Promise<void>;
      try {
        if (kinds.includes('reindex')) await until(async () => (await states())[0] === 'succeeded');
        else for (let looks = 0; looks < 3; looks++) await states();
      } finally {
        await stop();
        await stop();
      }
    });
  assert.equal((await work(['convert', 'ingest'])).code, 0);
  assert.deepEqual(await states(), ['queued']);
  assert.equal((await work(['reindex'])).code, 0);
  assert.deepEqual(await states(), ['succeeded']);
});

test('a worker ends by itself when nothing has been to do for long enough', async (t) => {
  const store = await houseStore(t, { LOG_LEVEL: 'silent', JOB_POLL_MS: '10', PACK_WORKERS: '0' });
  const now = t.mock.method(Date, 'now');
  const { setInterval, clearInterval, setTimeout, clearTimeout } = globalThis;
  const looks: Array<() => void> = [];
  let [alive, impatient]: NodeJS.Timeout[] = [];
  let isStopping = false;
  const ended = Promise.withResolvers<void>();
  t.mock.method(globalThis, 'setInterval', (work: () => void, ms: number) => {
    if (ms !== 500) return setInterval(work, ms);
    looks.push(work);
    alive = setInterval(() => {}, ms);
    return alive;
  });
  t.mock.method(globalThis, 'clearInterval', (timer: NodeJS.Timeout) => {
    clearInterval(timer);
    if (timer === alive) isStopping = true;
  });
  // What lets a worker stop although its store is silent is set first and cleared last.
  t.mock.method(globalThis, 'setTimeout', (...its: Parameters<typeof setTimeout>) => {
    const timer = setTimeout(...its);
    if (isStopping) impatient ??= timer;
    return timer;
  });
  t.mock.method(globalThis, 'clearTimeout', (timer: NodeJS.Timeout) => {
    clearTimeout(timer);
    if (isStopping && timer === impatient) ended.resolve();
  });
  const run = await catchOutput(store.env, async () => {
    const begun = Date.now();
    now.mock.mockImplementation(() => begun);
    await runWorker({ kinds: ['tables'], untilIdle: 5 }, readSettings(store.env));
    assert.equal(looks.length, 1);
    now.mock.mockImplementation(() => begun + 4_999);
    looks[0]!();
    for (let turn = 0; turn < 20; turn++) await setImmediate();
    assert.equal(isStopping, false);
    // Something may be due by then that is done first.
    let later = begun + 60_000;
    await until(() => {
      now.mock.mockImplementation(() => later);
      later += 6_000;
      looks[0]!();
      return isStopping;
    });
    await ended.promise;
  });
  assert.equal(run.code, 0);
});

test('a worker that would do nothing, or has kinds that nobody knows, does not begin', async (t) => {
  const store = await houseStore(t, { LOG_LEVEL: 'silent', PACK_WORKERS: '0', JOB_WORKERS: '0' });
  const idle = await store.run(addWorker, 'worker');
  assert.deepEqual([idle.code, idle.out], [2, '']);
  assert.match(idle.err, /^citymodel: this worker would do nothing; set PACK_WORKERS or JOB_WORKERS/);
  const packs = await store.run(addWorker, 'worker', '--kinds', 'pack', '--concurrency', '3');
  assert.equal(packs.code, 2);
  const wrong = await store.run(addWorker, 'worker', '--kinds', 'ingest, dance');
  assert.equal(wrong.code, 1);
  assert.match(wrong.err, /There is no kind "dance"; known are pack, ingest, /);
  for (const [option, value, reason] of [
    ['--concurrency', '0', /from 1 to 64/],
    ['--concurrency', '65', /from 1 to 64/],
    ['--until-idle', '0', /from 1 to 86400/],
    ['--until-idle', '86401', /from 1 to 86400/],
  ] as const) {
    assert.match((await store.run(addWorker, 'worker', option, value)).err, reason);
  }
});

test('an address that cannot be listened on is named', async (t) => {
  const env = { LOG_LEVEL: 'silent', HOST: '192.0.2.1', WORKER_PORT: '0', PACK_WORKERS: '0' };
  const store = await houseStore(t, env);
  await assert.rejects(runWorker({ kinds: ['tables'] }, readSettings(store.env)), (error: Error) => {
    assert.ok(error instanceof InvalidSettings);
    return /HOST 192\.0\.2\.1 and WORKER_PORT 0 cannot be listened on/.test(error.message);
  });
});

/** A store of jobs in which one of the kinds waits, or none. */
function jobsOf(kinds: readonly string[], isWaiting: () => boolean): JobStore {
  return {
    holders: async () => [],
    recover: async () => 0,
    list: async (filter: { kinds: string[] }) => {
      assert.deepEqual(filter.kinds, kinds);
      return isWaiting() ? [{ availableAt: 0 } as JobRow] : [];
    },
  } as unknown as JobStore;
}

/** Runs the process of a worker with a script in place of the program, and gives its log. */
async function processOf(script: string, stopAfter: (lines: object[]) => boolean, isWaiting = () => true) {
  const lines: Array<Record<string, unknown>> = [];
  const log = pino({ base: null }, { write: (line: string) => lines.push(JSON.parse(line)) });
  const settings = readSettings({ DATA_DIR: '/the/data', JOB_POLL_MS: '10', LOG_LEVEL: 'warn' });
  const { argv } = process;
  process.argv = [argv[0]!, script];
  const worker = new WorkerProcess(jobsOf(['a', 'b'], isWaiting), settings, ['a', 'b'], log);
  try {
    worker.start();
    await until(() => stopAfter(lines));
  } finally {
    await worker.stop();
    process.argv = argv;
  }
  return lines.map(({ level, msg, code, signal }) => [
    level,
    msg,
    ...(code === undefined ? [] : [code, signal]),
  ]);
}

test('a worker begins in a process of its own when a job waits, and the next when it has ended', async (t) => {
  const { directory } = await houseStore(t);
  const [script, note] = [join(directory, 'worker.mjs'), join(directory, 'note.json')];
  writeFileSync(
    script,
    `import { writeFileSync } from 'node:fs';
     const { DATA_DIR, LOG_LEVEL, MALLOC_ARENA_MAX } = process.env;
     const note = { args: process.argv.slice(2), DATA_DIR, LOG_LEVEL, MALLOC_ARENA_MAX, ipc: process.connected };
     writeFileSync(${JSON.stringify(note)}, JSON.stringify(note));
     process.exit(process.env.WORKER_CODE ?? 0);`,
  );
  const twice = await processOf(script, (lines) => lines.length >= 4);
  assert.deepEqual(twice.slice(0, 4), [
    [30, 'a worker begins'],
    [30, 'the worker has ended', 0, null],
    [30, 'a worker begins'],
    [30, 'the worker has ended', 0, null],
  ]);
  assert.deepEqual(JSON.parse(readFileSync(note, 'utf8')), {
    args: ['worker', '--kinds', 'a,b', '--until-idle', '30'],
    DATA_DIR: '/the/data',
    LOG_LEVEL: 'warn',
    MALLOC_ARENA_MAX: '2',
    ipc: true,
  });
  process.env.WORKER_CODE = '3';
  t.after(() => delete process.env.WORKER_CODE);
  const failed = await processOf(script, (lines) => lines.length >= 2);
  assert.deepEqual(failed[1], [50, 'the worker has ended', 3, null]);
});

test('no process begins without a job, and one that runs is stopped', async (t) => {
  const { directory } = await houseStore(t);
  let looks = 0;
  const isWaiting = () => {
    looks++;
    return false;
  };
  assert.deepEqual(await processOf(join(directory, 'none.mjs'), () => looks > 2, isWaiting), []);
  const script = join(directory, 'long.mjs');
  writeFileSync(script, 'setInterval(() => {}, 1_000);');
  const stopped = await processOf(script, (lines) => lines.length >= 1);
  assert.deepEqual(stopped, [
    [30, 'a worker begins'],
    [30, 'the worker has ended', null, 'SIGTERM'],
  ]);
});
