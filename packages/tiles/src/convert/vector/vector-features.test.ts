import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { test } from 'node:test';
import { VectorTile } from '@mapbox/vector-tile';
import { PbfReader } from 'pbf';
import { fixture } from '../tiles3d/testing/fixture-gml.ts';
import { contentOf, makeVectorTiles } from './testing/made-tiles.ts';

const SQUARE =
  '<gml:MultiSurface><gml:surfaceMember><gml:Polygon><gml:exterior><gml:LinearRing><gml:posList>35.68 139.77 0 ' +
  '35.68 139.771 0 35.681 139.771 0 35.681 139.77 0 35.68 139.77 0</gml:posList></gml:LinearRing></gml:exterior>' +
  '</gml:Polygon></gml:surfaceMember></gml:MultiSurface>';

test('generic objects have a package and a layer for each code', async () => {
  const generic = (id: string, name: string) =>
    `<core:cityObjectMember><gen:GenericCityObject gml:id="${id}">${name}<gen:lod0Geometry>${SQUARE}` +
    `</gen:lod0Geometry></gen:GenericCityObject></core:cityObjectMember>`;
  const code = '<gml:name codeSpace="../../codelists/GenericCityObject_name.xml">20</gml:name>';
  const { packages } = await makeVectorTiles([
    fixture([generic('a', code), generic('b', '')], { path: 'udx/gen/53394525_gen_6697_f20_op.gml' }),
    fixture([generic('c', '')], { path: 'udx/gen/53394525_gen_6697_op.gml' }),
  ]);
  const layers = [...packages].map(([name, files]) => [name, [...contentOf(files, 16).keys()]]);
  assert.deepEqual(Object.fromEntries(layers), {
    gen_20_mvt_lod0: ['gen_20'],
    gen_f20_mvt_lod0: ['gen_f20'],
    gen_mvt_lod0: ['gen'],
  });
});

test('the route of a railway has columns of its own names, and sheets of the base map are mesh codes', async () => {
  const railway =
    `<core:cityObjectMember><tran:Railway gml:id="r"><tran:lod1MultiSurface>${SQUARE}` +
    `</tran:lod1MultiSurface><uro:railwayRouteAttribute><uro:RailwayRouteAttribute><uro:operator>東急</uro:operator>` +
    `<uro:startStation>渋谷</uro:startStation></uro:RailwayRouteAttribute></uro:railwayRouteAttribute>` +
    `</tran:Railway></core:cityObjectMember>`;
  const { packages } = await makeVectorTiles([
    fixture([railway], { path: 'udx/rwy/09LD354_rwy_10170_op.gml' }),
  ]);
  const row = contentOf(packages.get('rwy_mvt_lod1')!, 16).get('Railway')!.features.get('r')!;
  assert.equal(row.uro_operator, '東急');
  assert.equal(row.uro_startStation, '渋谷');
  assert.equal(row.meshcode, '09LD354');
  assert.ok(!('uro_RailwayRouteAttribute_uro_operator' in row));
});

test('a tile that a feature covers whole has its gml:id and what maps colour by, others have all columns', async () => {
  // Some 3 by 4 km: at zoom 16 a tile has 500 m.
  const corners = '35.68 139.77 0 35.68 139.81 0 35.71 139.81 0 35.71 139.77 0 35.68 139.77 0';
  const zone =
    `<core:cityObjectMember><urf:UseDistrict gml:id="z"><urf:function codeSpace="a.xml">1</urf:function>` +
    `<urf:buildingHeightLimit uom="m">20</urf:buildingHeightLimit><urf:lod1MultiSurface>` +
    `${SQUARE.replace(/<gml:posList>[^<]*/, `<gml:posList>${corners}`)}</urf:lod1MultiSurface></urf:UseDistrict>` +
    `</core:cityObjectMember>`;
  const { packages } = await makeVectorTiles([fixture([zone], { path: 'udx/urf/533945_urf_6697_op.gml' })]);
  const covered: string[][] = [];
  let most = 0;
  for (const [path, bytes] of packages.get('urf_UseDistrict_mvt_lod1')!) {
    if (!/^(?:.*\/)?16\/\d+\/\d+\.mvt$/.test(path)) continue;
    const feature = new VectorTile(new PbfReader(bytes)).layers.UseDistrict!.feature(0);
    const keys = Object.keys(feature.properties).sort();
    // The first 53 bits of SHA-256 of the gml:id, the same in all tiles.
    assert.equal(feature.properties.gml_id, 'z');
    assert.equal(BigInt(feature.id!), BigInt(`0x${hash('sha256', 'z').slice(0, 16)}`) >> 11n);
    const [ring] = feature.loadGeometry();
    const isCover =
      ring!.length === 5 && ring!.every(({ x, y }) => [-64, 4160].includes(x) && [-64, 4160].includes(y));
    if (isCover) covered.push(keys);
    else most = Math.max(most, keys.length);
    if (!isCover) assert.equal(feature.properties.urf_buildingHeightLimit, 20);
  }
  assert.ok(covered.length > 10 && most > 6, `${covered.length} tiles, ${most} columns`);
  for (const keys of covered) assert.deepEqual(keys, ['feature_type', 'gml_id', 'urf_function']);
});
