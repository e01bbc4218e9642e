/** Operations 11, 12 and 13 through the built program, over the sample city. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { spatialIdOf } from '../packages/geo/src/spatial-id.ts';
import { LANDMARK_ADDRESS, SAMPLE_GML_FEATURES } from '../packages/sample/src/facts.ts';
import { assertAttributes, type FeatureAttributes } from './support/feature-schemas.ts';
import {
  attributes,
  bldg,
  CITY,
  cell,
  cityHall,
  complex,
  ids,
  parking,
  type Query,
  queryOf,
  request,
  server,
  TOWN,
  terminal,
  tower,
  urls,
  useFeatureServer,
} from './support/feature-server.ts';
import { assertErrorObject } from './support/interface-schemas.ts';
import type { Reply } from './support/server.ts';

useFeatureServer();

async function refused(operation: string, query: Query, status: number, error: string): Promise<Reply> {
  const reply = await request(operation, query);
  assert.equal(reply.status, status, `${queryOf(query)}: ${reply.text.slice(0, 300)}`);
  assertErrorObject(reply.json());
  assert.equal(reply.json<{ error: string }>().error, error);
  assert.equal(reply.headers['access-control-allow-origin'], '*');
  return reply;
}

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
