import assert from 'node:assert/strict';
import { test } from 'node:test';
import { StoreUnavailable } from '../catalogue-store.ts';
import { fromFault, toFault } from './thread-messages.ts';

/** What a thread sends, as the other one has it. */
const across = (error: unknown) => fromFault(structuredClone(toFault(error)));

test('an error of a thread says there and here the same: text, place, class, codes and cause', () => {
  const cause = Object.assign(new Error('disk I/O error'), { code: 'ERR_SQLITE_ERROR', errcode: 10 });
  const error = across(new StoreUnavailable('the database cannot answer', { cause }));
  assert.ok(error instanceof StoreUnavailable);
  assert.equal(error.message, 'the database cannot answer');
  const inner = error.cause as typeof cause;
  assert.ok(!(inner instanceof StoreUnavailable));
  assert.deepEqual([inner.message, inner.code, inner.errcode], ['disk I/O error', 'ERR_SQLITE_ERROR', 10]);
  assert.equal(inner.stack, cause.stack, 'the place in the thread');
  assert.equal(inner.cause, undefined);
  assert.deepEqual(Object.keys(across(new RangeError('no code'))), []);
});

test('what is thrown and is no error becomes one', () => {
  const error = across('only a text');
  assert.ok(error instanceof Error);
  assert.equal(error.message, 'only a text');
  assert.ok(!(error instanceof StoreUnavailable));
  assert.match(error.stack!, /only a text/);
});
