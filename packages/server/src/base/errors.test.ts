import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ServiceError } from './errors.ts';

test('the body of an error gives back little of what a caller sent', () => {
  const long = 'x'.repeat(9_800_000);
  const error = new ServiceError(400, 'invalid url', { reason: `${long} is no URL.`, url: long });
  assert.ok(JSON.stringify(error.body()).length < 1_500);
  const short = new ServiceError(400, 'invalid url', { reason: 'No URL.', url: 'a' });
  assert.deepEqual(short.body(), { error: 'invalid url', reason: 'No URL.', url: 'a' });
});

test('an error has its status, the seconds after which to try again, and further keys', () => {
  const cause = new Error('cause');
  const error = new ServiceError(503, 'unavailable', { retryAfter: 5, extra: { status: 'failed' }, cause });
  assert.deepEqual(
    [error.status, error.message, error.name, error.retryAfter, error.cause],
    [503, 'unavailable', 'ServiceError', 5, cause],
  );
  assert.deepEqual(error.body(), { error: 'unavailable', status: 'failed' });
  assert.deepEqual(new ServiceError(404, 'not found').body(), { error: 'not found' });
});

test('a reason has a thousand code units and a URL three hundred, and an ellipsis beyond', () => {
  for (const [key, most] of [
    ['reason', 1_000],
    ['url', 300],
  ] as const) {
    const body = (length: number) =>
      new ServiceError(400, 'invalid url', { [key]: 'x'.repeat(length) }).body()[key];
    assert.equal(body(most), 'x'.repeat(most));
    assert.equal(body(most + 1), `${'x'.repeat(most)}…`);
  }
});
