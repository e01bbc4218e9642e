import assert from 'node:assert/strict';
import test from 'node:test';
import { setImmediate } from 'node:timers/promises';
import Fastify from 'fastify';
import { cityPackage, snapshotOf } from '../../catalogue/testing/snapshot-rows.ts';
import type { ServiceContext } from '../context.ts';
import { serveCounts } from './file-counts.ts';

/** The operation over counts whose end a test decides. */
async function counting(GEOCODER_URL = '') {
  let snapshot = await snapshotOf(cityPackage());
  const running = new Map<string, { end(): void; signal: AbortSignal }>();
  let begun = 0;
  const app = Fastify();
  const context = {
    settings: { MAX_BOUNDS: 100, GEOCODER_URL },
    watch: { current: () => snapshot },
    coverage: { of: async () => new Map() },
    search: {
      async count(question: object, signal: AbortSignal) {
        const key = JSON.stringify(question);
        begun++;
        const { promise, resolve, reject } = Promise.withResolvers<void>();
        running.set(key, { end: resolve, signal });
        signal.addEventListener('abort', () => reject(signal.reason));
        await promise.finally(() => running.delete(key));
        return { found: { packages: new Map(), meshes: { count: begun, km2: 1 } }, matches: null };
      },
    },
  } as unknown as ServiceContext;
  app.get('/datacatalog/counts/*', serveCounts(context));
  const ask = async (conditions: string, signal?: AbortSignal) => {
    const answer = await app.inject({ url: `/datacatalog/counts/${conditions}`, ...(signal && { signal }) });
    return (answer.json() as { meshes: number }).meshes;
  };
  return {
    ask,
    running,
    begun: () => begun,
    publish: async () => {
      snapshot = await snapshotOf(cityPackage(), cityPackage({ cityCode: '01100' }));
    },
  };
}

test('one count serves all who want the same, until something is published', async () => {
  const { ask, running, begun, publish } = await counting();
  const callers = Array.from({ length: 5 }, () => ask('m:5339'));
  while (running.size === 0) await setImmediate();
  for (const { end } of running.values()) end();
  assert.deepEqual(await Promise.all(callers), [1, 1, 1, 1, 1]);
  assert.equal(await ask('m:5339'), 1);
  assert.equal(begun(), 1);
  for (const [i, query] of ['year=2022', 'year=2023', 'all_years=1', 'types=bldg'].entries()) {
    const other = ask(`m:5339?${query}`);
    while (running.size === 0) await setImmediate();
    for (const { end } of running.values()) end();
    assert.equal(await other, i + 2, query);
  }
  await publish();
  const anew = ask('m:5339');
  while (running.size === 0) await setImmediate();
  for (const { end } of running.values()) end();
  assert.equal(await anew, 6);
});

test('what an outside geocoder says of a place is asked again, all else is kept', async () => {
  for (const [url, expected] of [
    ['', [1, 2, 1, 2]],
    ['http://geocoder.example/', [1, 2, 3, 2]],
  ] as const) {
    const { ask, running } = await counting(url);
    const counts: number[] = [];
    for (const conditions of ['g:somewhere', 'm:5339', 'g:somewhere', 'm:5339']) {
      const asked = ask(conditions).then((count) => void counts.push(count));
      const before = counts.length;
      while (running.size === 0 && counts.length === before) await setImmediate();
      for (const { end } of running.values()) end();
      await asked;
    }
    assert.deepEqual(counts, expected, url);
  }
});

test('two counts run beside each other, and one that nobody waits for ends', async () => {
  const { ask, running } = await counting();
  const going = new AbortController();
  const gone = [1, 2, 3].map((box) => ask(`r:139,35,140,3${box + 5}`, going.signal).catch(() => 'gone'));
  const staying = ask('m:5339');
  while (running.size < 2) await setImmediate();
  assert.equal(running.size, 2);
  const ended = [...running.values()].map(({ signal }) => signal);
  going.abort();
  assert.deepEqual(await Promise.all(gone), ['gone', 'gone', 'gone']);
  while (![...running.keys()].join().includes('5339')) await setImmediate();
  assert.ok(ended.every(({ aborted }) => aborted));
  for (const { end } of running.values()) end();
  assert.ok((await staying) > 0);
});
