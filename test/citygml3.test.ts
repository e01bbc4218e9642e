/**
 * The whole way of data in CityGML 3.0: ingested, converted, listed, drawn and asked for as its twin in 2.0 is, by
 * every door. Beside it the way of map symbols inside of features, of an invented package and of real ones.
 */
import assert from 'node:assert/strict';
import { existsSync, globSync } from 'node:fs';
import { basename, join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { VectorTile } from '@mapbox/vector-tile';
import { PbfReader } from 'pbf';
import { unzip } from '../packages/citygml/src/testing/index.ts';
import { writeSample } from '../packages/sample/src/sample.ts';
import { GML, goodPackage, PACKAGE, writeDirectory, writeZip } from './support/packages.ts';
import { REAL_DATA, removeDirectory, tempDirectory } from './support/program.ts';
import { startServer, type TestServer } from './support/server.ts';
import { assertClean, ingest, ingestOne, list } from './support/store.ts';

// biome-ignore lint/suspicious/noExplicitAny: documents of many shapes
type Any = any;

const CITY = '47900_aonagi-shi_city_2024_citygml_1_op';
const VERSIONS = [2, 3] as const;
/** South-west corner of the mesh 38295545, degrees. */
const [SOUTH, WEST] = [25.783_333_4, 129.6875];

const at = (north: number, east: number, height = 0) =>
  `${(SOUTH + north / 110_900).toFixed(7)} ${(WEST + east / 100_200).toFixed(7)} ${height}`;
const coded = (name: string, value: string) =>
  `<urc:${name} codeSpace="../../codelists/Common_${name}.xml">${value}</urc:${name}>`;
const hook = (element: string, content: string) =>
  `<core:adeOfAbstractCityObject><urc:${element}>${content}</urc:${element}></core:adeOfAbstractCityObject>`;

const LINE = `<gml:LineString><gml:posList>${at(100, 100)} ${at(140, 150)}</gml:posList></gml:LineString>`;
const SHAPE = hook(
  'DmGeometricAttribute',
  `${coded('dmCode', '3001')}${coded('geometryType', 'E2')}<urc:lod0Geometry><gml:MultiCurve><gml:curveMember>` +
    `${LINE}</gml:curveMember></gml:MultiCurve></urc:lod0Geometry>`,
);
const TEXT = hook(
  'DmAnnotation',
  `${coded('dmCode', '8142')}<urc:label>橋</urc:label><urc:isVertical>false</urc:isVertical><urc:lod0anchorPoint>` +
    `<gml:Point><gml:pos>${at(100, 100)}</gml:pos></gml:Point></urc:lod0anchorPoint>`,
);
const FLOOR =
  '<gml:MultiSurface><gml:surfaceMember><gml:Polygon><gml:exterior><gml:LinearRing><gml:posList>' +
  `${[at(200, 200, 3), at(200, 210, 3), at(210, 210, 3), at(200, 200, 3)].join(' ')}</gml:posList></gml:LinearRing>` +
  '</gml:exterior></gml:Polygon></gml:surfaceMember></gml:MultiSurface>';
const HOUSE =
  '<bldg:Building gml:id="house"><bldg:buildingRoom><bldg:BuildingRoom gml:id="hall"><core:boundary>' +
  `<con:FloorSurface gml:id="floor"><core:lod2MultiSurface>${FLOOR}</core:lod2MultiSurface></con:FloorSurface>` +
  '</core:boundary></bldg:BuildingRoom></bldg:buildingRoom></bldg:Building>';

/** A file of CityGML 3.0 with i-UR 4.0. */
const file = (member: string) =>
  `<core:CityModel xmlns:core="http://www.opengis.net/citygml/3.0" xmlns:bldg="http://www.opengis.net/citygml/building\
/3.0" xmlns:con="http://www.opengis.net/citygml/construction/3.0" xmlns:frn="http://www.opengis.net/citygml\
/cityfurniture/3.0" xmlns:gml="http://www.opengis.net/gml/3.2" xmlns:urc="https://www.geospatial.jp/iur/urc/4.0">\
<gml:boundedBy><gml:Envelope srsName="http://www.opengis.net/def/crs/EPSG/0/6697" srsDimension="3"><gml:lowerCorner>\
${at(0, 0)}</gml:lowerCorner><gml:upperCorner>${at(300, 300, 9)}</gml:upperCorner></gml:Envelope></gml:boundedBy>\
<core:cityObjectMember>${member}</core:cityObjectMember></core:CityModel>`;

/** What only the twin in 3.0 has: a building of rooms, and furniture with map symbols. */
const ONLY_IN_3 = {
  'udx/bldg/38295546_bldg_6697_op.gml': file(HOUSE),
  'udx/frn/38295545_frn_6697_op.gml': file(
    `<frn:CityFurniture gml:id="lamp">${SHAPE}${TEXT}${SHAPE}</frn:CityFurniture>`,
  ),
};

let directory: string;
/** That of 2.0, and that of 3.0. */
const servers: TestServer[] = [];

before(async () => {
  directory = await tempDirectory();
  for (const citygml of VERSIONS) {
    const [sample, data] = ['sample', 'data'].map((name) => join(directory, `${name}-${citygml}`));
    await writeSample(sample!, { size: 30, citygml });
    const members = Object.fromEntries(await unzip(join(sample!, `${CITY}.zip`), /^(?!.*\/urf\/)/));
    const all = citygml === 3 ? { ...members, ...ONLY_IN_3 } : members;
    await ingestOne(data!, [await writeDirectory(join(directory, `${citygml}`, CITY), all), '--tiles']);
    servers.push(await startServer(data!));
  }
});

after(async () => {
  for (const server of servers) await server.stop();
  await removeDirectory(directory);
});

/** What both servers answer. */
async function both<T = Any>(path: string): Promise<[two: T, three: T]> {
  const [two, three] = await Promise.all(servers.map((server) => server.json<T>(path)));
  return [two!, three!];
}

async function graph(server: TestServer, query: string): Promise<Any> {
  const reply = await server.request('/datacatalog/graphql', {
    method: 'POST',
    body: JSON.stringify({ query }),
    headers: { 'content-type': 'application/json' },
  });
  const { data, errors } = reply.json<Any>();
  assert.equal(errors, undefined, reply.text);
  return data;
}

/** Columns of all features in the tiles of the highest zoom behind a spec. */
async function rowsOf(server: TestServer, spec: string): Promise<Array<Record<string, unknown>>> {
  const { tiles, bounds, maxzoom } = await server.json<Any>(`/datacatalog/mvt/${spec}/tilejson.json`);
  const [west, south, east, north] = bounds;
  const column = (lng: number) => Math.floor(((lng + 180) / 360) * 2 ** maxzoom);
  const row = (lat: number) => {
    const sine = Math.sin((lat * Math.PI) / 180);
    return Math.floor((0.5 - Math.log((1 + sine) / (1 - sine)) / (4 * Math.PI)) * 2 ** maxzoom);
  };
  const rows: Array<Record<string, unknown>> = [];
  for (let x = column(west); x <= column(east); x++) {
    for (let y = row(north); y <= row(south); y++) {
      const place = `${maxzoom}/${x}/${y}`;
      const { status, body } = await server.request(tiles[0].replace('{z}/{x}/{y}', place));
      if (status !== 200) continue;
      for (const layer of Object.values(new VectorTile(new PbfReader(body)).layers)) {
        for (let n = 0; n < layer.length; n++) rows.push({ ...layer.feature(n).properties });
      }
    }
  }
  return rows;
}

const isOnlyIn3 = (id: string) => /interior|frn/.test(id);

describe('a city in CityGML 3.0', () => {
  it('is listed as its twin is, of specification 6, with its inside beside it', async () => {
    const [two, three] = await both('/datacatalog/citymodel-datasets?city=47900');
    const rowsOfAll = ({ datasets }: Any) =>
      datasets
        .filter(({ id }: Any) => !isOnlyIn3(id))
        .map(({ url, composite_url, file_size, bbox, spec, ...row }: Any) => row);
    assert.deepEqual(rowsOfAll(three), rowsOfAll(two));
    assert.ok(two.datasets.some(({ ward_code: ward, texture }: Any) => ward === '47902' && texture));
    for (const { id, spec } of [...three.datasets, ...three.citygml]) assert.equal(spec, '6', id);
    for (const { id, spec } of two.datasets) assert.equal(spec, '4.1', id);
    const inside = three.datasets.filter(({ interior }: Any) => interior === true);
    assert.deepEqual(
      inside.map(({ id, format, lod }: Any) => [id, format, lod]),
      [
        ['47900_bldg_interior_lod0', 'MVT', '0'],
        ['47900_bldg_interior_lod3', '3D Tiles', '3'],
      ],
    );
    assert.match(inside[1].composite_url, /\/47900-bldg-lod3-interior-2024\/tileset\.json$/);
  });

  it('answers about features by place as its twin does, where the names of 2.0 are asked for', async () => {
    for (const format of ['json', 'geojson', 'csv']) {
      const query = `sid=0/0/0/0&type=bldg,luse&city_code=47900&attributes=v2&format=${format}`;
      const [two, three] = await Promise.all(
        servers.map((server) => server.request(`/citygml/spatialid_attributes?${query}`)),
      );
      for (const { status, text } of [two!, three!]) assert.equal(status, 200, text);
      if (format === 'csv') {
        const head = (text: string) => text.slice(0, text.indexOf('\n')).split(',');
        const named = new Set(head(three!.text));
        assert.deepEqual(
          head(two!.text).filter((name) => !named.has(name)),
          [],
        );
        continue;
      }
      const byId = ({ text }: { text: string }) => {
        const answer = JSON.parse(text);
        const features = (answer.features ?? answer).map((one: Any) => one.properties ?? one);
        return new Map<string, Any>(features.map((one: Any) => [one['gml:id'], one]));
      };
      const [old, found] = [byId(two!), byId(three!)];
      assert.ok(old.size > 30, `${format}: ${old.size}`);
      found.delete('house');
      assert.deepEqual([...found.keys()].sort(), [...old.keys()].sort(), format);
      for (const [id, attributes] of old) {
        const { 'con:height': _height, 'con:dateOfConstruction': _date, ...own } = found.get(id);
        assert.deepEqual(own, attributes, `${format} ${id}`);
      }
    }
  });

  it('stands in STAC with its specification, its inside, and the assets of its twin', async () => {
    const [two, three] = await both('/stac/collections/47900/items/47900-2024');
    assert.deepEqual(two.properties['citymodel:specs'], ['4.1']);
    assert.deepEqual(three.properties['citymodel:specs'], ['6']);
    for (const name of Object.keys(two.assets)) assert.ok(name in three.assets, name);
    const [ward, wardOf3] = await both('/stac/collections/47902/items/47902-2024');
    assert.deepEqual(Object.keys(wardOf3.assets), Object.keys(ward.assets));
    assert.equal(wardOf3.properties['city3d:textures'], true);
    const { features } = await servers[1]!.json<Any>('/stac/search?collections=bldg,frn&limit=100');
    const idsOf = (isMeant: (feature: Any) => boolean) =>
      features.filter(isMeant).map(({ id }: Any) => id.slice(CITY.length + 1));
    assert.deepEqual(
      idsOf(({ properties }) => properties['citymodel:interior']),
      ['bldg_3dtiles_lod3_interior', 'bldg_mvt_lod0_interior'],
    );
    assert.deepEqual(
      idsOf(({ collection }) => collection === 'frn'),
      ['frn_dm_annotations', 'frn_dm_geometric_attributes'],
    );
    for (const { id, properties, assets } of features) {
      assert.deepEqual(properties['citymodel:specs'], ['6'], id);
      for (const { href } of Object.values<Any>(assets)) {
        const { status } = await servers[1]!.request(href, { method: 'HEAD' });
        assert.equal(status, 200, href);
      }
    }
    const inside = features.find(({ id }: Any) => id.endsWith('lod3_interior'));
    assert.match(inside.properties.title, / 屋内 3D Tiles 2024$/);
    assert.deepEqual(inside.properties['city3d:lods'], ['3']);
  });

  it('is in GraphQL what its twin is, which has no attributes of features that names could differ in', async () => {
    const query = `{datasets(input: {areaCodes: ["47900", "47901", "47902"]}) {id name typeCode
      items {id ... on PlateauDatasetItem {format lod texture layers}}}}`;
    const [two, three] = await Promise.all(servers.map((server) => graph(server, query)));
    const inside = three.datasets.filter(({ id }: Any) => isOnlyIn3(id));
    assert.deepEqual(
      inside.map(({ id, name, items }: Any) => [id, name, items.map(({ lod }: Any) => lod)]),
      [['d_47900_bldg_interior_2024', '建築物モデル 屋内（青凪市）', [3, 0]]],
    );
    assert.deepEqual(
      three.datasets.filter(({ id }: Any) => !isOnlyIn3(id)),
      two.datasets,
    );
    const symbols = `{datasets(input: {areaCodes: ["47900"], includeTypes: ["frn"], mapSymbols: true}) {id}
      citygmlDatasets {plateauSpecMinor {version parent {majorVersion}} featureTypes}}`;
    const { datasets, citygmlDatasets } = await graph(servers[1]!, symbols);
    assert.deepEqual(
      datasets.map(({ id }: Any) => id),
      ['d_47900_frn_dm_annotations_2024', 'd_47900_frn_dm_geometric_attributes_2024'],
    );
    assert.deepEqual(citygmlDatasets[0].plateauSpecMinor, { version: '6', parent: { majorVersion: 6 } });
  });

  it('has its map symbols in lists and tiles for those who ask', async () => {
    const server = servers[1]!;
    const idsOf = async (query: string) =>
      (await server.json<Any>(`/datacatalog/citymodel-datasets?city=47900${query}`)).datasets
        .map(({ id }: Any) => id)
        .filter((id: string) => id.includes('_dm_'));
    assert.deepEqual(await idsOf(''), []);
    assert.deepEqual(await idsOf('&map_symbols=true'), [
      '47900_frn_dm_annotations_lod0',
      '47900_frn_dm_geometric_attributes_lod0',
    ]);
    const [label, ...others] = await rowsOf(server, '47900-frn_dm_annotations-latest');
    assert.deepEqual(others, []);
    assert.deepEqual([label!.gml_id, label!.dm_label, label!.dm_dmCode_code], ['lamp', '橋', '8142']);
    const shapes = await rowsOf(server, '47-frn_dm_geometric_attributes-latest');
    assert.deepEqual(
      shapes.map((row) => [row.gml_id, row.dm_dmCode_code]),
      [
        ['lamp', '3001'],
        ['lamp', '3001'],
      ],
    );
    await assertClean(join(directory, 'data-3'));
  });
});

describe('heights of JGD2024', () => {
  it('have features by place and tiles, which lie lower by the correction than those of JGD2011', async (t) => {
    const lowest: number[] = [];
    let correction: number | null = null;
    for (const srs of ['6697', '11318']) {
      const at = await tempDirectory(t);
      const members = goodPackage(1);
      members[GML] = String(members[GML]).replace('EPSG/0/6697', `EPSG/0/${srs}`);
      const zip = await writeZip(join(at, `${PACKAGE}.zip`), members);
      const { issues } = await ingestOne(join(at, 'data'), [zip, '--tiles']);
      assert.deepEqual(issues, [], srs);
      await using server = await startServer(join(at, 'data'));
      const [west, south] = [127.675, 26.208_333];
      const box = [west, south, west + 0.001, south + 0.001].join();
      const found = await server.json<Any>(`/citygml/spatialid_attributes?bbox=${box}&type=bldg`);
      assert.deepEqual(
        found.map((feature: Any) => feature['gml:id']),
        ['bldg_0'],
        srs,
      );
      const { root } = await server.json<Any>('/datacatalog/3dtiles/47201-bldg-lod1-latest/tileset.json');
      lowest.push(root.boundingVolume.region[4]);
      const place = `lat=${south + 0.000_15}&lng=${west + 0.000_15}`;
      const geoid = await server.json<Any>(`/citygml/geoid_height?${place}&datum=jgd2024`);
      correction = geoid.revision;
    }
    assert.ok(correction !== null && Math.abs(correction) > 0.001, `${correction}`);
    assert.ok(Math.abs(lowest[1]! - lowest[0]! + correction) < 0.001, `${lowest} ${correction}`);
  });
});

/** Real packages with map symbols, and what of their tiles has them. */
const REAL = [
  ['03-frn', ['08220-frn']],
  ['07-tun', ['13999-tun']],
  ['09-unf-frn-lod3', ['15202-unf_manhole', '15202-unf_sewerpipe']],
] as const;

describe('map symbols of real packages', {
  skip: existsSync(REAL_DATA) ? false : 'needs ../shared/data',
}, () => {
  let directory: string;
  let server: TestServer;
  let rows: Awaited<ReturnType<typeof list>>;
  const zipOf = (form: string) => globSync(join(REAL_DATA, `conversion/${form}/*.zip`))[0]!;

  before(async () => {
    directory = await tempDirectory();
    const data = join(directory, 'data');
    const { run, reports } = await ingest(data, ['--tiles', ...REAL.map(([form]) => zipOf(form))]);
    assert.equal(run.code, 0, run.stdout);
    assert.equal(reports.length, REAL.length);
    rows = await list(data);
    server = await startServer(data);
  });
  after(async () => {
    await server?.stop();
    await removeDirectory(directory);
  });

  for (const [form, specs] of REAL) {
    it(`of ${form} come out of the tiles that are served`, async () => {
      const zip = zipOf(form);
      const written = [...(await unzip(zip, /\.gml$/)).values()].flatMap((bytes) =>
        bytes
          .toString()
          .match(/<uro:Dm(?:GeometricAttribute|Annotation)>/g)!
          .map(() => null),
      );
      // Also where words stand before `_op`.
      const name = basename(zip, '.zip');
      const symbols = rows.filter(
        (row) =>
          row.name.startsWith(name.slice(0, 5)) && /_dm_(?:geometric_attributes|annotations)$/.test(row.name),
      );
      assert.equal(symbols.length, specs.length);
      for (const row of symbols) assert.ok(row.name.startsWith(`${name}_`), row.name);
      let drawn = 0;
      for (const spec of specs) {
        const found = await rowsOf(server, `${spec}_dm_geometric_attributes-latest`);
        assert.ok(found.every((row) => typeof row.dm_dmCode_code === 'string'));
        drawn += new Set(found.map((row) => JSON.stringify(row))).size;
      }
      assert.equal(drawn, written.length);
    });
  }
});
