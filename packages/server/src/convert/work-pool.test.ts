import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Task } from './work.ts';
import { openPool, type PoolOptions } from './work-pool.ts';

/**
 * A thread that takes memory for objects until it has none left, where it may take less than 200 MB; else it says at
 * once what it may.
 */
const GREEDY = `import { parentPort, resourceLimits } from 'node:worker_threads';
const most = resourceLimits.maxOldGenerationSizeMb;
parentPort.on('message', () => {
  for (const all = []; most < 200; ) all.push(new Array(100_000).fill(1.5));
  parentPort.postMessage({ done: { issues: [], outputs: [], file: { bytes: most, members: 1 } } });
});`;

/** A thread that tells how many full collections it takes to keep the last 20 MB of 500 MB. */
const CHURN = `import { parentPort } from 'node:worker_threads';
import { PerformanceObserver, constants } from 'node:perf_hooks';
let full = 0;
const count = (entries) => {
  for (const { detail } of entries) if (detail.kind === constants.NODE_PERFORMANCE_GC_MAJOR) full++;
};
const observer = new PerformanceObserver((list) => count(list.getEntries()));
observer.observe({ entryTypes: ['gc'] });
parentPort.on('message', async () => {
  const last = [];
  for (let i = 0; i < 2_500; i++) {
    last[i % 100] = Array.from({ length: 2_500 }, (_, k) => ({ k, i }));
    if (i % 10 === 0) await new Promise(setImmediate);
  }
  count(observer.takeRecords());
  parentPort.postMessage({ done: { issues: [], outputs: [], file: { bytes: full, members: 1 } } });
});`;

const partOf = (megabytes: number) => ({ kind: 'part', gml: { size: 1e6 * megabytes } }) as Task;
const PART = partOf(1);

const optionsOf = (program: string, jobs: number): PoolOptions => ({
  jobs,
  threadModule: new URL(`data:text/javascript,${encodeURIComponent(program)}`),
  signal: new AbortController().signal,
  address: { kind: 'upload', path: '', overrides: {} },
  objects: null,
  objectStore: null,
  partsDirectory: '',
  isShared: false,
  options: {} as PoolOptions['options'],
  grid: null,
  onText() {},
});

/** What threads with this program tell for each task of all runs, with `jobs` threads. */
async function toldBy(program: string, jobs: number, ...runs: Task[][]): Promise<Array<number | undefined>> {
  await using pool = await openPool(optionsOf(program, jobs));
  const reports: Array<number | undefined> = [];
  for (const tasks of runs) await pool.run(tasks, (_, result) => reports.push(result?.file?.bytes));
  return reports;
}

test('work that a thread has too little memory for gets that of all threads', async () => {
  assert.deepEqual(await toldBy(GREEDY, 3, [PART, PART]), [256, 256]);
});

test('a single piece of work, and one of much text, gets the memory of all threads at once', async () => {
  const sayMost = GREEDY.replace('most < 200', 'false');
  assert.deepEqual(await toldBy(sayMost, 3, [PART]), [256]);
  assert.deepEqual(await toldBy(sayMost, 2, [PART, PART]), [128, 128]);
  assert.deepEqual(await toldBy(sayMost, 2, [partOf(700), PART, PART]), [128, 128, 256]);
});

test('threads of a run before go on where they have no more memory than their share, else new ones begin', async () => {
  const sayMost = GREEDY.replace('most < 200', 'false');
  assert.deepEqual(await toldBy(sayMost, 2, [PART], [PART, PART]), [256, 128, 128]);
  assert.deepEqual(await toldBy(sayMost, 2, [PART, PART], [PART]), [128, 128, 128]);
});

test('threads of little memory collect garbage no more often than others', async () => {
  // 5 or 6 each, 16 to 22 without what the pool asks of V8; a busy machine collects more often.
  const full = (await toldBy(CHURN, 1, [PART, PART, PART])).map(Number);
  const deltas = full.map((count, i) => count - (full[i - 1] ?? 0));
  assert.ok(Math.min(...deltas) > 0 && Math.min(...deltas) < 9, `${deltas} full collections`);
});

/** What fails says so at once; what waits answers when the failure is on its way; other tasks answer as they come. */
const TOGETHER = `import { parentPort } from 'node:worker_threads';
parentPort.on('message', ({ name, posted }) => {
  const flags = new Int32Array(posted);
  const post = (message) => {
    parentPort.postMessage(message);
    Atomics.add(flags, 0, 1);
    Atomics.notify(flags, 0);
  };
  if (name === 'fails') {
    parentPort.postMessage({ text: 1 });
    post({ failed: 'no such member', code: null });
  } else {
    if (name === 'waits') Atomics.wait(flags, 1, 0);
    post({ done: { issues: [], outputs: [], file: { bytes: 1, members: 1 } } });
  }
});`;

test('after a task that fails no other one begins, though a thread ends its own at the same time', async () => {
  const posted = new SharedArrayBuffer(8);
  const flags = new Int32Array(posted);
  const tasks = ['fails', 'waits', 'later'].map((name) => ({ ...PART, name, posted }));
  await using pool = await openPool({
    ...optionsOf(TOGETHER, 2),
    // The failure is read next; the answer of the other thread lies ready behind it.
    onText() {
      Atomics.store(flags, 1, 1);
      Atomics.notify(flags, 1);
      for (let count = 0; count < 2; count = Atomics.load(flags, 0)) {
        if (Atomics.wait(flags, 0, count, 60_000) === 'timed-out') throw new Error('a thread says nothing');
      }
    },
  });
  const done: Task[] = [];
  await assert.rejects(
    pool.run(tasks, (task) => done.push(task)),
    /no such member/,
  );
  assert.deepEqual(done, [tasks[1]]);
});
