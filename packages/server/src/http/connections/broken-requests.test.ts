import assert from 'node:assert/strict';
import type { Duplex } from 'node:stream';
import { test } from 'node:test';
import { ServiceError } from '../../base/errors.ts';
import { brokenRequestAnswerer, errorAnswer } from './broken-requests.ts';

const answerBroken = brokenRequestAnswerer({ MAX_URL_BYTES: 8_192, REQUEST_TIMEOUT_S: 60 });

/** What is written to the socket of a request that broke so; null where it is cut without a word. */
function answerTo(code: string | undefined, packet?: unknown, writable = true): string | null {
  let answer: string | null = null;
  let isCut = false;
  const socket = {
    writable,
    destroy() {
      isCut = true;
    },
    end(text: string) {
      answer = text;
    },
  };
  const error = Object.assign(new Error('broken'), { rawPacket: packet, ...(code && { code }) });
  answerBroken(error, socket as unknown as Duplex);
  assert.equal(isCut, answer === null);
  return answer;
}

const statusOf = (answer: string | null) => Number(/^HTTP\/1\.1 (\d+) /.exec(answer ?? '')?.[1]);

test('what is no request gets an answer that says why, or none where nobody reads it', () => {
  assert.match(answerTo('HPE_HEADER_OVERFLOW')!, /^HTTP\/1\.1 431 .*at most 8192 bytes \(MAX_URL_BYTES\)/s);
  assert.match(answerTo('ERR_HTTP_REQUEST_TIMEOUT')!, /^HTTP\/1\.1 408 .*within 60 seconds/s);
  assert.match(answerTo('HPE_INVALID_CONSTANT')!, /^HTTP\/1\.1 400 .*not valid HTTP/s);
  assert.equal(statusOf(answerTo(undefined)), 400);
  assert.equal(answerTo('ECONNRESET'), null);
  assert.equal(answerTo('HPE_HEADER_OVERFLOW', undefined, false), null);
});

test('an unknown method is told apart from bytes that are no HTTP', () => {
  const status = (line: string) => statusOf(answerTo('HPE_INVALID_METHOD', Buffer.from(line)));
  for (const line of [
    'BREW / HTTP/1.1',
    'brew * HTTP/1.1',
    'BREW http://a/',
    'X-Y_1 https://a/',
    `${'A'.repeat(40)} /`,
  ])
    assert.equal(status(line), 501, line);
  for (const line of ['\x16\x03\x01\x02', 'BREW', 'BREW tea', ' / HTTP/1.1', `${'A'.repeat(41)} /`, ''])
    assert.equal(status(line), 400, line);
  assert.equal(statusOf(answerTo('HPE_INVALID_METHOD', 'BREW / HTTP/1.1')), 400, 'no bytes');
});

test('an answer is whole: its length in bytes, and the connection is closed', () => {
  const failure = new ServiceError(405, 'method not allowed', { reason: 'いいえ' });
  const [head, body] = errorAnswer('405 Method Not Allowed', failure, 'Allow: GET\r\n').split('\r\n\r\n');
  assert.deepEqual(head!.split('\r\n'), [
    'HTTP/1.1 405 Method Not Allowed',
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body!)}`,
    'Access-Control-Allow-Origin: *',
    'Allow: GET',
    'Connection: close',
  ]);
  assert.deepEqual(JSON.parse(body!), { error: 'method not allowed', reason: 'いいえ' });
});
