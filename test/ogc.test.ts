/** The OGC API of a running server: what its conformance classes ask, and programs that nobody here wrote. */
import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { requirements } from './ogc/requirements.ts';
import { ROOT, removeDirectory, tempDirectory } from './support/program.ts';
import { startServer, type TestServer } from './support/server.ts';
import { ingestSample } from './support/store.ts';

// biome-ignore lint/suspicious/noExplicitAny: documents of many shapes
type Any = any;

const CRS84 = 'http://www.opengis.net/def/crs/OGC/1.3/CRS84';
const EPSG = (code: number) => `http://www.opengis.net/def/crs/EPSG/0/${code}`;
const BLDG = '/ogc/collections/47900-bldg';

let directory: string;
let server: TestServer;

before(async () => {
  directory = await tempDirectory();
  const { data } = await ingestSample(directory);
  server = await startServer(data, { reachable: true });
});

after(async () => {
  await server?.stop();
  await removeDirectory(directory);
});

/** All features of a collection, page by page. */
async function walk(path: string): Promise<Any[]> {
  const features: Any[] = [];
  for (let href: string | undefined = path; href !== undefined; ) {
    const page: Any = await server.json<Any>(href);
    assert.equal(page.numberReturned, page.features.length);
    features.push(...page.features);
    href = linkOf(page, 'next');
  }
  return features;
}

function linkOf({ links }: Any, rel: string): string | undefined {
  return links.find((link: Any) => link.rel === rel)?.href;
}

describe('OGC API – Features, Part 1', () => {
  it('leads from the landing page to everything, as JSON and as pages in two languages', async () => {
    const landing = await server.json<Any>('/ogc');
    const seen = new Set<string>();
    const waiting = [`${server.publicUrl}/ogc`];
    for (let href = waiting.pop(); href !== undefined; href = waiting.pop()) {
      if (seen.has(href)) continue;
      seen.add(href);
      const reply = await server.request(server.pathOf(href));
      assert.equal(reply.status, 200, href);
      if (!/json/.test(String(reply.headers['content-type']))) continue;
      const document = reply.json<Any>();
      for (const { rel, href: to, type } of document.links ?? []) {
        const head = await server.request(server.pathOf(to), { method: 'HEAD' });
        assert.equal(head.status, 200, to);
        const sent = String(head.headers['content-type']).replaceAll(' ', '');
        if (!/^(related|service-doc)$/.test(rel))
          assert.ok(sent.startsWith(type), `${to}: ${sent}, not ${type}`);
        if (/^(conformance|data|collection)$/.test(rel)) waiting.push(to);
      }
      for (const { links } of document.collections ?? []) waiting.push(linkOf({ links }, 'self')!);
    }
    assert.ok(seen.size > 15, `${seen.size} documents`);
    const { conformsTo } = await server.json<Any>(linkOf(landing, 'conformance')!);
    assert.ok(conformsTo.includes('http://www.opengis.net/spec/ogcapi-features-1/1.0/conf/core'));
    for (const path of ['/ogc', '/ogc/conformance', '/ogc/collections', BLDG, `${BLDG}/items`]) {
      const page = await server.request(path, { headers: { accept: 'text/html', 'accept-language': 'en' } });
      assert.match(page.text, /^<!doctype html><html lang="en">/);
      assert.match((await server.request(`${path}?f=html&lang=ja`)).text, /<html lang="ja">/);
    }
    const description = await server.request(linkOf(landing, 'service-desc')!);
    assert.equal(description.headers['content-type'], 'application/vnd.oai.openapi+json;version=3.0');
    // As the abstract tests of Parts 1 and 2 read the definitions of parameters.
    const api = description.json<Any>();
    assert.match(api.openapi, /^3\.0\./);
    const { parameters } = api.paths['/ogc/collections/{collectionId}/items'].get;
    for (const [name, type] of Object.entries({
      ...{ limit: 'integer', bbox: 'array', datetime: 'string' },
      ...{ crs: 'string', 'bbox-crs': 'string' },
    })) {
      const found = parameters.find((one: Any) => one.name === name);
      assert.deepEqual(
        [found.in, found.required, found.style, found.explode, found.schema.type],
        ['query', false, 'form', false, type],
        name,
      );
    }
    assert.ok('/ogc/collections/{collectionId}/items' in description.json<Any>().paths);
  });

  it('pages through every feature once, and answers each by its gml:id', async () => {
    const page = await server.json<Any>(`${BLDG}/items?limit=50`);
    const features = await walk(`${BLDG}/items?limit=50`);
    const ids = features.map(({ id }) => id);
    assert.equal(new Set(ids).size, ids.length);
    assert.equal(page.numberMatched, ids.length);
    const whole = await walk('/ogc/collections/bldg/items?limit=1000');
    assert.ok(ids.every((id) => whole.some((feature) => feature.id === id)));
    for (const feature of [features[0], features[77], features.at(-1)]) {
      const { links, ...alone } = await server.json<Any>(`${BLDG}/items/${feature.id}`);
      assert.deepEqual(alone, feature);
      assert.ok(links.length > 2);
    }
  });

  it('agrees with operations 11 and 12, and with the STAC catalogue', async () => {
    const features = await walk(`${BLDG}/items?limit=1000`);
    const { files } = await filesOf('47900', 'bldg');
    const attributes: Any[] = [];
    const ids: string[] = [];
    for (const url of files) {
      const { featureIds } = await server.json<Any>(
        `/citygml/features?sid=0/0/0/0&url=${encodeURIComponent(url)}`,
      );
      ids.push(...featureIds);
      const query = `url=${encodeURIComponent(url)}&id=${featureIds.join(',')}&flatten=true`;
      attributes.push(...(await server.json<Any>(`/citygml/attributes?${query}`)));
    }
    assert.deepEqual(
      features.map(({ id }) => id),
      ids,
    );
    for (const [n, { properties }] of features.entries()) {
      const { height, minAlt, maxAlt, ...rest } = properties;
      assert.deepEqual(rest, attributes[n]);
      if (height !== undefined) assert.ok(Math.abs(height - (maxAlt - minAlt)) < 1e-6);
    }
    const collections = (await server.json<Any>('/ogc/collections')).collections;
    const matched = await Promise.all(
      collections
        .filter(({ id }: Any) => id.startsWith('47900-'))
        .map(
          async ({ id }: Any) =>
            (await server.json<Any>(`/ogc/collections/${id}/items?limit=1`)).numberMatched,
        ),
    );
    const item = await server.json<Any>('/stac/collections/47900/items/47900-2024');
    assert.equal(
      matched.reduce((sum: number, count: number) => sum + count, 0),
      item.properties['city3d:city_objects'],
    );
    const extent = collections.find(({ id }: Any) => id === '47900-bldg').extent.spatial.bbox[0];
    for (const { geometry } of features) {
      for (const [lng, lat] of geometry.coordinates.flat(2)) {
        assert.ok(lng >= extent[0] - 1e-9 && lng <= extent[2] + 1e-9);
        assert.ok(lat >= extent[1] - 1e-9 && lat <= extent[3] + 1e-9);
      }
    }
  });

  it('searches by box and time as operation 12 does', async () => {
    const all = await walk(`${BLDG}/items?limit=1000`);
    const [lng, lat] = all[30].geometry.coordinates[0][0][0];
    const box = [lng - 0.001, lat - 0.001, lng + 0.001, lat + 0.001];
    const found = await walk(`${BLDG}/items?limit=7&bbox=${box}`);
    const { featureIds } = await server.json<Any>(`/citygml/features?bbox=${box}&type=bldg&city_code=47900`);
    assert.ok(found.length > 0 && found.length < all.length);
    assert.deepEqual(found.map(({ id }) => id).sort(), featureIds.sort());
    const high = await walk(
      `${BLDG}/items?limit=1000&bbox=${[box[0], box[1], 5_000, box[2], box[3], 6_000]}`,
    );
    assert.equal(high.length, 0);
    const counts = ['2024-04-01T00:00:00Z', '2024-01-01T00:00:00+09:00/..', '../2024-03-01T00:00:00Z'].map(
      async (time) => (await walk(`${BLDG}/items?limit=1000&datetime=${encodeURIComponent(time)}`)).length,
    );
    assert.deepEqual(await Promise.all(counts), [all.length, all.length, 0]);
  });

  it('refuses what it does not know, with a reason', async () => {
    for (const [path, status] of [
      ['/ogc?x=1', 400],
      ['/ogc?f=xml', 400],
      ['/ogc/collections?limit=0', 400],
      ['/ogc/collections?after=nothing', 400],
      ['/ogc/collections/nothing', 404],
      ['/ogc/collections/nothing/items', 404],
      [`${BLDG}/items/nothing`, 404],
      [`${BLDG}/items?limit=0`, 400],
      [`${BLDG}/items?limit=x`, 400],
      [`${BLDG}/items?limit=1&limit=2`, 400],
      [`${BLDG}/items?bbox=1,2,3`, 400],
      [`${BLDG}/items?bbox=1,2,3,x`, 400],
      [`${BLDG}/items?bbox=200,0,201,1`, 400],
      [`${BLDG}/items?datetime=now`, 400],
      [`${BLDG}/items?crs=EPSG:9999`, 400],
      [`${BLDG}/items?bbox-crs=x&bbox=1,2,3,4`, 400],
      [`${BLDG}/items?after=x`, 400],
      [`${BLDG}/items?after=WzEsIjAwMDAwMDAwIiwiIiwwXQ`, 404],
      [`${BLDG}/items?unknown=1`, 400],
      [`${BLDG}/items?f=shape`, 400],
      [`${BLDG}/items?f=flatgeobuf&crs=${EPSG(6697)}`, 400],
    ] as const) {
      const reply = await server.request(path);
      assert.equal(reply.status, status, path);
      assert.ok(reply.json<Any>().reason.length > 10, path);
    }
    assert.equal((await server.json<Any>(`${BLDG}/items?limit=100000`)).numberReturned, 210);
  });
});

describe('OGC API – Features, Part 2', () => {
  it('answers in every system that it lists, in the order of its axes', async () => {
    const { crs, storageCrs } = await server.json<Any>(BLDG);
    assert.ok(crs.length > 20 && crs.includes(storageCrs) && crs[0] === CRS84);
    const plain = (await server.json<Any>(`${BLDG}/items?limit=1`)).features[0];
    const [lng, lat] = plain.geometry.coordinates[0][0][0];
    for (const uri of crs) {
      const reply = await server.request(`${BLDG}/items?limit=1&crs=${encodeURIComponent(uri)}`);
      assert.equal(reply.headers['content-crs'], `<${uri}>`);
      const [first, second, height] = reply.json<Any>().features[0].geometry.coordinates[0][0][0];
      if (uri === CRS84) assert.deepEqual([first, second], [lng, lat]);
      if (uri === EPSG(6697)) assert.deepEqual([first, second, height], [lat, lng, plain.properties.minAlt]);
      if (uri === EPSG(6668)) assert.deepEqual([first, second, height], [lat, lng, undefined]);
      if (uri === EPSG(3857)) assert.ok(Math.abs(first - (lng * Math.PI * 6_378_137) / 180) < 0.001);
      // The zone of Okinawa: northing first.
      if (uri === EPSG(6683)) assert.ok(Math.abs(first) < 3e6 && Math.abs(second) < 3e6);
    }
  });

  it('takes the same box in other systems for the same place', async () => {
    const [feature] = (await server.json<Any>(`${BLDG}/items?limit=1`)).features;
    const [[west, south], , [east, north]] = feature.geometry.coordinates[0][0];
    const degrees = [
      Math.min(west, east),
      Math.min(south, north),
      Math.max(west, east),
      Math.max(south, north),
    ];
    const idsIn = async (box: readonly number[], crs: string) =>
      (await walk(`${BLDG}/items?limit=1000&bbox=${box}&bbox-crs=${encodeURIComponent(crs)}`)).map(
        ({ id }) => id,
      );
    const expected = await idsIn(degrees, CRS84);
    assert.ok(expected.includes(feature.id));
    assert.deepEqual(
      await idsIn(
        [1, 0, 3, 2].map((n) => degrees[n]!),
        EPSG(6697),
      ),
      expected,
    );
    for (const code of [3857, 6669, 6683]) {
      const { features } = await server.json<Any>(
        `${BLDG}/items?limit=1&crs=${encodeURIComponent(EPSG(code))}`,
      );
      const ring: number[][] = features[0].geometry.coordinates[0][0];
      const span = (axis: number) => ring.map((position) => position[axis]!);
      const box = [Math.min(...span(0)), Math.min(...span(1)), Math.max(...span(0)), Math.max(...span(1))];
      assert.ok((await idsIn(box, EPSG(code))).includes(feature.id), String(code));
    }
  });
});

describe('OGC API – Features, Part 3', () => {
  const idsOf = async (query: Record<string, string>) =>
    (await walk(`${BLDG}/items?${new URLSearchParams({ limit: '1000', ...query })}`)).map(({ id }) => id);

  it('filters as `where` of operation 12 does, in text, in JSON and by parameters', async () => {
    const { properties } = await server.json<Any>(`${BLDG}/queryables`);
    assert.equal(properties['bldg:measuredHeight'].type, 'number');
    assert.equal(properties.geometry['x-ogc-role'], 'primary-geometry');
    const usage = (await server.json<Any>(`${BLDG}/items?limit=1`)).features[0].properties['bldg:usage'];
    for (const [where, cql2, json] of [
      [
        'bldg:measuredHeight>=12',
        'bldg:measuredHeight >= 12',
        { op: '>=', args: [{ property: 'bldg:measuredHeight' }, 12] },
      ],
      [
        `bldg:usage=${usage};bldg:measuredHeight>3`,
        `bldg:usage = '${usage}' AND bldg:measuredHeight > 3`,
        {
          op: 'and',
          args: [
            { op: '=', args: [{ property: 'bldg:usage' }, usage] },
            { op: '>', args: [{ property: 'bldg:measuredHeight' }, 3] },
          ],
        },
      ],
    ] as const) {
      const place = 'sid=0/0/0/0&type=bldg&city_code=47900';
      const { featureIds } = await server.json<Any>(
        `/citygml/features?${place}&where=${encodeURIComponent(where)}`,
      );
      assert.ok(featureIds.length > 0 && featureIds.length < 210, where);
      assert.deepEqual(await idsOf({ filter: cql2 }), featureIds);
      assert.deepEqual(await idsOf({ filter: JSON.stringify(json), 'filter-lang': 'cql2-json' }), featureIds);
      assert.deepEqual(await idsOf({ filter: cql2, limit: '7' }), featureIds);
    }
    const byFilter = await idsOf({ filter: `bldg:usage = '${usage}'` });
    assert.deepEqual(await idsOf({ 'bldg:usage': usage }), byFilter);
    const others = await idsOf({ filter: `NOT (bldg:usage = '${usage}' OR bldg:usage IS NULL)` });
    const missing = await idsOf({ filter: 'bldg:usage IS NULL' });
    assert.equal(byFilter.length + others.length + missing.length, 210);
  });

  it('finds what meets a place as a box does, alone and among other conditions', async () => {
    const all = await walk(`${BLDG}/items?limit=1000`);
    const [lng, lat] = all[30].geometry.coordinates[0][0][0];
    const [west, south, east, north] = [lng - 0.001, lat - 0.001, lng + 0.001, lat + 0.001];
    const inBox = await idsOf({ bbox: [west, south, east, north].join() });
    const ring = `(${west} ${south}, ${east} ${south}, ${east} ${north}, ${west} ${north}, ${west} ${south})`;
    const meets = `S_INTERSECTS(geometry, POLYGON(${ring}))`;
    assert.deepEqual(await idsOf({ filter: meets }), inBox);
    assert.deepEqual(
      await idsOf({ filter: `S_INTERSECTS(geometry, BBOX(${west},${south},${east},${north}))` }),
      inBox,
    );
    const turned = ring.replaceAll(/([\d.]+) ([\d.]+)/g, '$2 $1');
    const crs = { 'filter-crs': EPSG(6697) };
    assert.deepEqual(await idsOf({ filter: `S_INTERSECTS(geometry, POLYGON(${turned}))`, ...crs }), inBox);
    const outside = await idsOf({ filter: `NOT ${meets}` });
    assert.deepEqual([...inBox, ...outside].sort(), all.map(({ id }) => id).sort());
    const high = await idsOf({ filter: 'height > 10' });
    const either = await idsOf({ filter: `${meets} OR height > 10`, limit: '9' });
    assert.deepEqual(new Set(either), new Set([...inBox, ...high]));
    const { '_bbox.center.lng': x, '_bbox.center.lat': y } = all[30].properties;
    const point = await idsOf({ filter: `S_INTERSECTS(geometry, POINT(${x} ${y}))` });
    assert.ok(point.includes(all[30].id) && point.length < 5);
  });

  it('refuses filters that are none, with a reason', async () => {
    for (const query of [
      { filter: 'a' },
      { filter: 'a = 1', 'filter-lang': 'sql' },
      { filter: '{"op":"="}', 'filter-lang': 'cql2-json' },
      { filter: `${'('.repeat(3_000)}a=1${')'.repeat(3_000)}` },
      { filter: 'a = 1', 'filter-crs': 'EPSG:1' },
    ]) {
      const reply = await server.request(`${BLDG}/items?${new URLSearchParams(query)}`);
      assert.equal(reply.status, 400);
      assert.match(reply.json<Any>().reason, /^"?filter/);
    }
  });
});

describe('requirements of the three parts', () => {
  for (const [id, check] of Object.entries(requirements(() => server, '47900-bldg'))) it(id, check);
});

describe('formats', () => {
  it('are what they say', async () => {
    const head = await server.request(`${BLDG}/items?limit=3`, {
      headers: { accept: 'application/vnd.ogc.fg+json' },
    });
    const fg = head.json<Any>();
    assert.deepEqual(fg.conformsTo, ['http://www.opengis.net/spec/json-fg-1/1.0/conf/core']);
    assert.equal(fg.coordRefSys, CRS84);
    assert.deepEqual(fg.features[0].time, { interval: ['2024-04-01', '2025-03-31'] });
    assert.equal(fg.features[0].featureType, 'bldg:Building');
    assert.equal(fg.features[0].place, null);
    const plane = await server.json<Any>(
      `${BLDG}/items?limit=1&f=jsonfg&crs=${encodeURIComponent(EPSG(6683))}`,
    );
    assert.ok(Math.abs(plane.features[0].place.coordinates[0][0][0][0]) > 1_000);
    assert.deepEqual(plane.features[0].geometry, fg.features[0].geometry);
    const binary = await server.request(`${BLDG}/items?limit=3&f=flatgeobuf`);
    assert.equal(binary.body.subarray(0, 3).toString(), 'fgb');
    assert.match(String(binary.headers.link), /rel="next"/);
    const lines = (await server.request(`${BLDG}/items?limit=3&f=cityjsonseq`)).text.trim().split('\n');
    assert.deepEqual(
      lines.map((line) => JSON.parse(line).type),
      ['CityJSON', 'CityJSONFeature', 'CityJSONFeature', 'CityJSONFeature'],
    );
    const page = await server.request(`${BLDG}/items/${fg.features[0].id}?f=html`);
    assert.match(page.text, /bldg:measuredHeight/);
  });
});

describe('programs', () => {
  it('GDAL lists collections and counts as we do', (t) => {
    if (spawnSync('ogrinfo', ['--version']).error !== undefined) return t.skip('needs ogrinfo (gdal-bin)');
    const ogrinfo = (...args: string[]) =>
      spawnSync('ogrinfo', ['-ro', ...args], { encoding: 'utf8', timeout: 60_000, maxBuffer: 1 << 28 })
        .stdout;
    assert.match(ogrinfo('-q', `OAPIF:${server.publicUrl}/ogc`), /: 47900-bldg /);
    const layer = ogrinfo('-so', `OAPIF:${server.publicUrl}/ogc`, '47900-bldg');
    assert.match(layer, /Feature Count: 210\b/);
    assert.match(layer, /bldg:measuredHeight: Real/);
    const all = ogrinfo('-q', '-al', '-geom=NO', `OAPIF:${server.publicUrl}/ogc/collections/47900-bldg`);
    assert.equal(all.match(/^OGRFeature/gm)?.length, 210);
  });
});

describe('readers in Python', () => {
  const address = () => `${server.publicUrl}/ogc`;

  it('owslib reads collections, items and filters', async (t) => {
    const interpreter = process.env.DOORS_PYTHON ?? 'python3';
    const read = await python(interpreter, 'read_owslib.py', [address(), '47900-bldg']);
    if (read === null) return t.skip('no Python with owslib (DOORS_PYTHON)');
    assert.ok(read.collections.includes('47900-bldg') && read.queryables > 20 && read.around >= 1);
    assert.deepEqual([read.openapi, read.same, read.filtered], ['3.0.3', true, 1]);
  });

  it('QGIS lists, pages and filters', { timeout: 120_000 }, async (t) => {
    const read = await python('/usr/bin/python3', 'read_oapif.py', [
      address(),
      'bldg',
      'bldg:measuredHeight',
    ]);
    if (read === null) return t.skip('needs QGIS (Debian: python3-qgis)');
    const count = (await server.json<Any>('/ogc/collections/bldg/items?limit=1')).numberMatched;
    assert.deepEqual([read.count, read.ids, read.above], [count, count, read.expected]);
    const { featureIds } = await server.json<Any>(`/citygml/features?type=bldg&bbox=${read.box}`);
    assert.ok(read.inside > 0 && read.inside < count);
    assert.ok(Math.abs(read.inside - featureIds.length) <= 1, `${read.inside} of ${featureIds.length}`);
  });
});

/** What a helper prints; null where its library is not installed. */
async function python(interpreter: string, script: string, args: readonly string[]): Promise<Any> {
  const env = { ...process.env, QT_QPA_PLATFORM: 'offscreen', HOME: directory, PYTHONPATH: '' };
  try {
    const run = promisify(execFile);
    const { stdout } = await run(interpreter, [join(ROOT, 'test/ogc', script), ...args], {
      env,
      timeout: 100_000,
    });
    return JSON.parse(stdout.trim().split('\n').at(-1)!);
  } catch (error) {
    const { code, stderr } = error as { code?: unknown; stderr?: string };
    if (code === 'ENOENT' || /ModuleNotFoundError/.test(stderr ?? '')) return null;
    throw error;
  }
}

/** URLs of the GML files of one type of a municipality, in the order of pages. */
async function filesOf(city: string, type: string): Promise<{ files: string[] }> {
  const answer = await server.json<Any>(`/datacatalog/citygml/${city}?types=${type}`);
  const files: string[] = answer.cities.flatMap((one: Any) => one.files[type].map(({ url }: Any) => url));
  return { files: files.sort() };
}
