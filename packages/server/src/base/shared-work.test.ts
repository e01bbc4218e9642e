import assert from 'node:assert/strict';
import test from 'node:test';
import { SharedWork } from './shared-work.ts';

/** Work whose end a test decides. */
function works() {
  const begun: Array<{ signal: AbortSignal; end(result: string): void; fail(error: Error): void }> = [];
  const work = (signal: AbortSignal) => {
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    begun.push({ signal, end: resolve, fail: reject });
    signal.addEventListener('abort', () => reject(signal.reason));
    return promise;
  };
  return { begun, work };
}

test('callers of one key share the work, and the next begins anew', async () => {
  const shared = new SharedWork<string>();
  const { begun, work } = works();
  const callers = [shared.run('a', work), shared.run('a', work), shared.run('b', work)];
  assert.equal(begun.length, 2);
  begun[0]!.end('of a');
  begun[1]!.end('of b');
  assert.deepEqual(await Promise.all(callers), ['of a', 'of a', 'of b']);
  const failing = shared.run('a', work);
  begun[2]!.fail(new Error('broken'));
  await assert.rejects(failing, /broken/);
  const again = shared.run('a', work);
  begun[3]!.end('again');
  assert.equal(await again, 'again');
});

test('a caller that goes leaves the work to the others; the last one ends it', async () => {
  const shared = new SharedWork<string>();
  const { begun, work } = works();
  const [first, second, third] = [new AbortController(), new AbortController(), new AbortController()];
  const callers = [first, second].map(({ signal }) => shared.run('a', work, signal));
  first.abort(new Error('gone'));
  await assert.rejects(callers[0]!, /gone/);
  assert.equal(begun[0]!.signal.aborted, false);
  second.abort(new Error('gone too'));
  const later = shared.run('a', work, third.signal);
  await assert.rejects(callers[1]!, /gone too/);
  assert.equal(begun[0]!.signal.aborted, true);
  assert.equal(begun.length, 2);
  begun[1]!.end('later');
  assert.equal(await later, 'later');
  third.abort();
  await assert.rejects(shared.run('a', work, third.signal));
});

test('work that somebody without a signal waits for goes on', async () => {
  const shared = new SharedWork<string>();
  const { begun, work } = works();
  const going = new AbortController();
  const staying = shared.run('a', work);
  const leaving = shared.run('a', work, going.signal);
  going.abort(new Error('gone'));
  await assert.rejects(leaving, /gone/);
  begun[0]!.end('done');
  assert.equal(await staying, 'done');
});

test('work that has ended forgets itself, and not what has begun since under its key', async () => {
  const shared = new SharedWork<string>();
  const { begun, work } = works();
  const going = new AbortController();
  const left = shared.run('a', work, going.signal);
  going.abort(new Error('gone'));
  const second = shared.run('a', work);
  await assert.rejects(left, /gone/);
  await new Promise((resolve) => setImmediate(resolve));
  const third = shared.run('a', work);
  assert.equal(begun.length, 2, 'the third shares what the second began');
  begun[1]!.end('both');
  assert.deepEqual(await Promise.all([second, third]), ['both', 'both']);
});
