/** The portal as files: what the server sends, how, and that the interface lies beside it undisturbed. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { featuresPath, SIZED_FORMATS, tableBytes } from '../packages/portal/src/core/feature-query.ts';
import type { FileCounts } from '../packages/portal/src/core/files.ts';
import type { StatusDocument } from '../packages/server/src/http/operations/status.ts';
import { removeDirectory, tempDirectory } from './support/program.ts';
import { PUBLIC_URL, startServer, type TestServer } from './support/server.ts';
import { ingestSample } from './support/store.ts';

/** JavaScript that the first view may need before map or viewer, bytes of brotli. */
const FIRST_VIEW = 120_000;

let directory: string;
let data: string;
let server: TestServer;

before(async () => {
  directory = await tempDirectory();
  ({ data } = await ingestSample(directory));
  server = await startServer(data);
});

after(async () => {
  await server.stop();
  await removeDirectory(directory);
});

/** Addresses of what the page loads at once, as paths of the server. */
async function references(): Promise<string[]> {
  const { text } = await server.request('/');
  const found = [...text.matchAll(/(?:src|href)="([^"]+\.\w+)"/g)].map((match) => match[1]!);
  assert.ok(found.length >= 3, text);
  // Behind a proxy the page is below the path of PUBLIC_URL.
  const base = new URL(PUBLIC_URL).pathname;
  for (const path of found) assert.ok(path.startsWith(`${base}/portal/assets/`), path);
  return found;
}

describe('the page', () => {
  test('may only talk to this service', async () => {
    const { status, headers, text } = await server.request('/');
    assert.equal(status, 200);
    assert.equal(headers['content-type'], 'text/html; charset=utf-8');
    assert.match(String(headers['cache-control']), /^no-cache\b/);
    assert.equal(headers['x-content-type-options'], 'nosniff');
    const policy = String(headers['content-security-policy']);
    const hosts = new Set(policy.match(/https?:\/\/[^ ;]+/g));
    assert.deepEqual([...hosts], [new URL(PUBLIC_URL).origin]);
    assert.match(policy, /default-src 'none'/);
    assert.ok(!/unsafe-eval/.test(policy.replace('wasm-unsafe-eval', '')));
    // Data for search engines names its vocabulary, which no browser asks for.
    const page = text.replace(/<script type="application\/ld\+json">.*?<\/script>/s, '');
    assert.ok(!/https?:/.test(page.replaceAll(PUBLIC_URL, '')), 'the page names another host');
  });

  test('is the same at /status, comes compressed, and is asked for again only when it changed', async () => {
    const [root, status] = await Promise.all([server.request('/'), server.request('/status')]);
    assert.ok(root.body.equals(status.body));
    const etag = root.headers.etag!;
    const again = await server.request('/', { headers: { 'if-none-match': etag } });
    assert.equal(again.status, 304);
    assert.equal(again.body.length, 0);
    const packed = await server.request('/', { headers: { 'accept-encoding': 'gzip, deflate, br' } });
    assert.equal(packed.headers['content-encoding'], 'gzip');
    assert.ok(gunzipSync(packed.body).equals(root.body));
    const head = await server.request('/', { method: 'HEAD' });
    assert.equal(head.headers['content-length'], String(root.body.length));
    assert.equal(head.body.length, 0);
  });

  test('tells other sites what a link shows', async () => {
    const og = async (path: string) => {
      const { text } = await server.request(path);
      return [...text.matchAll(/property="og:(title|image|description)" content="([^"]*)"/g)].map(
        ([, , value]) => value!,
      );
    };
    const [title, description, image] = await og('/');
    assert.equal(title, 'City Model Data');
    assert.ok(description);
    const picture = await server.request(server.pathOf(image!));
    assert.equal(picture.status, 200, image);
    assert.equal(picture.headers['content-type'], 'image/webp');
    for (const link of ['/?pick=47900', '/?view=datasets&row=47901_bldg_lod2', '/?lang=ja']) {
      assert.equal((await og(link))[2], image, link);
    }
    const city = await og('/?pick=47900');
    assert.equal(city[0], '青凪市（沖縄県）');
    assert.match(city[1]!, /建築物モデル/);
    assert.match((await og('/?view=datasets&row=47901_bldg_lod2'))[1]!, /3D Tiles · LOD 2/);
    // What the 3D view opens with is a composite, of which the city is known.
    assert.deepEqual(await og('/?view=3d&model=47900-bldg-maxlod4-latest'), city);
    assert.deepEqual(await og('/?view=3d&model=47900-bldg-latest'), city, 'a link of before');
    assert.equal((await og('/?view=3d&model=99999-bldg-maxlod4-latest'))[0], 'City Model Data');
    assert.equal((await og('/?pick=%22%3E%3Cscript'))[0], 'City Model Data');
    // In the language of the link.
    assert.deepEqual(await og('/?pick=47900&lang=ja'), city);
    const [name, types] = await og('/?pick=47900&lang=en');
    assert.equal(name, 'Aonagi (Okinawa)');
    assert.match(types!, /^2024 · Buildings, Roads, /);
    const [dataset, of] = await og('/?view=datasets&row=47900_urf_usedistrict_lod1&lang=en');
    assert.equal(dataset, 'Urban planning Use district (Aonagi)');
    assert.match(of!, /^Okinawa · MVT · LOD 1 · 2024$/);
    assert.deepEqual((await og('/?lang=en')).slice(0, 2), [title, description]);
    assert.equal((await og('/status?lang=ja'))[0], '都市モデルデータ');
  });

  test('knows about how large features are as data', async (t) => {
    for (const city of ['47900', '47950']) {
      const { cities } = await server.json<FileCounts>(`/datacatalog/counts/${city}?all_years=true`);
      for (const { year, types } of cities) {
        for (const [type, { features, bytes, max_lod: maxLod }] of Object.entries(types)) {
          const expected = tableBytes({ type, year, features, bytes, maxLod });
          // A small terrain has no size that others would have too.
          assert.equal(expected === null, type === 'dem', type);
          if (expected === null) continue;
          for (const format of SIZED_FORMATS) {
            const place = { bounds: { west: 129, south: 25, east: 130, north: 26 } };
            const path = featuresPath({ place, type, city, year }, format);
            const ratio = expected[format] / (await server.request(path)).body.length;
            t.diagnostic(`${city} ${year} ${type} ${format}: ${ratio.toFixed(2)}`);
            // Buildings of 2024 here say more of their survey than real ones.
            assert.ok(ratio > (type === 'bldg' ? 0.6 : 0.7) && ratio < 1.3, `${type} ${format} ${ratio}`);
          }
        }
      }
    }
  });

  test('has the base map that the operator chose, and only then its host', async (t) => {
    await using other = await startServer(data, {
      env: {
        BASE_MAP_URL: 'https://tiles.example.jp/pale/{z}/{x}/{y}.png',
        BASE_MAP_ATTRIBUTION: '</script><b>Survey',
      },
    });
    const { headers, text } = await other.request('/');
    const policy = String(headers['content-security-policy']);
    assert.match(policy, /img-src [^;]*https:\/\/tiles\.example\.jp/);
    assert.doesNotMatch(policy, /script-src [^;]*tiles\.example\.jp/);
    const config = JSON.parse(/id="config">(.*?)<\/script>/.exec(text)![1]!);
    assert.deepEqual(config.baseMap, {
      url: 'https://tiles.example.jp/pale/{z}/{x}/{y}.png',
      attribution: '</script><b>Survey',
    });
    t.diagnostic(policy);
  });
});

describe('the 3D view in a frame', () => {
  const ancestors = async (from: TestServer, path: string) => {
    const { headers } = await from.request(path);
    return /frame-ancestors ([^;]*)/.exec(String(headers['content-security-policy']))![1];
  };

  test('is let into pages of every origin, and no other page is', async () => {
    assert.equal(await ancestors(server, '/?view=3d&embed'), "'self' *");
    for (const path of ['/', '/?view=3d', '/status', '/docs']) {
      assert.equal(await ancestors(server, path), "'self'", path);
    }
  });

  test('is let into the pages that the operator names', async () => {
    const EMBED_ORIGINS = 'https://a.example.jp, https://b.example.jp:8443';
    await using other = await startServer(data, {
      env: { EMBED_ORIGINS, ADMIN_TOKEN: 'a-token-of-more-than-sixteen-characters' },
    });
    assert.equal(await ancestors(other, '/?embed'), "'self' https://a.example.jp https://b.example.jp:8443");
    assert.equal(await ancestors(other, '/admin?embed'), "'self'");
  });
});

describe('its files', () => {
  test('are kept for ever, have their types, and come compressed as built', async () => {
    const types: Record<string, string> = {
      js: 'application/javascript; charset=utf-8',
      css: 'text/css; charset=utf-8',
      svg: 'image/svg+xml',
    };
    for (const path of await references()) {
      const plain = await server.request(path);
      assert.equal(plain.status, 200, path);
      assert.equal(plain.headers['content-type'], types[path.split('.').at(-1)!]);
      assert.equal(plain.headers['cache-control'], 'public, max-age=31536000, immutable');
      assert.equal(plain.headers['content-length'], String(plain.body.length));
      const packed = await server.request(path, { headers: { 'accept-encoding': 'gzip, deflate, br' } });
      if (packed.headers['content-encoding'] === 'br') {
        assert.ok(brotliDecompressSync(packed.body).equals(plain.body));
        assert.equal(packed.headers.vary, 'accept-encoding');
      } else assert.ok(packed.body.equals(plain.body));
      const same = await server.request(path, { headers: { 'if-none-match': plain.headers.etag! } });
      assert.equal(same.status, 304);
    }
  });

  test('heed what encoding the caller prefers', async () => {
    const path = (await references()).find((name) => name.endsWith('.js'))!;
    const chosen = async (accept: string) =>
      (await server.request(path, { headers: { 'accept-encoding': accept } })).headers['content-encoding'];
    assert.equal(await chosen('br, gzip'), 'br');
    assert.equal(await chosen('br;q=0.1, gzip;q=0.9'), 'gzip');
    assert.equal(await chosen('br;q=0, gzip;q=0'), undefined);
  });

  test('need little before the map or the viewer comes', async (t) => {
    let bytes = 0;
    for (const path of (await references()).filter((name) => name.endsWith('.js'))) {
      const { body } = await server.request(path, { headers: { 'accept-encoding': 'br' } });
      bytes += body.length;
    }
    t.diagnostic(`${bytes} bytes of JavaScript, brotli`);
    assert.ok(bytes < FIRST_VIEW, `${bytes} bytes`);
  });

  test('are only those of the portal', async () => {
    for (const path of [
      '/portal/nothing.js',
      '/portal/',
      '/portal/index.html',
      '/portal/.made-from',
      '/portal/../../package.json',
      '/portal/..%2f..%2fpackage.json',
      '/portal/assets/%2e%2e/%2e%2e/package.json',
    ]) {
      const reply = await server.request(path);
      assert.equal(reply.status, 404, path);
      assert.equal(reply.json<{ error: string }>().error, 'not found');
    }
  });
});

test('the interface is where it was', async () => {
  assert.equal((await server.request('/health/live')).status, 200);
  const catalogue = await server.json<{ datasets: unknown[] }>('/datacatalog/citymodel-datasets');
  assert.ok(catalogue.datasets.length > 0);
  const unknown = await server.request('/nothing-here');
  assert.equal(unknown.status, 404);
  assert.equal(unknown.json<{ error: string }>().error, 'not found');
});

describe('status.json', () => {
  test('tells packages, sizes, health, and nothing of the machine', async () => {
    const text = (await server.request('/status.json')).text;
    const status: StatusDocument = JSON.parse(text);
    assert.deepEqual(status.checks, { catalogue: 'ok', database: 'ok', objects: 'ok', disk: 'ok' });
    assert.equal(status.packages.length, 26);
    assert.equal(status.totals.packages, 26);
    assert.equal(
      status.totals.archiveBytes,
      status.packages.reduce((sum, { archiveBytes }) => sum + archiveBytes, 0),
    );
    const city = status.packages.find(({ name }) => name === '47900_aonagi-shi_city_2024_citygml_1_op')!;
    assert.equal(city.place, '沖縄県 青凪市');
    assert.equal(city.features, 377);
    assert.ok(!text.includes(directory), 'a path of the machine');
    assert.deepEqual(status.ingestions, []);
  });

  test('lists packages page by page', async () => {
    const whole = await server.json<StatusDocument>('/status.json');
    assert.deepEqual([whole.page, whole.pages], [1, 1]);
    const names: string[] = [];
    for (let page = 1; page <= 3; page++) {
      const part = await server.json<StatusDocument>(`/status.json?limit=10&page=${page}`);
      assert.deepEqual([part.page, part.pages, part.totals], [page, 3, whole.totals]);
      names.push(...part.packages.map(({ name }) => name));
    }
    assert.deepEqual(
      names,
      whole.packages.map(({ name }) => name),
    );
    assert.deepEqual((await server.json<StatusDocument>('/status.json?limit=10&page=4')).packages, []);
    const troubled = await server.json<StatusDocument>('/status.json?with_issues=true');
    assert.deepEqual(
      troubled.packages,
      whole.packages.filter(({ issues }) => issues.error + issues.warning > 0),
    );
    for (const query of ['page=0', 'page=1.5', 'page=1e9', 'limit=1001', 'limit=', 'with_issues=perhaps']) {
      assert.equal((await server.request(`/status.json?${query}`)).status, 400, query);
    }
  });

  test('tells the issues of one package', async () => {
    const status = await server.json<StatusDocument>('/status.json');
    const { id, name } = status.packages[0]!;
    const answer = await server.json<{ id: string; name: string; issues: unknown[] }>(
      `/status.json?package=${id}`,
    );
    assert.equal(answer.name, name);
    assert.ok(Array.isArray(answer.issues));
    const none = await server.request('/status.json?package=none');
    assert.equal(none.status, 404);
  });

  test('tells jobs, newest first', async () => {
    const list = await server.json<{ files: Record<string, Array<{ url: string }>> }>(
      '/datacatalog/citygml/47900',
    );
    const body = JSON.stringify({ urls: [list.files.dem![0]!.url] });
    const { id } = (
      await server.request('/citygml/pack', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body,
      })
    ).json<{ id: string }>();
    await server.json(`/citygml/pack/${id}/status?wait=30`);
    // The answer is kept for a second.
    let { jobs } = await server.json<StatusDocument>('/status.json');
    while (jobs.length === 0) ({ jobs } = await server.json<StatusDocument>('/status.json'));
    assert.equal(jobs[0]!.id, id.slice(0, 8), 'the whole id would let anybody download it');
    assert.ok(['accepted', 'processing', 'succeeded'].includes(jobs[0]!.status));
  });
});
