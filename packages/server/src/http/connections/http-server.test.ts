import assert from 'node:assert/strict';
import type { IncomingMessage } from 'node:http';
import { describe, test } from 'node:test';
import { ServiceError } from '../../base/errors.ts';
import { readSettings } from '../../base/settings.ts';
import { checkHost, createHttpServer } from './http-server.ts';
import { Pipelining } from './pipelining.ts';

const serverWith = (env: Record<string, string> = {}) =>
  createHttpServer(readSettings(env), new Pipelining(4), () => assert.fail('a request was handled'));

describe('a server', () => {
  test('waits as long as its settings say', () => {
    const server = serverWith({ REQUEST_TIMEOUT_S: '50', IDLE_TIMEOUT_S: '70', MAX_CONNECTIONS: '123' });
    assert.equal(server.requestTimeout, 50_000);
    assert.equal(server.headersTimeout, 50_000);
    assert.equal(server.keepAliveTimeout, 70_000);
    assert.equal(server.timeout, 70_000);
    assert.equal(server.maxConnections, 123);
  });

  test('refuses expectations that it does not know, with a body for all but HEAD', () => {
    const answer = (method: string) => {
      let head: [number, Record<string, unknown>] | undefined;
      let body: string | undefined;
      serverWith().emit(
        'checkExpectation',
        { method },
        {
          writeHead: (status: number, headers: Record<string, unknown>) => {
            head = [status, headers];
          },
          end(text?: string) {
            body = text;
          },
        },
      );
      return { status: head![0], headers: head![1], body };
    };
    const { status, headers, body } = answer('POST');
    assert.equal(status, 417);
    assert.equal(headers['content-length'], Buffer.byteLength(body!));
    assert.equal(headers['access-control-allow-origin'], '*');
    assert.match(JSON.parse(body!).reason, /100-continue/);
    assert.equal(answer('HEAD').status, 417);
    assert.equal(answer('HEAD').body, undefined);
  });

  test('is no proxy', () => {
    let answer = '';
    serverWith().emit(
      'connect',
      {},
      {
        end(text: string) {
          answer = text;
        },
      },
    );
    assert.match(answer, /^HTTP\/1\.1 405 Method Not Allowed\r\n.*\r\nAllow: GET, HEAD, POST, OPTIONS\r\n/s);
    assert.match(answer, /not a proxy/);
  });
});

test('a request names its host once; before HTTP/1.1 it may leave it out', () => {
  const check = (httpVersion: string, ...rawHeaders: string[]) =>
    checkHost({ rawHeaders, httpVersion } as IncomingMessage);
  check('1.1', 'Host', 'a');
  check('1.1', 'accept', 'host', 'HOST', 'a');
  check('1.0');
  check('1.0', 'host', 'a');
  for (const headers of [[], ['host', 'a', 'Host', 'a'], ['hosts', 'a'], ['accept', 'host'], ['most', 'a']])
    assert.throws(
      () => check('1.1', ...headers),
      (error: ServiceError) => error instanceof ServiceError && error.status === 400,
      headers.join(),
    );
  assert.throws(
    () => check('1.0', 'host', 'a', 'host', 'b'),
    ({ reason }: ServiceError) => /this one has 2\./.test(reason!),
  );
});
