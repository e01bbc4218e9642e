/** What answers of FlatGeobuf are refused, and when. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ServiceError } from '../../base/errors.ts';
import type { TableFeature } from './table-features.ts';
import { flatGeobufPieces } from './whole-flatgeobuf.ts';

/** The first piece of an answer of so many features at most, whose features come when `ready` does. */
async function first(most: number, ready: Promise<void> = Promise.resolve(), columns: number = 0) {
  async function* features(): AsyncGenerator<TableFeature[], void, void> {
    await ready;
    yield [];
  }
  const flat = Array.from({ length: columns }, (_, n) => ({
    key: `c:${n}`,
    name: `c${n}`,
    type: 'string' as const,
  }));
  const pieces = flatGeobufPieces({ columns: flat, fields: null, flatten: true, most, features });
  const { value } = await pieces.next();
  await pieces.return();
  return value;
}

/** What an answer is refused with. */
async function refused(
  answer: Promise<unknown>,
): Promise<[status: number, reason: string, retryAfter: unknown]> {
  const error = await answer.then(
    () => assert.fail('it is answered'),
    (thrown) => thrown,
  );
  assert.ok(error instanceof ServiceError, String(error));
  return [error.status, error.reason!, error.retryAfter];
}

test('two answers of 2,000,000 features get an index at once, and another waits for its turn', async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const running = [first(2_000_000, promise), first(1_999_999, promise)];
  assert.ok(await first(1));
  const [status, reason, retryAfter] = await refused(first(2));
  assert.deepEqual([status, retryAfter], [503, 30]);
  assert.match(reason, /Other answers of this format are being made/);
  assert.ok(await first(2_000_001), 'without an index nothing is waited for');
  resolve();
  await Promise.all(running);
  await Promise.all([first(2_000_000), first(2_000_000)]);
});

test('more columns than the format counts are refused', async () => {
  const [status, reason] = await refused(first(1, undefined, 65_537));
  assert.deepEqual([status, /more than 65536 columns/.test(reason)], [413, true]);
});
