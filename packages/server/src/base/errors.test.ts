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
