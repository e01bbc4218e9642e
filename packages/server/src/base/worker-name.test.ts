import assert from 'node:assert/strict';
import { test } from 'node:test';
import { THIS_HOST } from '@citymodel/base';
import { isDeadWorker, workerName } from './worker-name.ts';

const alive = () => true;
const dead = () => false;

test('a worker has a name of its own, with its host and its process', () => {
  const [first, second] = [workerName(), workerName()];
  assert.notEqual(first, second);
  for (const name of [first, second]) {
    assert.ok(name.startsWith(`${THIS_HOST}:${process.pid}:`), name);
    assert.equal(isDeadWorker(name, dead), false, 'it is this process, whatever is told of its number');
  }
});

test('a worker is dead when its process is gone, or this process has its number now', () => {
  const other = `${THIS_HOST}:${process.pid + 1}:11111111.2222`;
  const asked: number[] = [];
  assert.equal(
    isDeadWorker(other, (pid) => asked.push(pid) > 0),
    false,
  );
  assert.deepEqual(asked, [process.pid + 1]);
  assert.equal(isDeadWorker(other, dead), true);
  assert.equal(isDeadWorker(`${THIS_HOST}:${process.pid}:11111111.2222`, alive), true);
});

test('nothing is known of workers of other hosts, nor of names that are none', () => {
  for (const name of [`x${THIS_HOST}:1:a.b`, 'other#12345678:1:a.b', THIS_HOST, `${THIS_HOST}:x:a.b`, '']) {
    assert.equal(isDeadWorker(name, dead), false, name);
  }
});
