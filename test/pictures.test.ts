/** Pictures as the built program draws and serves them: after a publication, until the package goes. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { writeSample } from '../packages/sample/src/sample.ts';
import { runProgram, spawnProgram, tempDirectory } from './support/program.ts';
import { startServer, type TestServer } from './support/server.ts';

const SHIOMINO = '47950_shiomino-shi_city_2023_citygml_1_op';

interface Row {
  id: string;
  type_en: string;
  format: string;
  picture_url?: string;
}

/** Rows of a municipality, once one of them has a picture. */
async function drawn(server: TestServer): Promise<Row[]> {
  for (let n = 0; n < 600; n++) {
    const { datasets } = await server.json<{ datasets: Row[] }>(
      '/datacatalog/citymodel-datasets?city_code=47950',
    );
    if (datasets.some(({ picture_url }) => picture_url !== undefined)) return datasets;
    await setTimeout(100);
  }
  throw new Error('no picture was drawn');
}

async function filesBelow(directory: string): Promise<string[]> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true }).catch(() => []);
  return entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
}

test('a conversion is drawn, and the pictures are assets until the package goes', {
  timeout: 240_000,
}, async (t) => {
  const directory = await tempDirectory(t);
  const dataDir = join(directory, 'data');
  await writeSample(directory, { size: 40 });
  const env = { DATA_DIR: dataDir, PICTURES: 'published' };
  const ingested = await runProgram(['ingest', '--tiles', join(directory, `${SHIOMINO}.zip`)], env);
  assert.equal(ingested.code, 0, ingested.stderr);
  // A worker that is killed while it draws leaves nothing that another one would stumble over.
  const killed = spawnProgram(['worker', '--kinds', 'pictures'], { ...env, LOG_LEVEL: 'debug' });
  await once(killed.stdout!, 'data');
  killed.kill('SIGKILL');
  await once(killed, 'close');
  const path = (url: string) => new URL(url).pathname.replace('/base', '');
  let name = '';
  {
    await using server = await startServer(dataDir, { env: { PICTURES: 'published', JOB_POLL_MS: '200' } });
    const rows = await drawn(server);
    const tiles = rows.filter(({ picture_url }) => picture_url !== undefined);
    assert.deepEqual([...new Set(tiles.map(({ format }) => format))], ['3D Tiles']);
    const small = path(tiles[0]!.picture_url!);
    name = /([^/]+)_picture-[0-9a-f]{16}-light-small\.jpg$/.exec(small)![1]!;
    const sizes = new Set<string>();
    for (const which of ['light-small', 'light-large', 'dark-small', 'dark-large']) {
      const picture = await server.request(small.replace('light-small', which));
      assert.equal(picture.status, 200, which);
      assert.equal(picture.headers['content-type'], 'image/jpeg');
      assert.equal(picture.headers['cache-control'], 'public, max-age=31536000, immutable');
      assert.deepEqual([...picture.body.subarray(0, 3)], [0xff, 0xd8, 0xff]);
      sizes.add(createHash('sha256').update(picture.body).digest('hex'));
    }
    assert.equal(sizes.size, 4, 'four pictures');
    const whole = await server.request(small);
    const { etag } = whole.headers;
    assert.equal((await server.request(small, { headers: { 'if-none-match': etag! } })).status, 304);
    const part = await server.request(small, { headers: { range: 'bytes=4-99' } });
    assert.deepEqual([part.status, part.body], [206, whole.body.subarray(4, 100)]);
    // An address of earlier pictures is not kept.
    const earlier = await server.request(small.replace(/-[0-9a-f]{16}-/, `-${'0'.repeat(16)}-`));
    assert.deepEqual([earlier.status, earlier.headers['cache-control']], [200, 'public, no-cache']);
    for (const wrong of [
      small.replace('light', 'night'),
      small.replace('small', 'huge'),
      small.replace(/-[0-9a-f]{16}-/, '-..%2f..%2fsecret-'),
      small.replace('.jpg', '.svg'),
      small.replace(name, `${name}%00`),
      small.replace(name, 'another'),
      small.replace(/[^/]+$/, '_picture-0123456789abcdef-light-small.jpg'),
    ]) {
      const refused = await server.request(wrong);
      assert.equal(refused.status, 404, wrong);
      assert.deepEqual(Object.keys(refused.json<object>()), ['error', 'reason'], wrong);
    }
    const search = await server.json<{
      features: Array<{ assets: Record<string, { href: string; roles: string[]; 'file:checksum': string }> }>;
    }>('/stac/search?limit=100');
    const thumbnails = search.features.flatMap(({ assets }) => assets.thumbnail ?? []);
    const mine = thumbnails.filter(({ href }) => path(href) === small);
    assert.ok(mine.length >= 1);
    assert.deepEqual(mine[0]!.roles, ['thumbnail']);
    const sha256 = createHash('sha256').update(whole.body).digest('hex');
    assert.equal(mine[0]!['file:checksum'], `1220${sha256}`);
  }
  // What the worker did not come to is drawn by `reindex`; then all is there, and nothing else.
  assert.equal((await runProgram(['reindex', '--json'], env)).code, 0);
  const check = await runProgram(['check', '--json'], env);
  assert.equal(check.code, 0, check.stdout);
  assert.deepEqual(JSON.parse(check.stdout).orphans, []);
  const files = await filesBelow(join(dataDir, 'store/objects/pictures'));
  const small = files.filter((file) => file.endsWith('-light-small.jpeg'));
  for (const file of small) await writeFile(file, Buffer.alloc(100));
  const damaged = await runProgram(['check', '--json'], env);
  assert.equal(damaged.code, 1);
  assert.match(damaged.stdout, /picture light small/);
  {
    // Damaged bytes are never sent as a picture.
    const expected = [/request failed/];
    await using server = await startServer(dataDir, { env: { PICTURES: 'off' }, expected });
    const shown = (await drawn(server)).find(({ picture_url }) => picture_url !== undefined)!;
    const refused = await server.request(path(shown.picture_url!));
    assert.ok(refused.status >= 500, `${refused.status}`);
  }
  const again = await runProgram(['reindex', '--all', '--json'], env);
  assert.equal(again.code, 0, again.stderr);
  assert.ok(JSON.parse(again.stdout).pictures.includes(name));
  assert.equal((await runProgram(['check', '--json'], env)).code, 0);
  const gone = { ...env, RETIRED_GRACE_S: '0' };
  for (const one of new Set(JSON.parse(again.stdout).pictures as string[])) {
    assert.equal((await runProgram(['remove', one], gone)).code, 0);
  }
  assert.deepEqual(await filesBelow(join(dataDir, 'store/objects/pictures')), []);
});
