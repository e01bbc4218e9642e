/** The STAC catalogue of a running server: every link of every document answers, and independent readers accept it. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { VectorTile } from '@mapbox/vector-tile';
import { PbfReader } from 'pbf';
import { removeDirectory, runProgram, tempDirectory } from './support/program.ts';
import { startServer, type TestServer } from './support/server.ts';
import { ingestSample } from './support/store.ts';

// biome-ignore lint/suspicious/noExplicitAny: documents of many shapes
type Any = any;

let directory: string;
let data: string;
let server: TestServer;

before(async () => {
  directory = await tempDirectory();
  ({ data } = await ingestSample(directory));
  server = await startServer(data, {
    reachable: true,
    env: { SECURITY_CONTACT: 'mailto:security@example.jp' },
  });
});

after(async () => {
  await server?.stop();
  await removeDirectory(directory);
});

/** Links that lead to other documents of the catalogue, and not to the same ones asked for otherwise. */
const WITHIN = new Set([
  'self',
  'root',
  'parent',
  'child',
  'collection',
  'data',
  'items',
  'item',
  'conformance',
  'next',
  'search',
  'predecessor-version',
  'successor-version',
  'latest-version',
]);

describe('the STAC API', () => {
  it('answers at every link, and assets are there with their sizes and hashes', async () => {
    const seen = new Set<string>();
    const waiting = [`${server.publicUrl}/stac`];
    let assets = 0;
    for (let href = waiting.pop(); href !== undefined; href = waiting.pop()) {
      if (seen.has(href)) continue;
      seen.add(href);
      const reply = await server.request(href.slice(server.publicUrl.length));
      assert.equal(reply.status, 200, href);
      const document = reply.json<Any>();
      for (const resource of [document, ...(document.collections ?? []), ...(document.features ?? [])]) {
        for (const { rel, href: to, method } of resource.links ?? []) {
          if (method === 'POST') continue;
          if (WITHIN.has(rel)) waiting.push(to);
          else if (!to.includes('{')) await answers(to);
        }
      }
      if (document.type !== 'Feature') continue;
      for (const asset of Object.values<Any>(document.assets)) {
        assets++;
        const { headers } = await answers(asset.href);
        if (asset['file:size'] !== undefined)
          assert.equal(headers['content-length'], String(asset['file:size']));
      }
    }
    assert.ok(seen.size > 20 && assets > 20, `${seen.size} documents, ${assets} assets`);
  });

  it('names the hash of the bytes that come', async () => {
    const item = await server.json<Any>('/stac/collections/47900/items/47900-2024');
    const { href, 'file:checksum': checksum } = item.assets.citygml;
    const reply = await server.request(href.slice(server.publicUrl.length));
    assert.equal(`1220${createHash('sha256').update(reply.body).digest('hex')}`, checksum);
  });

  it('finds by box, time, geometry and name, and refuses what it does not know', async () => {
    const all = await server.json<Any>('/stac/search?limit=100');
    const { bbox } = await server.json<Any>('/stac/collections/47900/items/47900-2024');
    const inside = await server.json<Any>(`/stac/search?limit=100&bbox=${bbox.join(',')}`);
    const touching = ({ bbox: [west, south, east, north] }: Any) =>
      west <= bbox[2] && east >= bbox[0] && south <= bbox[3] && north >= bbox[1];
    const idsOf = ({ features }: Any) => features.map(({ id }: Any) => id);
    assert.deepEqual(idsOf(inside), idsOf({ features: all.features.filter(touching) }));
    assert.ok(inside.numberReturned > 5 && inside.numberReturned < all.numberReturned);
    assert.equal((await server.json<Any>('/stac/search?bbox=-10,40,0,50')).numberReturned, 0);
    assert.equal((await server.json<Any>('/stac/search?datetime=../1999-01-01T00:00:00Z')).numberReturned, 0);
    const post = (body: unknown) =>
      server.request('/stac/search', {
        method: 'POST',
        body: typeof body === 'string' ? body : JSON.stringify(body),
        headers: { 'content-type': 'application/json' },
      });
    const around = { type: 'Point', coordinates: [(bbox[0] + bbox[2]) / 2, (bbox[1] + bbox[3]) / 2] };
    const found = (await post({ intersects: around, collections: ['47900'] })).json<Any>();
    assert.deepEqual(
      found.features.map(({ id }: Any) => id),
      ['47900-2024'],
    );
    const first = (await post({ limit: 1 })).json<Any>();
    const next = first.links.find(({ rel }: Any) => rel === 'next');
    assert.equal(next.method, 'POST');
    const second = (await post(next.body)).json<Any>();
    assert.equal(second.features[0].id, all.features[1].id);
    const within = await server.json<Any>(
      '/stac/collections/47900/items?collections=47900,bldg&ids=47900-2024',
    );
    assert.deepEqual(idsOf(within), ['47900-2024']);
    assert.equal(
      (await server.json<Any>('/stac/collections/47900/items?collections=bldg')).numberReturned,
      0,
    );
    const landing = await server.json<Any>('/stac');
    const { href } = landing.links.find(({ rel }: Any) => rel === 'service-desc');
    const description = await server.json<Any>(href.slice(server.publicUrl.length));
    assert.match(description.openapi, /^3\.0/, 'the class oas30 is claimed');
    assert.ok('/stac/search' in description.paths);
    for (const path of [
      '',
      '/conformance',
      '/collections',
      '/collections/47900',
      '/collections/47900/items',
      '/collections/47900/items/47900-2024',
      '/search',
    ]) {
      const refused = await server.request(`/stac${path}?unknown=1`);
      assert.equal(refused.status, 400, path);
      assert.match(refused.text, /"unknown\\" is no parameter here/);
    }
    for (const [reply, status] of [
      [await post('{'), 400],
      [await post('[]'), 400],
      [await post('['.repeat(10_000)), 400],
      [await post({ limit: 0 }), 400],
      [await post({ ids: ['x'.repeat(250_000)] }), 413],
      [await server.request('/stac/search?bbox=1,2,3'), 400],
      [await server.request('/stac/search?token=x'), 400],
      [await server.request('/stac/collections?token=%00&limit=2'), 200],
      [await server.request('/stac/collections/bldg/items?datetime=now'), 400],
      [await server.request('/stac/collections/nothing'), 404],
      [await server.request('/stac/collections/47900/items/nothing'), 404],
      [await server.request('/stac/collections/nothing/items'), 404],
    ] as const) {
      assert.equal(reply.status, status, reply.text.slice(0, 200));
      if (status >= 400) assert.ok(reply.json<Any>().reason.length > 10);
    }
  });

  it('is read and found valid by pystac and pystac-client', (t) => {
    const result = python([
      'from pystac_client import Client',
      `client = Client.open(${JSON.stringify(`${server.publicUrl}/stac`)})`,
      ...VALIDATE_API,
    ]);
    if (result === null) return t.skip('no Python with pystac-client');
    assert.match(result, /^valid \d+ of \d+\n$/);
  });
});

describe('documents for crawlers, harvesters and assistants', () => {
  it('name addresses that answer', async () => {
    const robots = await server.request('/robots.txt');
    assert.match(String(robots.headers['content-type']), /^text\/plain/);
    const map = await server.request(robots.text.match(/Sitemap: (.*)/)![1]!);
    for (const [, address] of map.text.matchAll(/<loc>([^<]*)<\/loc>/g)) await answers(address!);
    const llms = await server.request('/llms.txt');
    for (const [address] of llms.text.matchAll(/https?:[^\s)]*[^\s),]/g)) {
      const { status } = await server.request(address.slice(server.publicUrl.length));
      // What is only posted to, or needs an address of a file, says so.
      assert.ok(
        status === 200 || /\/(mcp|graphql|features|attributes|r:[\d.,]+)$/.test(address),
        `${address} ${status}`,
      );
    }
    const security = await server.request('/.well-known/security.txt');
    assert.match(security.text, /^Contact: mailto:security@example\.jp\nExpires: \d{4}-/);
    const dcat = await server.json<Any>('/dcat.jsonld');
    const [catalog] = dcat['@graph'];
    assert.deepEqual(
      catalog['dcat:dataset'].map((dataset: Any) => dataset['dct:identifier']).sort(),
      (await server.json<Any>('/stac/search?limit=100')).features
        .filter(({ collection }: Any) => /^\d/.test(collection))
        .map(({ id }: Any) => id)
        .sort(),
    );
    for (const page of ['0', 'x', '2']) {
      assert.ok([400, 404].includes((await server.request(`/dcat.jsonld?page=${page}`)).status));
    }
  });

  it('stand in pages of the portal, as data that cannot end their element', async () => {
    const blockOf = async (path: string) =>
      JSON.parse(
        /<script type="application\/ld\+json">(.*?)<\/script>/s.exec((await server.request(path)).text)![1]!,
      );
    assert.equal((await blockOf('/?pick=47900'))['@type'], 'Dataset');
    assert.equal((await blockOf('/'))['@type'], 'DataCatalog');
    assert.equal((await blockOf('/?pick=%3C/script%3E'))['@type'], 'DataCatalog');
  });
});

describe('vector tiles of a prefecture and of the country', () => {
  it('are those of its municipalities together', async () => {
    const tilesOf = async (spec: string) => server.json<Any>(`/datacatalog/mvt/${spec}/tilejson.json`);
    const featuresIn = (bytes: Buffer) => {
      const { layers } = new VectorTile(new PbfReader(bytes));
      return Object.values(layers).flatMap((layer) =>
        Array.from({ length: layer.length }, (_, n) => ({ ...layer.feature(n).properties })),
      );
    };
    const parts = [await tilesOf('47900-tran-latest'), await tilesOf('47950-tran-latest')];
    for (const spec of ['47-tran-latest', 'all-tran-latest']) {
      const region = await tilesOf(spec);
      const [west, south, east, north] = region.bounds;
      for (const z of [region.minzoom, region.maxzoom]) {
        const x = Math.floor((((west + east) / 2 + 180) / 360) * 2 ** z);
        const sine = Math.sin((((south + north) / 2) * Math.PI) / 180);
        const y = Math.floor((0.5 - Math.log((1 + sine) / (1 - sine)) / (4 * Math.PI)) * 2 ** z);
        const bytesOf = async ({ tiles, minzoom, maxzoom }: Any) => {
          if (z < minzoom || z > maxzoom) return Buffer.alloc(0);
          const href = tiles[0].replace('{z}', z).replace('{x}', x).replace('{y}', y);
          const reply = await server.request(server.pathOf(href));
          assert.ok([200, 204, 404].includes(reply.status), href);
          return reply.status === 200 ? reply.body : Buffer.alloc(0);
        };
        const together = featuresIn(await bytesOf(region));
        const expected = (await Promise.all(parts.map(bytesOf))).flatMap(featuresIn);
        assert.deepEqual(together, expected, `${spec} ${z}/${x}/${y}`);
        if (z === region.minzoom) assert.ok(together.length > 0);
      }
    }
    for (const path of [
      'all-tran-latest/0/0/9.mvt',
      'all-tran-latest/x/0/0.mvt',
      '47900-tran-latest/9/1/1.mvt',
    ])
      assert.ok([204, 404].includes((await server.request(`/datacatalog/mvt/${path}`)).status), path);
    assert.equal((await server.request('/datacatalog/mvt/x/1/1/1.mvt')).status, 400);
  });
});

describe('citymodel stac', () => {
  it('writes the catalogue as files, which pystac walks through', async (t) => {
    const out = join(directory, 'stac');
    const run = await runProgram(['stac', '--out', out], { DATA_DIR: data, PUBLIC_URL: server.publicUrl });
    assert.equal(run.code, 0, run.stderr);
    assert.match(run.stdout, /^\d+ collections with \d+ items/);
    const item = JSON.parse(await readFile(join(out, '47900/47900-2024/47900-2024.json'), 'utf8'));
    const served = await server.json<Any>('/stac/collections/47900/items/47900-2024');
    assert.deepEqual({ ...item, links: [] }, { ...served, links: [] });
    const result = python([
      'import pystac',
      `client = pystac.Catalog.from_file(${JSON.stringify(join(out, 'catalog.json'))})`,
      ...VALIDATE_FILES,
    ]);
    if (result === null) return t.skip('no Python with pystac');
    assert.match(result, /^valid \d+ of \d+\n$/);
  });
});

/** HEAD of an address of the server. */
async function answers(href: string) {
  const reply = await server.request(href.slice(server.publicUrl.length), { method: 'HEAD' });
  assert.equal(reply.status, 200, href);
  return reply;
}

/**
 * Checks documents against the schemas of the core, which the library brings along; those of extensions lie on the
 * network.
 */
const VALIDATE = [
  'from pystac.validation import validate_dict',
  'count = 0',
  'def check(thing):',
  '    global count',
  '    body = thing.to_dict(include_self_link=False)',
  '    validate_dict({**body, "stac_extensions": []})',
  '    count += 1',
];
const VALIDATE_API = [
  ...VALIDATE,
  'collections = list(client.get_collections())',
  'for collection in collections: check(collection)',
  'items = list(client.search(limit=7).items())',
  'for item in items: check(item)',
  'walked = {item.id for collection in collections for item in collection.get_items()}',
  'assert walked == {item.id for item in items}, "walk and search differ"',
  'print("valid", count, "of", len(collections) + len(items))',
];
const VALIDATE_FILES = [
  ...VALIDATE,
  'check(client)',
  'things = 1',
  'for collection in client.get_children():',
  '    check(collection); things += 1',
  '    for item in collection.get_items():',
  '        check(item); things += 1',
  'print("valid", count, "of", things)',
];

/** What a Python program prints; null where its libraries are not installed. `STAC_PYTHON` names the interpreter. */
function python(lines: readonly string[]): string | null {
  const interpreter = process.env.STAC_PYTHON ?? 'python3';
  const { status, stdout, stderr } = spawnSync(interpreter, ['-c', lines.join('\n')], {
    encoding: 'utf8',
    timeout: 60_000,
  });
  if (status === 0) return stdout;
  if (/ModuleNotFoundError|ENOENT/.test(stderr ?? '') || status === null) return null;
  throw new Error(stderr);
}
