/** Files of the sample city by condition through the built program: operation 7. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, it } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { LANDMARKS, SAMPLE_CITY, SAMPLE_GML_FEATURES, SAMPLE_MESHES } from '../packages/sample/src/facts.ts';
import type { FileListResult } from './support/interface-schemas.ts';
import { CITY_PACKAGE, city, files, refused, server, useSampleCity } from './support/sample-city.ts';

useSampleCity();

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
