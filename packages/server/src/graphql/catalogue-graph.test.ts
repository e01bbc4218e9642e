import assert from 'node:assert/strict';
import test from 'node:test';
import { mapSymbolsSub } from '@citymodel/citygml';
import type { DatasetSub } from '@citymodel/store';
import { cityPackage, testUrls, tilePackage } from '../catalogue/testing/snapshot-rows.ts';
import { type Answer, asking } from './testing/ask.ts';

function flood(river: string, scale: 'l1' | 'l2', admin: 'natl' | 'pref' = 'natl'): DatasetSub {
  const code = `${admin}_${river}_${scale}`;
  return { code, name: code, admin, river, scale, scaleSuffix: null };
}

/**
 * Tokyo with special wards in both ways, a designated city in both ways, a town with CityGML only, a prefecture's own
 * data.
 */
const ROWS = [
  cityPackage({ cityCode: '13101', city: '千代田区', pref: '東京都', year: 2023 }),
  cityPackage({ cityCode: '13101', city: '千代田区', pref: '東京都', year: 2020 }),
  tilePackage({}, { cityCode: '13101', city: '千代田区', pref: '東京都', year: 2023 }),
  tilePackage(
    {},
    {
      cityCode: '13100',
      city: '東京都23区',
      pref: '東京都',
      wardCode: '13101',
      ward: '千代田区',
      year: 2020,
    },
  ),
  tilePackage(
    {},
    { cityCode: '13100', city: '東京都23区', pref: '東京都', wardCode: '13102', ward: '中央区', year: 2020 },
  ),
  tilePackage({ type: 'tran' }, { cityCode: '13100', city: '東京都23区', pref: '東京都', year: 2020 }),
  cityPackage({ cityCode: '14100', city: '横浜市', pref: '神奈川県', year: 2023, spec: '3.5' }),
  tilePackage(
    {},
    { cityCode: '14100', city: '横浜市', pref: '神奈川県', wardCode: '14101', ward: '鶴見区', spec: '3.5' },
  ),
  tilePackage(
    { lod: 2, texture: true },
    { cityCode: '14100', city: '横浜市', pref: '神奈川県', wardCode: '14101', ward: '鶴見区', spec: '3.5' },
  ),
  tilePackage(
    { lod: 2, texture: false },
    { cityCode: '14100', city: '横浜市', pref: '神奈川県', wardCode: '14101', ward: '鶴見区', spec: '3.5' },
  ),
  tilePackage(
    { type: 'fld', sub: flood('tsurumigawa', 'l1'), lodNamed: false, texture: false },
    { cityCode: '14100', city: '横浜市', pref: '神奈川県', spec: '3.5' },
  ),
  tilePackage(
    { type: 'fld', sub: flood('tsurumigawa', 'l2'), lodNamed: false, texture: false },
    { cityCode: '14100', city: '横浜市', pref: '神奈川県', spec: '3.5' },
  ),
  tilePackage(
    { type: 'fld', sub: flood('katabiragawa', 'l2', 'pref'), lodNamed: false, texture: false },
    { cityCode: '14100', city: '横浜市', pref: '神奈川県', spec: '3.5' },
  ),
  tilePackage(
    { type: 'luse', format: 'MVT' },
    { cityCode: '14100', city: '横浜市', pref: '神奈川県', spec: '3.5' },
  ),
  cityPackage({ cityCode: '14201', city: '横須賀市', pref: '神奈川県' }),
  cityPackage({ cityCode: '22', city: '静岡県', pref: '静岡県', provider: 'pref', bounds: null }),
  tilePackage({ type: 'dem' }, { cityCode: '22', city: '静岡県', pref: '静岡県', provider: 'pref' }),
];

const catalogue = await asking(ROWS);
const ids = (nodes: Array<{ id: string }>) => nodes.map(({ id }) => id);

test('areas have stable ids and know what is around and in them', async () => {
  const { areas } = await catalogue.data(
    '{areas(input:{includeEmpty:true}){__typename id type code name parentId parent{id} children{id}}}',
  );
  const byId = new Map<string, (typeof areas)[number]>(areas.map((area: { id: string }) => [area.id, area]));
  assert.deepEqual(byId.get('p_13').children, [{ id: 'c_13100' }, { id: 'c_13101' }]);
  assert.deepEqual(byId.get('c_13100').children, [{ id: 'w_13101' }, { id: 'w_13102' }]);
  assert.equal(byId.get('w_13101').__typename, 'Ward');
  assert.equal(byId.get('c_13101').__typename, 'City');
  assert.deepEqual(byId.get('w_14101').parent, { id: 'c_14100' });
  assert.equal(byId.get('p_13').parent, null);
  // Wards of cities that have something are there, though empty.
  assert.equal(byId.get('w_14118').name, '都筑区');
  assert.equal(byId.get('w_13103').parentId, 'c_13100');
  assert.deepEqual(
    areas.map(({ code }: { code: string }) => code),
    areas.map(({ code }: { code: string }) => code).sort(),
  );
});

test('a municipality with CityGML only is below its prefecture, and listed with includeEmpty', async () => {
  const { area, areas } = await catalogue.data('{area(code:"14"){... on Prefecture{cities{id}}} areas{id}}');
  assert.deepEqual(ids(area.cities), ['c_14100', 'c_14201']);
  assert.ok(!ids(areas).includes('c_14201'));
  assert.ok(ids((await catalogue.data('{areas(input:{includeEmpty:true}){id}}')).areas).includes('c_14201'));
});

test(
  'a code that a municipality and a ward share is the municipality, and its datasets are those of ' + 'both',
  async () => {
    const { area, node } = await catalogue.data(
      '{area(code:"13101"){id datasets{id}} node(id:"w_13101"){... on Ward{city{id} datasets{id}}}}',
    );
    assert.equal(area.id, 'c_13101');
    assert.deepEqual(ids(area.datasets), ['d_13101_bldg_2023', 'd_13101_bldg_2020']);
    assert.deepEqual(node, { city: { id: 'c_13100' }, datasets: area.datasets });
  },
);

test('13100 and designated cities cover their wards', async () => {
  const of = async (code: string, more = '') =>
    ids((await catalogue.data(`{datasets(input:{areaCodes:["${code}"]${more}}){id}}`)).datasets);
  assert.deepEqual(await of('13100'), [
    'd_13100_tran_2020',
    'd_13101_bldg_2023',
    'd_13101_bldg_2020',
    'd_13102_bldg_2020',
  ]);
  assert.deepEqual(await of('13100', ',shallow:true'), ['d_13100_tran_2020']);
  assert.deepEqual(await of('14100'), [
    'd_14100_luse_2023',
    'd_14100_fld_natl_tsurumigawa_2023',
    'd_14100_fld_pref_katabiragawa_2023',
    'd_14101_bldg_2023',
  ]);
  assert.deepEqual(await of('14100', ',shallow:true,includeTypes:"fld"'), [
    'd_14100_fld_natl_tsurumigawa_2023',
    'd_14100_fld_pref_katabiragawa_2023',
  ]);
  assert.deepEqual(await of('14101'), ['d_14101_bldg_2023']);
  assert.deepEqual(await of('22', ',shallow:true'), ['d_22_dem_2023']);
  assert.deepEqual(await of('99999'), []);
});

test('items are what there is of one dataset: LODs, textures, flood scales, formats', async () => {
  const { nodes } =
    await catalogue.data(`{nodes(ids:["d_14101_bldg_2023","d_14100_fld_natl_tsurumigawa_2023","d_14100_luse_2023"]){
    ... on PlateauDataset{name subname subcode suborder river{name admin} wardCode cityCode
      items{id name format lod texture floodingScale layers compositeUrl latestUrl parentId}}}}`);
  const [bldg, fld, luse] = nodes;
  assert.deepEqual(
    bldg.items.map(({ name, lod, texture }: Record<string, unknown>) => [name, lod, texture]),
    [
      ['LOD1', 1, 'TEXTURE'],
      ['LOD2', 2, 'TEXTURE'],
      ['LOD2（テクスチャなし）', 2, 'NONE'],
    ],
  );
  assert.equal(bldg.name, '建築物モデル（鶴見区）');
  assert.deepEqual(
    [bldg.cityCode, bldg.wardCode, bldg.subname, bldg.suborder],
    ['14100', '14101', null, null],
  );
  assert.deepEqual(
    fld.items.map(({ id, name, floodingScale }: Record<string, unknown>) => [id, name, floodingScale]),
    [
      ['di_14100_fld_natl_tsurumigawa_l1_2023_3dtiles_lod1_no_texture', '計画規模', 'PLANNED'],
      ['di_14100_fld_natl_tsurumigawa_l2_2023_3dtiles_lod1_no_texture', '想定最大規模', 'EXPECTED_MAXIMUM'],
    ],
  );
  assert.deepEqual(fld.river, { name: 'tsurumigawa', admin: 'NATIONAL' });
  assert.deepEqual([fld.subcode, fld.suborder], ['natl_tsurumigawa', 1]);
  assert.deepEqual(luse.items, [
    {
      id: 'di_14100_luse_2023_mvt_lod1',
      name: 'LOD1',
      format: 'MVT',
      lod: 1,
      texture: null,
      floodingScale: null,
      layers: ['luse'],
      compositeUrl: 'https://data.example/datacatalog/mvt/14100-luse-lod1-2023/tilejson.json',
      latestUrl: 'https://data.example/datacatalog/mvt/14100-luse-lod1-latest/tilejson.json',
      parentId: 'd_14100_luse_2023',
    },
  ]);
});

test("a prefecture's own data has no municipality, its CityGML a stand-in for one", async () => {
  const { node, citygmlDatasets, area } = await catalogue.data(
    '{node(id:"d_22_dem_2023"){... on Dataset{prefectureCode cityId cityCode city{id} bbox}} ' +
      'citygmlDatasets(input:{prefectureCodes:["22"]}){id cityId cityCode city{id name}} area(code:"22"){id ... on ' +
      'Prefecture{cities{id}}}}',
  );
  assert.deepEqual([node.prefectureCode, node.cityId, node.cityCode, node.city], ['22', null, null, null]);
  assert.deepEqual(citygmlDatasets, [
    { id: 'cg_22', cityId: 'c_22', cityCode: '22', city: { id: 'c_22', name: '静岡県' } },
  ]);
  assert.deepEqual(area, { id: 'p_22', cities: [] });
  assert.deepEqual((await catalogue.data('{node(id:"c_22"){__typename id ... on Area{name}}}')).node, {
    __typename: 'City',
    id: 'c_22',
    name: '静岡県',
  });
});

test('CityGML has its tables with their addresses, and null until they are made', async () => {
  const table = { type: 'bldg', key: 'k', size: 5e9, sha256: '0'.repeat(64), features: 7, version: 1 };
  const row = cityPackage({ cityCode: '13101', year: 2023, tables: [table] });
  const { data } = await asking([row, cityPackage({ cityCode: '13101', year: 2020 })]);
  const fields = 'year tables{type parquetUrl features fileSize sha256}';
  assert.deepEqual((await data(`{citygmlDatasets(input:{}){${fields}}}`)).citygmlDatasets, [
    {
      year: 2023,
      tables: [
        {
          type: 'bldg',
          parquetUrl: testUrls.table(row, 'bldg'),
          features: 7,
          fileSize: 5e9,
          sha256: '0'.repeat(64),
        },
      ],
    },
    { year: 2020, tables: null },
  ]);
});

test('an item has the picture of its package, and a dataset that of the item that shows most', async () => {
  const pictures = (hex: string) => ({
    version: 1,
    images: (['small', 'large'] as const).map((size) => ({
      ...{ theme: 'light' as const, size, key: 'k', sha256: hex.repeat(64), bytes: 1 },
      ...{ mimeType: 'image/jpeg' as const, width: 600, height: 315 },
    })),
  });
  const plain = tilePackage({ lod: 1 }, { pictures: pictures('1') });
  const textured = tilePackage({ lod: 2, texture: true }, { pictures: pictures('2') });
  const { data } = await asking([plain, textured, tilePackage({ lod: 3 }), tilePackage({ type: 'tran' })]);
  const { datasets } = await data(
    '{datasets(input:{}){typeCode ...on PlateauDataset{pictureUrl items{lod pictureUrl}}}}',
  );
  const [of1, of2] = [plain, textured].map((row) => testUrls.picture(row, 'light', 'small'));
  assert.match(of2!, /_picture-2{16}-light-small\.jpg$/);
  assert.deepEqual(
    datasets.map((one: Answer) => [
      one.typeCode,
      one.pictureUrl,
      one.items.map((item: Answer) => item.pictureUrl),
    ]),
    [
      ['bldg', of2, [of1, of2, null]],
      ['tran', null, [null]],
    ],
  );
});

test('CityGML is listed by area, the newest year first, all years unless some are given', async () => {
  const of = async (input: string) =>
    ids((await catalogue.data(`{citygmlDatasets(input:{${input}}){id}}`)).citygmlDatasets);
  assert.deepEqual(await of(''), ['cg_13101', 'cg_13101_2020', 'cg_14100', 'cg_14201', 'cg_22']);
  assert.deepEqual(await of('years:[2020]'), ['cg_13101_2020']);
  assert.deepEqual(await of('cityCodes:"13100"'), ['cg_13101', 'cg_13101_2020']);
  assert.deepEqual(await of('prefectureCodes:["14"],cityCodes:["14201","13101"]'), ['cg_14201']);
  const { node } = await catalogue.data(
    '{node(id:"c_13101"){... on City{citygmlId citygml{year} planarCrsEpsgCode}}}',
  );
  assert.deepEqual(node, { citygmlId: 'cg_13101', citygml: { year: 2023 }, planarCrsEpsgCode: '6677' });
});

test('areas are filtered by parent, kind, type, words; parents and empty ones are added when asked for', async () => {
  const of = async (input: string) => ids((await catalogue.data(`{areas(input:{${input}}){id}}`)).areas);
  assert.deepEqual(await of('areaTypes:PREFECTURE'), ['p_13', 'p_14', 'p_22']);
  assert.deepEqual(await of('areaTypes:[CITY,WARD],datasetTypes:["fld"]'), ['c_14100']);
  assert.deepEqual(await of('parentCode:"14"'), ['c_14100']);
  assert.deepEqual(await of('parentCode:"14",deep:true'), ['c_14100', 'w_14101']);
  assert.deepEqual(await of('parentCode:"13100"'), ['c_13101', 'w_13101', 'w_13102']);
  assert.deepEqual(await of('parentCode:14,includeEmpty:true'), ['c_14100', 'c_14201']);
  assert.deepEqual(await of('searchTokens:["鶴見"]'), ['w_14101']);
  assert.deepEqual(await of('searchTokens:["鶴見"],includeParents:true'), ['p_14', 'c_14100', 'w_14101']);
  assert.deepEqual(await of('searchTokens:["神奈川","横浜"],areaTypes:CITY'), ['c_14100']);
  assert.deepEqual(await of('searchTokens:["神奈川","千代田"]'), []);
  assert.deepEqual(await of('searchTokens:["１４１０１"]'), ['w_14101']);
  assert.deepEqual(await of('categories:RELATED'), []);
  assert.deepEqual(await of('categories:[PLATEAU],datasetTypes:"dem"'), ['p_22']);
  assert.deepEqual(await of('parentCode:"47"'), []);
});

test('datasets are filtered by type, category, edition, year, words', async () => {
  const of = async (input: string) =>
    ids((await catalogue.data(`{datasets(input:{${input}}){id}}`)).datasets);
  const all = await of('');
  assert.deepEqual(await of('includeTypes:["plateau"]'), all);
  assert.deepEqual(await of('includeTypes:["related","generic"]'), []);
  assert.deepEqual(await of('includeTypes:["dem","tran"]'), ['d_13100_tran_2020', 'd_22_dem_2023']);
  assert.deepEqual(await of('excludeTypes:["PLATEAU"]'), []);
  assert.deepEqual(await of('excludeTypes:["bldg","fld","luse"]'), ['d_13100_tran_2020', 'd_22_dem_2023']);
  assert.deepEqual(await of('plateauSpec:"3"'), await of('areaCodes:"14"'));
  for (const spec of ['3.5', 'ps_3', 'ps_3.5', '第3.5版', '第３版']) {
    assert.deepEqual(await of(`plateauSpec:"${spec}"`), await of('plateauSpec:"3"'), spec);
  }
  assert.deepEqual(await of('plateauSpec:"3.4"'), []);
  assert.deepEqual(await of('year:2020,includeTypes:"bldg"'), ['d_13101_bldg_2020', 'd_13102_bldg_2020']);
  assert.deepEqual(await of('registrationYear:2021,includeTypes:"tran"'), ['d_13100_tran_2020']);
  assert.deepEqual(await of('searchTokens:["洪水","TSURUMI"]'), ['d_14100_fld_natl_tsurumigawa_2023']);
  assert.deepEqual(await of('ar:true'), []);
  assert.deepEqual(await of('groupedOnly:true'), []);
  assert.deepEqual(await of('includeTypes:null,searchTokens:[],shallow:null'), all);
});

test('areaCodes is ignored where an area is asked, plateauSpec where an edition is', async () => {
  const { area, node } = await catalogue.data(
    '{area(code:"14101"){datasets(input:{areaCodes:["13"]}){id}} node(id:"ps_3.5"){... on PlateauSpecMinor{name ' +
      'datasets(input:{plateauSpec:"4",includeTypes:"luse"}){id}}}}',
  );
  assert.deepEqual(ids(area.datasets), ['d_14101_bldg_2023']);
  assert.deepEqual(node, { name: '第3.5版', datasets: [{ id: 'd_14100_luse_2023' }] });
});

test('types and editions', async () => {
  const { plateauSpecs, datasetTypes, years } = await catalogue.data(
    '{plateauSpecs{id majorVersion year datasetTypes{id} minorVersions{id version parentId}} ' +
      'datasetTypes(input:{plateauSpec:"3.5"}){id code name order category ... on PlateauDatasetType{flood ' +
      'plateauSpecId}} years}',
  );
  assert.deepEqual(plateauSpecs, [
    {
      id: 'ps_3',
      majorVersion: 3,
      year: 2023,
      datasetTypes: [{ id: 'dt_bldg_3' }, { id: 'dt_luse_3' }, { id: 'dt_fld_3' }],
      minorVersions: [{ id: 'ps_3.5', version: '3.5', parentId: 'ps_3' }],
    },
    {
      id: 'ps_4',
      majorVersion: 4,
      year: 2020,
      datasetTypes: [{ id: 'dt_bldg_4' }, { id: 'dt_tran_4' }, { id: 'dt_dem_4' }],
      minorVersions: [{ id: 'ps_4.1', version: '4.1', parentId: 'ps_4' }],
    },
  ]);
  assert.deepEqual(datasetTypes[2], {
    id: 'dt_fld_3',
    code: 'fld',
    name: '洪水浸水想定区域モデル',
    order: 8,
    category: 'PLATEAU',
    flood: true,
    plateauSpecId: 'ps_3',
  });
  assert.deepEqual(years, [2023, 2020]);
});

test('an edition without a second number has another id than its major edition', async () => {
  const newest = await asking([
    tilePackage({}, { spec: '6' }),
    tilePackage({ type: 'brid' }, { spec: '6.1' }),
  ]);
  const { plateauSpecs, node, nodes } = await newest.data(
    '{plateauSpecs{id minorVersions{id name version}} node(id:"ps_6"){__typename} ' +
      'nodes(ids:["ps_6.0","ps_6.1"]){... on PlateauSpecMinor{version parentId}}}',
  );
  assert.deepEqual(plateauSpecs, [
    {
      id: 'ps_6',
      minorVersions: [
        { id: 'ps_6.0', name: '第6版', version: '6' },
        { id: 'ps_6.1', name: '第6.1版', version: '6.1' },
      ],
    },
  ]);
  assert.deepEqual(node, { __typename: 'PlateauSpec' });
  assert.deepEqual(nodes, [
    { version: '6', parentId: 'ps_6' },
    { version: '6.1', parentId: 'ps_6' },
  ]);
  for (const [spec, count] of [
    ['ps_6', 2],
    ['ps_6.0', 1],
    ['6.1', 1],
    ['第6.2版', 0],
  ] as const) {
    const { datasets } = await newest.data(`{datasets(input:{plateauSpec:"${spec}"}){id}}`);
    assert.equal(datasets.length, count, spec);
  }
});

test('areasAt finds areas by their extent', async () => {
  const of = async (lng: number, lat: number) =>
    (await catalogue.data('query($x:Float!,$y:Float!){areasAt(lng:$x,lat:$y){id}}', { x: lng, y: lat }))
      .areasAt;
  assert.ok(ids(await of(139.2, 35.2)).includes('c_14201'));
  assert.deepEqual(ids(await of(139.5, 35.5)), ids(await of(139.2, 35.2)));
  assert.deepEqual(await of(10, 50), []);
  const { errors } = await catalogue.answer('{areasAt(lng:35.2,lat:139.2){id}}');
  assert.match(errors[0].message, /lat from -90 to 90/);
  for (const [lng, lat, isPlace] of [
    [180, 90, true],
    [-180, -90, true],
    [180.001, 0, false],
    [-180.001, 0, false],
    [0, 90.001, false],
    [0, -90.001, false],
  ] as const) {
    const answer = await catalogue.answer(`{areasAt(lng:${lng},lat:${lat}){id}}`);
    assert.equal(answer.errors === undefined, isPlace, `${lng}, ${lat}`);
  }
});

test('node and nodes give null for what is not there', async () => {
  const { empty, nodes } = await catalogue.data(
    '{empty:node(id:""){id} nodes(ids:["x","p_13","di_14100_luse_2023_mvt_lod1","ps_4","dt_bldg_4","cg_14201",' +
      '"w_14118"]){__typename id}}',
  );
  assert.equal(empty, null);
  assert.deepEqual(
    nodes.map((node: { __typename: string } | null) => node?.__typename ?? null),
    [null, 'Prefecture', 'PlateauDatasetItem', 'PlateauSpec', 'PlateauDatasetType', 'CityGMLDataset', 'Ward'],
  );
});

test('every node answers to its id, and ids are unique', async () => {
  const { graph } = catalogue;
  const nodes = [
    ...graph.areas.all,
    ...graph.datasets,
    ...graph.datasets.flatMap((dataset) => dataset.items),
    ...graph.datasetTypes,
    ...graph.cityGml,
    ...graph.specs,
    ...graph.specs.flatMap((spec) => spec.minorVersions),
  ];
  assert.equal(new Set(ids(nodes)).size, nodes.length);
  for (const node of nodes) assert.equal(graph.node(node.id), node);
  // The same packages in another order have the same ids.
  const again = await asking([...ROWS].reverse());
  assert.deepEqual(ids([...again.graph.datasets]), ids([...graph.datasets]));
  assert.deepEqual(
    again.graph.datasets.flatMap((dataset) => ids(dataset.items)),
    graph.datasets.flatMap((dataset) => ids(dataset.items)),
  );
});

test('packages that only their provider tells apart are items of one dataset', async () => {
  const twice = await asking([
    tilePackage({}, { provider: 'city' }),
    tilePackage({}, { provider: 'pref', name: '13101_x_pref_2023_citygml_1_op_bldg_3dtiles_lod1' }),
  ]);
  const { datasets } = await twice.data('{datasets{id items{id}}}');
  assert.deepEqual(datasets, [
    {
      id: 'd_13101_bldg_2023',
      items: [{ id: 'di_13101_bldg_2023_3dtiles_lod1' }, { id: 'di_13101_bldg_2023_3dtiles_lod1_pref' }],
    },
  ]);
});

test('sets of map symbols are datasets for those who ask', async () => {
  const sub = mapSymbolsSub('frn', '', 'dm_geometric_attributes');
  const { data } = await asking([
    tilePackage({ lod: 1 }),
    tilePackage({ type: 'frn', format: 'MVT', lod: 0, texture: false, sub }),
  ]);
  const idsOf = async (input: string, of = 'datasets') =>
    (await data(`{${of}(input:{${input}}){id}}`))[of].map(({ id }: { id: string }) => id);
  assert.deepEqual(await idsOf('year: 2023'), ['d_13101_bldg_2023']);
  const both = ['d_13101_bldg_2023', 'd_13101_frn_dm_geometric_attributes_2023'];
  assert.deepEqual(await idsOf('mapSymbols: true'), both);
  assert.deepEqual(await idsOf('mapSymbols: true, areaCodes: ["13101"]'), both);
  const area = await data('{area(code: "13101"){datasets(input: {mapSymbols: true}){id} all: datasets{id}}}');
  assert.deepEqual([area.area.datasets.length, area.area.all.length], [2, 1]);
  const { node } = await data(`{node(id: "${both[1]}"){... on PlateauDataset{name}}}`);
  assert.equal(node.name, '都市設備モデル 図式（市13101）');
});

test('indoor models are a dataset of their own', async () => {
  const indoor = await asking([tilePackage({ lod: 4 }), tilePackage({ lod: 4, interior: true })]);
  const { datasets } = await indoor.data('{datasets{id name ... on PlateauDataset{subcode}}}');
  assert.deepEqual(datasets, [
    { id: 'd_13101_bldg_2023', name: '建築物モデル（市13101）', subcode: null },
    { id: 'd_13101_bldg_interior_2023', name: '建築物モデル 屋内（市13101）', subcode: 'interior' },
  ]);
});
