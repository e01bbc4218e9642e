import assert from 'node:assert/strict';
import { test } from 'node:test';
import { limitOf, refuseOthers } from './item-request.ts';

test('a limit is a whole number from 1 on, and no more are answered than may be', () => {
  assert.equal(limitOf(undefined, 10, 100), 10);
  assert.equal(limitOf('1', 10, 100), 1);
  assert.equal(limitOf('100', 10, 100), 100);
  assert.equal(limitOf('101', 10, 100), 100);
  for (const text of ['0', '-1', '0.5', '1.5', '', 'x', '1e400', 'NaN', 'Infinity'])
    assert.throws(() => limitOf(text, 10, 100), RangeError, text);
});

test('a parameter that nobody knows is named, with those that there are', () => {
  refuseOthers({ limit: '1' }, new Set(['limit', 'bbox']));
  assert.throws(
    () => refuseOthers({ limit: '1', box: '1' }, new Set(['limit', 'bbox'])),
    /box.*accepted are limit, bbox/s,
  );
  assert.throws(() => refuseOthers({ limit: '1' }, new Set()), /none is accepted/);
});
