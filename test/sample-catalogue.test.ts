/** The catalogue of the sample city through the built program, operation 3, as the interface says, line by line. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import { SAMPLE_CITY, SAMPLE_MESHES, SAMPLE_TOWN } from '../packages/sample/src/facts.ts';
import { assertAnswers, crawlTileset, urlsIn } from './support/crawl.ts';
import {
  CATALOGUE_ARRAYS,
  type Catalogue,
  type CatalogueRow,
  type FileListResult,
} from './support/interface-schemas.ts';
import { assertRowsAlone } from './support/rows-alone.ts';
import { SAMPLE_TILES } from './support/sample.ts';
import { catalogue, city, DATASETS, files, refused, server, useSampleCity } from './support/sample-city.ts';
import { PUBLIC_URL } from './support/server.ts';

useSampleCity();

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

describe('addresses of datasets', () => {
  it('name all parts of their spec and answer with their row’s dataset alone', async () => {
    const { datasets, latest_datasets: latest } = catalogue;
    assert.equal(await assertRowsAlone(server, catalogue), datasets.length + latest.length);
  });
});
