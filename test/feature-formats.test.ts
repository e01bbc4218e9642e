/** Features of the sample city in each format, through the built program. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { assertCityJsonSeq, assertGeoJson } from './support/feature-schemas.ts';
import {
  bldg,
  cell,
  cityHall,
  complex,
  directory,
  ids,
  request,
  tower,
  useFeatureServer,
} from './support/feature-server.ts';

useFeatureServer();

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
