import assert from 'node:assert/strict';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { serveRanges } from '@citymodel/base/testing';
import { openUrlSource } from './url-source.ts';

const content = Buffer.from(Uint8Array.from({ length: 100_000 }, (_, i) => i * 7));

test('reads are slices of the file', async () => {
  await using server = await serveRanges(async (path) => (path === 'a b' ? content : null));
  const source = await openUrlSource(`${server.url}a%20b`);
  assert.equal(source.size, content.length);
  for (const [offset, length] of [
    [0, 100_000],
    [100_000, 0],
    [99_999, 1],
    [123, 45_678],
  ] as const) {
    assert.deepEqual(
      Buffer.from(await source.read(offset, length)),
      content.subarray(offset, offset + length),
    );
  }
  await assert.rejects(source.read(99_999, 2), RangeError);
  await assert.rejects(openUrlSource(`${server.url}b`), /status 404/);
});

test('a file that has changed, and a server without ranges, are no source', async () => {
  let tag = '"1"';
  await using server = await serve((request, response) => {
    if (request.url === '/whole') return void response.end(content);
    const asked = request.headers['if-match'];
    if (asked !== undefined && asked !== tag) return void response.writeHead(412).end();
    const [, start, end] = /(\d+)-(\d+)/.exec(request.headers.range!)!.map(Number);
    response.writeHead(206, { 'Content-Range': `bytes ${start}-${end}/${content.length}`, ETag: tag });
    response.end(content.subarray(start, end! + 1));
  });
  await assert.rejects(openUrlSource(`${server.url}whole`), /serves no ranges/);
  const source = await openUrlSource(server.url);
  assert.deepEqual(Buffer.from(await source.read(5, 3)), content.subarray(5, 8));
  tag = '"2"';
  await assert.rejects(source.read(5, 3), /status 412/);
});

test('a server that sends other bytes than were asked for is noticed', async () => {
  let length = 1;
  await using server = await serve((request, response) => {
    const [, start, end] = /(\d+)-(\d+)/.exec(request.headers.range!)!.map(Number);
    response.writeHead(206, { 'Content-Range': `bytes ${start}-${end}/${content.length}` });
    response.end(content.subarray(start, start! + length));
  });
  const source = await openUrlSource(server.url);
  for (length of [9, 11]) await assert.rejects(source.read(0, 10), /sent \d+ bytes of 10/);
  length = 10;
  assert.equal((await source.read(0, 10)).length, 10);
});

async function serve(listener: RequestListener): Promise<{ url: string } & AsyncDisposable> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
