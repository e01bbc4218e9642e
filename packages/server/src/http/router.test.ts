/** Operations, conditional requests and redirects at the router, without a socket. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { formatSpatialId, spatialIdOf } from '@citymodel/geo';
import type { Examples } from './describe/examples.ts';
import type { Operation } from './describe/operation.ts';
import { OPERATIONS } from './operations/index.ts';
import {
  type Answer,
  BUILDINGS,
  CITY,
  type InjectedService,
  injectService,
  MEMBER,
} from './testing/inject-service.ts';
import { REFUSED, TAKEN } from './testing/refusals.ts';
import { assertDescribed } from './testing/validate-response.ts';

let service: InjectedService;
let known: Examples;

before(async () => {
  service = await injectService();
  const gml = `http://localhost:8080${await service.asset(MEMBER)}`;
  const pack = await service.ask('/citygml/pack', { method: 'POST', payload: { urls: [gml] } });
  const { id } = pack.json<{ id: string }>();
  await service.ask(`/citygml/pack/${id}/status?wait=30`);
  known = {
    city: '13101',
    compared: '13101',
    edition: '13101-2023',
    type: 'bldg',
    mesh: '53394525',
    gml,
    id: BUILDINGS[0],
    spatialId: formatSpatialId(spatialIdOf(139.77005, 35.68013, null, 18)),
    tileset: '13101-bldg-lod1-latest',
    tileJson: '13101-luse-latest',
    pack: id,
  };
});
after(() => service[Symbol.asyncDispose]());

/** The request that the examples of an operation make, perhaps without a parameter. */
function exampleOf({ path, parameters }: Operation, without = ''): string {
  let target = path;
  const query = new URLSearchParams();
  for (const { in: place, name, example } of parameters) {
    if (example === undefined || name === without) continue;
    const value = [example(known)].flat().join(',');
    if (place === 'path') target = target.replace(`{${name}}`, encodeURIComponent(value));
    else query.set(name, value);
  }
  return query.size === 0 ? target : `${target}?${query}`;
}

function bodyOf({ body }: Operation): object | undefined {
  const examples = Object.values(body?.content ?? {})[0]?.examples?.(known);
  return Object.values(examples ?? {})[0]?.value as object | undefined;
}

/** Operations that the small city has no answer to: it has one edition, none to compare it with, and no tables. */
const NOT_HERE = ['getChanges', 'getCityTable'];

describe('an operation', () => {
  for (const operation of OPERATIONS) {
    const method = operation.method === 'get' ? 'GET' : 'POST';

    test(`${operation.id} answers its example as it declares`, async () => {
      const target = exampleOf(operation);
      const payload = bodyOf(operation);
      const answer = await service.ask(target, { method, ...(payload && { payload }) });
      const isThere = answer.status < 400 || NOT_HERE.includes(operation.id);
      assert.ok(isThere, `${target}: ${answer.status} ${answer.text.slice(0, 300)}`);
      assertDescribed(method, target, answer);
      assert.equal(answer.headers['access-control-allow-origin'], '*');
      assert.equal(answer.headers['x-content-type-options'], 'nosniff');
    });

    test(`${operation.id} refuses what it cannot read as it declares, and other methods`, async () => {
      for (const { name, required, in: place } of operation.parameters) {
        if (!required || place !== 'query') continue;
        const target = exampleOf(operation, name);
        const answer = await service.ask(target, { method });
        assert.equal(answer.status, 400, `${target} without ${name}`);
        assertDescribed(method, target, answer);
        assert.ok(answer.json<{ reason?: string }>().reason !== undefined, target);
      }
      if (method === 'POST') {
        const answer = await service.ask(exampleOf(operation), {
          method,
          payload: '{',
          headers: { 'content-type': 'application/json' },
        });
        assert.ok(answer.status >= 400 && answer.status < 500, `${answer.status}`);
        assertDescribed(method, operation.path, answer);
        if (operation.path.endsWith('mcp'))
          assert.match(answer.text, /The body must be a JSON-RPC message\./);
      }
      const other = await service.ask(exampleOf(operation), { method: 'DELETE' });
      assert.equal(other.status, 405);
      const allowed = String(other.headers.allow).split(', ');
      assert.ok(allowed.includes(method) && allowed.includes('OPTIONS') && !allowed.includes('DELETE'));
      const preflight = await service.ask(exampleOf(operation), {
        method: 'OPTIONS',
        headers: { 'access-control-request-headers': 'x-own, range' },
      });
      assert.equal(preflight.status, 204);
      assert.equal(preflight.headers['access-control-allow-headers'], 'x-own, range');
    });

    if (method === 'POST') continue;
    test(`${operation.id} answers HEAD with the headers of GET and no body`, async () => {
      const target = exampleOf(operation);
      const [get, head] = [await service.ask(target), await service.ask(target, { method: 'HEAD' })];
      assert.equal(head.status, get.status);
      assert.equal(head.body.length, 0);
      for (const name of ['content-type', 'etag', 'location', 'cache-control'])
        assert.equal(head.headers[name], get.headers[name], name);
    });

    test(`${operation.id} declares a tag where it sends one, and what it answers to one who has it`, async () => {
      const target = exampleOf(operation);
      const { status, headers } = await service.ask(target);
      const unchanged = await service.ask(target, { headers: { 'if-none-match': '*' } });
      assertDescribed(method, target, unchanged);
      assert.equal(unchanged.status, headers.etag === undefined ? status : 304);
      const declared = operation.answers[status]?.headers ?? [];
      assert.equal(declared.includes('ETag'), headers.etag !== undefined);
    });
  }
});

/** What the example of an operation is of, for a CDN that drops answers; all others are of the whole catalogue. */
const OF = new Map<string, string | undefined>([
  ...['getTileset', 'getTileJson', 'getCityZip', 'getQuality', 'getSdkFiles'].map(
    (id) => [id, 'area-13100 catalogue-13100'] as const,
  ),
  ...['getAttributes', 'getFeatures'].map((id) => [id, 'package-1 area-13100 catalogue-13100'] as const),
  ...['getPackStatus', 'getPackZip', 'getGeoidHeight'].map((id) => [id, ''] as const),
  ...['getLive', 'getReady', 'getMetrics', ...NOT_HERE].map((id) => [id, undefined] as const),
]);
const ASKED_EACH_TIME = ['getGraphql', 'getPackStatus', 'getPackZip'];

/** What an answer depends on beside its address. */
function varyOf(id: string, isKept: boolean): string | undefined {
  if (!isKept || ['getCityZip', 'getPackZip'].includes(id)) return undefined;
  if (id.startsWith('getOgc')) return 'accept, accept-encoding, accept-language';
  return id === 'getGraphql' ? 'accept, accept-encoding' : 'accept-encoding';
}

test('an answer says what it is of, what it depends on, and how long proxies may keep it', async () => {
  const keptOf = (id: string) => {
    if (OF.has(id) && OF.get(id) === undefined) return 'no-store';
    const isAsked = ASKED_EACH_TIME.includes(id);
    return isAsked ? 'no-cache, must-revalidate' : 'public, max-age=0, s-maxage=1, stale-while-revalidate=10';
  };
  const hold = async (id: string, target: string, of: string | undefined) => {
    const { headers } = await service.ask(target);
    const kept = keptOf(id);
    assert.equal(headers.vary, varyOf(id, kept !== 'no-store'), target);
    const keys = of === undefined ? undefined : `citymodel ${of}`.trim();
    assert.deepEqual([headers['surrogate-key'], headers['cache-control']], [keys, kept], target);
    assert.equal(headers['cache-tag'], keys?.replaceAll(' ', ','), target);
  };
  for (const operation of OPERATIONS) {
    const { id } = operation;
    if (operation.method === 'get') {
      await hold(id, exampleOf(operation), OF.has(id) ? OF.get(id) : 'catalogue');
    }
  }
  await hold('findFiles', '/datacatalog/citygml/13101', 'area-13100 catalogue-13100');
  await hold('findFiles', '/datacatalog/citygml/r:139,35,140,36', 'catalogue');
});

test('what cannot be answered is refused with a reason, and nothing within the limits is', async () => {
  for (const [target, status, reason] of REFUSED) {
    const answer = await service.ask(target);
    assert.deepEqual([answer.status, answer.json<{ reason: string }>().reason], [status, reason], target);
  }
  for (const target of TAKEN) assert.equal((await service.ask(target)).status, 200, target);
});

test('links of the OGC API lead to what they say', async () => {
  const items = '/ogc/collections/bldg/items';
  for (const path of ['/ogc', '/ogc/collections', items, `${items}?limit=1`, `${items}/${BUILDINGS[0]}`]) {
    const { links } = (await service.ask(path, { headers: { accept: 'application/json' } })).json<{
      links: Array<{ rel: string; href: string; type?: string }>;
    }>();
    assert.ok(links.length >= 2, path);
    for (const { rel, href, type } of links) {
      assert.ok(!href.endsWith('?'), href);
      if (type === undefined || !href.startsWith('http://localhost:8080/ogc')) continue;
      const { status, headers } = await service.ask(href.replace('http://localhost:8080', ''));
      assert.equal(status, 200, href);
      const sent = String(headers['content-type']).split(';')[0];
      assert.equal(sent, type.split(';')[0], `${path} ${rel}: ${href}`);
    }
  }
});

test('features say in which system they are where they are JSON-FG, and only there', async () => {
  for (const path of ['', `/${BUILDINGS[0]}`]) {
    const of = async (format: string) =>
      (await service.ask(`/ogc/collections/bldg/items${path}?f=${format}`)).json<Record<string, unknown>>();
    const [fg, geojson] = [await of('jsonfg'), await of('geojson')];
    assert.ok((fg.conformsTo as string[]).length > 0);
    assert.equal(fg.coordRefSys, 'http://www.opengis.net/def/crs/OGC/1.3/CRS84');
    assert.deepEqual([geojson.conformsTo, geojson.coordRefSys], [undefined, undefined]);
  }
});

/** Statuses of a request with each of these headers. */
async function statuses(target: string, all: Array<Record<string, string>>): Promise<number[]> {
  const answers: Answer[] = [];
  for (const headers of all) answers.push(await service.ask(target, { headers }));
  for (const { status, body } of answers) if (status === 304) assert.equal(body.length, 0);
  return answers.map(({ status }) => status);
}

describe('a conditional request', () => {
  const DOCUMENTS = [
    '/datacatalog/citymodel-datasets',
    '/datacatalog/areas',
    '/datacatalog/summary',
    '/datacatalog/3dtiles/13101-bldg-lod1-latest/tileset.json',
    '/datacatalog/mvt/13101-luse-latest/tilejson.json',
    '/datacatalog/citygml/13101-latest/citygml.zip',
    '/openapi.json',
  ];
  for (const target of DOCUMENTS) {
    test(`for ${target} is 304 where the caller has the answer`, async () => {
      const { status, headers } = await service.ask(target);
      const etag = String(headers.etag);
      assert.match(etag, /^(W\/)?"[^"]+"$/);
      const found = await statuses(target, [
        { 'if-none-match': etag },
        { 'if-none-match': `"other", ${etag}` },
        { 'if-none-match': '*' },
        { 'if-none-match': etag.replace(/^W\//, '') },
        { 'if-none-match': '"other"' },
        { 'if-none-match': '"other"', 'if-modified-since': new Date().toUTCString() },
      ]);
      assert.deepEqual(found, [304, 304, 304, 304, status, status]);
      const unchanged = await service.ask(target, { headers: { 'if-none-match': etag } });
      assert.equal(unchanged.headers.etag, etag);
      assert.equal(unchanged.headers['cache-control'], headers['cache-control']);
    });
  }

  for (const path of [MEMBER, '.zip']) {
    test(`for the asset ${path} knows tags, dates and ranges`, async () => {
      const target = await service.asset(path);
      const whole = await service.ask(target);
      const [etag, date] = [String(whole.headers.etag), String(whole.headers['last-modified'])];
      const size = whole.body.length;
      assert.match(etag, /^"/);
      assert.equal(whole.headers['accept-ranges'], 'bytes');
      assert.equal(Number(whole.headers['content-length']), size);
      const before = new Date(Date.parse(date) - 1_000).toUTCString();
      assert.deepEqual(
        await statuses(target, [
          { 'if-none-match': etag },
          { 'if-none-match': `W/${etag}` },
          { 'if-modified-since': date },
          { 'if-modified-since': before },
          { 'if-none-match': '"other"', 'if-modified-since': date },
          { 'if-match': etag },
          { 'if-match': '"other"' },
          { 'if-match': '*' },
          { 'if-unmodified-since': date },
          { 'if-unmodified-since': before },
          { 'if-unmodified-since': 'never' },
          { 'if-match': etag, 'if-unmodified-since': before },
        ]),
        [304, 304, 304, 200, 200, 200, 412, 200, 200, 412, 200, 200],
      );

      const range = async (headers: Record<string, string>) => {
        const { status, headers: got, body } = await service.ask(target, { headers });
        return [status, got['content-range'], Buffer.from(body).toString('latin1')];
      };
      const bytes = (start: number, end: number) =>
        Buffer.from(whole.body.subarray(start, end)).toString('latin1');
      const part = [206, `bytes 2-9/${size}`, bytes(2, 10)];
      const all = [200, undefined, bytes(0, size)];
      assert.deepEqual(await range({ range: 'bytes=2-9' }), part);
      assert.deepEqual(await range({ range: 'bytes=-5' }), [
        206,
        `bytes ${size - 5}-${size - 1}/${size}`,
        bytes(size - 5, size),
      ]);
      assert.deepEqual(await range({ range: `bytes=${size - 3}-` }), [
        206,
        `bytes ${size - 3}-${size - 1}/${size}`,
        bytes(size - 3, size),
      ]);
      assert.deepEqual(await range({ range: `bytes=0-${size + 9}` }), [
        206,
        `bytes 0-${size - 1}/${size}`,
        bytes(0, size),
      ]);
      const beyond = await range({ range: `bytes=${size}-` });
      assert.deepEqual(beyond.slice(0, 2), [416, `bytes */${size}`]);
      assert.deepEqual(await range({ range: 'lines=1-2' }), all);
      assert.deepEqual(await range({ range: 'bytes=2-9', 'if-range': etag }), part);
      assert.deepEqual(await range({ range: 'bytes=2-9', 'if-range': '"other"' }), all);
      assert.deepEqual(await range({ range: 'bytes=2-9', 'if-range': `W/${etag}` }), all);
      assert.deepEqual(await range({ range: 'bytes=2-9', 'if-range': before }), all);
      assert.equal((await range({ range: 'bytes=2-9', 'if-none-match': etag }))[0], 304);
    });
  }

  test('for documents of the OGC API name what the caller decides, unchanged ones too', async () => {
    const target = '/ogc/collections';
    const whole = await service.ask(target);
    const unchanged = await service.ask(target, { headers: { 'if-none-match': String(whole.headers.etag) } });
    assert.equal(unchanged.status, 304);
    for (const { headers } of [whole, unchanged]) {
      assert.equal(headers.vary, 'accept, accept-encoding, accept-language');
    }
    const refused = await service.ask(`${target}?f=nothing`);
    assert.equal(refused.status, 400);
  });

  test('for features of the OGC API in binary formats are in longitude and latitude alone', async () => {
    const target = '/ogc/collections/bldg/items?f=flatgeobuf';
    assert.equal((await service.ask(target)).status, 200);
    assert.equal((await service.ask(`${target}&crs=OGC:CRS84`)).status, 200);
    const refused = await service.ask(`${target}&crs=EPSG:3857`);
    assert.equal(refused.status, 400);
    assert.match(refused.text, /longitude and latitude only/);
  });

  test('for the gzip form of a member has a tag of its own, which ranges go on with', async () => {
    const target = await service.asset(MEMBER);
    const plain = await service.ask(target);
    const packed = await service.ask(target, { headers: { 'accept-encoding': 'gzip' } });
    assert.equal(packed.headers['content-encoding'], 'gzip');
    assert.notEqual(packed.headers.etag, plain.headers.etag);
    assert.equal(packed.headers.vary, 'accept-encoding');
    assert.ok(plain.body.length > packed.body.length);
    assert.deepEqual(gunzipSync(packed.body), Buffer.from(plain.body));
    const rest = await service.ask(target, {
      headers: { 'accept-encoding': 'gzip', range: 'bytes=50-', 'if-range': String(packed.headers.etag) },
    });
    assert.equal(rest.status, 206);
    assert.deepEqual(Buffer.from(rest.body), Buffer.from(packed.body).subarray(50));
    const text = await service.ask(target, { headers: { 'accept-encoding': 'gzip', range: 'bytes=50-59' } });
    assert.deepEqual(Buffer.from(text.body), Buffer.from(plain.body).subarray(50, 60));
  });
});

test('a tile of few bytes is sent as it is, and a path may end with a slash', async () => {
  const headers = { 'accept-encoding': 'gzip' };
  const tile = await service.asset('14/14552/6451.mvt', `${CITY}_luse_mvt_lod1`);
  const { status, headers: got, body } = await service.ask(tile, { headers });
  assert.deepEqual([status, got['content-encoding']], [200, undefined]);
  assert.equal(Number(got['content-length']), body.length);
  const [plain, slash] = [await service.ask('/datacatalog/areas'), await service.ask('/datacatalog/areas/')];
  assert.deepEqual([slash.status, slash.text], [200, plain.text]);
});

test('tiles of a prefecture are those of its municipalities', async () => {
  const own = await service.ask(await service.asset('14/14552/6451.mvt', `${CITY}_luse_mvt_lod1`));
  for (const spec of ['13-luse-latest', 'all-luse-latest']) {
    const tile = await service.ask(`/datacatalog/mvt/${spec}/14/14552/6451.mvt`);
    assert.deepEqual([tile.status, tile.text], [200, own.text], spec);
    assert.equal(tile.headers['content-type'], 'application/vnd.mapbox-vector-tile');
  }
  for (const path of [
    '14/14552/6451.pbf',
    '14/14552/6451',
    '140/14552/6451.mvt',
    '14/14552/12345678901.mvt',
    '14/a/1.mvt',
  ])
    assert.equal((await service.ask(`/datacatalog/mvt/13-luse-latest/${path}`)).status, 404, path);
  assert.equal((await service.ask('/datacatalog/mvt/13101-luse-latest/14/14552/6451.mvt')).status, 404);
  const empty = await service.ask('/datacatalog/mvt/13-luse-latest/14/14552/6452.mvt');
  assert.deepEqual([empty.status, empty.body.length], [204, 0]);
});

/** What shared caches may keep for a moment. */
const BRIEFLY = 'public, max-age=0, s-maxage=1, stale-while-revalidate=10';

describe('a redirect', () => {
  test('leads to the archive of the latest year, and says nothing of years that are not there', async () => {
    const archive = await service.asset('.zip');
    for (const year of ['latest', '2023']) {
      const answer = await service.ask(`/datacatalog/citygml/13101-${year}/citygml.zip`);
      assert.equal(answer.status, 302);
      assert.equal(new URL(String(answer.headers.location)).pathname, archive);
      assert.equal(answer.headers['cache-control'], BRIEFLY);
    }
    assert.equal((await service.ask('/datacatalog/citygml/13101-2022/citygml.zip')).status, 404);
    assert.equal((await service.ask('/datacatalog/citygml/13101/citygml.zip')).status, 400);
  });

  test('leads to the object store where it is asked to, but for HEAD, and for nothing but whole archives', async () => {
    await using other = await injectService({ ASSET_REDIRECT: 'https://store.example.jp/objects' });
    const archive = await other.asset('.zip');
    const answer = await other.ask(archive);
    assert.equal(answer.status, 302);
    const [row] = await other.at.stores.catalogue.findPackages({ name: CITY });
    assert.equal(answer.headers.location, `https://store.example.jp/objects/${row!.archiveKey}`);
    assert.equal(answer.headers['cache-control'], 'public, max-age=600');
    assert.equal(answer.body.length, 0);
    const head = await other.ask(archive, { method: 'HEAD' });
    assert.deepEqual([head.status, head.headers.location], [200, undefined]);
    assert.equal(Number(head.headers['content-length']), row!.archiveSize);
    assert.equal((await other.ask(await other.asset(MEMBER))).status, 200);
  });

  test('to signed addresses is left out where the store cannot sign', async () => {
    await using other = await injectService({ ASSET_REDIRECT: 'presigned' });
    assert.equal((await other.ask(await other.asset('.zip'))).status, 200);
    const signed: unknown[] = [];
    other.at.stores.objects.sign = async (key, options) => {
      signed.push({ key, ...options });
      return 'https://signed.example.jp/?x=1';
    };
    const answer = await other.ask(await other.asset('.zip'));
    assert.deepEqual([answer.status, answer.headers.location], [302, 'https://signed.example.jp/?x=1']);
    const [row] = await other.at.stores.catalogue.findPackages({ name: CITY });
    const disposition = `attachment; filename="${CITY}.zip"`;
    assert.deepEqual(signed, [{ key: row!.archiveKey, seconds: 3_600, disposition }]);
  });
});

test('the operator’s path has none of the headers for other pages', async () => {
  await using other = await injectService({ ADMIN_TOKEN: 'a'.repeat(32) });
  for (const method of ['GET', 'OPTIONS'] as const) {
    const answer = await other.ask('/admin/jobs', { method });
    assert.equal(answer.headers['access-control-allow-origin'], undefined, method);
    assert.equal(answer.headers['access-control-allow-headers'], undefined, method);
  }
  assert.equal((await other.ask('/administration')).headers['access-control-allow-origin'], '*');
});

test('a proxy may pass the path of PUBLIC_URL on or take it off', async () => {
  await using other = await injectService({ PUBLIC_URL: 'https://city.example.jp/base' });
  for (const path of ['/base/datacatalog/areas', '/datacatalog/areas', '/base/datacatalog/areas?x=1'])
    assert.equal((await other.ask(path)).status, 200, path);
  for (const path of ['/based/datacatalog/areas', '/base/base/datacatalog/areas'])
    assert.equal((await other.ask(path)).status, 404, path);
  for (const path of ['/base', '/base/', '/base?x=1', '/'])
    assert.notEqual((await other.ask(path)).status, 404, path);
});

test('callers behind a proxy that is trusted are told apart, those behind another one are not', async () => {
  await using other = await injectService({ PACK_RATE: '1', TRUSTED_PROXIES: '127.0.0.1' });
  const url = `http://localhost:8080${await other.asset(MEMBER)}`;
  const statusFor = async (remoteAddress: string, forwarded: string) => {
    const headers = { 'x-forwarded-for': forwarded };
    const options = { method: 'POST', payload: { urls: [url] }, headers, remoteAddress } as const;
    return (await other.ask('/citygml/pack', options)).status;
  };
  assert.equal(await statusFor('127.0.0.1', '203.0.113.1'), 200);
  assert.equal(await statusFor('127.0.0.1', '203.0.113.1'), 429);
  assert.equal(await statusFor('127.0.0.1', '203.0.114.1'), 200);
  assert.equal(await statusFor('198.51.100.1', '203.0.115.1'), 200);
  assert.equal(await statusFor('198.51.100.1', '203.0.116.1'), 429);
});

test('a link to the portal has words in Japanese where it asks for them', async () => {
  const titleOf = async (path: string) =>
    /property="og:title" content="([^"]*)"/.exec((await service.ask(path)).text)![1]!;
  const [plain, japanese] = [await titleOf('/'), await titleOf('/?lang=ja')];
  assert.doesNotMatch(plain, /[\u3040-\u30ff\u4e00-\u9fff]/);
  assert.match(japanese, /[\u3040-\u30ff\u4e00-\u9fff]/);
  assert.equal(await titleOf('/?lang=en'), plain);
  assert.match(await titleOf('/?pick=13101'), /千代田区/);
  assert.match(await titleOf('/?pick=13101&lang=ja'), /千代田区/);
});

test('the portal is told of a base map where there is one', async () => {
  const url = 'https://tiles.example.jp/{z}/{x}/{y}.png';
  const config = ({ text }: Answer) =>
    JSON.parse(/id="config">([^<]*)/.exec(text)![1]!) as Record<string, unknown>;
  assert.equal(config(await service.ask('/')).baseMap, null);
  await using other = await injectService({ BASE_MAP_URL: url, BASE_MAP_ATTRIBUTION: 'us' });
  assert.deepEqual(config(await other.ask('/')).baseMap, { url, attribution: 'us' });
});
