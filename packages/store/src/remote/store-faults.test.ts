import assert from 'node:assert/strict';
import { test } from 'node:test';
import { StoreUnavailable } from '../catalogue-store.ts';
import { type FaultFacts, isTimeout, StoreFaults } from './store-faults.ts';

const FAULTS = new StoreFaults({
  read: (error) => (error as { facts?: FaultFacts }).facts ?? { status: undefined, code: 'Unknown' },
  placeMissing: 'NoSuchBucket',
  exists: 'BlobAlreadyExists',
  uploadGone: 'NoSuchUpload',
  advice: { AccessDenied: 'its key may not do that', 503: 'it is busy' },
});

const fault = (status: number | undefined, code = 'Odd') =>
  Object.assign(new Error('x'), { facts: { status, code } });

/** Which of the questions are answered with yes. */
const answers = (error: unknown) =>
  (['isMissing', 'isChanged', 'isTaken', 'isUploadGone', 'isPassing'] as const).filter((ask) =>
    FAULTS[ask](error),
  );

test('a fault is told by its status and its word', () => {
  const faults: Array<[FaultFacts, string[]]> = [
    [{ status: 404, code: 'NoSuchKey' }, ['isMissing']],
    [{ status: 404, code: 'NoSuchBucket' }, []],
    [{ status: 404, code: 'NoSuchUpload' }, ['isMissing', 'isUploadGone']],
    [{ status: 412, code: 'PreconditionFailed' }, ['isChanged', 'isTaken']],
    [{ status: 409, code: 'BlobAlreadyExists' }, ['isTaken']],
    [{ status: 409, code: 'Conflict' }, []],
    [{ status: 403, code: 'AccessDenied' }, []],
    [{ status: 300, code: 'x' }, []],
    [{ status: 499, code: 'x' }, []],
  ];
  for (const [{ status, code }, expected] of faults) {
    assert.deepEqual(answers(fault(status, code)), expected, `${status} ${code}`);
    assert.equal(FAULTS.statusOf(fault(status, code)), status);
  }
});

test('asking again may mend no answer, a cut line, a time-out, a fault and a throttle of the store', () => {
  for (const status of [undefined, 200, 206, 299, 408, 429, 500, 503, 599]) {
    assert.deepEqual(answers(fault(status)), ['isPassing'], `${status}`);
  }
});

test('what is told of a store says why, and its answer where it is a refusal', () => {
  const doing = 'read an object';
  const messages: Array<[unknown, string]> = [
    [fault(403, 'AccessDenied'), 'its key may not do that (403 AccessDenied)'],
    [fault(503, 'SlowDown'), 'it is busy (503 SlowDown)'],
    [fault(500, 'InternalError'), 'InternalError (500 InternalError)'],
    [fault(300, 'Moved'), 'Moved (300 Moved)'],
    [fault(206, 'Odd'), 'Odd'],
    [fault(undefined, 'Odd'), 'Odd'],
    [Object.assign(fault(undefined, 'Odd'), { code: 'ECONNREFUSED' }), 'ECONNREFUSED'],
    [Object.assign(fault(undefined, 'Odd'), { code: 'ETIMEDOUT' }), 'it did not answer in time'],
  ];
  for (const [error, why] of messages) {
    const unavailable = FAULTS.unavailable(error, doing);
    assert.equal(unavailable.message, `the object store cannot ${doing}: ${why}`);
    assert.equal(unavailable.cause, error);
  }
  const own = new StoreUnavailable('known');
  assert.equal(FAULTS.unavailable(own, doing), own);
});

test('a time-out has the name or the code of one', () => {
  for (const name of ['TimeoutError', 'AbortError']) {
    assert.equal(isTimeout(Object.assign(new Error('x'), { name })), true);
  }
  assert.equal(isTimeout(Object.assign(new Error('x'), { code: 'ETIMEDOUT' })), true);
  assert.equal(isTimeout(Object.assign(new Error('x'), { code: 'ECONNRESET' })), false);
  assert.equal(isTimeout(new Error('TimeoutError')), false);
});
