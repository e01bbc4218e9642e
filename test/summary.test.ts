/**
 * The short forms of the catalogue, held against the long ones: summary, coverage, pages of datasets, counts of files.
 */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { fillDataDir } from '../bench/national/generate.ts';
import { LANDMARKS, SAMPLE_MESHES } from '../packages/sample/src/facts.ts';
import type { Summary } from '../packages/server/src/catalogue/coverage/summary.ts';
import { removeDirectory, tempDirectory } from './support/program.ts';
import { startServer, type TestServer } from './support/server.ts';
import { ingestSample } from './support/store.ts';

interface Row {
  id: string;
  city_code: string;
  type_en: string;
  lod: string;
  year: number;
  texture: boolean;
  file_size: number;
}

interface Page {
  total: number;
  datasets: Row[];
  facets: Record<string, Array<[string, number, string?]>>;
}

interface Listed {
  cities: Array<{
    cityCode: string;
    year: number;
    files: Record<string, Array<{ code: string; maxLod: number; fileSize: number; features: number }>>;
  }>;
}

interface Counts {
  cities: Array<{
    cityCode: string;
    year: number;
    types: Record<
      string,
      { files: number; features: number; bytes: number; max_lod: number; zip_bytes: number }
    >;
  }>;
  meshes: number;
  meshes_km2: number;
  places?: Array<{ name: string; codes: string[]; bbox: number[] }>;
}

let directory: string;
let server: TestServer;

before(async () => {
  directory = await tempDirectory();
  const { data } = await ingestSample(directory);
  server = await startServer(data);
});

after(async () => {
  await server.stop();
  await removeDirectory(directory);
});

describe('the summary', () => {
  test('says of each municipality what the catalogue says at length', async () => {
    const summary = await server.json<Summary>('/datacatalog/summary');
    const { datasets, citygml } = await server.json<{
      datasets: Row[];
      citygml: Array<{ city_code: string; year: number; feature_types: string[] }>;
    }>('/datacatalog/citymodel-datasets?fields=datasets,citygml&all_years=true');
    const codes = new Set([...datasets, ...citygml].map(({ city_code }) => city_code));
    assert.deepEqual(
      summary.cities.map(({ code }) => code),
      [...codes].sort(),
    );
    for (const city of summary.cities) {
      const own = datasets.filter(({ city_code }) => city_code === city.code);
      assert.equal(city.datasets, own.length);
      assert.equal(
        city.textured,
        own.some(({ texture }) => texture),
      );
      for (const { type_en, year } of own) {
        assert.ok(city.types.includes(type_en));
        assert.ok(city.years.includes(year));
      }
    }
    assert.equal(summary.totals.datasets, datasets.length);
    const tagged = await server.request('/datacatalog/summary');
    const again = await server.request('/datacatalog/summary', {
      headers: { 'if-none-match': tagged.headers.etag! },
    });
    assert.equal(again.status, 304);
  });

  test('names a municipality that no table knows as its packages do', async () => {
    const { cities } = await server.json<Summary>('/datacatalog/summary');
    assert.equal(cities.find(({ code }) => code === '47900')!.romaji, 'aonagi-shi');
  });

  test('counts the LOD of CityGML too', async () => {
    const { cities } = await server.json<Summary>('/datacatalog/summary');
    const listed = await server.json<Listed>('/datacatalog/citygml/47950');
    const lods = listed.cities.flatMap(({ files }) =>
      Object.values(files)
        .flat()
        .map(({ maxLod }) => maxLod),
    );
    assert.ok(cities.find(({ code }) => code === '47950')!.max_lod! >= Math.max(...lods));
  });
});

test('coverage has the meshes of the files, brought together', async () => {
  const listed = await server.json<Listed>('/datacatalog/citygml/47900?all_years=true');
  const others = await server.json<Listed>('/datacatalog/citygml/47950?all_years=true');
  const files = [...listed.cities, ...others.cities].flatMap(({ files, year }) =>
    Object.entries(files).flatMap(([type, list]) => list.map((file) => ({ ...file, type, year }))),
  );
  for (const digits of [4, 6, 8]) {
    const { rows } = await server.json<{ rows: Array<[string, number, number, number, number, number]> }>(
      `/datacatalog/coverage?digits=${digits}&bbox=129.3,25.4,130.1,26.2`,
    );
    const expected = Map.groupBy(
      files.filter(({ code }) => code.length >= digits),
      ({ code }) => code.slice(0, digits),
    );
    assert.deepEqual(
      rows.map(([mesh]) => mesh),
      [...expected.keys()].sort(),
      `${digits} digits`,
    );
    for (const [mesh, maxLod, types, year, count, features] of rows) {
      const own = expected.get(mesh)!;
      assert.equal(maxLod, Math.max(...own.map((file) => file.maxLod)));
      assert.equal(types, new Set(own.map(({ type }) => type)).size);
      assert.equal(year, Math.max(...own.map((file) => file.year)));
      assert.equal(count, own.length);
      assert.equal(
        features,
        own.reduce((sum, file) => sum + file.features, 0),
      );
    }
  }
  const buildings = await server.json<{ rows: unknown[] }>('/datacatalog/coverage?type_en=bldg');
  assert.ok(buildings.rows.length > 0);
  for (const query of ['digits=8', 'digits=5', 'digits=8&bbox=120,20,150,45', 'year=then']) {
    assert.equal((await server.request(`/datacatalog/coverage?${query}`)).status, 400, query);
  }
});

describe('pages of datasets', () => {
  const get = (query: string) => server.json<Page>(`/datacatalog/datasets?${query}`);

  test('are together what the catalogue lists', async () => {
    const { datasets } = await server.json<{ datasets: Row[] }>(
      '/datacatalog/citymodel-datasets?fields=datasets',
    );
    const rows: Row[] = [];
    for (let offset = 0; offset < datasets.length; offset += 7) {
      const page = await get(`offset=${offset}&limit=7`);
      assert.equal(page.total, datasets.length);
      rows.push(...page.datasets);
    }
    const ordered = (list: Row[]) => list.toSorted((a, b) => (a.id < b.id ? -1 : 1));
    assert.deepEqual(ordered(rows), ordered(datasets));
    assert.deepEqual((await get('offset=1000')).datasets, []);
  });

  test('are filtered as the catalogue is, and facets say what each other filter would give', async () => {
    for (const filter of [
      'city_code=47901',
      'type_en=bldg&lod=2',
      'format=MVT',
      'bbox=129.6,25.7,129.7,25.8',
    ]) {
      const { datasets } = await server.json<{ datasets: Row[] }>(
        `/datacatalog/citymodel-datasets?fields=datasets&${filter}`,
      );
      const page = await get(filter);
      assert.deepEqual(page.datasets.map(({ id }) => id).sort(), datasets.map(({ id }) => id).sort(), filter);
    }
    const page = await get('type_en=bldg');
    for (const [type, count] of page.facets.type_en!)
      assert.equal((await get(`type_en=${type}`)).total, count);
    for (const [lod, count] of page.facets.lod!) {
      assert.equal((await get(`type_en=bldg&lod=${lod}`)).total, count);
    }
    assert.ok(page.facets.city_code!.some(([code, , name]) => code === '47900' && name === '青凪市'));
  });

  test('know words in every script, and several orders', async () => {
    const all = await get('');
    assert.equal((await get('text=okinawa')).total, all.total);
    assert.equal(
      (await get(`text=${encodeURIComponent('おきなわ BLDG')}`)).total,
      (await get('type_en=bldg')).total,
    );
    assert.equal((await get('text=atlantis')).total, 0);
    const sizes = (await get('sort=size')).datasets.map(({ file_size }) => file_size);
    assert.deepEqual(
      sizes,
      sizes.toSorted((a, b) => b - a),
    );
    assert.equal(
      (await get('texture=true')).datasets.every(({ texture }) => texture),
      true,
    );
    for (const query of ['sort=colour', 'limit=501', 'offset=-1', `text=${'a'.repeat(201)}`, 'lod=x']) {
      assert.equal((await server.request(`/datacatalog/datasets?${query}`)).status, 400, query);
    }
  });
});

test('counts tell how many meshes have files, and what the name of a place stands for', async () => {
  const count = (conditions: string) => server.json<Counts>(`/datacatalog/counts/${conditions}`);
  const city = await count('47900');
  assert.deepEqual([city.meshes, city.meshes_km2, city.places], [SAMPLE_MESHES.city.length, 3.5, undefined]);
  assert.equal((await count('47900?types=luse')).meshes, 0, 'its file is of a 2nd mesh');
  const { places } = await count(`g:${encodeURIComponent('凪の塔')}`);
  assert.deepEqual([places!.length, places![0]!.codes], [1, []]);
  const [west, south, east, north] = places![0]!.bbox as [number, number, number, number];
  const { lng, lat } = LANDMARKS.tower;
  assert.ok(west < lng && lng < east && south < lat && lat < north);
  const ward = await count(`g:${encodeURIComponent('港見区')}`);
  assert.deepEqual(ward.places![0]!.codes, ['47901']);
  assert.deepEqual((await count('g:Atlantis')).places, []);
});

test('counts are the sums of the list of files', async () => {
  for (const conditions of [
    '47900',
    'm:38295545',
    'r:129.684,25.789,129.6895,25.7925',
    '47900?all_years=true',
  ]) {
    const listed = await server.json<Listed>(`/datacatalog/citygml/${conditions}`);
    const counted = await server.json<Counts>(`/datacatalog/counts/${conditions}`);
    assert.equal(counted.cities.length, listed.cities.length, conditions);
    for (const city of listed.cities) {
      const { types } = counted.cities.find(
        (one) => one.cityCode === city.cityCode && one.year === city.year,
      )!;
      assert.deepEqual(Object.keys(types).sort(), Object.keys(city.files).sort());
      for (const [type, files] of Object.entries(city.files)) {
        const { zip_bytes, ...sums } = types[type]!;
        assert.deepEqual(sums, {
          files: files.length,
          features: files.reduce((sum, file) => sum + file.features, 0),
          bytes: files.reduce((sum, file) => sum + file.fileSize, 0),
          max_lod: Math.max(...files.map((file) => file.maxLod)),
        });
        assert.ok(zip_bytes > 0 && zip_bytes <= sums.bytes);
      }
    }
  }
  assert.deepEqual(await server.json('/datacatalog/counts/r:0,0,1,1'), {
    cities: [],
    meshes: 0,
    meshes_km2: 0,
  });
  assert.equal((await server.request('/datacatalog/counts/m:99')).status, 400);
});

test('the summary of the country is small', { timeout: 120_000 }, async (t) => {
  const national = await tempDirectory(t);
  await fillDataDir(national, {
    seed: 'portal',
    cities: 300,
    years: [2023, 2024],
    datasets: 8_000,
    files: 20_000,
  });
  await using country = await startServer(national);
  const { body, text } = await country.request('/datacatalog/summary');
  const { cities } = JSON.parse(text) as Summary;
  assert.equal(cities.length, 300);
  const packed = gzipSync(body).length;
  t.diagnostic(`${body.length} bytes, ${packed} with gzip`);
  assert.ok(packed < 60_000, `${packed} bytes`);
  // Land of no municipality has no name in Latin letters.
  assert.ok(cities.every(({ romaji, code }) => romaji !== null || code.endsWith('999')));
});
