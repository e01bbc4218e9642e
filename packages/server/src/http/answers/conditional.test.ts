import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ServiceError } from '../../base/errors.ts';
import { isUnchanged, type Validators } from './conditional.ts';

const MODIFIED = new Date('2024-04-01T00:00:00.500Z');
const STRONG: Validators = { etag: '"a,b"', lastModified: MODIFIED };
const WEAK: Validators = { etag: 'W/"abc"' };

/** Whether the answer is 304; the status where a condition fails. */
function outcome(headers: Record<string, string>, validators: Validators): boolean | number {
  const reply = { header: () => reply } as unknown as FastifyReply;
  try {
    return isUnchanged({ headers } as unknown as FastifyRequest, reply, validators);
  } catch (error) {
    assert.ok(error instanceof ServiceError);
    return error.status;
  }
}

test('If-None-Match decides before If-Modified-Since, and compares weakly', () => {
  const since = 'Mon, 01 Apr 2024 00:00:00 GMT';
  const cases: Array<[Record<string, string>, Validators, boolean]> = [
    [{}, STRONG, false],
    [{ 'if-none-match': 'W/"abc"' }, WEAK, true],
    [{ 'if-none-match': '"abc"' }, WEAK, true],
    [{ 'if-none-match': '"x", W/"abc"' }, WEAK, true],
    [{ 'if-none-match': '*' }, WEAK, true],
    [{ 'if-none-match': '"abcd"' }, WEAK, false],
    [{ 'if-none-match': '"a,b"' }, STRONG, true],
    [{ 'if-modified-since': since }, STRONG, true],
    [{ 'if-modified-since': 'Sun, 31 Mar 2024 23:59:59 GMT' }, STRONG, false],
    [{ 'if-modified-since': 'yesterday' }, STRONG, false],
    [{ 'if-modified-since': since }, WEAK, false],
    [{ 'if-none-match': '"x"', 'if-modified-since': since }, STRONG, false],
    // A condition that was sent is meant, whatever the caller's cache is told.
    [{ 'if-none-match': 'W/"abc"', 'cache-control': 'no-cache' }, WEAK, true],
  ];
  for (const [headers, validators, expected] of cases)
    assert.equal(outcome(headers, validators), expected, JSON.stringify(headers));
});

test('If-Match takes strong tags alone, and If-Unmodified-Since counts without it', () => {
  const before = 'Sun, 31 Mar 2024 23:59:59 GMT';
  const cases: Array<[Record<string, string>, Validators, boolean | number]> = [
    [{ 'if-match': '*' }, WEAK, false],
    [{ 'if-match': 'W/"abc"' }, WEAK, 412],
    [{ 'if-match': '"x", "abc"' }, { etag: '"abc"' }, false],
    [{ 'if-match': '"x"' }, STRONG, 412],
    [{ 'if-unmodified-since': before }, STRONG, 412],
    [{ 'if-unmodified-since': 'Mon, 01 Apr 2024 00:00:00 GMT' }, STRONG, false],
    [{ 'if-unmodified-since': 'never' }, STRONG, false],
    [{ 'if-match': '*', 'if-unmodified-since': before }, STRONG, false],
  ];
  for (const [headers, validators, expected] of cases)
    assert.equal(outcome(headers, validators), expected, JSON.stringify(headers));
});
