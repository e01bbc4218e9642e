import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import Fastify from 'fastify';
import { GeneratedDocument, PassingDocument, type ReadyDocument } from '../../base/generated-document.ts';
import { type Bytes, sendBytes, sendComputedBytes, sendGenerated, sendJson } from './send.ts';

const LARGE = 600_000;
const DOCUMENT = GeneratedDocument.ofJson({ text: 'city '.repeat(1_000) });

function bytes(size: number, contentEncoding?: 'gzip'): Bytes {
  return {
    size,
    etag: '"e"',
    contentType: 'text/plain',
    ...(contentEncoding && { contentEncoding }),
    lastModified: new Date('2024-04-01T00:00:00Z'),
    cacheControl: 'public',
    async *range(start, end) {
      for (let at = start; at < end; at += 50_000)
        yield Buffer.from(Array.from({ length: Math.min(50_000, end - at) }, (_, i) => (at + i) % 251));
    },
  };
}

/** The same bytes in chunks of one memory. */
function lent(from: Bytes): Bytes {
  const memory = Buffer.alloc(50_000);
  return {
    ...from,
    isReused: true,
    async *range(start, end) {
      for await (const chunk of from.range(start, end)) {
        memory.set(chunk);
        yield memory.subarray(0, chunk.length);
      }
    },
  };
}

const app = Fastify();
app.get('/small', (request, reply) => sendBytes(request, reply, bytes(10)));
app.get('/large', (request, reply) => sendBytes(request, reply, bytes(LARGE, 'gzip')));
app.get('/lent/:size', (request, reply) =>
  sendBytes(request, reply, lent(bytes(Number((request.params as { size: string }).size)))),
);
app.get('/saved', (request, reply) =>
  sendBytes(request, reply, {
    ...bytes(10),
    disposition: 'attachment; filename="a.zip"',
    policy: "default-src 'none'",
  }),
);
app.get('/generated', (request, reply) => sendGenerated(request, reply, DOCUMENT));
/** A document that is put together for each caller. */
const PIECES = [Buffer.from(`"${'city '.repeat(1_000)}`), Buffer.from('town"')];
const PASSING = new PassingDocument(PIECES, {
  size: PIECES[0]!.length + PIECES[1]!.length,
  etag: 'W/"p"',
  memory: 0,
});
app.get('/passing', (request, reply) => sendGenerated(request, reply, PASSING));
/** One whose streams of gzip are all taken. */
const TAKEN: ReadyDocument = {
  etag: PASSING.etag,
  size: PASSING.size,
  memory: 0,
  plain: () => PASSING.plain(),
  gzip: () => assert.fail('it is not kept'),
  packing: () => null,
};
app.get('/taken', (request, reply) => sendGenerated(request, reply, TAKEN));
app.get('/computed', (request, reply) => sendJson(request, reply, { text: 'city '.repeat(1_000) }));
app.get('/varied', (request, reply) => sendJson(request, reply.header('vary', 'accept'), { text: 'city' }));
app.get('/short', (request, reply) => sendJson(request, reply, { text: 'city' }));
after(() => app.close());

const get = (url: string, headers: Record<string, string> = {}, method: 'GET' | 'HEAD' = 'GET') =>
  app.inject({ method, url, headers });

test('bytes of memory that is used again, small and large', async () => {
  for (const size of [120_000, LARGE]) {
    const reply = await get(`/lent/${size}`);
    assert.deepEqual([reply.statusCode, reply.rawPayload.length], [200, size]);
    assert.ok(reply.rawPayload.every((byte, i) => byte === i % 251));
  }
});

test('bytes say how they are saved and kept, what they may load, and nothing that they do not know', async () => {
  for (const [headers, method, status] of [
    [{}, 'GET', 200],
    [{}, 'HEAD', 200],
    [{ range: 'bytes=2-4' }, 'GET', 206],
    [{ 'if-none-match': '"e"' }, 'GET', 304],
  ] as const) {
    const reply = await get('/saved', headers, method);
    assert.equal(reply.statusCode, status);
    const { 'content-disposition': disposition, 'content-security-policy': policy } = reply.headers;
    assert.equal(disposition, status === 304 ? undefined : 'attachment; filename="a.zip"');
    assert.equal(policy, "default-src 'none'");
    assert.deepEqual(
      [reply.headers['cache-control'], reply.headers['accept-ranges'], reply.headers.etag],
      ['public', 'bytes', '"e"'],
    );
  }
  const { headers } = await get('/small');
  assert.deepEqual(
    [headers['content-disposition'], headers['content-security-policy']],
    [undefined, undefined],
  );
});

test('ranges of bytes', async () => {
  const cases: Array<[range: string, status: number, contentRange: string | undefined, length: number]> = [
    ['bytes=0-3', 206, 'bytes 0-3/10', 4],
    ['bytes=7-', 206, 'bytes 7-9/10', 3],
    ['bytes=-4', 206, 'bytes 6-9/10', 4],
    ['bytes=-400', 206, 'bytes 0-9/10', 10],
    ['bytes=5-400', 206, 'bytes 5-9/10', 5],
    ['bytes=0-1,5-6', 200, undefined, 10],
    ['metres=0-1', 200, undefined, 10],
  ];
  for (const [range, status, contentRange, length] of cases) {
    const reply = await get('/small', { range });
    assert.deepEqual(
      [reply.statusCode, reply.headers['content-range'], reply.rawPayload.length],
      [status, contentRange, length],
      range,
    );
  }
  const beyond = await get('/small', { range: 'bytes=10-' });
  assert.equal(beyond.statusCode, 416);
  const other = await get('/small', { range: 'bytes=0-3', 'if-range': '"other"' });
  assert.equal(other.statusCode, 200);
  const same = await get('/small', { range: 'bytes=0-3', 'if-range': '"e"' });
  assert.equal(same.statusCode, 206);
});

test('HEAD has the headers of GET and no body', async () => {
  for (const url of ['/small', '/large', '/generated', '/computed', '/short']) {
    const headers = { 'accept-encoding': 'gzip' };
    const whole = await get(url, headers);
    const head = await get(url, headers, 'HEAD');
    assert.equal(head.rawPayload.length, 0);
    for (const name of ['content-encoding', 'content-type', 'etag', 'vary', 'cache-control'])
      assert.equal(head.headers[name], whole.headers[name], `${url}: ${name}`);
    if (head.headers['content-length'] !== undefined)
      assert.equal(head.headers['content-length'], whole.headers['content-length'], url);
  }
  assert.equal((await get('/large')).rawPayload.length, LARGE);
});

test('compresses for those who take it, and only what is worth it', async () => {
  for (const url of ['/generated', '/computed']) {
    const plain = await get(url, { 'accept-encoding': 'gzip;q=0.1, identity' });
    const packed = await get(url, { 'accept-encoding': 'br, gzip' });
    assert.equal(plain.headers['content-encoding'], undefined);
    assert.equal(packed.headers['content-encoding'], 'gzip');
    assert.equal(gunzipSync(packed.rawPayload).toString(), plain.payload);
    const again = await get(url, { 'if-none-match': String(packed.headers.etag) });
    assert.deepEqual([again.statusCode, again.payload], [304, '']);
  }
  assert.equal((await get('/short', { 'accept-encoding': 'gzip' })).headers['content-encoding'], undefined);
});

test('a document that nobody keeps is compressed while it is read, for callers who read it', async () => {
  const text = Buffer.concat(PIECES).toString();
  const packed = await get('/passing', { 'accept-encoding': 'gzip' });
  assert.equal(gunzipSync(packed.rawPayload).toString(), text);
  assert.deepEqual(
    [packed.headers['content-encoding'], packed.headers['content-length']],
    ['gzip', undefined],
  );
  for (const [url, headers] of [
    ['/passing', {}],
    ['/taken', { 'accept-encoding': 'gzip' }],
  ] as const) {
    const plain = await get(url, headers);
    assert.equal(plain.payload, text, url);
    assert.equal(plain.headers['content-encoding'], undefined);
    assert.equal(plain.headers['content-length'], `${text.length}`);
  }
  for (const [headers, encoding] of [
    [{}, undefined],
    [{ 'accept-encoding': 'gzip' }, 'gzip'],
  ] as const) {
    const head = await get('/passing', headers, 'HEAD');
    assert.deepEqual([head.statusCode, head.rawPayload.length], [200, 0]);
    assert.equal(head.headers['content-encoding'], encoding);
  }
  const same = await get('/passing', { 'if-none-match': PASSING.etag, 'accept-encoding': 'gzip' });
  assert.deepEqual([same.statusCode, same.rawPayload.length], [304, 0]);
});

test('short texts leave as one piece with the head, other bytes as they are', async (t) => {
  const own = Fastify();
  t.after(() => own.close());
  const sent: unknown[] = [];
  own.addHook('onSend', async (_request, _reply, payload) => {
    sent.push(payload);
    return payload;
  });
  const short = GeneratedDocument.ofJson({ city: '都市' });
  own.get('/document', (request, reply) => sendGenerated(request, reply, short));
  own.get('/json', (request, reply) => sendJson(request, reply, { city: '都市' }));
  own.get('/long', (request, reply) => sendJson(request, reply, 'x'.repeat(9_000)));
  own.get('/table', (request, reply) =>
    sendComputedBytes(request, reply.type('application/vnd.apache.parquet'), Buffer.of(0xff, 0xfe)),
  );
  for (const path of ['/document', '/json']) {
    const answer = await own.inject(path);
    assert.deepEqual(answer.json(), { city: '都市' });
    assert.equal(Number(answer.headers['content-length']), short.size);
  }
  assert.equal((await own.inject('/long')).rawPayload.length, 9_002);
  assert.deepEqual((await own.inject('/table')).rawPayload, Buffer.of(0xff, 0xfe));
  assert.deepEqual(
    sent.map((payload) => typeof payload),
    ['string', 'string', 'object', 'object'],
  );
});

test('an answer that breaks off is logged, unless its caller has gone', async () => {
  for (const isGone of [false, true]) {
    const lines: string[] = [];
    const own = Fastify({ logger: { stream: { write: (line: string) => void lines.push(line) } } });
    own.get('/broken', (request, reply) => {
      const { range, ...rest } = lent(bytes(LARGE));
      return sendBytes(request, reply, {
        ...rest,
        async *range(start, end) {
          let sent = 0;
          for await (const chunk of range(start, end)) {
            yield chunk;
            if (++sent < 3) continue;
            if (isGone) reply.raw.destroy();
            else throw new Error('the disk broke');
          }
        },
      });
    });
    await assert.rejects(own.inject('/broken'));
    const broken = lines.filter((line) => line.includes('an answer broke off'));
    assert.equal(broken.length, isGone ? 0 : 1);
    assert.ok(broken.every((line) => line.includes('the disk broke')));
    await own.close();
  }
});

test('an answer that is computed names what it depends on beside its encoding', async () => {
  assert.equal((await get('/varied')).headers.vary, 'accept, accept-encoding');
  assert.equal((await get('/short')).headers.vary, 'accept-encoding');
  assert.equal((await get('/computed')).headers.vary, 'accept-encoding');
});
