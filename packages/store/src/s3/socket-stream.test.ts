import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { type ObjectHandle, ObjectMissing } from '../object-store.ts';
import { FakeS3 } from '../testing/fake-s3.ts';
import { chunks } from '../testing/object-store-conformance.ts';
import { parseS3Address } from './s3-address.ts';
import { openLink } from './s3-client.ts';
import { S3Store } from './s3-store.ts';
import { openSocketStream } from './socket-stream.ts';

process.env.AWS_ACCESS_KEY_ID = 'test';
process.env.AWS_SECRET_ACCESS_KEY = 'testtest';

const SIZE = 3_000_000;
const BYTES = randomBytes(SIZE);

let fake: FakeS3;
let store: S3Store;
let handle: ObjectHandle;
beforeEach(async () => {
  fake = await FakeS3.start();
  store = new S3Store(parseS3Address(fake.address()), { connect: 5_000, answer: 5_000 });
  await store.put('k', chunks(BYTES));
  handle = await store.open('k');
  fake.asked = [];
});
afterEach(async () => {
  await store.close();
  await fake[Symbol.asyncDispose]();
});

/** Copies of the chunks of a range whose memory is lent, joined. */
async function lent(offset: number, length: number): Promise<Buffer> {
  const copies: Buffer[] = [];
  for await (const chunk of handle.stream(offset, length, { lent: true })) copies.push(Buffer.from(chunk));
  return Buffer.concat(copies);
}

test('a long stream comes in one answer through two buffers, neither of which changes while it is lent', async () => {
  const memory = new Set<ArrayBufferLike>();
  let at = 7;
  for await (const chunk of handle.stream(7, SIZE - 10, { lent: true })) {
    // Time for the next bytes to arrive.
    for (let i = 0; i < 3; i++) await setImmediate();
    assert.ok(BYTES.subarray(at, at + chunk.length).equals(chunk));
    at += chunk.length;
    memory.add(chunk.buffer);
  }
  assert.equal(at, SIZE - 3);
  assert.deepEqual(
    fake.asked.map(({ range }) => range),
    [`bytes=7-${SIZE - 4}`],
  );
  // Both buffers, and what came with the head of the answer.
  assert.ok(memory.size <= 3, `${memory.size} pieces of memory`);
});

test('a stream that is cut goes on where it broke, and what fails is asked again', async () => {
  fake.fault = () => (fake.asked.length === 1 ? { cutAfter: 1_200_000 } : null);
  assert.ok(BYTES.equals(await lent(0, SIZE)));
  assert.deepEqual(fake.asked.length, 2);
  assert.equal((await store.figures()).slowStreams, 0, 'this went on as it began');
  for (const [fault, bySdk] of [
    [{ status: 503, code: 'SlowDown' }, 1],
    [{ cutAfter: 0 }, 0],
    [{ loseAnswer: true }, 1],
  ] as const) {
    fake.asked = [];
    fake.fault = () => (fake.asked.length === 1 ? fault : null);
    const before = (await store.figures()).slowStreams;
    assert.ok(BYTES.equals(await lent(0, SIZE)), JSON.stringify(fault));
    assert.equal((await store.figures()).slowStreams - before, bySdk, JSON.stringify(fault));
  }
});

test('a stream ends when another object takes the place', async () => {
  fake.fault = () => {
    if (fake.asked.length > 1) return null;
    const bytes = Buffer.alloc(SIZE, 1);
    fake.objects.set('k', { bytes, etag: '"other"', modified: new Date(), metadata: {} });
    return { cutAfter: 1_200_000 };
  };
  await assert.rejects(lent(0, SIZE), ObjectMissing);
});

const hasOpenssl = spawnSync('openssl', ['version']).status === 0;

test('reads over TLS, from a host that the authorities know', {
  skip: !hasOpenssl && 'no openssl',
}, async (t) => {
  const directory = await mkdtemp(join(tmpdir(), 's3-tls-'));
  t.after(() => rm(directory, { recursive: true }));
  const paths = { key: join(directory, 'key.pem'), cert: join(directory, 'certificate.pem') };
  const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost'];
  execFileSync('openssl', [
    ...['req', '-x509', '-newkey', 'ed25519', '-nodes', '-days', '2', ...subject],
    ...['-keyout', paths.key, '-out', paths.cert],
  ]);
  const [key, cert] = await Promise.all([readFile(paths.key, 'utf8'), readFile(paths.cert, 'utf8')]);
  const server = createServer({ key, cert }, (request, response) => {
    assert.match(request.url!, /^\/bucket\/k\?.*X-Amz-Signature=/);
    const headers = {
      etag: request.headers['if-match']!,
      'content-range': `bytes 0-${SIZE - 1}/${SIZE}`,
      'content-length': SIZE,
    };
    response.writeHead(206, headers).end(BYTES);
  });
  t.after(() => server.close());
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const endpoint = `https://localhost:${(server.address() as AddressInfo).port}`;
  const link = openLink(parseS3Address(`s3://bucket/?endpoint=${endpoint}&region=test&pathStyle=true`));
  const object = { link, bucket: 'bucket', storeKey: 'k', key: 'k', etag: '"e"', size: SIZE };
  assert.equal(await openSocketStream(object, 0, SIZE), null, 'a certificate that nobody knows');
  const known = getCACertificates();
  setDefaultCACertificates([...known, cert]);
  t.after(() => setDefaultCACertificates(known));
  const copies: Buffer[] = [];
  for await (const chunk of (await openSocketStream(object, 0, SIZE))!) copies.push(Buffer.from(chunk));
  assert.ok(BYTES.equals(Buffer.concat(copies)));
});
