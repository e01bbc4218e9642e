/** Assets of the sample city through the built program, and what holds for every request. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import type { Catalogue } from './support/interface-schemas.ts';
import {
  CITY_PACKAGE,
  catalogue,
  city,
  DATASETS,
  refused,
  sample,
  server,
  useSampleCity,
} from './support/sample-city.ts';
import { PUBLIC_URL, type RequestOptions } from './support/server.ts';

useSampleCity();

describe('assets', () => {
  const gml = () => `${city}/udx/bldg/38295544_bldg_6697_op.gml`;

  it('are the members of the upload, byte by byte', async () => {
    const { default: yauzl } = await import('yauzl');
    const zip = await yauzl.openPromise(join(sample, `${CITY_PACKAGE}.zip`));
    let count = 0;
    for await (const entry of zip.eachEntry()) {
      const path = entry.fileName.slice(CITY_PACKAGE.length);
      const stream = await zip.openReadStreamPromise(entry);
      const chunks: Buffer[] = [];
      for await (const chunk of stream) chunks.push(chunk as Buffer);
      const plain = Buffer.concat(chunks);
      const identity = await server.request(`${city}${path}`, { headers: { 'accept-encoding': 'identity' } });
      assert.equal(identity.status, 200, path);
      assert.equal(identity.headers['content-encoding'], undefined);
      assert.equal(Number(identity.headers['content-length']), plain.length);
      assert.deepEqual(identity.body, plain, path);
      const gzip = await server.request(`${city}${path}`, { headers: { 'accept-encoding': 'gzip' } });
      const body = gzip.headers['content-encoding'] === 'gzip' ? gunzipSync(gzip.body) : gzip.body;
      assert.deepEqual(body, plain, path);
      count++;
    }
    assert.equal(count, 72);
  });

  it('have the type of their kind', async () => {
    for (const [path, type] of [
      ['udx/bldg/38295544_bldg_6697_op.gml', 'application/gml+xml'],
      ['udx/bldg/38295544_bldg_6697_appearance/roof_tiles.jpg', 'image/jpeg'],
      ['codelists/Building_usage.xml', 'application/xml'],
      ['README.md', 'text/markdown; charset=utf-8'],
    ] as const) {
      const reply = await server.request(`${city}/${path}`);
      assert.equal(reply.headers['content-type'], type);
      assert.equal(reply.headers['x-content-type-options'], 'nosniff');
    }
    const tileset = catalogue.datasets.find(({ format }) => format === '3D Tiles')!;
    assert.match(String((await server.request(tileset.url)).headers['content-type']), /^application\/json/);
  });

  it('lead from a GML to its code lists and textures by plain resolution of relative URLs', async () => {
    const base = `${PUBLIC_URL}${gml()}`;
    const { text } = await server.request(gml());
    const references = new Set(
      [...text.matchAll(/(?:codeSpace="|<app:imageURI>)([^"<]+)/g)].map(([, reference]) => reference!),
    );
    assert.ok(references.size > 5);
    for (const reference of references) {
      assert.equal((await server.request(new URL(reference, base).href)).status, 200, reference);
    }
  });

  it('answer ranges with the bytes asked for', async () => {
    const whole = (await server.request(gml())).body;
    await fc.assert(
      fc.asyncProperty(
        fc.nat({ max: whole.length - 1 }),
        fc.nat({ max: 400_000 }),
        fc.constantFrom('closed', 'open', 'suffix'),
        async (start, length, form) => {
          const end = Math.min(whole.length - 1, start + length);
          const range = { closed: `${start}-${end}`, open: `${start}-`, suffix: `-${length + 1}` }[form];
          const [from, to] = {
            closed: [start, end],
            open: [start, whole.length - 1],
            suffix: [Math.max(0, whole.length - length - 1), whole.length - 1],
          }[form] as [number, number];
          const reply = await server.request(gml(), { headers: { range: `bytes=${range}` } });
          assert.equal(reply.status, 206);
          assert.equal(reply.headers['content-range'], `bytes ${from}-${to}/${whole.length}`);
          assert.ok(reply.body.equals(whole.subarray(from, to + 1)));
        },
      ),
      { numRuns: 40, seed: 3 },
    );
  });

  it('give all that there is where the last bytes asked for are more', async () => {
    const { citygml } = await server.json<Catalogue>(DATASETS);
    const { metadataZipUrls } = await server.json<{ metadataZipUrls: string[] }>(
      `/datacatalog/citygml/${citygml[0]!.city_code}`,
    );
    // Readers of zips ask for the last 65,557 bytes, in which the end record is, whatever the size.
    for (const url of [gml(), metadataZipUrls[0]!]) {
      const { body } = await server.request(url);
      for (const count of [body.length, body.length + 1, 99_999_999_999]) {
        const reply = await server.request(url, { headers: { range: `bytes=-${count}` } });
        assert.equal(reply.status, 206);
        assert.equal(reply.headers['content-range'], `bytes 0-${body.length - 1}/${body.length}`);
        assert.equal(Number(reply.headers['content-length']), body.length);
        assert.ok(reply.body.equals(body));
      }
      await refused(url, 416, { headers: { range: 'bytes=-0' } });
    }
  });

  it('treat If-Range, If-Match and dates as RFC 9110 says', async () => {
    const whole = await server.request(gml());
    const etag = String(whole.headers.etag);
    const date = String(whole.headers['last-modified']);
    const status = async (headers: Record<string, string>) =>
      (await server.request(gml(), { headers })).status;
    assert.doesNotMatch(etag, /^W\//, 'a strong tag, good for ranges');
    assert.equal(await status({ range: 'bytes=0-9', 'if-range': etag }), 206);
    assert.equal(await status({ range: 'bytes=0-9', 'if-range': date }), 206);
    assert.equal(await status({ range: 'bytes=0-9', 'if-range': '"other"' }), 200);
    assert.equal(await status({ range: 'bytes=0-9', 'if-range': `W/${etag}` }), 200);
    assert.equal(
      await status({ range: 'bytes=0-1,5-6' }),
      200,
      'several ranges may be answered by the whole',
    );
    assert.equal(await status({ range: 'lines=0-1' }), 200);
    assert.equal(await status({ range: 'lines=99999999-' }), 200);
    assert.equal(await status({ range: 'bytes=-99999999' }), 206, 'a suffix longer than all is all');
    assert.equal(await status({ range: 'bytes=-0' }), 416);
    assert.equal(await status({ range: 'bytes=x' }), 200);
    assert.equal(await status({ 'if-none-match': etag }), 304);
    assert.equal(await status({ 'if-modified-since': date }), 304);
    assert.equal(await status({ 'if-modified-since': 'Thu, 01 Jan 1998 00:00:00 GMT' }), 200);
    assert.equal(await status({ 'if-match': etag }), 200);
    assert.equal(await status({ 'if-match': '"other"' }), 412);
    const past = 'Thu, 01 Jan 1998 00:00:00 GMT';
    assert.equal(await status({ range: 'bytes=0-9', 'if-unmodified-since': date }), 206);
    assert.equal(await status({ range: 'bytes=0-9', 'if-unmodified-since': past }), 412);
    assert.equal(await status({ 'if-unmodified-since': past, 'if-match': etag }), 200, 'the tag counts');
    assert.equal(await status({ 'if-unmodified-since': 'yesterday' }), 200, 'no date');
    const outside = await refused(gml(), 416, { headers: { range: 'bytes=99999999-' } });
    assert.equal(outside.headers['content-range'], `bytes */${whole.body.length}`);
  });

  it('go on with a gzip download by range', async () => {
    const gzip = await server.request(gml(), { headers: { 'accept-encoding': 'gzip' } });
    assert.notEqual(gzip.headers.etag, (await server.request(gml())).headers.etag);
    const rest = await server.request(gml(), {
      headers: { 'accept-encoding': 'gzip', range: 'bytes=1000-', 'if-range': String(gzip.headers.etag) },
    });
    assert.equal(rest.status, 206);
    assert.equal(rest.headers['content-encoding'], 'gzip');
    gunzipSync(Buffer.concat([gzip.body.subarray(0, 1000), rest.body]));
    const plain = await server.request(gml(), { headers: { 'accept-encoding': 'gzip', range: 'bytes=0-9' } });
    assert.equal(plain.headers['content-encoding'], undefined, 'a range alone is of the plain bytes');
    for (const encoding of ['identity', 'gzip;q=0', 'br', '*;q=0, identity']) {
      const reply = await server.request(gml(), { headers: { 'accept-encoding': encoding } });
      assert.equal(reply.headers['content-encoding'], undefined, encoding);
    }
  });

  it('do not exist where nothing is', async () => {
    for (const path of [
      `${city}`,
      `${city}/`,
      `${city}/udx`,
      `${city}/udx/`,
      `${city}/nothing.gml`,
      `${city}/../${CITY_PACKAGE}/README.md`,
      `${city}/%2e%2e/${CITY_PACKAGE}/README.md`,
      `${city}/..%2f..%2f..%2fetc/passwd`,
      `${city}/README.md%00`,
      `${city}//README.md`,
      `${city}_nothing.zip`,
      city.replace('/assets/', '/assets/00/'),
      '/assets/',
      '/assets/00/00000000/x/y',
    ]) {
      await refused(path, 404);
    }
  });
});

describe('every request', () => {
  const routes = () => [
    DATASETS,
    '/datacatalog/plateau-datasets',
    '/datacatalog/3dtiles/47900-bldg-lod1-latest/tileset.json',
    '/datacatalog/mvt/47900-luse-latest/tilejson.json',
    '/datacatalog/citygml/47900-latest/citygml.zip',
    '/datacatalog/citygml/m:38295545',
    `${city}/README.md`,
    `${city}.zip`,
    `${city}_codelists.zip`,
    '/health/live',
    '/health/ready',
    '/metrics',
  ];

  it('may be odd as real ones are', async () => {
    for (const path of routes()) {
      const { status } = await server.request(path);
      for (const headers of [
        { 'content-type': 'application/json' },
        { authorization: '' },
        { authorization: 'Bearer x' },
        { 'content-type': 'application/json', accept: 'application/json, text/plain, */*' },
        { origin: 'null', cookie: 'a=b' },
        { 'accept-encoding': '' },
        { accept: 'text/nothing' },
      ]) {
        const reply = await server.request(path, { headers });
        assert.equal(reply.status, status, `${path} with ${JSON.stringify(headers)}`);
      }
      const sign = path.includes('?') ? '&' : '?';
      const tagged = await server.request(
        `${path}${sign}_=1699999999999&utm_source=x&empty&a[]=1&%E3%81%82=%E3%81%84`,
      );
      assert.equal(tagged.status, status, path);
      assert.equal(
        (await server.request(`${path}/`)).status,
        path.includes('assets') ? 404 : status,
        `${path}/`,
      );
    }
  });

  it('may be HEAD, and OPTIONS as browsers ask', async () => {
    for (const path of routes()) {
      const get = await server.request(path);
      const head = await server.request(path, { method: 'HEAD' });
      assert.equal(head.status, get.status, path);
      assert.equal(head.body.length, 0);
      assert.equal(head.headers['content-type'], get.headers['content-type'], path);
      if (!path.startsWith('/metrics')) {
        assert.equal(head.headers['content-length'], get.headers['content-length'], path);
      }
      if (get.headers.etag !== undefined) {
        const headers = { 'if-none-match': String(get.headers.etag) };
        const known = await server.request(path, { method: 'HEAD', headers });
        assert.equal(known.status, 304, path);
        assert.equal(known.headers['content-length'], undefined, path);
      }
      const preflight = await server.request(path, {
        method: 'OPTIONS',
        headers: {
          origin: 'https://viewer.example',
          'access-control-request-method': 'GET',
          'access-control-request-headers': 'authorization,content-type,if-none-match,range',
        },
      });
      assert.equal(preflight.status, 204, path);
      assert.equal(preflight.headers['access-control-allow-origin'], '*');
      for (const name of ['authorization', 'content-type', 'if-none-match', 'range']) {
        assert.match(String(preflight.headers['access-control-allow-headers']), new RegExp(name));
      }
      const exposed = String(get.headers['access-control-expose-headers']);
      for (const name of [
        'ETag',
        'Content-Length',
        'Content-Range',
        'Accept-Ranges',
        'Location',
        'Retry-After',
      ]) {
        assert.match(exposed, new RegExp(name, 'i'), path);
      }
    }
  });

  it('that fails is told why in JSON, with CORS', async () => {
    for (const [path, status, options] of [
      ['/nothing', 404],
      ['/datacatalog', 404],
      ['/datacatalog/citygml/', 404],
      ['/datacatalog/3dtiles/x', 404],
      ['/%E3%81%82', 404],
      ['/%zz', 400],
      ['/datacatalog/citygml/%zz', 400],
      [`${DATASETS}?pref_code=%zz`, 400],
      [DATASETS, 405, { method: 'DELETE' }],
      [DATASETS, 405, { method: 'POST', body: '{}', headers: { 'content-type': 'application/json' } }],
      ['/nothing', 404, { method: 'PUT', body: 'x', headers: { 'content-type': 'text/strange' } }],
      ['/nothing', 404, { method: 'POST', body: '{', headers: { 'content-type': 'application/json' } }],
    ] as Array<[string, number, RequestOptions?]>) {
      await refused(path, status, options);
    }
    assert.equal((await refused(DATASETS, 405, { method: 'PATCH' })).headers.allow, 'GET, HEAD, OPTIONS');
    assert.equal((await server.request('/nothing', { method: 'HEAD' })).status, 404);
  });

  it('may not be larger than the settings allow', async () => {
    const long = await refused(`/datacatalog/citygml/${'9'.repeat(30_000)}`, 431);
    assert.equal(long.json<{ error: string }>().error, 'request too large');
    const body = JSON.stringify({ urls: ['x'.repeat(3_000)] });
    const large = await refused('/citygml/pack', 413, {
      method: 'POST',
      body,
      headers: { 'content-type': 'application/json' },
    });
    assert.equal(large.json<{ error: string }>().error, 'request too large');
    const many = await server.request(`/datacatalog/citygml/m:${'38295545,'.repeat(900)}38295545`);
    assert.equal(many.status, 200);
  });
});
