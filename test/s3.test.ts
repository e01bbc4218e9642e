/** The built program on a bucket: ingestion, answers, redirects to the store, faults of the store. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { FakeS3 } from '../packages/store/src/testing/fake-s3.ts';
import { checkFigures } from './support/figures.ts';
import type { FileListResult } from './support/interface-schemas.ts';
import { ask, finished, urlsOf } from './support/packs.ts';
import { removeDirectory, runProgram, tempDirectory } from './support/program.ts';
import { writeSampleWithTiles } from './support/sample.ts';
import { startServer, type TestServer } from './support/server.ts';
import { ingest } from './support/store.ts';

const CITY_ZIP = '/datacatalog/citygml/47900-latest/citygml.zip';

/** What a request takes beside the promised time at most, also on a busy machine, s. */
const ALLOWANCE_S = 1.5;

interface TileNode {
  content?: { uri: string };
  children?: TileNode[];
}

/** What the first tile with content refers to; '' where there is none. */
function firstContent({ content, children = [] }: TileNode): string {
  if (content !== undefined) return content.uri;
  for (const child of children) {
    const found = firstContent(child);
    if (found !== '') return found;
  }
  return '';
}

describe('on a bucket', () => {
  let directory: string;
  let fake: FakeS3;
  let env: Record<string, string>;
  /** One without settings of its own, for tests to which it does not matter what it has been asked before. */
  let plain: TestServer;
  const data = () => join(directory, 'data');
  const serve = (more: Record<string, string> = {}, expected: RegExp[] = []) =>
    startServer(data(), { env: { ...env, JOB_POLL_MS: '20', ...more }, expected });

  before(async () => {
    directory = await tempDirectory();
    fake = await FakeS3.start();
    env = {
      OBJECT_STORE: fake.address('here'),
      AWS_ACCESS_KEY_ID: 'test',
      AWS_SECRET_ACCESS_KEY: 'testtest',
      AWS_EC2_METADATA_DISABLED: 'true',
    };
    const sample = join(directory, 'sample');
    await writeSampleWithTiles(sample);
    const { run } = await ingest(data(), [sample], env);
    assert.equal(run.code, 0, run.stdout);
    plain = await serve();
  });
  after(async () => {
    await plain?.stop();
    await fake[Symbol.asyncDispose]();
    await removeDirectory(directory);
  });

  /** Address of the zip of a city. */
  async function zipOf(server: TestServer): Promise<string> {
    const { status, headers } = await server.request(CITY_ZIP);
    assert.equal(status, 302);
    return String(headers.location);
  }

  it('keeps archives and indexes below the prefix, and nothing on the disk', async () => {
    assert.ok(fake.objects.size > 0);
    for (const key of fake.objects.keys())
      assert.match(key, /^here\/(owner\.json|archives\/[0-9a-f-]+\.(zip|sums\.index))$/);
    const check = await runProgram(['check', '--json'], { DATA_DIR: data(), ...env });
    assert.equal(check.code, 0, check.stdout);
  });

  it('streams what it keeps, by ranges too', async () => {
    const url = await zipOf(plain);
    const whole = await plain.request(url);
    assert.equal(whole.status, 200);
    const part = await plain.request(url, { headers: { range: 'bytes=100-299' } });
    assert.equal(part.status, 206);
    assert.ok(whole.body.subarray(100, 300).equals(part.body));
  });

  it('asks the bucket once for a file, or the zip, of a package that is open', async () => {
    await using server = await serve();
    const zip = await zipOf(server);
    const [gml, another] = await urlsOf(server, '47900', 'bldg');
    const texture = gml!.replace('_6697_op.gml', '_6697_appearance/facade_house.jpg');
    // Opens the package; the first blocks of the zip are of no use to what follows.
    await server.request(zip, { headers: { range: 'bytes=0-0' } });
    for (const [url, headers] of [
      [gml!, { 'accept-encoding': 'gzip' }],
      [another!, {}],
      [texture, {}],
      [zip, {}],
    ] as const) {
      fake.asked = [];
      assert.equal((await server.request(url, { headers })).status, 200, url);
      const ranges = fake.asked.filter(({ key }) => key !== '').map(({ method, range }) => method + range);
      assert.ok(ranges.length <= 1, `${url}: ${ranges.join(', ')}`);
    }
  });

  it('asks the bucket four times at most for a tile of a package that nobody has asked for', async () => {
    const tiles: string[] = [];
    const { datasets } = await plain.json<{ datasets: Array<{ format: string; url: string }> }>(
      '/datacatalog/datasets?format=3D%20Tiles&limit=500',
    );
    for (const { url } of datasets) {
      const { root } = await plain.json<{ root: TileNode }>(url);
      const content = firstContent(root);
      if (/\.(glb|b3dm)$/.test(content)) tiles.push(new URL(content, url).href);
    }
    assert.ok(tiles.length >= 2, tiles.join());
    for (const tile of [tiles[0]!, tiles.at(-1)!]) {
      await using server = await serve({ CACHE_MB: '0' });
      fake.asked = [];
      assert.equal((await server.request(tile)).status, 200, tile);
      const asked = fake.asked
        .filter(({ key }) => key !== '')
        .map(({ method, key, range }) => [method, key, range].join(' '));
      assert.ok(asked.length > 0 && asked.length <= 4, `${tile}: ${asked.join(', ')}`);
    }
  });

  it('redirects to the bucket for zips, and packs are written out', async () => {
    const expected = await plain.request(await zipOf(plain));
    await using server = await serve({ ASSET_REDIRECT: 'presigned' });
    const url = await zipOf(server);
    const redirect = await server.request(url);
    assert.equal(redirect.status, 302);
    const location = String(redirect.headers.location);
    assert.ok(location.startsWith(`${fake.endpoint}/bucket/here/archives/`), location);
    assert.match(location, /X-Amz-Signature=[0-9a-f]{64}/);
    assert.match(decodeURIComponent(location), /response-content-disposition=attachment; filename=/);
    const read = await fetch(location, { headers: { range: 'bytes=100-299' } });
    assert.equal(read.status, 206);
    assert.ok(expected.body.subarray(100, 300).equals(Buffer.from(await read.arrayBuffer())));
    const head = await server.request(url, { method: 'HEAD' });
    assert.equal(head.status, 200);
    assert.equal(Number(head.headers['content-length']), expected.body.length);

    const id = await ask(server, { urls: await urlsOf(server, '47900', 'bldg') });
    const status = await finished(server, id);
    assert.equal(status.status, 'succeeded', status.reason);
    const first = await server.request(`/citygml/pack/${id}.zip`);
    const second = await server.request(String(first.headers.location));
    assert.equal(second.status, 302);
    const zip = await fetch(String(second.headers.location));
    assert.equal((await zip.arrayBuffer()).byteLength, status.size);
    const files = await server.json<FileListResult>('/datacatalog/citygml/47900');
    assert.ok(Object.keys(files.files).length > 0, 'everything else is answered here');
  });

  it('redirects to a public address', async () => {
    await using server = await serve({ ASSET_REDIRECT: 'https://cdn.example.jp/here/' });
    const { headers } = await server.request(await zipOf(server));
    assert.match(String(headers.location), /^https:\/\/cdn\.example\.jp\/here\/archives\/[0-9a-f-]+\.zip$/);
  });

  it('answers 503 while the bucket does not, and by itself again', async () => {
    await using server = await serve({}, [/.*/]);
    const url = await zipOf(server);
    fake.fault = () => ({ status: 503, code: 'SlowDown' });
    try {
      for (const path of [url, '/health/ready']) {
        const reply = await server.request(path);
        assert.equal(reply.status, 503, path);
        assert.match(String(reply.headers['retry-after']), /^\d+$/);
      }
    } finally {
      fake.fault = () => null;
    }
    assert.equal((await server.request(url)).status, 200);
    assert.equal((await server.request('/health/ready')).status, 200);
  });

  it('stops within seconds while the bucket is silent', async () => {
    const server = await serve({ SHUTDOWN_GRACE_S: '1', CACHE_MB: '0', CACHE_MEMORY_MB: '0' }, [/./]);
    const { status, body } = await server.request('/datacatalog/citygml/47900?types=bldg');
    assert.equal(status, 200);
    const { files } = JSON.parse(String(body)) as FileListResult;
    fake.fault = () => ({ hang: true });
    try {
      const asked = fake.asked.length;
      const waiting = server.request(files.bldg![0]!.url).catch(() => {});
      while (fake.asked.length === asked) await setTimeout(10);
      const begun = performance.now();
      await server.stop();
      // The grace and what is left to do, far below the 15 s for which a bucket may be silent.
      assert.ok(performance.now() - begun < 8_000, `${performance.now() - begun} ms`);
      await waiting;
    } finally {
      fake.fault = () => null;
    }
  });

  it(
    'answers 503 within the promised time while the bucket is silent, then at once, and is ready for what memory ' +
      'answers',
    async () => {
      await using server = await serve({}, [/.*/]);
      const url = await zipOf(server);
      const timed = async (path: string) => {
        const begun = performance.now();
        const { status, text, headers } = await server.request(path);
        return { status, text, headers, seconds: (performance.now() - begun) / 1_000 };
      };
      fake.fault = () => ({ hang: true });
      try {
        const [ready, ...first] = await Promise.all([
          timed('/health/ready'),
          ...Array.from({ length: 3 }, () => timed(url)),
        ]);
        assert.equal(ready!.status, 503);
        assert.match(ready!.text, /"objects":"does not answer: [^"]+"/);
        assert.ok(ready!.seconds < 2 + ALLOWANCE_S, `${ready!.seconds} s`);
        for (const { status, headers, seconds } of first) {
          assert.equal(status, 503);
          assert.match(String(headers['retry-after']), /^\d+$/);
          assert.ok(seconds < 15 + ALLOWANCE_S, `${seconds} s`);
        }
        const later = await timed(url);
        assert.equal(later.status, 503);
        assert.ok(later.seconds < ALLOWANCE_S, `${later.seconds} s`);
        assert.equal((await server.request('/health/ready?for=catalogue')).status, 200);
        assert.equal((await server.request('/health/ready?for=catalogue,database')).status, 200);
        assert.equal((await server.request('/health/ready?for=objects')).status, 503);
        assert.equal((await server.request('/health/ready?for=moon')).status, 400);
        const figures = (await server.request('/metrics')).text;
        assert.match(figures, /citymodel_object_store_answering 0\n/);
        assert.match(
          figures,
          /citymodel_object_store_requests_total\{operation="\w+",outcome="unanswered"\} [1-9]/,
        );
        assert.match(figures, /citymodel_unavailable_total\{cause="objects"\} 4\n/);
        checkFigures(figures);
      } finally {
        fake.fault = () => null;
      }
      let again = 0;
      for (const end = performance.now() + 10_000; again !== 200 && performance.now() < end; )
        again = (await server.request(url)).status;
      assert.equal(again, 200);
      assert.equal((await server.request('/health/ready')).status, 200);
    },
  );

  it('tells an operator what a bucket lacks', async () => {
    const good = await runProgram(['check', '--bucket'], { DATA_DIR: data(), ...env });
    assert.equal(good.code, 0, good.stdout + good.stderr);
    assert.match(good.stdout, /✓ an object is not overwritten by a second writer/);
    const strict = { DATA_DIR: data(), ...env, ASSET_REDIRECT: 'presigned' };
    const noCors = await runProgram(['check', '--bucket'], strict);
    assert.equal(noCors.code, 1);
    assert.match(noCors.stdout, /✗ pages of other origins may read from it \(CORS\): add a CORS rule/);
    const none = await runProgram(['check', '--bucket'], {
      DATA_DIR: data(),
      ...env,
      OBJECT_STORE: env.OBJECT_STORE!.replace('bucket', 'another'),
    });
    assert.equal(none.code, 1);
    assert.match(none.stdout, /✗ the bucket answers: .* does not exist/);
    const directory = await runProgram(['check', '--bucket'], { DATA_DIR: data() });
    assert.equal(directory.code, 2);
    assert.match(directory.stderr, /OBJECT_STORE names no bucket/);
    const unsigned = await runProgram(['serve'], { DATA_DIR: data(), ASSET_REDIRECT: 'presigned' });
    assert.equal(unsigned.code, 2);
    assert.match(unsigned.stderr, /needs a bucket/);
  });
});
