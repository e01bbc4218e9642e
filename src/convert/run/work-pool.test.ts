import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Task } from './work.ts';
import { openPool, type PoolOptions } from './work-pool.ts';

/** A thread that takes memory for objects until it has none left, where it may take less than 200 MB; else it says at once what it may. */
const GREEDY = `import { parentPort, resourceLimits } from 'node:worker_threads';
const most = resourceLimits.maxOldGenerationSizeMb;
parentPort.on('message', () => {
  for (const all = []; most < 200; ) all.push(new Array(100_000).fill(1.5));
  parentPort.postMessage({ done: { issues: [], outputs: [], file: { bytes: most, members: 1 } } });
});`;

test('work that a thread has too little memory for gets that of all threads', async () => {
  await using pool = await openPool({
    jobs: 3,
    threadModule: new URL(`data:text/javascript,${encodeURIComponent(GREEDY)}`),
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
  const told: Array<number | undefined> = [];
  await pool.run([{ kind: 'part' } as Task], (_, result) => told.push(result?.file?.bytes));
  assert.deepEqual(told, [288]);
});
