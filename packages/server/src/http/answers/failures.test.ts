import assert from 'node:assert/strict';
import { test } from 'node:test';
import { OutOfPatience } from '@citymodel/base';
import { ObjectMissing, StoreUnavailable } from '@citymodel/store';
import { MemberDamaged } from '@citymodel/zip';
import Fastify from 'fastify';
import { ServiceError } from '../../base/errors.ts';
import { handleFailures, toServiceError } from './failures.ts';

test('bytes that came damaged are no fault of the program: the caller may try again', () => {
  const { status, retryAfter } = toServiceError(
    new MemberDamaged('CRC_MISMATCH', 'a.gml', 'Its CRC is wrong.'),
  );
  assert.equal(status, 503);
  assert.equal(retryAfter, 30);
  assert.equal(toServiceError(new Error('anything else')).status, 500);
});

test('failures of the framework and of the stores are told in the terms of the interface', () => {
  const of = (facts: object) => {
    const { status, message, retryAfter } = toServiceError(Object.assign(new Error('why'), facts));
    return [status, message, retryAfter];
  };
  const body = 'invalid request body';
  assert.deepEqual(of({ code: 'FST_ERR_CTP_BODY_TOO_LARGE' }), [413, 'request too large', undefined]);
  assert.deepEqual(of({ code: 'FST_ERR_CTP_INVALID_MEDIA_TYPE' }), [415, body, undefined]);
  for (const code of ['EMPTY_JSON_BODY', 'INVALID_JSON_BODY', 'INVALID_CONTENT_LENGTH'])
    assert.deepEqual(of({ code: `FST_ERR_CTP_${code}` }), [400, body, undefined], code);
  assert.deepEqual(of({ code: 'FST_ERR_BAD_URL' }), [400, 'invalid url', undefined]);
  assert.deepEqual(of({ statusCode: 412 }), [412, 'precondition failed', undefined]);
  assert.deepEqual(of({ statusCode: 400 }), [400, 'invalid request', undefined]);
  assert.deepEqual(of({ statusCode: 499 }), [499, 'invalid request', undefined]);
  for (const statusCode of [399, 500, 503])
    assert.deepEqual(of({ statusCode }), [500, 'internal', undefined]);
  const own = new ServiceError(409, 'conflict', { reason: 'a' });
  assert.equal(toServiceError(own), own);
  for (const [error, seconds] of [
    [new StoreUnavailable('the database is gone'), 5],
    [new OutOfPatience(), 5],
    [new ObjectMissing('key'), 30],
  ] as const) {
    const { status, retryAfter, cause, reason } = toServiceError(error);
    assert.deepEqual([status, retryAfter, cause], [503, seconds, error]);
    assert.doesNotMatch(reason!, /key|database/);
  }
});

test('an answer that failed has none of the headers of a success, and its cause is counted', async () => {
  const causes: string[] = [];
  const lines: unknown[] = [];
  const app = Fastify();
  app.addHook('onRequest', (request, _reply, done) => {
    request.log = { ...request.log, error: (line: unknown) => lines.push(line) } as typeof request.log;
    done();
  });
  handleFailures(app, (cause) => causes.push(cause));
  const failing = (path: string, error: Error, headers: Record<string, string> = {}) =>
    app.get(path, async (_request, reply) => {
      reply.headers(headers);
      throw error;
    });
  const success = {
    ...{ 'content-encoding': 'gzip', 'content-disposition': 'attachment', 'content-range': 'bytes */9' },
    'cache-control': 'public, max-age=60',
  };
  const range = new ServiceError(416, 'range not satisfiable', {});
  failing('/missing', new ServiceError(404, 'not found', {}), success);
  failing('/gone', new ServiceError(404, 'not found', {}));
  failing('/range', range, success);
  failing('/database', new StoreUnavailable('the database is gone'));
  failing('/objects', new StoreUnavailable('the bucket is gone'));
  failing('/object', new ObjectMissing('a'));
  failing('/damage', new MemberDamaged('CRC_MISMATCH', 'a.gml', 'wrong'));
  failing('/time', new OutOfPatience());
  failing('/limit', new ServiceError(503, 'unavailable', { retryAfter: 7 }));
  failing('/fault', new Error('secret'));
  const ask = async (url: string) => {
    const { statusCode, headers, payload } = await app.inject(url);
    return { status: statusCode, headers, payload };
  };
  const missing = await ask('/missing');
  assert.equal(missing.headers['cache-control'], 'public, max-age=60', 'a handler knows what is not there');
  for (const name of ['content-encoding', 'content-disposition', 'content-range'])
    assert.equal(missing.headers[name], undefined, name);
  assert.equal(missing.headers['x-content-type-options'], 'nosniff');
  assert.equal((await ask('/gone')).headers['cache-control'], 'no-store');
  const beyond = (await ask('/range')).headers;
  assert.deepEqual([beyond['content-range'], beyond['cache-control']], ['bytes */9', 'no-store']);
  assert.deepEqual([causes, lines], [[], []]);
  for (const path of ['/database', '/objects', '/object', '/damage', '/time'])
    assert.equal((await ask(path)).status, 503);
  assert.equal((await ask('/limit')).headers['retry-after'], '7');
  assert.deepEqual(causes, ['database', 'objects', 'missing object', 'damage', 'time', 'limit']);
  // A limit that refuses is no fault.
  assert.equal(lines.length, 5);
  const fault = await ask('/fault');
  assert.equal(fault.status, 500);
  assert.doesNotMatch(fault.payload, /secret/);
  assert.equal(lines.length, 6);
  const unknown = await ask('/nowhere?token=1');
  assert.equal(unknown.status, 404);
  assert.match(unknown.payload, /There is no operation GET \/nowhere\./);
  const options = await app.inject({ method: 'OPTIONS', url: '/nowhere' });
  assert.equal(options.statusCode, 204);
  assert.equal(options.headers.allow, 'GET, HEAD, POST, OPTIONS');
  await app.close();
});
