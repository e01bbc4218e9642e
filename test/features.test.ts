/** Operations 11, 12 and 13 through the built program, over the sample city and over files with faults. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { get } from 'node:http';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { formatSpatialId, spatialIdOf } from '../packages/geo/src/spatial-id.ts';
import { writeBenchmarkGml } from '../packages/sample/src/benchmark-gml.ts';
import {
  LANDMARK_ADDRESS,
  LANDMARKS,
  type Landmark,
  SAMPLE_CITY,
  SAMPLE_GML_FEATURES,
  SAMPLE_TOWN,
} from '../packages/sample/src/facts.ts';
import type { IngestReport } from '../packages/server/src/ingest/report.ts';
import {
  assertAttributes,
  assertCityJsonSeq,
  assertFeatureIds,
  assertGeoJson,
  type FeatureAttributes,
} from './support/feature-schemas.ts';
import { assertErrorObject } from './support/interface-schemas.ts';
import { GML, gml, goodPackage, PACKAGE, writeDirectory } from './support/packages.ts';
import { removeDirectory, runProgram, tempDirectory } from './support/program.ts';
import { type Reply, startServer, type TestServer } from './support/server.ts';
import { assertClean, ingest, ingestSample } from './support/store.ts';

const CITY = '47900_aonagi-shi_city_2024_citygml_1_op';
const TOWN = '47950_shiomino-shi_city_2024_citygml_1_op';
const { cityHall, tower, parking, complex, terminal } = LANDMARKS;

let directory: string;
let data: string;
let server: TestServer;
/** Path in a package → URL. */
const urls = new Map<string, string>();

before(async () => {
  directory = await tempDirectory();
  ({ data } = await ingestSample(directory));
  server = await startServer(data, { env: { MAX_BOUNDS: '50', FEATURE_MAX_IDS: '10000' } });
  for (const [code, name] of [
    [SAMPLE_CITY.code, CITY],
    [SAMPLE_TOWN.code, TOWN],
  ] as const) {
    const { cities } = await server.json<{
      cities: Array<{ files: Record<string, Array<{ url: string }>> }>;
    }>(`/datacatalog/citygml/${code}`);
    for (const { url } of cities.flatMap(({ files }) => Object.values(files).flat())) {
      urls.set(url.slice(url.indexOf(name)), url);
    }
  }
});

after(async () => {
  await server?.stop();
  await removeDirectory(directory);
});

type Query = Record<string, string>;
const queryOf = (query: Query) => new URLSearchParams(query).toString();

function request(operation: string, query: Query): Promise<Reply> {
  return server.request(`/citygml/${operation}?${queryOf(query)}`);
}

async function attributes(query: Query): Promise<FeatureAttributes[]> {
  const value = await server.json<unknown>(`/citygml/attributes?${queryOf(query)}`);
  assertAttributes(value);
  return value;
}

async function ids(query: Query): Promise<string[]> {
  const value = await server.json<unknown>(`/citygml/features?${queryOf(query)}`);
  assertFeatureIds(value);
  return value.featureIds;
}

async function refused(operation: string, query: Query, status: number, error: string): Promise<Reply> {
  const reply = await request(operation, query);
  assert.equal(reply.status, status, `${queryOf(query)}: ${reply.text.slice(0, 300)}`);
  assertErrorObject(reply.json());
  assert.equal(reply.json<{ error: string }>().error, error);
  assert.equal(reply.headers['access-control-allow-origin'], '*');
  return reply;
}

function urlOf(path: string, name = CITY): string {
  const url = urls.get(`${name}/${path}`);
  assert.ok(url !== undefined, path);
  return url;
}

const bldg = (landmark: Landmark, name = CITY) => urlOf(`udx/bldg/${landmark.mesh}_bldg_6697_op.gml`, name);

/** The z18 cell of a landmark's point, at an altitude or at all. */
const cell = ({ lng, lat }: Landmark, alt: number | null = null, z = 18) =>
  formatSpatialId(spatialIdOf(lng, lat, alt, z));

describe('attributes', () => {
  it('of a building, by the rules of the interface', async () => {
    const [found, ...others] = await attributes({ url: bldg(cityHall), id: cityHall.id });
    assert.deepEqual(others, []);
    assert.ok(found !== undefined);
    assert.equal(found['gml:id'], cityHall.id);
    assert.equal(found._type, 'bldg:Building');
    assert.equal(found['gml:name'], cityHall.name);
    assert.equal(found['bldg:measuredHeight'], cityHall.measuredHeight);
    assert.equal(found['bldg:measuredHeight_uom'], 'm');
    assert.equal(found['bldg:storeysAboveGround'], cityHall.storeysAboveGround);
    assert.equal(found['bldg:yearOfConstruction'], String(cityHall.yearOfConstruction));
    assert.deepEqual(found['bldg:usage'], [cityHall.usage]);
    assert.deepEqual(found['bldg:usage_code'], [cityHall.usageCode]);
    assert.deepEqual(found['bldg:address'], [LANDMARK_ADDRESS]);
    const [identity] = found['uro:buildingIDAttribute'] as Array<Record<string, unknown>>;
    assert.equal(identity!['uro:buildingID'], cityHall.buildingId);
    const { min, max, center } = found._bbox;
    assert.deepEqual([min.alt, max.alt], cityHall.altitudes);
    assert.ok(min.lng < cityHall.lng && cityHall.lng < max.lng);
    assert.ok(min.lat < cityHall.lat && cityHall.lat < max.lat);
    assert.equal(center.alt, (min.alt + max.alt) / 2);
    const generic = found['gen:genericAttribute'] as Array<{ type: string }>;
    assert.deepEqual(
      new Set(generic.map(({ type }) => type)),
      new Set(['string', 'int', 'double', 'date', 'uri', 'measure', 'attributeSet']),
    );
    assert.ok(Object.keys(found).every((key) => !/lod\d|boundedBy/.test(key)));
  });

  it('gives unknown values as they are, and altitudes below the sea', async () => {
    const [found] = await attributes({ url: bldg(parking), id: parking.id });
    assert.equal(found!['bldg:measuredHeight'], -9999);
    assert.deepEqual([found!._bbox.min.alt, found!._bbox.max.alt], parking.altitudes);
    const [parts] = await attributes({ url: bldg(complex), id: complex.id });
    assert.deepEqual([parts!._bbox.min.alt, parts!._bbox.max.alt], complex.altitudes);
  });

  it('in the order of the ids, without those that are not there', async () => {
    const wanted = [tower.id, 'bldg_nobody', parking.id, complex.id, tower.id];
    const found = await attributes({ url: bldg(tower), id: ` ${wanted.join(' , ')},,` });
    assert.deepEqual(
      found.map((one) => one['gml:id']),
      [tower.id, parking.id, complex.id],
    );
    assert.deepEqual(await attributes({ url: bldg(tower), id: 'bldg_nobody' }), []);
    assert.deepEqual(await attributes({ url: bldg(tower), id: cityHall.id }), [], 'in another file');
  });

  it('with raw codes when these are wanted', async () => {
    for (const value of ['true', 'True', '1', '']) {
      const [raw] = await attributes({ url: bldg(tower), id: tower.id, skip_code_list_fetch: value });
      assert.deepEqual(raw!['bldg:usage'], [tower.usageCode]);
      assert.deepEqual(raw!['bldg:usage_code'], [tower.usageCode]);
    }
    for (const value of ['false', 'False', '0']) {
      const [named] = await attributes({ url: bldg(tower), id: tower.id, skip_code_list_fetch: value });
      assert.deepEqual(named!['bldg:usage'], [tower.usage]);
    }
    const query = { url: bldg(tower), id: tower.id, skip_code_list_fetch: 'maybe' };
    await refused('attributes', query, 400, 'invalid parameter');
  });

  it('chosen by fields, with their codes and units', async () => {
    const fields = 'bldg:usage,bldg:measuredHeight,bldg:nothing';
    const [found] = await attributes({ url: bldg(tower), id: tower.id, fields });
    assert.deepEqual(found, {
      'gml:id': tower.id,
      _type: 'bldg:Building',
      'bldg:usage': [tower.usage],
      'bldg:usage_code': [tower.usageCode],
      'bldg:measuredHeight': tower.measuredHeight,
      'bldg:measuredHeight_uom': 'm',
    });
  });

  it('of every feature of every file of the sample', async () => {
    for (const [name, files] of Object.entries(SAMPLE_GML_FEATURES)) {
      for (const [path, count] of Object.entries(files)) {
        const url = urls.get(`${name}/${path}`);
        if (url === undefined) continue;
        const all = await ids({ url, sid: '0/0/0/0' });
        assert.equal(all.length, count, path);
        const found = await attributes({ url, id: all.join(',') });
        assert.deepEqual(
          found.map((one) => one['gml:id']),
          all,
        );
        assert.ok(found.every((one) => one._bbox !== undefined));
      }
    }
  });

  it('answers HEAD, 304 and gzip like other documents', async () => {
    const path = `/citygml/attributes?${queryOf({ url: bldg(tower), id: tower.id })}`;
    const plain = await server.request(path);
    const head = await server.request(path, { method: 'HEAD' });
    assert.equal(head.status, 200);
    assert.equal(head.headers['content-length'], plain.headers['content-length']);
    const etag = String(plain.headers.etag);
    assert.equal((await server.request(path, { headers: { 'if-none-match': etag } })).status, 304);
    const gzip = await server.request(path, { headers: { 'accept-encoding': 'gzip' } });
    assert.equal(gzip.headers['content-encoding'], 'gzip');
    assert.equal(gunzipSync(gzip.body).toString(), plain.text);
    assert.equal((await server.request(path, { method: 'DELETE' })).status, 405);
    assert.equal((await server.request(`${path}&unknown=1`, { headers: { authorization: '' } })).status, 200);
  });

  it('refuses each parameter in each wrong way', async () => {
    const url = bldg(tower);
    await refused('attributes', {}, 400, 'url parameter is required');
    await refused('attributes', { url: ' ', id: tower.id }, 400, 'url parameter is required');
    await refused('attributes', { url }, 400, 'id parameter is required');
    await refused('attributes', { url, id: ' , ,' }, 400, 'id parameter is required');
    for (const wrong of ['nonsense', '/udx/a.gml', 'ftp://citymodel.example.jp/a.gml', 'http://']) {
      await refused('attributes', { url: wrong, id: 'a' }, 400, 'invalid url');
    }
    for (const foreign of ['https://elsewhere.example/udx/bldg/a.gml', url.replace('citymodel.', 'other.')]) {
      const reply = await refused('attributes', { url: foreign, id: 'a' }, 400, 'invalid domain');
      assert.equal(reply.json<{ url: string }>().url, foreign);
    }
    for (const nothing of [
      url.replace('38295545', '38295599'),
      url.replace('assets/', 'assets/00'),
      url.replace(CITY, 'x'),
      `${server.publicUrl}/datacatalog/citymodel-datasets`,
      `${server.publicUrl}/assets/../../etc/passwd`,
    ]) {
      const reply = await refused('attributes', { url: nothing, id: 'a' }, 400, 'cannot fetch');
      assert.equal(reply.json<{ url: string }>().url, nothing);
    }
    const base = url.slice(0, url.indexOf('/udx/'));
    for (const other of [`${base}/codelists/Building_usage.xml`, `${base}.zip`, `${base}_codelists.zip`]) {
      const reply = await refused('attributes', { url: other, id: 'a' }, 400, 'invalid url');
      assert.equal(reply.json<{ url: string }>().url, other);
    }
    await refused('attributes', { url, id: 'a', format: 'kml' }, 400, 'invalid parameter');
    const twice = await server.request(`/citygml/attributes?url=${url}&url=${url}&id=a`);
    assert.equal(twice.status, 400);
    assertErrorObject(twice.json());
  });

  it('takes ten thousand ids, and says what is too many', async () => {
    const url = bldg(tower);
    const many = Array.from({ length: 9_999 }, (_, i) => `bldg_${String(i).padStart(36, '0')}`);
    const found = await attributes({ url, id: [...many, tower.id].join(',') });
    assert.deepEqual(
      found.map((one) => one['gml:id']),
      [tower.id],
    );
    const short = Array.from({ length: 10_001 }, (_, i) => `b${i}`);
    const query = { url, id: short.join(',') };
    const reply = await refused('attributes', query, 400, 'invalid parameter');
    assert.match(reply.json<{ reason: string }>().reason, /10001 .*10000/);
    const longest = await request('attributes', { url, id: 'x'.repeat(600_000) });
    assert.equal(longest.status, 431);
    assertErrorObject(longest.json());
  });
});

describe('features', () => {
  it('lists a file in each way in which callers ask for everything', async () => {
    const url = bldg(tower);
    for (const sid of ['0/0/0/0', '/0/0/0/0', '0/0/0', '/0/0/0']) {
      assert.equal(
        (await ids({ url, sid })).length,
        SAMPLE_GML_FEATURES[CITY]![url.slice(url.indexOf('udx/'))],
      );
    }
  });

  it('finds a tower on every floor that it has, and on no other', async () => {
    const url = bldg(tower);
    assert.ok((await ids({ url, sid: cell(tower) })).includes(tower.id));
    for (const alt of [10, 150, 320]) {
      assert.ok((await ids({ url, sid: cell(tower, alt) })).includes(tower.id), `${alt} m`);
    }
    assert.deepEqual(await ids({ url, sid: cell(tower, 600) }), []);
    assert.deepEqual(await ids({ url, sid: cell(tower, -200) }), []);
    const floors = [cell(tower, 600), cell(tower, 300), cell(parking, -10)].join(',');
    const found = await ids({ url, sid: floors });
    assert.ok(found.includes(tower.id) && found.includes(parking.id));
    const { z, x, y, f } = spatialIdOf(tower.lng, tower.lat, 150, 18);
    const bit = (value: number, i: number) => (value >> (z - 1 - i)) & 1;
    const hash = Array.from({ length: z }, (_, i) => 1 + bit(x, i) + 2 * bit(y, i) + 4 * bit(f!, i)).join('');
    assert.deepEqual(await ids({ url, sid: hash }), await ids({ url, sid: cell(tower, 150) }));
  });

  it('finds what lies below the ground by negative floors', async () => {
    const url = bldg(parking);
    assert.ok((await ids({ url, sid: cell(parking, -5, 20) })).includes(parking.id));
    assert.ok(!(await ids({ url, sid: cell(parking, 40, 20) })).includes(parking.id));
  });

  it('goes by the footprint: a courtyard is not in its building', async () => {
    const url = bldg(cityHall);
    assert.ok(!(await ids({ url, sid: cell(cityHall, null, 25) })).includes(cityHall.id));
    assert.ok((await ids({ url, sid: cell(cityHall, null, 17) })).includes(cityHall.id));
    assert.deepEqual(await ids({ url, sid: cell(cityHall, null, 31) }), []);
  });

  it('searches every file when none is named, in the newest year', async () => {
    const all = await ids({ sid: '0/0/0/0' });
    const newest = [CITY, TOWN].flatMap((name) => Object.values(SAMPLE_GML_FEATURES[name]!));
    assert.equal(
      all.length,
      newest.reduce((sum, count) => sum + count, 0),
    );
    const types = [CITY, TOWN].flatMap((name) => Object.entries(SAMPLE_GML_FEATURES[name]!));
    for (const type of ['bldg', 'tran', 'urf']) {
      const count = types
        .filter(([path]) => path.startsWith(`udx/${type}/`))
        .reduce((sum, [, features]) => sum + features, 0);
      assert.equal((await ids({ sid: '0/0/0/0', type })).length, count, type);
    }
    assert.equal((await ids({ sid: cell(tower, null, 4) })).length, all.length, 'a cell of half the ocean');
    const here = await ids({ sid: cell(tower), type: 'bldg' });
    assert.ok(here.includes(tower.id));
    assert.deepEqual(await ids({ sid: '18/0/0' }), []);
    assert.deepEqual(await ids({ sid: '0/0/0/0', type: 'nothing' }), []);
    const byName = await ids({ sid: '0/0/0/0', type: 'bldg:Building,urf:UseDistrict' });
    assert.ok(byName.includes(tower.id) && byName.length < all.length);
  });

  it('searches in boxes and polygons too', async () => {
    const { lng, lat } = tower;
    const [w, s, e, n] = [lng - 1e-5, lat - 1e-5, lng + 1e-5, lat + 1e-5];
    for (const query of [
      { bbox: `${w},${s},${e},${n}` },
      { bbox: `${w},${s},100,${e},${n},200` },
      { bbox: `${w},${s},-50,${e},${n},${tower.altitudes[0]}` },
      { bbox: `${w},${s},${tower.altitudes[1]},${e},${n},900` },
      { bbox: `${lng},${lat},${lng},${lat}` },
      { polygon: `${w},${s},${e},${s},${lng},${n}` },
      { polygon: `POLYGON((${w} ${s}, ${e} ${s}, ${lng} ${n}, ${w} ${s}))` },
      { polygon: `multipolygon(((1 1, 2 1, 2 2)), ((${w} ${s}, ${e} ${s}, ${lng} ${n})))` },
      { bbox: `${w},${s},${e},${n}`, sid: cell(tower, 100) },
    ]) {
      assert.deepEqual(await ids({ ...query, type: 'bldg' }), [tower.id], JSON.stringify(query));
      assert.deepEqual(await ids({ ...query, type: 'bldg', url: bldg(tower) }), [tower.id]);
    }
    for (const query of [
      { bbox: `${w},${s},900,${e},${n},950` },
      { bbox: `${w},${s},${e},${n}`, sid: '18/0/0' },
      { polygon: '1,1,2,1,2,2' },
    ]) {
      assert.ok(!(await ids(query as Query)).includes(tower.id), JSON.stringify(query));
    }
    const donut = (d: number) =>
      `(${lng - d} ${lat - d}, ${lng + d} ${lat - d}, ${lng + d} ${lat + d}, ${lng - d} ${lat + d})`;
    const around = await ids({ polygon: `POLYGON(${donut(0.001)}, ${donut(0.0005)})`, type: 'bldg' });
    assert.ok(around.length > 0 && !around.includes(tower.id), 'a hole counts');
  });

  it('refuses what is no place', async () => {
    await refused('features', {}, 400, 'sid parameter is required');
    await refused('features', { url: bldg(tower), sid: ' ,' }, 400, 'sid parameter is required');
    for (const sid of [
      'a',
      '1/2',
      '1/2/3/4/5',
      '-1/0/0',
      '32/0/0',
      '2/4/0',
      '2/0/4',
      '2/4/0/0',
      '2/-5/0/0',
      '9',
      '1.5/0/0',
      '1'.repeat(32),
    ]) {
      await refused('features', { sid }, 400, 'invalid parameter');
      await refused('spatialid_attributes', { sid, type: 'bldg' }, 400, 'invalid parameter');
    }
    const many = Array.from({ length: 51 }, (_, i) => `18/${i}/0`).join(',');
    await refused('features', { sid: many }, 400, 'too many bounds');
    for (const bbox of ['1,2,3', '1,2,3,x', '3,2,1,4', '1,4,3,2', '1,2,200,3', '1,2,9,3,4,5', '1,2,3,4,5']) {
      await refused('features', { bbox }, 400, 'invalid parameter');
    }
    for (const polygon of [
      '1,2,3',
      '1,2,3,4',
      '1,2,3,4,5,x',
      '1,2,3,4,200,5',
      'POLYGON((1 2, 3 4))',
      'POLYGON(1 2, 3 4, 5 6)',
      'POLYGON((1 2, 3 4, 5 6)',
      'MULTIPOLYGON((1 2, 3 4, 5 6))',
      'LINESTRING(1 2, 3 4)',
      Array.from({ length: 2_001 }, (_, i) => `${i / 1e4},${(i * i) / 1e9}`).join(','),
    ]) {
      await refused('features', { polygon }, 400, 'invalid parameter');
    }
    await refused(
      'features',
      { sid: '0/0/0', url: 'https://elsewhere.example/a.gml' },
      400,
      'invalid domain',
    );
    const missing = bldg(tower).replace('38295545', '38295599');
    await refused('features', { sid: '0/0/0', url: missing }, 400, 'cannot fetch');
  });
});

describe('spatialid_attributes', () => {
  async function inPlace(query: Query): Promise<FeatureAttributes[]> {
    const value = await server.json<unknown>(`/citygml/spatialid_attributes?${queryOf(query)}`);
    assertAttributes(value);
    return value;
  }

  it('keeps those whose attributes meet conditions, in every format', async () => {
    const wooden = 'uro:buildingStructureType=木造・土蔵造;bldg:yearOfConstruction<1981';
    const place = { sid: '0/0/0/0', type: 'bldg' };
    const all = (await request('spatialid_attributes', place)).json<FeatureAttributes[]>();
    const expected = all
      .filter((building) => {
        const year = Number(building['bldg:yearOfConstruction']);
        const details = JSON.stringify(building['uro:buildingDetailAttribute'] ?? null);
        return year > 1 && year < 1981 && details.includes('"uro:buildingStructureType":"木造・土蔵造"');
      })
      .map((building) => building['gml:id'] as string);
    assert.ok(expected.length > 3 && expected.length < all.length, `${expected.length} of ${all.length}`);
    assert.deepEqual(await ids({ ...place, where: wooden }), expected);
    const collection = await request('features', { ...place, where: wooden, format: 'geojson' });
    assert.deepEqual(
      collection.json<{ features: Array<{ id: string }> }>().features.map(({ id }) => id),
      expected,
    );
    const table = await request('spatialid_attributes', { ...place, where: wooden, format: 'csv' });
    assert.equal(table.text.trimEnd().split('\r\n').length, expected.length + 1);
    const url = bldg(tower);
    assert.deepEqual(await ids({ url, sid: '0/0/0/0', where: 'bldg:measuredHeight>300' }), [tower.id]);
    assert.deepEqual(await attributes({ url, id: tower.id, where: 'bldg:measuredHeight<9' }), []);
    await refused('features', { ...place, where: 'bldg:usage' }, 400, 'invalid parameter');
  });

  it('gives the attributes of the features there', async () => {
    const found = await inPlace({ sid: cell(tower, 250), type: 'bldg' });
    assert.deepEqual(found, await attributes({ url: bldg(tower), id: tower.id }));
    const raw = await inPlace({ sid: cell(tower, 250), type: 'bldg', skip_code_list_fetch: 'true' });
    assert.deepEqual(raw[0]!['bldg:usage'], [tower.usageCode]);
  });

  it('gives a feature once that several files or cells have, in the newest year', async () => {
    const sid = [cell(terminal), cell(terminal, 10), cell(tower)].join(',');
    const found = await inPlace({ sid, type: 'bldg,tran' });
    const all = found.map((one) => one['gml:id']);
    assert.equal(new Set(all).size, all.length);
    assert.ok(all.includes(terminal.id));
    const types = new Set(found.map(({ _type }) => _type));
    assert.ok(types.has('bldg:Building') && types.has('tran:Road'));
    const everything = await inPlace({ sid: '0/0/0/0', type: 'bldg' });
    assert.equal(everything.length, 135 + 75 + 90);
  });

  it('takes codes of files and names of elements together: what any of them means is found', async () => {
    const sid = cell(terminal, null, 16);
    const named = async (type: string) => (await inPlace({ sid, type })).map((one) => one['gml:id']).sort();
    const [buildings, roads] = [await named('bldg'), await named('tran:Road')];
    assert.ok(buildings.length > 0 && roads.length > 0);
    for (const type of ['bldg,tran:Road', 'tran:Road,bldg', 'tran,bldg:Building,luse:None']) {
      assert.deepEqual(await named(type), [...buildings, ...roads].sort(), type);
    }
    assert.deepEqual(await named('bldg,bldg:None'), buildings);
    const url = bldg(terminal);
    assert.deepEqual(
      (await ids({ url, sid, type: 'tran,bldg:Building' })).sort(),
      await ids({ url, sid }).then((all) => all.sort()),
    );
    assert.deepEqual(await ids({ url, sid: '0/0/0/0', type: 'tran,tran:Road' }), []);
    const one = { url, id: terminal.id };
    assert.equal((await attributes({ ...one, type: 'tran,bldg:Building' })).length, 1);
    assert.deepEqual(await attributes({ ...one, type: 'tran,tran:Road' }), []);
  });

  it('says what is missing', async () => {
    await refused('spatialid_attributes', { type: 'bldg' }, 400, 'sid parameter is required');
    await refused('spatialid_attributes', { sid: cell(tower) }, 400, 'type parameter is required');
    await refused('spatialid_attributes', { sid: cell(tower), type: ',' }, 400, 'type parameter is required');
    const none = 'no citygml files for the given types';
    await refused('spatialid_attributes', { sid: cell(tower), type: 'brid' }, 404, none);
    await refused('spatialid_attributes', { sid: '18/0/0', type: 'bldg' }, 404, 'not found');
    await refused(
      'spatialid_attributes',
      { sid: cell(tower, 5_000), type: 'bldg' },
      404,
      'no features found',
    );
    await refused(
      'spatialid_attributes',
      { sid: cell(cityHall, null, 31), type: 'bldg' },
      404,
      'no features found',
    );
  });
});

describe('other formats', () => {
  it('GeoJSON of everything that there is', async () => {
    const reply = await request('spatialid_attributes', {
      sid: '0/0/0/0',
      type: 'bldg,tran,luse,urf,fld,dem',
      format: 'geojson',
    });
    assert.equal(reply.status, 200);
    assert.match(String(reply.headers['content-type']), /^application\/geo\+json/);
    const collection = reply.json();
    assertGeoJson(collection);
    assert.equal(collection.features.length, (await ids({ sid: '0/0/0/0' })).length);
    const hall = collection.features.find(({ id }) => id === cityHall.id)!;
    assert.equal(hall.properties.height, cityHall.altitudes[1] - cityHall.altitudes[0]);
    assert.equal(hall.geometry!.coordinates[0]!.length, 2, 'the courtyard is a hole');
    assert.deepEqual(hall.properties['bldg:usage'], [cityHall.usage]);
  });

  it('GeoJSON of one feature, of a search, and of nothing', async () => {
    const byId = await request('attributes', {
      url: bldg(tower),
      id: tower.id,
      format: 'geojson',
      fields: 'bldg:usage',
    });
    const found = byId.json();
    assertGeoJson(found);
    assert.equal(found.features.length, 1);
    assert.equal(found.features[0]!.properties['bldg:measuredHeight'], undefined);
    const here = (
      await request('features', { sid: cell(tower, 250), type: 'bldg', format: 'geojson' })
    ).json();
    assertGeoJson(here);
    assert.deepEqual(
      here.features.map(({ id }) => id),
      [tower.id],
    );
    const nothing = await request('features', { sid: '18/0/0', format: 'geojson' });
    assert.equal(nothing.text, '{"type":"FeatureCollection","features":[]}');
  });

  it('opens in GDAL', async (t) => {
    if (spawnSync('ogr2ogr', ['--version']).error !== undefined) return t.skip('needs ogr2ogr (gdal-bin)');
    const reply = await request('features', { sid: '0/0/0/0', type: 'bldg', format: 'geojson' });
    const [from, to] = [join(directory, 'all.geojson'), join(directory, 'all.csv')];
    await writeFile(from, reply.body);
    const run = spawnSync('ogr2ogr', ['-f', 'CSV', to, from, '-lco', 'GEOMETRY=AS_WKT'], {
      encoding: 'utf8',
    });
    assert.equal(run.status, 0, run.stderr);
    assert.equal(run.stderr, '', 'no warnings');
    const info = spawnSync('ogrinfo', ['-so', '-al', from], { encoding: 'utf8' });
    assert.match(info.stdout, /Feature Count: 300/);
    assert.match(info.stdout, /Geometry: Multi Polygon/);
  });

  it('CityJSON text sequences', async () => {
    const query = { sid: '0/0/0/0', type: 'bldg,tran,luse,urf,fld,dem', format: 'cityjsonseq' };
    const reply = await request('features', query);
    assert.match(String(reply.headers['content-type']), /^application\/city\+json-seq/);
    const lines = assertCityJsonSeq(reply.text);
    assert.deepEqual(
      lines.map(({ id }) => id),
      await ids({ sid: '0/0/0/0' }),
    );
    const parts = lines.find(({ id }) => id === complex.id)!;
    assert.equal(Object.values(parts.CityObjects).filter(({ type }) => type === 'BuildingPart').length, 2);
    const one = await request('attributes', { url: bldg(tower), id: tower.id, format: 'cityjsonseq' });
    assert.equal(assertCityJsonSeq(one.text).length, 1);
    assert.deepEqual(assertCityJsonSeq((await request('features', { ...query, sid: '18/0/0' })).text), []);
  });
});

/** Files of which not even the root element can be read. */
const UNREADABLE: Record<string, string | Uint8Array> = {
  '39272641': '',
  '39272642': '\ufeff',
  '39272643': 'a table, by mistake',
  '39272644': Buffer.from(`\ufeff${gml(1)}`, 'utf16le'),
  '39272645': gml(1).replace('<core:CityModel', '<!DOCTYPE a [<!ENTITY b "c">]><core:CityModel'),
  '39272646': gml(1).slice(0, 200),
  '39272647': gml(1).replace(' xmlns:bldg=', ' xmlns:bldg'),
};

describe('large, broken and odd files', () => {
  let large: TestServer;
  let largeUrl: string;
  let brokenUrl: string;
  let oddUrl: string;
  let unreadable: { code: number | null; reports: IngestReport[] };
  let root: string;

  before(async () => {
    root = await tempDirectory();
    const bench = join(root, '47980_hakari-shi_city_2024_citygml_1_op');
    await mkdir(join(bench, 'udx/bldg'), { recursive: true });
    await writeBenchmarkGml(join(bench, 'udx/bldg/38295544_bldg_6697_op.gml'), { bytes: 20e6 });
    const text = gml(4);
    const odd = gml(4)
      .replace('gml:id="bldg_1"', 'gml:id="bldg_0"')
      .replace('<bldg:Building gml:id="bldg_2">', '<bldg:Building>');
    await writeDirectory(join(root, PACKAGE), {
      ...goodPackage(),
      [GML]: text.slice(0, text.indexOf('gml:id="bldg_3"') + 300),
      'udx/bldg/39272555_bldg_6697_op.gml': odd,
    });
    const { run } = await ingest(join(root, 'data'), [bench, join(root, PACKAGE)]);
    assert.equal(run.code, 0, run.stdout);
    const ginowan = join(root, '47205_ginowan-shi_city_2023_citygml_1_op');
    await writeDirectory(
      ginowan,
      Object.fromEntries(
        Object.entries(UNREADABLE).map(([mesh, text]) => [`udx/bldg/${mesh}_bldg_6697_op.gml`, text]),
      ),
    );
    const second = await ingest(join(root, 'data'), [ginowan]);
    unreadable = { code: second.run.code, reports: second.reports };
    large = await startServer(join(root, 'data'));
    const list = async (code: string) =>
      (await large.json<{ files: { bldg: Array<{ url: string }> } }>(`/datacatalog/citygml/${code}`)).files
        .bldg;
    largeUrl = (await list('47980'))[0]!.url;
    [brokenUrl, oddUrl] = (await list('47201')).map(({ url }) => url) as [string, string];
  });

  after(async () => {
    await large?.stop();
    await removeDirectory(root);
  });

  it('streams a large answer, plain and compressed, which is the same', async () => {
    const path =
      `/citygml/features?` +
      `${queryOf({ url: largeUrl, sid: '0/0/0/0', format: 'geojson', fields: 'bldg:usage' })}`;
    const plain = await large.request(path);
    assert.equal(plain.headers['content-length'], undefined);
    const value = plain.json();
    assertGeoJson(value);
    assert.ok(value.features.length > 2_000);
    const gzip = await large.request(path, { headers: { 'accept-encoding': 'gzip' } });
    assert.equal(gunzipSync(gzip.body).toString(), plain.text);
    const head = await large.request(path, { method: 'HEAD' });
    assert.equal(head.status, 200);
    assert.equal(head.body.length, 0);
  });

  it('stops when the caller goes away, and serves others on', async () => {
    const path = `/citygml/attributes?${queryOf({
      url: largeUrl,
      id: (
        await large.json<{ featureIds: string[] }>(
          `/citygml/features?${queryOf({ url: largeUrl, sid: '0/0/0/0' })}`,
        )
      ).featureIds.join(','),
    })}`;
    for (let n = 0; n < 10; n++) {
      const outgoing = get(large.address + path);
      outgoing.on('error', () => {});
      const [response] = await once(outgoing, 'response');
      await once(response, 'data');
      response.destroy();
    }
    const reply = await large.request(`/citygml/attributes?${queryOf({ url: largeUrl, id: 'x' })}`);
    assert.equal(reply.text, '[]');
  });

  it('serves what stands before a fault, with a warning', async () => {
    const reply = await large.request(
      `/citygml/attributes?${queryOf({ url: brokenUrl, id: 'bldg_0,bldg_2,bldg_3' })}`,
    );
    assert.equal(reply.status, 200);
    assert.deepEqual(
      reply.json<FeatureAttributes[]>().map((one) => one['gml:id']),
      ['bldg_0', 'bldg_2'],
    );
    assert.match(
      String(reply.headers.warning),
      /^199 citymodel "udx\/bldg\/39272554_bldg_6697_op\.gml is not well formed/,
    );
    const all = await large.request(
      `/citygml/features?${queryOf({ sid: '0/0/0/0', type: 'bldg:Building' })}`,
    );
    assert.equal(all.status, 200);
    const well = await large.request(`/citygml/attributes?${queryOf({ url: largeUrl, id: 'x' })}`);
    assert.equal(well.headers.warning, undefined);
  });

  it('answers for files that cannot be read at all, and for the others beside them', async () => {
    const { code, reports } = unreadable;
    assert.equal(code, 0);
    assert.deepEqual([...new Set(reports[0]!.issues.map((issue) => issue.code))].sort(), [
      'DOCTYPE',
      'EMPTY_FILE',
      'ENCODING',
      'NOT_WELL_FORMED',
      'NOT_XML',
    ]);
    const list = await large.json<{ files: { bldg: Array<{ url: string; code: string }> } }>(
      '/datacatalog/citygml/47205',
    );
    assert.equal(list.files.bldg.length, Object.keys(UNREADABLE).length);
    for (const { url, code: mesh } of list.files.bldg) {
      const ids = await large.request(`/citygml/features?${queryOf({ url, sid: '0/0/0/0' })}`);
      assert.equal(ids.text, '{"featureIds":[]}', mesh);
      assert.match(String(ids.headers.warning), /is not well formed/);
      const attributes = await large.request(`/citygml/attributes?${queryOf({ url, id: 'bldg_0' })}`);
      assert.equal(attributes.text, '[]', mesh);
    }
    for (const path of [
      `/citygml/features?${queryOf({ sid: '0/0/0/0', type: 'bldg' })}`,
      `/citygml/spatialid_attributes?${queryOf({ sid: '0/0/0/0', type: 'bldg' })}`,
    ]) {
      const reply = await large.request(path);
      assert.equal(reply.status, 200, path);
      assert.match(reply.text, /bldg_3/);
    }
  });

  it('features that share an id all answer, those without one by their place', async () => {
    const json = <T>(operation: string, query: Query) =>
      large.json<T>(`/citygml/${operation}?${queryOf(query)}`);
    assert.deepEqual(await json('features', { url: oddUrl, sid: '0/0/0/0' }), {
      featureIds: ['bldg_0', 'bldg_3'],
    });
    const same = await json<FeatureAttributes[]>('attributes', { url: oddUrl, id: 'bldg_0' });
    assert.equal(same.length, 2);
    assert.notDeepEqual(same[0]!._bbox, same[1]!._bbox);
    const geo = await json<{ features: Array<{ id?: string }> }>('features', {
      url: oddUrl,
      sid: '0/0/0/0',
      format: 'geojson',
    });
    assert.deepEqual(
      geo.features.map(({ id }) => id),
      ['bldg_0', 'bldg_0', undefined, 'bldg_3'],
    );
  });
});

describe('reindex', () => {
  it('leaves current indexes alone, makes others again, and servers go on', async () => {
    const url = bldg(tower);
    const before = (await request('attributes', { url, id: tower.id })).text;
    const idle = await runProgram(['reindex', '--json'], { DATA_DIR: data });
    assert.equal(idle.code, 0, idle.stderr);
    assert.deepEqual(JSON.parse(idle.stdout).rebuilt, []);
    const run = await runProgram(['reindex', '--all', '--json', CITY], { DATA_DIR: data });
    assert.deepEqual(JSON.parse(run.stdout), {
      rebuilt: [CITY],
      current: 0,
      faults: [],
      tables: [],
      pictures: [],
      picturesLack: [],
    });
    await server.logged(({ msg, version }) => msg === 'catalogue built' && Number(version) > 1);
    assert.equal((await request('attributes', { url, id: tower.id })).text, before);
    const unknown = await runProgram(['reindex', 'nobody'], { DATA_DIR: data });
    assert.equal(unknown.code, 1);
    await assertClean(data);
  });
});
