import assert from 'node:assert/strict';
import { test } from 'node:test';
import { finish, inSlices, type Steps } from './steps.ts';
import { Slices } from './turns.ts';

function* threeSteps(done: string[]): Steps<number> {
  done.push('a');
  yield;
  done.push('b');
  yield;
  done.push('c');
  return done.length;
}

test('steps give the same at once and in slices, with a pause wherever a slice ends', async () => {
  const done: string[] = [];
  assert.equal(finish(threeSteps(done)), 3);
  for (const { limit, pauses } of [
    { limit: 0, pauses: 2 },
    { limit: 1e9, pauses: 0 },
  ]) {
    let paused = 0;
    const slices = new Slices(async () => void paused++, limit);
    const slowly: string[] = [];
    assert.equal(await inSlices(threeSteps(slowly), slices), 3);
    assert.deepEqual(slowly, done);
    assert.equal(paused, pauses);
  }
});

test('what a step or a pause throws ends the work', async () => {
  const failing = function* (): Steps<never> {
    yield;
    throw new Error('no');
  };
  assert.throws(() => finish(failing()), /no/);
  const gone = new Slices(() => Promise.reject(new Error('gone')), 0);
  const done: string[] = [];
  await assert.rejects(inSlices(threeSteps(done), gone), /gone/);
  assert.deepEqual(done, ['a']);
});
