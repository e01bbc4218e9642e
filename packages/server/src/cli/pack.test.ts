import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { createZip } from '@citymodel/tiles';
import { addPack } from './pack.ts';
import { runCommand } from './testing/run-command.ts';

const ID = 'abc';

interface Service {
  files?: number;
  missing?: string[];
  missingCount?: number;
  size?: number;
  damaged?: boolean;
  /** Answers to questions for the status, before that of the pack that is done. */
  before?: object[];
}

/** A service that has one pack, in place of the network, and what it was asked. */
async function service(t: TestContext, options: Service = {}) {
  const directory = await mkdtemp(join(tmpdir(), 'citymodel-pack-'));
  t.after(() => rm(directory, { recursive: true }));
  const zip = await createZip(join(directory, 'served.zip'), 0);
  for (const name of ['a.gml', 'b.gml']) await zip.add(name, Buffer.from(name.repeat(1_000)));
  await zip.finish();
  const bytes = readFileSync(join(directory, 'served.zip'));
  if (options.damaged === true) bytes.fill(0, 40, 60);
  const {
    files = 2,
    missing = [],
    missingCount = missing.length,
    size = bytes.length,
    before = [],
  } = options;
  const asked: Array<{ url: string; body: unknown }> = [];
  t.mock.method(globalThis, 'fetch', async (url: string, init: { body?: string } = {}) => {
    asked.push({ url, body: init.body === undefined ? null : JSON.parse(init.body) });
    if (url.endsWith('/citygml/pack')) return Response.json({ id: ID });
    if (url.includes('/download/')) {
      return new Response(bytes, { headers: { 'content-length': String(bytes.length), etag: '"1"' } });
    }
    return Response.json(
      before.shift() ?? { status: 'succeeded', progress: 1, size, files, missing, missingCount },
    );
  });
  const output = join(directory, 'pack.zip');
  const run = (...words: string[]) =>
    runCommand(addPack, ['pack', '13101', '-o', output, ...words], { PUBLIC_URL: 'https://city.example.jp' });
  return { run, asked, output, bytes };
}

test('a pack is asked for, waited for, downloaded and read', async (t) => {
  const before = [
    { status: 'queued', progress: 0 },
    { status: 'running', progress: 0.5 },
  ];
  const { run, asked, output, bytes } = await service(t, { before });
  const { code, out, err } = await run();
  assert.deepEqual([code, err], [0, '']);
  assert.equal(out, `${output}: 2 files, ${bytes.length} B, verified\n`);
  const root = 'https://city.example.jp/citygml/pack';
  assert.deepEqual(asked, [
    { url: root, body: { conditions: '13101', latest: false } },
    ...[1, 2, 3].map(() => ({ url: `${root}/abc/status?wait=30`, body: null })),
    { url: `${root}/abc/download/abc.zip`, body: null },
  ]);
  assert.deepEqual(readFileSync(output), bytes);
});

test('options narrow the pack, and name another service', async (t) => {
  const { run, asked, output, bytes } = await service(t);
  const { out } = await run('--types', 'bldg,tran', '--latest', '--server', 'http://other/', '--no-verify');
  assert.deepEqual(asked[0], {
    url: 'http://other/citygml/pack',
    body: { conditions: '13101', latest: true, types: ['bldg', 'tran'] },
  });
  assert.equal(out, `${output}: 2 files, ${bytes.length} B\n`);
});

test('files that are missing are named, up to twenty', async (t) => {
  const names = Array.from({ length: 20 }, (_, i) => `f${i}`);
  const few = await service(t, { missing: names });
  const lines = (await few.run()).out.trimEnd().split('\n').slice(1);
  assert.deepEqual(lines, [
    '20 files that these refer to are not in their packages:',
    ...names.map((name) => `  ${name}`),
  ]);
  t.mock.restoreAll();
  const many = await service(t, { missing: [...names, 'f20'], missingCount: 25 });
  const more = (await many.run()).out.trimEnd().split('\n');
  assert.deepEqual([more.length, more.at(-2), more.at(-1)], [23, '  f19', '  … and 5 more']);
});

test('a pack that is not what was promised is no success', async (t) => {
  const failures: Array<[Service, RegExp]> = [
    [{ size: 7 }, /pack\.zip has \d+ bytes; the pack has 7$/m],
    [{ files: 3 }, /pack\.zip is damaged: it has 2 members, where the pack has 3$/m],
    [{ files: 1 }, /pack\.zip is damaged: /],
    [{ damaged: true }, /pack\.zip is damaged: /],
    [{ before: [{ status: 'failed', reason: 'no room', progress: 0 }] }, /the pack failed: no room$/m],
  ];
  for (const [options, reason] of failures) {
    const { run } = await service(t, options);
    const { code, out, err } = await run();
    assert.deepEqual([code, out], [1, ''], String(reason));
    assert.match(err, reason);
    t.mock.restoreAll();
  }
  const unread = await service(t, { damaged: true });
  assert.equal((await unread.run('--no-verify')).code, 0);
});

test('what the service answers instead is a sentence', async (t) => {
  const { run } = await service(t);
  const answers: Array<[() => Promise<Response>, string]> = [
    [
      async () => Response.json({ error: 'Bad Request', reason: 'no such city' }, { status: 400 }),
      'Bad Request: no such city',
    ],
    [async () => Response.json({ error: 'Bad Request' }, { status: 400 }), 'Bad Request'],
    [async () => Response.json({}, { status: 503 }), '503'],
    [
      async () => new Response('<'.repeat(300), { status: 502 }),
      `https://city.example.jp/citygml/pack answered 502, but not with JSON: ${'<'.repeat(200)}`,
    ],
    [
      () => Promise.reject(new TypeError('fetch failed', { cause: new Error('no route') })),
      'https://city.example.jp/citygml/pack cannot be reached: no route; --server names the address of the service',
    ],
    [
      () => Promise.reject(new TypeError('Invalid URL')),
      'https://city.example.jp/citygml/pack cannot be reached: Invalid URL; --server names the address of the service',
    ],
  ];
  for (const [answer, sentence] of answers) {
    t.mock.method(globalThis, 'fetch', answer);
    assert.deepEqual(await run(), { code: 1, out: '', err: `citymodel: ${sentence}\n` });
  }
});
