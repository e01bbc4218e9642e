/** The sample city through the built program: operations 3 to 7 and the assets, as the interface says, line by line. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import {
  LANDMARKS,
  SAMPLE_CITY,
  SAMPLE_GML_FEATURES,
  SAMPLE_MESHES,
  SAMPLE_TOWN,
} from '../packages/sample/src/facts.ts';
import { memoryFiles } from '../packages/tiles/src/testing/memory-files.ts';
import { validateTileset, validateTilesetJson } from '../packages/tiles/src/testing/validate-tileset.ts';
import type { TileJson } from '../packages/tiles/src/tilejson.ts';
import type { Tileset } from '../packages/tiles/src/tileset.ts';
import { assertAnswers, crawlTileset, urlsIn } from './support/crawl.ts';
import {
  assertCatalogue,
  assertErrorObject,
  assertFileList,
  CATALOGUE_ARRAYS,
  type Catalogue,
  type CatalogueRow,
  type FileListResult,
} from './support/interface-schemas.ts';
import { ROOT, removeDirectory, tempDirectory } from './support/program.ts';
import { assertRowsAlone } from './support/rows-alone.ts';
import { SAMPLE_TILES } from './support/sample.ts';
import {
  PUBLIC_URL,
  type Reply,
  type RequestOptions,
  startServer,
  type TestServer,
} from './support/server.ts';
import { ingestSample } from './support/store.ts';
import { firstTile } from './support/tiles.ts';

const CITY_PACKAGE = '47900_aonagi-shi_city_2024_citygml_1_op';
const DATASETS = '/datacatalog/citymodel-datasets';

let directory: string;
let sample: string;
let server: TestServer;
let catalogue: Catalogue;
/** Path of the city's package directory. */
let city: string;

before(async () => {
  directory = await tempDirectory();
  const stores = await ingestSample(directory);
  sample = stores.sample;
  server = await startServer(stores.data, { env: { MAX_BODY_BYTES: '2048', MAX_URL_BYTES: '20000' } });
  const document = await server.json<unknown>(DATASETS);
  assertCatalogue(document);
  catalogue = document;
  city = server.pathOf(catalogue.citygml.find(({ id }) => id === '47900')!.url).replace(/\.zip$/, '');
});

after(async () => {
  await server?.stop();
  await removeDirectory(directory);
});

async function files(conditions: string): Promise<FileListResult> {
  const result = await server.json<unknown>(`/datacatalog/citygml/${conditions}`);
  assertFileList(result);
  return result;
}

async function refused(path: string, status: number, options: RequestOptions = {}): Promise<Reply> {
  const reply = await server.request(path, options);
  assert.equal(reply.status, status, `${path}: ${reply.text.slice(0, 300)}`);
  assertErrorObject(reply.json());
  assert.equal(reply.headers['access-control-allow-origin'], '*', path);
  assert.match(String(reply.headers['content-type']), /^application\/json/);
  assert.doesNotMatch(reply.text, /\.[jt]s:\d|node_modules|\/tmp\//, 'nothing of the inside');
  return reply;
}

/** Paths of the GML files in a file list, `{package}/{path}`, sorted. */
function gmlPaths({ cities }: FileListResult): string[] {
  return cities
    .flatMap((city) => Object.values(city.files).flat())
    .map(({ url }) => server.pathOf(url).split('/').slice(4).join('/'))
    .sort();
}

const ALL_GML = Object.entries(SAMPLE_GML_FEATURES)
  .flatMap(([name, paths]) => Object.keys(paths).map((path) => `${name}/${path}`))
  .sort();
/** Of each municipality and type the newest year: the town has all types of 2023 in 2024 too. */
const NEWEST_GML = ALL_GML.filter((path) => !path.includes('_2023_'));

describe('the catalogue (operation 3)', () => {
  it('has what was ingested, in the order that the interface says', () => {
    assert.equal(catalogue.datasets.length, Object.keys(SAMPLE_TILES).length);
    assert.deepEqual(
      catalogue.citygml.map(({ id, city, year, spec }) => [id, city, year, spec]),
      [
        [SAMPLE_CITY.code, SAMPLE_CITY.name, SAMPLE_CITY.year, SAMPLE_CITY.spec],
        [SAMPLE_TOWN.code, SAMPLE_TOWN.name, SAMPLE_TOWN.years[0].year, SAMPLE_TOWN.years[0].spec],
      ],
    );
    for (const array of ['datasets', 'composite_tilesets', 'citygml'] as const) {
      assertSorted(
        array,
        catalogue[array].map(({ id }) => id),
      );
    }
    for (const array of ['latest_datasets', 'latest_citygml'] as const) {
      assertSorted(
        array,
        catalogue[array].map(({ url }) => url),
      );
    }
    for (const array of ['datasets', 'composite_tilesets', 'citygml', 'latest_citygml'] as const) {
      const ids = catalogue[array].map(({ id }) => id);
      assert.equal(new Set(ids).size, ids.length, `ids of ${array} are unique`);
    }
  });

  it('describes each tile package as it is', () => {
    for (const [name, facts] of Object.entries(SAMPLE_TILES)) {
      const row = catalogue.datasets.find(({ url }) => url.split('/').includes(name));
      assert.ok(row, name);
      assert.equal(row.pref, SAMPLE_CITY.prefecture);
      assert.equal(row.city, name.startsWith('47900') ? SAMPLE_CITY.name : SAMPLE_TOWN.name);
      const ward = SAMPLE_CITY.wards.find(({ code }) => name.includes(`_${code}_`));
      assert.equal(row.ward ?? null, ward?.name ?? null, name);
      assert.equal(row.ward_code ?? null, ward?.code ?? null, name);
      assert.match(row.name, new RegExp(`（${ward?.name ?? row.city}）$`));
      if (name.includes('_fld_')) {
        const river = name.includes('sumimigawa') ? '澄見川水系澄見川' : '葦辺川水系葦辺川';
        const scale = name.endsWith('l1') ? '計画規模' : '想定最大規模';
        assert.equal(row.name, `洪水浸水想定区域モデル ${river} ${scale}（${row.city}）`);
      }
      if ('layer' in facts) {
        assert.equal(row.format, 'MVT');
        assert.deepEqual(row.layers, [facts.layer]);
        assert.equal(row.texture, false);
        assert.equal(row.format_version ?? null, null);
        assert.match(row.url, /\/\{z\}\/\{x\}\/\{y\}\.mvt$/);
      } else {
        assert.equal(row.format, '3D Tiles');
        assert.equal(row.format_version, facts.version);
        assert.equal(row.layers ?? null, null);
        // Only these have images, whatever the names of others leave open.
        assert.equal(row.texture, /_bldg_.*_lod2$/.test(name), name);
      }
    }
  });

  it('names texture variants in composites only where both are', () => {
    const variants = Map.groupBy(
      catalogue.composite_tilesets,
      (row) => `${row.area} ${row.pref_code ?? ''} ${row.type_en} ${row.lod} ${row.year}`,
    );
    for (const [key, rows] of variants) {
      const textures = rows.map(({ texture }) => texture).sort();
      const both = key.includes('bldg 2') && !key.includes('2023');
      assert.deepEqual(textures, both ? [false, null, true].sort() : [null], key);
    }
  });

  it('is the same under its alias', async () => {
    const [own, alias] = await Promise.all([
      server.request(DATASETS),
      server.request('/datacatalog/plateau-datasets'),
    ]);
    assert.deepEqual(own.body, alias.body);
    assert.equal(own.headers.etag, alias.headers.etag);
    const path = '/datacatalog/plateau-datasets?type_en=bldg&fields=datasets';
    assert.deepEqual(await server.json(path), await server.json(path.replace('plateau', 'citymodel')));
  });

  it('has keys for caches: of the catalogue, an area, or a package, a few however much it holds', async () => {
    const keysOf = async (path: string) => {
      const { status, headers } = await server.request(path);
      assert.ok(status < 400, `${path}: ${status}`);
      const keys = String(headers['surrogate-key']).split(' ');
      assert.deepEqual(String(headers['cache-tag']).split(','), keys, path);
      assert.ok(keys.length <= 42 && headers['cache-control'] !== undefined, path);
      return keys;
    };
    const all = Array.from({ length: 60 }, (_, i) => String(13101 + i));
    for (const path of [
      DATASETS,
      '/datacatalog/summary',
      '/datacatalog/datasets?city_code=47900',
      '/datacatalog/3dtiles/all-bldg-maxlod2-latest/tileset.json',
      `/datacatalog/citygml/m:${SAMPLE_MESHES.shared}`,
      `/datacatalog/citygml/47900,${all}`,
    ]) {
      assert.deepEqual(await keysOf(path), ['citymodel', 'catalogue'], path);
    }
    // A ward is its city's.
    for (const path of [
      '/datacatalog/3dtiles/47901-bldg-lod1-latest/tileset.json',
      '/datacatalog/3dtiles/47900-bldg-lod1-latest/tileset.json',
      '/datacatalog/mvt/47900-bldg-latest/tilejson.json',
      '/datacatalog/citygml/47900-latest/citygml.zip',
      '/datacatalog/citygml/47901',
      '/sdk/datasets/47900/files',
    ]) {
      assert.deepEqual(await keysOf(path), ['citymodel', 'area-47900', 'catalogue-47900'], path);
    }
    const { files } = await server.json<FileListResult>('/datacatalog/citygml/47900');
    const [{ url } = { url: '' }] = files.bldg!;
    const asset = await keysOf(server.pathOf(url));
    assert.match(asset.join(' '), /^citymodel package-\d+ area-47900$/);
    const ids = await keysOf(`/citygml/features?url=${encodeURIComponent(url)}&bbox=127,26,128,27`);
    assert.deepEqual(ids, [...asset, 'catalogue-47900']);
    assert.deepEqual(await keysOf('/citygml/geoid_height?lat=26.5&lng=127.9'), ['citymodel']);
  });

  it('keeps tiles for a year, and what names them for less than they are there', async () => {
    const tileset = catalogue.datasets.find(({ format }) => format === '3D Tiles')!.url as string;
    const tile = [...(await crawlTileset(server, tileset)).keys()].find((path) => /\.(b3dm|glb)$/.test(path));
    const caching = async (url: string) =>
      (await server.request(server.pathOf(url), { method: 'HEAD' })).headers['cache-control'];
    assert.equal(await caching(`${PUBLIC_URL}/${tile}`), 'public, max-age=31536000, immutable');
    for (const url of [tileset, `${PUBLIC_URL}${city}/metadata`.replace(/\/metadata$/, '.zip')]) {
      assert.equal(await caching(url), 'public, max-age=3000, immutable', url);
    }
    const missing = await server.request(`${city}/nothing.gml`);
    assert.equal(missing.headers['cache-control'], 'public, max-age=60');
  });

  it('answers conditional requests and compresses', async () => {
    const plain = await server.request(DATASETS, { headers: { 'accept-encoding': 'identity' } });
    assert.equal(plain.headers['content-encoding'], undefined);
    assert.match(String(plain.headers.etag), /^W\/"/);
    assert.equal(plain.headers['cache-control'], 'public, max-age=0, s-maxage=1, stale-while-revalidate=10');
    const gzip = await server.request(DATASETS, { headers: { 'accept-encoding': 'gzip, deflate, br' } });
    assert.equal(gzip.headers['content-encoding'], 'gzip');
    assert.match(String(gzip.headers.vary), /accept-encoding/i);
    assert.deepEqual(gunzipSync(gzip.body), plain.body);
    for (const etag of [
      plain.headers.etag!,
      String(plain.headers.etag).slice(2),
      '*',
      `"x", ${plain.headers.etag}`,
    ]) {
      const again = await server.request(DATASETS, { headers: { 'if-none-match': etag } });
      assert.equal(again.status, 304, etag);
      assert.equal(again.body.length, 0);
      assert.equal(again.headers.etag, plain.headers.etag);
    }
    const other = await server.request(DATASETS, { headers: { 'if-none-match': 'W/"other"' } });
    assert.equal(other.status, 200);
  });

  it('filters like a reading of the whole document', async () => {
    const everything = await server.json<Catalogue>(`${DATASETS}?all_years=true`);
    const boxes = [
      '129.68,25.78,129.69,25.80',
      '129.6985,25.78,129.71,25.80',
      '0,0,1,1',
      '129.687,25.791,129.687,25.791',
    ];
    const pick = (...values: string[]) =>
      fc.option(
        fc.subarray(values, { minLength: 1 }).map((chosen) => chosen.join(',')),
        { nil: undefined },
      );
    const query = fc.record({
      pref_code: pick('47', '13'),
      city_code: pick('47900', '47901', '47950', '99999'),
      type_en: pick('bldg', 'tran', 'fld', 'xyz'),
      format: pick('3D Tiles', 'MVT'),
      lod: pick('0', '1', '2', '3'),
      year: pick('2023', '2024', 'latest', '1999'),
      bbox: fc.option(fc.constantFrom(...boxes), { nil: undefined }),
      fields: pick(...CATALOGUE_ARRAYS),
      all_years: fc.option(fc.constantFrom('true', 'false'), { nil: undefined }),
      unknown: fc.option(fc.constant('x'), { nil: undefined }),
    });
    await fc.assert(
      fc.asyncProperty(query, async (query) => {
        const entries = Object.entries(query).filter(
          (entry): entry is [string, string] => entry[1] !== undefined,
        );
        const found = await server.json<Partial<Catalogue>>(`${DATASETS}?${new URLSearchParams(entries)}`);
        const source = query.all_years === 'true' ? everything : catalogue;
        assert.deepEqual(found, filterSlowly(source, Object.fromEntries(entries)));
      }),
      { numRuns: 80, seed: 2 },
    );
  });

  it('says of each wrong filter what is accepted', async () => {
    for (const [query, word] of [
      ['pref_code=047', /pref_code/],
      ['lod=x', /lod/],
      ['bbox=1,2,3', /bbox/],
      ['bbox=2,1,1,2', /bbox/],
      ['fields=everything', /datasets, composite_tilesets/],
      ['format=KML', /MVT/],
      ['year=24', /year/],
    ] as const) {
      const reply = await refused(`${DATASETS}?${query}`, 400);
      assert.match(reply.json<{ reason: string }>().reason, word);
    }
  });
});

/** What a filtered catalogue must be, row by row from the whole one (interface decisions, section 3). */
function filterSlowly(whole: Catalogue, query: Record<string, string>): Partial<Catalogue> {
  const list = (name: string) => query[name]?.split(',');
  const keep = (row: CatalogueRow, array: keyof Catalogue): boolean => {
    const carries = (name: string) => whole[array].some((row) => name in row);
    const meets = (parameter: string, columns: string[], values: (row: CatalogueRow) => unknown[]) => {
      const accepted = list(parameter);
      if (accepted === undefined || !columns.some(carries)) return true;
      return values(row).some((value) => accepted.includes(String(value)));
    };
    const box = query.bbox?.split(',').map(Number);
    const inBox =
      box === undefined ||
      (row.bbox[0] <= box[2]! && row.bbox[2] >= box[0]! && row.bbox[1] <= box[3]! && row.bbox[3] >= box[1]!);
    return (
      inBox &&
      meets('pref_code', ['pref_code'], (r) => [r.pref_code]) &&
      meets('city_code', ['city_code', 'ward_code'], (r) => [r.city_code, r.ward_code]) &&
      meets('type_en', ['type_en', 'feature_types'], (r) => r.feature_types ?? [r.type_en]) &&
      meets('format', ['format'], (r) => [r.format]) &&
      meets('lod', ['lod'], (r) => [r.lod]) &&
      meets('year', ['year'], (r) => [r.year])
    );
  };
  const fields = list('fields') ?? CATALOGUE_ARRAYS;
  return Object.fromEntries(
    CATALOGUE_ARRAYS.filter((array) => fields.includes(array)).map((array) => [
      array,
      whole[array].filter((row) => keep(row, array)),
    ]),
  );
}

function assertSorted(what: string, values: readonly string[]): void {
  assert.deepEqual(values, [...values].sort(), what);
}

describe('every URL that is emitted', () => {
  it('answers, for GET and HEAD alike', async () => {
    const urls = urlsIn(catalogue);
    urlsIn(await server.json(`${DATASETS}?all_years=true`), urls);
    urlsIn(await files('s:0/0/0/0'), urls);
    assert.ok(urls.size > 100, `${urls.size} URLs`);
    for (const url of urls) {
      assert.ok(url.startsWith(`${PUBLIC_URL}/`), url);
      await assertAnswers(server, url);
    }
  });

  it('is built from the settings, not from the request', async () => {
    const asked = await server.request(DATASETS, {
      headers: { host: 'evil.example', 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'gopher' },
    });
    assert.doesNotMatch(asked.text, /evil|gopher/);
  });

  it('answers with and without the path of PUBLIC_URL', async () => {
    const { pathname } = new URL(PUBLIC_URL);
    for (const path of [DATASETS, `${city}/README.md`, '/health/live', '/datacatalog/citygml/47900']) {
      assert.equal((await server.request(path)).status, 200, path);
      assert.equal((await server.request(`${pathname}${path}`)).status, 200, `${pathname}${path}`);
    }
    assert.equal((await server.request(`${pathname}x${DATASETS}`)).status, 404);
  });
});

/** West, south, east, north in radians, lowest and highest in metres. */
function regionOf({ root }: Tileset): number[] {
  return (root.boundingVolume as { region: number[] }).region;
}

describe('addresses of datasets', () => {
  it('name all parts of their spec and answer with their row’s dataset alone', async () => {
    const { datasets, latest_datasets: latest } = catalogue;
    assert.equal(await assertRowsAlone(server, catalogue), datasets.length + latest.length);
  });
});

describe('composite tilesets (operation 4)', () => {
  it('satisfies the schema of 3D Tiles 1.1 for every composite listed', async () => {
    const urls = [
      ...catalogue.composite_tilesets,
      ...catalogue.latest_datasets.filter(({ format }) => format === '3D Tiles'),
    ].map(({ url }) => url);
    urls.push(
      ...catalogue.datasets.filter(({ format }) => format === '3D Tiles').map((row) => row.composite_url),
    );
    for (const url of urls) {
      const tileset = await server.json<Tileset>(url);
      assert.deepEqual(validateTilesetJson(tileset), [], url);
      assert.ok((tileset.root.children ?? []).length > 0);
      assert.equal(regionOf(tileset).length, 6);
      for (const child of tileset.root.children ?? []) {
        const reply = await server.request(child.content!.uri);
        assert.equal(reply.status, 200, child.content!.uri);
        assert.equal(reply.headers['access-control-allow-origin'], '*');
      }
    }
  });

  it('agrees with its entry in the catalogue', async () => {
    for (const row of catalogue.composite_tilesets) {
      const tileset = await server.json<Tileset>(row.url);
      assert.equal(tileset.asset.version, row.format_version, row.id);
      const degrees = regionOf(tileset)
        .slice(0, 4)
        .map((radians) => (radians * 180) / Math.PI);
      degrees.forEach((value, i) => {
        assert.ok(Math.abs(value - row.bbox[i]!) < 1e-9, `${row.id}: ${degrees} and ${row.bbox}`);
      });
    }
  });

  it('holds down to the last vertex', async () => {
    for (const spec of [
      'all-bldg-maxlod2-latest',
      '47-bldg-lod2-notexture-latest',
      '47900-fld-lod1-2024',
      '47900-tran-lod2-latest',
    ]) {
      const url = `${PUBLIC_URL}/datacatalog/3dtiles/${spec}/tileset.json`;
      const fetched = await crawlTileset(server, url);
      assert.ok(fetched.size > 2, `${spec}: ${fetched.size} files`);
      const issues = await validateTileset(
        memoryFiles(Object.fromEntries(fetched)),
        server.pathOf(url).slice(1),
        {
          memberOfUrl: (uri) => server.pathOf(uri).slice(1),
        },
      );
      assert.deepEqual(issues, [], spec);
    }
  });

  it('covers the wards under the code of their city', async () => {
    const children = async (spec: string) =>
      (await server.json<Tileset>(`/datacatalog/3dtiles/${spec}/tileset.json`)).root.children!.map(
        ({ content }) => new URL(content!.uri).pathname.split('/').at(-2),
      );
    assert.deepEqual((await children('47900-bldg-lod1-latest')).sort(), [
      `${CITY_PACKAGE}_bldg_3dtiles_47901_minatomi-ku_lod1`,
      `${CITY_PACKAGE}_bldg_3dtiles_47902_okate-ku_lod1`,
    ]);
    assert.deepEqual(await children('47901-bldg-maxlod2-texture-2024'), [
      `${CITY_PACKAGE}_bldg_3dtiles_47901_minatomi-ku_lod2`,
    ]);
    assert.deepEqual(await children('47901-bldg-lod2-2024'), [
      `${CITY_PACKAGE}_bldg_3dtiles_47901_minatomi-ku_lod2`,
    ]);
    assert.deepEqual(await children('47901-bldg-lod2-notexture-2024'), [
      `${CITY_PACKAGE}_bldg_3dtiles_47901_minatomi-ku_lod2_no_texture`,
    ]);
    assert.deepEqual(await children('47950-bldg-maxlod4-2023'), [
      '47950_shiomino-shi_city_2023_citygml_1_op_bldg_3dtiles_lod1',
    ]);
    assert.equal((await children('all-bldg-maxlod2-latest')).length, 3);
  });

  it('tells a malformed spec from one that nothing matches', async () => {
    for (const spec of [
      'bldg',
      '47900-bldg',
      '4790-bldg-lod1-latest',
      '47900-bldg-lodx-latest',
      '47900-bldg-lod1-24',
      '%20',
    ]) {
      await refused(`/datacatalog/3dtiles/${spec}/tileset.json`, 400);
    }
    const lods = await refused('/datacatalog/3dtiles/47950-bldg-lod3-latest/tileset.json', 404);
    assert.match(lods.json<{ reason: string }>().reason, /LOD 1, 2/);
    await refused('/datacatalog/3dtiles/13101-bldg-lod1-latest/tileset.json', 404);
    const empty = await server.json<Tileset>(
      '/datacatalog/3dtiles/13101-bldg-lod1-latest/tileset.json?empty=ok',
    );
    assert.deepEqual(validateTilesetJson(empty), []);
    assert.deepEqual(empty.root.children ?? [], []);
  });
});

describe('TileJSON (operation 5)', () => {
  const schema = new Ajv2020({ strictTypes: false, strictTuples: false });

  it('describes tiles that are there, with the layers that are in them', async () => {
    const text = await readFile(join(ROOT, 'packages/tiles/src/schema/tilejson-3.0.schema.json'), 'utf8');
    const validate = schema.compile(JSON.parse(text));
    const rows = catalogue.latest_datasets.filter(({ format }) => format === 'MVT');
    rows.push(
      ...catalogue.datasets
        .filter(({ format }) => format === 'MVT')
        .map((row) => ({ ...row, url: row.composite_url })),
    );
    assert.ok(rows.length > 15);
    for (const { url, layers } of rows) {
      const tilejson = await server.json<TileJson>(url);
      assert.ok(validate(tilejson), JSON.stringify(validate.errors));
      assert.ok(Number.isInteger(tilejson.minzoom) && Number.isInteger(tilejson.maxzoom));
      assert.deepEqual(
        tilejson.vector_layers.map(({ id }) => id),
        layers,
      );
      assert.ok(Object.keys(tilejson.vector_layers[0]!.fields).length > 0, `fields of ${url}`);
      assert.match(String(tilejson.attribution), /CC BY 4\.0/);
      const tile = await firstTile(server, tilejson);
      assert.ok(tile, `a tile of ${url}`);
      assert.equal(tile.layers[0], tilejson.vector_layers[0]!.id);
      assert.ok(tile.features > 0);
    }
  });

  it('takes the highest LOD when none is named', async () => {
    const { tiles } = await server.json<TileJson>('/datacatalog/mvt/47900-luse-2024/tilejson.json');
    assert.match(tiles[0]!, /_luse_mvt_lod1\/\{z\}/);
  });

  it('tells a malformed spec from one that nothing matches', async () => {
    for (const spec of ['every-luse-latest', '47900-luse', '47900', 'luse-latest']) {
      await refused(`/datacatalog/mvt/${spec}/tilejson.json`, 400);
    }
    for (const spec of ['47900-brid-latest', '47900-luse-2001', '13101-luse-latest']) {
      await refused(`/datacatalog/mvt/${spec}/tilejson.json`, 404);
    }
  });
});

describe('city zips (operation 6)', () => {
  it('redirects to the archive, for a ward to its city', async () => {
    for (const [spec, name] of [
      ['47900-latest', CITY_PACKAGE],
      ['47901-latest', CITY_PACKAGE],
      ['47900-2024', CITY_PACKAGE],
      ['47950-latest', '47950_shiomino-shi_city_2024_citygml_1_op'],
      ['47950-2023', '47950_shiomino-shi_city_2023_citygml_1_op'],
    ] as const) {
      const reply = await server.request(`/datacatalog/citygml/${spec}/citygml.zip`);
      assert.equal(reply.status, 302, spec);
      assert.match(String(reply.headers.location), new RegExp(`^${PUBLIC_URL}/assets/.*/${name}\\.zip$`));
      const again = await server.request(`/datacatalog/citygml/${spec}/citygml.zip`, {
        headers: { 'if-none-match': String(reply.headers.etag) },
      });
      assert.equal(again.status, 304);
    }
  });

  it('passes a range through the redirect, and the zip is whole', async () => {
    const { headers } = await server.request('/datacatalog/citygml/47900-latest/citygml.zip', {
      headers: { range: 'bytes=0-3' },
    });
    const part = await server.request(String(headers.location), { headers: { range: 'bytes=0-3' } });
    assert.equal(part.status, 206);
    assert.equal(part.body.toString('latin1'), 'PK\x03\x04');
    const whole = await server.request(String(headers.location));
    const row = catalogue.citygml.find(({ id }) => id === '47900')!;
    assert.equal(whole.body.length, row.file_size);
  });

  it('refuses what is no spec and what is not there', async () => {
    for (const spec of ['47900', '479-latest', 'x-latest']) {
      await refused(`/datacatalog/citygml/${spec}/citygml.zip`, 400);
    }
    for (const spec of ['47900-2001', '13101-latest']) {
      await refused(`/datacatalog/citygml/${spec}/citygml.zip`, 404);
    }
  });
});

describe('files by condition (operation 7)', () => {
  it('is the same document in every encoding and at every time', async () => {
    for (const conditions of [SAMPLE_CITY.code, `${SAMPLE_CITY.code}?types=bldg`, 'r:-180,-90,180,90']) {
      const path = `/datacatalog/citygml/${conditions}`;
      const gzip = await server.request(path, { headers: { 'accept-encoding': 'gzip' } });
      const plain = await server.request(path);
      assert.equal(gzip.headers['content-encoding'], 'gzip');
      assert.deepEqual(gunzipSync(gzip.body), plain.body);
      assert.equal(gzip.headers.etag, plain.headers.etag);
      const again = await server.request(path, { headers: { 'if-none-match': String(plain.headers.etag) } });
      assert.equal(again.status, 304);
    }
  });

  it('lists all files with the features that the sample has', async () => {
    const result = await files('s:0/0/0/0?all_years=true');
    assert.deepEqual(gmlPaths(result), ALL_GML);
    assert.deepEqual(gmlPaths(await files('s:0/0/0/0')), NEWEST_GML);
    assert.deepEqual(
      result.cities.map(({ cityCode, year }) => [cityCode, year]),
      [
        ['47900', 2024],
        ['47950', 2024],
        ['47950', 2023],
      ],
    );
    assert.equal(result.cityCode, '47900');
    for (const city of result.cities) {
      const name = new URL(city.url).pathname
        .split('/')
        .at(-1)!
        .replace(/\.zip$/, '');
      for (const file of Object.values(city.files).flat()) {
        const path = server.pathOf(file.url).split(`/${name}/`)[1]!;
        assert.equal(file.features, SAMPLE_GML_FEATURES[name]![path], path);
        const { body } = await server.request(file.url);
        assert.equal(body.length, file.fileSize);
        assert.equal(createHash('sha256').update(body).digest('hex'), file.sha256);
        assert.equal(file.code, path.split('/').at(-1)!.split('_')[0]);
      }
      assert.equal(city.metadataZipUrls.length, 4, 'code lists, metadata, schemas, specification');
    }
  });

  it('finds by mesh: in it, or containing it', async () => {
    const within = (...codes: string[]) =>
      NEWEST_GML.filter((path) => codes.includes(path.split('/').at(-1)!.split('_')[0]!));
    assert.deepEqual(gmlPaths(await files('m:38295545')), within('38295545', '382955'));
    assert.deepEqual(gmlPaths(await files('m:3829554512')), within('38295545', '382955'));
    assert.deepEqual(gmlPaths(await files('mm:38295545')), within('38295545'));
    assert.deepEqual(gmlPaths(await files('mm:382955')), within('382955'));
    assert.deepEqual(gmlPaths(await files('m:382955')), NEWEST_GML);
    assert.deepEqual(gmlPaths(await files('m:3829')), NEWEST_GML);
    assert.deepEqual(gmlPaths(await files('m:38295544,38295546')), within('38295544', '38295546', '382955'));
    assert.deepEqual(Object.keys((await files(`m:${SAMPLE_MESHES.shared}?types=bldg,fld`)).files), [
      'bldg',
      'fld',
    ]);
  });

  it('finds by point, box, spatial ID, place and municipality', async () => {
    const hall = LANDMARKS.cityHall;
    const ofMesh = gmlPaths(await files(`m:${hall.mesh}`));
    assert.deepEqual(gmlPaths(await files(`r:${hall.lng},${hall.lat}`)), ofMesh);
    assert.deepEqual(gmlPaths(await files(`g:${encodeURIComponent(hall.name)}`)), ofMesh);
    const n = 2 ** 18;
    const x = Math.floor(((hall.lng + 180) / 360) * n);
    const y = Math.floor(((1 - Math.asinh(Math.tan((hall.lat * Math.PI) / 180)) / Math.PI) / 2) * n);
    const voxel = await files(`s:18/0/${x}/${y}`);
    for (const form of [
      `18/${x}/${y}`,
      `/18/${x}/${y}`,
      `/18/0/${x}/${y}`,
      `18/99/${x}/${y}`,
      tileHash(18, x, y),
    ]) {
      assert.deepEqual(await files(`s:${form}`), voxel, form);
    }
    assert.ok(gmlPaths(voxel).includes(`${CITY_PACKAGE}/udx/bldg/${hall.mesh}_bldg_6697_op.gml`));
    assert.deepEqual(gmlPaths(await files('r:129.6,25.7,129.8,25.9')), NEWEST_GML);
    const ofCity = NEWEST_GML.filter((path) => path.startsWith('47900'));
    assert.deepEqual(gmlPaths(await files('47900')), ofCity);
    assert.deepEqual(gmlPaths(await files('47900,47950')), NEWEST_GML);
    assert.deepEqual(gmlPaths(await files(`g:${encodeURIComponent('沖縄県青凪市')}`)), ofCity);
    for (const [query, years] of [
      ['', [2024]],
      ['?latest=True', [2024]],
      ['?year=2023', [2023]],
      ['?year=2023,2024', [2024, 2023]],
      ['?all_years=true', [2024, 2023]],
    ] as const) {
      const { cities } = await files(`47950${query}`);
      assert.deepEqual(
        cities.map(({ year }) => year),
        years,
        query,
      );
    }
    const ward = gmlPaths(await files('47901'));
    assert.ok(ward.includes(`${CITY_PACKAGE}/udx/bldg/38295544_bldg_6697_op.gml`));
    assert.ok(!ward.includes(`${CITY_PACKAGE}/udx/bldg/38295554_bldg_6697_op.gml`), 'only the ward’s meshes');
  });

  it('understands any mix of encodings', async () => {
    const plain = await files('m:38295545,38295544');
    for (const form of [
      'm%3A38295545,38295544',
      'm:38295545%2C38295544',
      'm%3a38295545%2c38295544',
      '%6D:38295545,38295544',
    ]) {
      assert.deepEqual(await files(form), plain, form);
    }
    const voxel = await files('s:14/14094/6990,0/0/0');
    for (const form of ['s%3A14%2F14094%2F6990%2C0%2F0%2F0', 's:14%2f14094/6990,0/0%2F0']) {
      assert.deepEqual(await files(form), voxel, form);
    }
    const spec = '47900-bldg-lod1-latest';
    assert.deepEqual(
      await server.json(`/datacatalog/3dtiles/${spec.replaceAll('-', '%2D')}/tileset.json`),
      await server.json(`/datacatalog/3dtiles/${spec}/tileset.json`),
    );
    const encoded = encodeURIComponent(`${city.slice(1)}/README.md`);
    assert.equal((await server.request(`/${encoded.replace('%2F', '/')}`)).status, 200, encoded);
  });

  it('refuses what is no condition, and says 404 of what is not there', async () => {
    const inside = 'lng1 < lng2';
    for (const [conditions, reason] of [
      ['m:', /expected/],
      ['m:38-29', /without hyphens/],
      ['m:38295', /digits/],
      ['mm:99999999', /mesh/],
      ['s:1/2', /spatial ID/],
      ['s:40/1/1', /0 to 31/],
      ['s:2/9/9', /spatial ID/],
      ['r:129.70,25.78,129.68,25.80', new RegExp(inside)],
      ['r:1', /2 numbers/],
      ['r:200,95', /./],
      ['g:', /empty/],
      ['q:1', /not a known condition prefix/],
      ['4790', /digits/],
    ] as const) {
      const reply = await refused(`/datacatalog/citygml/${conditions}`, 400);
      assert.match(reply.json<{ reason: string }>().reason, reason, conditions);
    }
    for (const conditions of [
      'm:53394509',
      'r:139.7,35.6',
      '13101',
      `g:${encodeURIComponent('どこにもない町')}`,
      'm:38295545?types=brid',
    ]) {
      await refused(`/datacatalog/citygml/${conditions}`, 404);
    }
    const many = Array.from({ length: 1_001 }, (_, i) => String(38295500 + (i % 80))).join(',');
    assert.equal(
      (await refused(`/datacatalog/citygml/m:${many}`, 400)).json<{ error: string }>().error,
      'too many bounds',
    );
    const thousand = Array.from({ length: 1_000 }, (_, i) => `3829554${i % 8}`).join(',');
    await files(`m:${thousand}`);
  });
});

/** A tile hash: one digit per zoom level, its value minus 1 has x in bit 0, y in bit 1. */
function tileHash(z: number, x: number, y: number): string {
  let digits = '';
  for (let bit = z - 1; bit >= 0; bit--) digits += 1 + ((x >> bit) & 1) + 2 * ((y >> bit) & 1);
  return digits;
}

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
