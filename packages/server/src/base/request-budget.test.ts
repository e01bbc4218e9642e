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

test('what is refused says what there is too much of, the limit, and what to ask for', () => {
  const reasonOf = (charge: (budget: RequestBudget) => void) => {
    try {
      charge(budget());
    } catch (error) {
      return [
        (error as ServiceError).status,
        (error as ServiceError).message,
        (error as ServiceError).reason,
      ];
    }
    return null;
  };
  assert.deepEqual(
    [
      reasonOf((one) => one.items(11)),
      reasonOf((one) => one.hold(101)),
      reasonOf((one) => one.read(1_001)),
      reasonOf((one) => {
        one.hold(50);
        // More than was held leaves nothing to use later.
        one.release(80);
        one.hold(100);
      }),
    ],
    [
      [
        400,
        'request too large',
        'The request makes the server look at more than 10 entries, which is the most that is accepted. ' +
          'Ask for fewer files.',
      ],
      [
        413,
        'request too large',
        'The answer needs more than 100 bytes of memory at once, which is the most that is accepted. ' +
          'Ask for fewer files.',
      ],
      [
        413,
        'request too large',
        'The request makes the server read more than 1000 bytes, which is the most that is accepted. ' +
          'Ask for fewer files.',
      ],
      null,
    ],
  );
});
