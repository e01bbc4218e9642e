import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ServiceError } from './errors.ts';
import { RequestBudget } from './request-budget.ts';

const budget = () =>
  new RequestBudget({ items: 10, bytesHeld: 100, bytesRead: 1_000 }, 'Ask for fewer files.');

test('counts up to the allowance and stops above it', () => {
  const requests = budget();
  requests.items(10);
  assert.throws(
    () => requests.items(1),
    (error: ServiceError) =>
      error.status === 400 &&
      /more than 10 entries/.test(error.reason!) &&
      /Ask for fewer/.test(error.reason!),
  );
});

test('bytes that are released can be held again', () => {
  const requests = budget();
  for (let i = 0; i < 50; i++) {
    requests.hold(100);
    requests.release(100);
  }
  requests.hold(60);
  assert.throws(() => requests.hold(41), { status: 413 });
});

test('bytes read add up', () => {
  const requests = budget();
  requests.read(999);
  requests.read(1);
  assert.throws(() => requests.read(1), ServiceError);
  assert.deepEqual(requests.used, { items: 0, bytesHeld: 0, bytesRead: 1_001 });
});
