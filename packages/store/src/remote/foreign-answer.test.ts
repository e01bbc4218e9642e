import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FOREIGN_ANSWER, foreignAnswer, isForeign } from './foreign-answer.ts';

const PAGE = { status: 404, contentType: 'text/html', etag: undefined, requestId: undefined };

test('a page or a text without an id and without a tag is of another program, unless it is a fault', () => {
  for (const contentType of [
    'text/html',
    'TEXT/HTML; charset=utf-8',
    'text/plain',
    'application/xhtml+xml',
    'application/json',
  ]) {
    for (const status of [200, 404, 499]) assert.equal(isForeign({ ...PAGE, status, contentType }), true);
  }
  for (const contentType of [undefined, '', 'application/xml', 'application/octet-stream', 'text/htmlx']) {
    assert.equal(isForeign({ ...PAGE, contentType }), false, contentType);
  }
  for (const status of [500, 503]) assert.equal(isForeign({ ...PAGE, status }), false);
  assert.equal(isForeign({ ...PAGE, requestId: 'r' }), false);
  assert.equal(isForeign({ ...PAGE, etag: '"e"' }), false);
});

test('its error has a word, and no status', () => {
  const error = foreignAnswer();
  assert.deepEqual([error.name, error.code, 'status' in error], [FOREIGN_ANSWER, FOREIGN_ANSWER, false]);
});
