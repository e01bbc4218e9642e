import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MemberDamaged } from '@citymodel/zip';
import { toServiceError } from './failures.ts';

test('bytes that came damaged are no fault of the program: the caller may try again', () => {
  const { status, retryAfter } = toServiceError(
    new MemberDamaged('CRC_MISMATCH', 'a.gml', 'Its CRC is wrong.'),
  );
  assert.equal(status, 503);
  assert.equal(retryAfter, 30);
  assert.equal(toServiceError(new Error('anything else')).status, 500);
});
