import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { download } from './download.ts';

const BYTES = Buffer.from(Array.from({ length: 1_000 }, (_, i) => i % 251));

interface Served {
  bytes?: Buffer;
  etag?: string | null;
  /** Of each answer: how many bytes come before the connection breaks; all where there is none. */
  breaks?: number[];
}

/** A server of one file with ranges, in place of the network, and what it was asked for. */
async function served(t: TestContext, { bytes = BYTES, etag = '"1"', breaks = [] }: Served = {}) {
  const directory = await mkdtemp(join(tmpdir(), 'citymodel-download-'));
  t.after(() => rm(directory, { recursive: true }));
  const asked: Array<Record<string, string>> = [];
  t.mock.method(globalThis, 'fetch', async (_url: string, init: { headers: Record<string, string> }) => {
    const { headers } = init;
    asked.push(headers);
    const from = Number(/^bytes=(\d+)-$/.exec(headers.range ?? '')?.[1] ?? 0);
    const isPart = from > 0 && headers['if-range'] === etag;
    if (isPart && from >= bytes.length) {
      return new Response('', { status: 416, headers: { 'content-range': `bytes */${bytes.length}` } });
    }
    const body = bytes.subarray(isPart ? from : 0);
    const most = breaks.shift() ?? Number.POSITIVE_INFINITY;
    // An error drops what nobody has read yet, so it comes when that was asked for again.
    const pieces = [body.subarray(0, most)].filter(({ length }) => length > 0);
    const stream = new ReadableStream(
      {
        pull(controller) {
          const piece = pieces.shift();
          if (piece !== undefined) controller.enqueue(new Uint8Array(piece));
          else if (most >= body.length) controller.close();
          else controller.error(new TypeError('terminated', { cause: new Error('line cut') }));
        },
      },
      { highWaterMark: 0 },
    );
    return new Response(stream, {
      status: isPart ? 206 : 200,
      headers: { 'content-length': String(body.length), ...(etag !== null && { etag }) },
    });
  });
  return { path: join(directory, 'pack.zip'), asked };
}

test('a file comes whole, with its progress, and leaves nothing beside it', async (t) => {
  const { path, asked } = await served(t);
  const seen: number[][] = [];
  const result = await download('https://x/', path, ({ done, total }) => seen.push([done, total]));
  assert.deepEqual(result, { bytes: 1_000, resumedAt: 0 });
  assert.deepEqual(readFileSync(path), BYTES);
  assert.deepEqual(seen, [[1_000, 1_000]]);
  assert.deepEqual(asked, [{ 'accept-encoding': 'identity' }]);
  assert.deepEqual([existsSync(`${path}.part`), existsSync(`${path}.part.etag`)], [false, false]);
});

test('what was begun before is continued, where the tag is known and still the same', async (t) => {
  const { path, asked } = await served(t);
  writeFileSync(`${path}.part`, BYTES.subarray(0, 400));
  writeFileSync(`${path}.part.etag`, '"1"');
  const seen: number[][] = [];
  const result = await download('https://x/', path, ({ done, total }) => seen.push([done, total]));
  assert.deepEqual(result, { bytes: 1_000, resumedAt: 400 });
  assert.deepEqual(asked[0], { 'accept-encoding': 'identity', range: 'bytes=400-', 'if-range': '"1"' });
  assert.deepEqual(seen, [[1_000, 1_000]]);
  assert.deepEqual(readFileSync(path), BYTES);
});

test('a file that is there but for its name is only renamed', async (t) => {
  const { path } = await served(t);
  writeFileSync(`${path}.part`, BYTES);
  writeFileSync(`${path}.part.etag`, '"1"');
  const seen: unknown[] = [];
  assert.deepEqual(await download('https://x/', path, (now) => seen.push(now)), {
    bytes: 1_000,
    resumedAt: 1_000,
  });
  assert.deepEqual([readFileSync(path), seen], [BYTES, []]);
});

test('other bytes begin anew, and so do bytes without a tag', async (t) => {
  const { path, asked } = await served(t);
  writeFileSync(`${path}.part`, 'older bytes of the file');
  writeFileSync(`${path}.part.etag`, '"0"');
  assert.equal((await download('https://x/', path, () => {})).bytes, 1_000);
  assert.deepEqual(readFileSync(path), BYTES);
  writeFileSync(`${path}.part`, 'whatever');
  assert.deepEqual(await download('https://x/', path, () => {}), { bytes: 1_000, resumedAt: 0 });
  assert.equal(asked.at(-1)!.range, undefined);
});

test('a connection that breaks is continued from where it was, and a weak tag begins anew', async (t) => {
  const strong = await served(t, { breaks: [300, 500] });
  assert.deepEqual(await download('https://x/', strong.path, () => {}), { bytes: 1_000, resumedAt: 0 });
  assert.deepEqual(
    strong.asked.map(({ range }) => range),
    [undefined, 'bytes=300-', 'bytes=800-'],
  );
  assert.deepEqual(readFileSync(strong.path), BYTES);
  t.mock.restoreAll();
  for (const etag of ['W/"1"', null]) {
    const weak = await served(t, { etag, breaks: [300] });
    assert.equal((await download('https://x/', weak.path, () => {})).bytes, 1_000);
    assert.deepEqual(
      weak.asked.map(({ range }) => range),
      [undefined, undefined],
    );
    assert.deepEqual(readFileSync(weak.path), BYTES);
    t.mock.restoreAll();
  }
});

test('five attempts without a byte end the download, which says what broke', async (t) => {
  const { path, asked } = await served(t, { breaks: [300, 0, 0, 0, 0, 0, 0] });
  const pauses: number[] = [];
  t.mock.method(globalThis, 'setTimeout', (work: () => void, ms: number) => {
    pauses.push(ms);
    queueMicrotask(work);
  });
  await assert.rejects(
    download('https://x/', path, () => {}),
    {
      name: 'DownloadFailed',
      message: 'the download broke off: line cut; the same command continues it',
    },
  );
  assert.equal(asked.length, 6);
  assert.deepEqual(pauses, [0, 500, 1_000, 1_500, 2_000]);
  assert.equal(readFileSync(`${path}.part`).length, 300);
});

test('an answer that is none, and a disk that cannot be written, are not tried again', async (t) => {
  const { path } = await served(t);
  let count = 0;
  t.mock.method(globalThis, 'fetch', async () => {
    count++;
    return new Response('x'.repeat(600), { status: 404 });
  });
  await assert.rejects(
    download('https://x/', path, () => {}),
    {
      name: 'DownloadFailed',
      message: `https://x/ answered 404: ${'x'.repeat(500)}`,
    },
  );
  t.mock.method(globalThis, 'fetch', async () => {
    count++;
    return new Response('abc', { headers: { 'content-length': '3' } });
  });
  await assert.rejects(
    download('https://x/', join(path, 'deeper'), () => {}),
    {
      message: /deeper cannot be written: ENOENT/,
    },
  );
  assert.equal(count, 2);
});

test('fewer bytes than were announced are asked for again', async (t) => {
  const { path } = await served(t);
  const lengths = ['5', '3'];
  t.mock.method(globalThis, 'fetch', async () => {
    return new Response('abc', { headers: { 'content-length': lengths.shift()! } });
  });
  assert.deepEqual(await download('https://x/', path, () => {}), { bytes: 3, resumedAt: 0 });
  assert.equal(lengths.length, 0);
});
