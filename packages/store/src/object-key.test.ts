import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertKey, assertRange } from './object-key.ts';

test('keys and parts of them have a length, and an error says what is wrong and begins with the key', () => {
  const parts = (length: number) => 'x/'.repeat(length / 2 - 1).padEnd(length, 'y');
  for (const key of ['a', 'x'.repeat(255), `a/${'x'.repeat(255)}`, parts(1024), ' ', '~', '[', ']', '..a']) {
    assertKey(key);
  }
  for (const [key, why] of [
    [parts(1025), /is longer than 1024 bytes/],
    ['x'.repeat(256), /has a part longer than 255 bytes/],
    [`a/${'x'.repeat(256)}`, /has a part longer than 255 bytes/],
    ['', /is empty or has characters/],
    ['a\\b', /a backslash/],
    ['\x1f', /printable ASCII/],
    ['\x7f', /printable ASCII/],
    ['a//b', /an empty part/],
    ['./a', /a part \. or \.\./],
    ['a/..', /a part \. or \.\./],
  ] as const) {
    assert.throws(
      () => assertKey(key),
      (error: Error) => error instanceof RangeError && why.test(error.message) && error.message.length < 300,
    );
  }
});

test('a range lies within its object, in whole bytes', () => {
  for (const [offset, length] of [
    [0, 10],
    [10, 0],
    [9, 1],
  ] as const) {
    assertRange('k', 10, offset, length);
  }
  for (const [offset, length] of [
    [0, 11],
    [10, 1],
    [11, 0],
    [-1, 1],
    [1, -1],
    [0.5, 1],
    [1, 0.5],
    [Number.NaN, 1],
  ] as const) {
    assert.throws(() => assertRange('k', 10, offset, length), {
      name: 'RangeError',
      message: `bytes ${offset}+${length} lie outside the object k of 10 bytes`,
    });
  }
});
