import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { withPatience } from '@citymodel/base';
import { StoreUnavailable } from '../catalogue-store.ts';
import { type FaultFacts, StoreFaults } from './store-faults.ts';
import { ATTEMPTS, storeLink } from './store-link.ts';
import { tried } from './tries.ts';

const FAULTS = new StoreFaults({
  read: (error) => (error as { facts?: FaultFacts }).facts ?? { status: undefined, code: 'Unknown' },
  placeMissing: 'NoSuchBucket',
  uploadGone: 'NoSuchUpload',
  advice: {},
});
const ASKED = { store: 'Azure', operation: 'GetBlob', faults: FAULTS };
const fault = (status: number) => Object.assign(new Error(`${status}`), { facts: { status, code: 'x' } });

/** Asks with answers in their order, the last one for ever, and counts the tries. */
async function asking(t: TestContext, answers: unknown[], options: Parameters<typeof tried>[2] = {}) {
  t.mock.method(Math, 'random', () => 0);
  let tries = 0;
  const link = storeLink(async () => {}, { connect: 1, answer: 1 });
  const result = await tried(link, ASKED, options, async () => {
    const answer = answers[Math.min(tries++, answers.length - 1)];
    if (answer instanceof Error) throw answer;
    return answer;
  }).catch((error: unknown) => error);
  link.gate.close();
  return { result, tries };
}

test('a fault that passes is tried again, four times in all, and others are not', async (t) => {
  assert.deepEqual(await asking(t, ['yes']), { result: 'yes', tries: 1 });
  assert.deepEqual(await asking(t, [fault(503), fault(500), 'yes']), { result: 'yes', tries: 3 });
  assert.equal(ATTEMPTS, 4);
  const last = fault(503);
  assert.deepEqual(await asking(t, [fault(503), fault(503), fault(503), last]), { result: last, tries: 4 });
  const missing = fault(404);
  assert.deepEqual(await asking(t, [missing]), { result: missing, tries: 1 });
  const away = new StoreUnavailable('away');
  assert.deepEqual(await asking(t, [away]), { result: away, tries: 1 });
});

test('nobody is asked again for a caller who has left, or who waited as long as an answer may take', async (t) => {
  const gone = fault(503);
  assert.equal((await asking(t, [gone], { abortSignal: AbortSignal.abort() })).tries, 1);
  assert.equal((await asking(t, [gone], { abortSignal: new AbortController().signal })).tries, 4);
  const late = Object.assign(new Error('late'), { name: 'TimeoutError' });
  assert.equal((await asking(t, [late])).tries, 4);
  await withPatience(async () => {
    assert.equal((await asking(t, [late])).tries, 1);
    assert.equal((await asking(t, [gone])).tries, 4);
  });
});

test('the work is aborted when its answer does not begin in time, or the caller leaves', async (t) => {
  t.mock.method(Math, 'random', () => 0);
  const link = storeLink(async () => {}, { connect: 1, answer: 1 });
  const wait = (signal: AbortSignal | undefined) =>
    new Promise<never>((_, reject) => {
      signal!.addEventListener('abort', () => reject(new Error('cut')), { once: true });
    });
  let tries = 0;
  await assert.rejects(
    tried(link, ASKED, { requestTimeout: 1 }, (signal) => {
      tries++;
      return wait(signal);
    }),
    { name: 'TimeoutError', message: 'no answer in time' },
  );
  assert.equal(tries, 4);
  const caller = new AbortController();
  const asking = tried(link, ASKED, { requestTimeout: 60_000, abortSignal: caller.signal }, wait);
  caller.abort(new Error('left'));
  await assert.rejects(asking, { message: 'cut' });
  const signals: Array<AbortSignal | undefined> = [];
  const note = async (signal: AbortSignal | undefined) => void signals.push(signal);
  await tried(link, ASKED, {}, note);
  await tried(link, ASKED, { abortSignal: caller.signal }, note);
  await tried(link, ASKED, { requestTimeout: 1 }, note);
  assert.deepEqual(signals.slice(0, 2), [undefined, caller.signal]);
  await new Promise((resolve) => setTimeout(resolve, 5));
  assert.equal(signals[2]!.aborted, false, 'its answer may go on');
  link.gate.close();
});
