/** All plain fields of datasets, their items, CityGML and areas; in which order they come; which areas there are. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { DatasetSub } from '@citymodel/store';
import type { GraphQLObjectType } from 'graphql';
import { getNamedType, isLeafType } from 'graphql';
import { Filters } from '../base/filter.ts';
import { boundsFilter, type RowFilter } from '../catalogue/rows/row-filter.ts';
import { cityPackage, testUrls, tilePackage } from '../catalogue/testing/snapshot-rows.ts';
import { listAreas } from './area-list.ts';
import { type Answer, asking } from './testing/ask.ts';

function flood(river: string, scale: 'l1' | 'l2', suffix: string | null = null): DatasetSub {
  const code = `natl_${river}_${scale}${suffix === null ? '' : `-${suffix}`}`;
  return { code, name: code, admin: 'natl', river, scale, scaleSuffix: suffix };
}

const YOKOHAMA = { cityCode: '14100', city: '横浜市', pref: '神奈川県', spec: '3.5' };
const TSURUMI = { ...YOKOHAMA, wardCode: '14101', ward: '鶴見区', license: 'CC BY 4.0' };
const SHIZUOKA = { cityCode: '22', city: '静岡県', pref: '静岡県', provider: 'pref' };
const WEST = { west: 139.5, south: 35.45, east: 139.65, north: 35.55 };
const EAST = { west: 139.6, south: 35.4, east: 139.7, north: 35.5 };

const finest = tilePackage(
  { lod: 2, lodEx: 23, texture: false },
  { ...TSURUMI, registrationYear: 2025, bounds: EAST },
);
const plain = tilePackage({ lod: 1, formatVersion: '1.1' }, { ...TSURUMI, bounds: WEST });
const vector = tilePackage({ lod: 2, format: 'MVT' }, { ...TSURUMI, bounds: null });
const river = tilePackage(
  { type: 'fld', sub: flood('tsurumigawa', 'l2', 'a'), lod: null, lodNamed: false, texture: false },
  { ...YOKOHAMA, bounds: null },
);
const ground = tilePackage({ type: 'dem' }, SHIZUOKA);
const wardGml = cityPackage({
  ...TSURUMI,
  year: 2022,
  bounds: WEST,
  metadataZips: [{ directory: 'codelists' } as never],
});
const prefectureGml = cityPackage({ ...SHIZUOKA, bounds: null });
const catalogue = await asking([finest, plain, vector, river, ground, wardGml, prefectureGml]);

/** Fields of a type that are plain and take no arguments. */
function plainFields(name: string): string {
  const type = catalogue.executor.schema.getType(name) as GraphQLObjectType;
  return Object.values(type.getFields())
    .filter((field) => isLeafType(getNamedType(field.type)) && field.args.length === 0)
    .map((field) => field.name)
    .join(' ');
}

/** Without what is null. */
function known(value: Answer): Answer {
  if (Array.isArray(value)) return value.map(known);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, one]) => (one === null ? [] : [[key, known(one)]])),
  );
}

describe('all plain fields', () => {
  const box = ({ west, south, east, north }: typeof WEST) => [west, south, east, north];
  const inYokohama = { prefectureId: 'p_14', prefectureCode: '14', cityId: 'c_14100', cityCode: '14100' };

  test('of datasets', async () => {
    const fields = plainFields('PlateauDataset');
    const { datasets } = await catalogue.data(
      `{datasets{...on PlateauDataset{${fields} river{name admin}}}}`,
    );
    assert.deepEqual(known(datasets), [
      {
        ...{ ...inYokohama, year: 2023, registrationYear: 2024, registerationYear: 2024, ar: false },
        ...{ id: 'd_14100_fld_natl_tsurumigawa_2023', typeId: 'dt_fld_3', typeCode: 'fld' },
        name: '洪水浸水想定区域モデル natl_tsurumigawa（横浜市）',
        description:
          '神奈川県横浜市の洪水浸水想定区域モデル（natl_tsurumigawa）。2023年度整備、製品仕様書第3.5版準拠。',
        ...{ subname: 'natl_tsurumigawa', subcode: 'natl_tsurumigawa', suborder: 1 },
        ...{ plateauSpecMinorId: 'ps_3.5', river: { name: 'tsurumigawa', admin: 'NATIONAL' } },
        // Its own is not known: that of the city and its wards.
        bbox: [139.5, 35.4, 139.7, 35.55],
      },
      {
        ...{ ...inYokohama, year: 2023, registrationYear: 2025, registerationYear: 2025, ar: false },
        ...{ id: 'd_14101_bldg_2023', typeId: 'dt_bldg_3', typeCode: 'bldg' },
        name: '建築物モデル（鶴見区）',
        description:
          '神奈川県横浜市鶴見区の建築物モデル。2023年度整備、製品仕様書第3.5版準拠。ライセンス: CC BY 4.0',
        ...{ license: 'CC BY 4.0', wardId: 'w_14101', wardCode: '14101', plateauSpecMinorId: 'ps_3.5' },
        bbox: [139.5, 35.4, 139.7, 35.55],
      },
      {
        ...{ year: 2023, registrationYear: 2024, registerationYear: 2024, ar: false },
        ...{ id: 'd_22_dem_2023', typeId: 'dt_dem_4', typeCode: 'dem', plateauSpecMinorId: 'ps_4.1' },
        ...{ prefectureId: 'p_22', prefectureCode: '22', bbox: [139, 35, 139.5, 35.5] },
        ...{
          name: '地形モデル（静岡県）',
          description: '静岡県の地形モデル。2023年度整備、製品仕様書第4.1版準拠。',
        },
      },
    ]);
  });

  test('of items', async () => {
    const { datasets } = await catalogue.data(
      `{datasets{...on PlateauDataset{items{${plainFields('PlateauDatasetItem')}}}}}`,
    );
    const address = (kind: string, spec: string) => `https://data.example/datacatalog/${kind}/${spec}`;
    const tiles = (spec: string, year: number | string) => address('3dtiles', `${spec}-${year}/tileset.json`);
    const found = known(datasets.flatMap(({ items }: Answer) => items));
    assert.deepEqual(
      found,
      [
        {
          id: 'di_14100_fld_natl_tsurumigawa_l2-a_2023_3dtiles_lod1_no_texture',
          ...{
            format: 'CESIUM3DTILES',
            name: '想定最大規模 a',
            lod: 1,
            texture: 'NONE',
            formatVersion: '1.0',
          },
          ...{ floodingScale: 'EXPECTED_MAXIMUM', floodingScaleSuffix: 'a', fileSize: river.archiveSize },
          url: testUrls.member(river, 'tileset.json'),
          compositeUrl: tiles('14100-fld_natl_tsurumigawa_l2-a-lod1', 2023),
          latestUrl: tiles('14100-fld_natl_tsurumigawa_l2-a-lod1', 'latest'),
          parentId: 'd_14100_fld_natl_tsurumigawa_2023',
        },
        {
          ...{
            id: 'di_14101_bldg_2023_3dtiles_lod1',
            format: 'CESIUM3DTILES',
            name: 'LOD1（3D Tiles）',
            lod: 1,
          },
          ...{ texture: 'TEXTURE', formatVersion: '1.1', fileSize: plain.archiveSize },
          url: testUrls.member(plain, 'tileset.json'),
          compositeUrl: tiles('14101-bldg-lod1', 2023),
          latestUrl: tiles('14101-bldg-lod1', 'latest'),
          parentId: 'd_14101_bldg_2023',
        },
        {
          ...{
            id: 'di_14101_bldg_2023_3dtiles_lod23_no_texture',
            format: 'CESIUM3DTILES',
            lod: 2,
            lodEx: 23,
          },
          ...{ name: 'LOD2.3（3D Tiles、テクスチャなし）', texture: 'NONE', formatVersion: '1.0' },
          ...{ fileSize: finest.archiveSize, url: testUrls.member(finest, 'tileset.json') },
          compositeUrl: tiles('14101-bldg-lod23', 2023),
          latestUrl: tiles('14101-bldg-lod23', 'latest'),
          parentId: 'd_14101_bldg_2023',
        },
        {
          ...{
            id: 'di_14101_bldg_2023_mvt_lod2',
            format: 'MVT',
            name: 'LOD2（MVT）',
            lod: 2,
            layers: ['bldg'],
          },
          ...{ fileSize: vector.archiveSize, url: testUrls.member(vector, '{z}/{x}/{y}.mvt') },
          compositeUrl: address('mvt', '14101-bldg-lod2-2023/tilejson.json'),
          latestUrl: address('mvt', '14101-bldg-lod2-latest/tilejson.json'),
          parentId: 'd_14101_bldg_2023',
        },
      ].concat(found.slice(4)),
    );
    assert.deepEqual(
      found.slice(4).map(({ id, name }: Answer) => [id, name]),
      [['di_22_dem_2023_3dtiles_lod1', 'LOD1']],
    );
  });

  test('of CityGML', async () => {
    const { citygmlDatasets } = await catalogue.data(`{citygmlDatasets{${plainFields('CityGMLDataset')}}}`);
    const types = { featureTypes: ['bldg', 'tran'] };
    assert.deepEqual(known(citygmlDatasets), [
      {
        ...{
          ...inYokohama,
          ...types,
          id: 'cg_14101',
          year: 2022,
          registrationYear: 2023,
          license: 'CC BY 4.0',
        },
        ...{ plateauSpecMinorId: 'ps_3.5', url: testUrls.archive(wardGml), fileSize: wardGml.archiveSize },
        compositeUrl: 'https://data.example/datacatalog/citygml/14101-2022/citygml.zip',
        metadataZipUrls: [testUrls.metadataZip(wardGml, 'codelists')],
        bbox: box(WEST),
      },
      {
        ...{ ...types, id: 'cg_22', year: 2023, registrationYear: 2024, plateauSpecMinorId: 'ps_4.1' },
        ...{
          prefectureId: 'p_22',
          prefectureCode: '22',
          cityId: 'c_22',
          cityCode: '22',
          metadataZipUrls: [],
        },
        ...{ url: testUrls.archive(prefectureGml), fileSize: prefectureGml.archiveSize },
        compositeUrl: 'https://data.example/datacatalog/citygml/22-2023/citygml.zip',
      },
    ]);
  });

  test('of areas', async () => {
    const on = ['Prefecture', 'City', 'Ward'].map((name) => `...on ${name}{${plainFields(name)}}`).join(' ');
    const codes = ['p_14', 'c_14100', 'w_14101', 'w_14102', 'p_22', 'c_22'].map((id) => `"${id}"`);
    const { nodes } = await catalogue.data(`{nodes(ids:[${codes}]){${on}}}`);
    const bbox = [139.5, 35.4, 139.7, 35.55];
    const upper = { prefectureId: 'p_14', prefectureCode: '14' };
    assert.deepEqual(known(nodes), [
      { id: 'p_14', type: 'PREFECTURE', code: '14', name: '神奈川県', bbox },
      {
        ...{ id: 'c_14100', type: 'CITY', code: '14100', name: '横浜市', parentId: 'p_14', ...upper, bbox },
        planarCrsEpsgCode: '6677',
      },
      {
        ...{
          id: 'w_14101',
          type: 'WARD',
          code: '14101',
          name: '鶴見区',
          parentId: 'c_14100',
          ...upper,
          bbox,
        },
        ...{ cityId: 'c_14100', cityCode: '14100' },
      },
      {
        ...{ id: 'w_14102', type: 'WARD', code: '14102', name: '神奈川区', parentId: 'c_14100', ...upper },
        ...{ cityId: 'c_14100', cityCode: '14100' },
      },
      { id: 'p_22', type: 'PREFECTURE', code: '22', name: '静岡県', bbox: [139, 35, 139.5, 35.5] },
      {
        ...{
          id: 'c_22',
          type: 'CITY',
          code: '22',
          name: '静岡県',
          prefectureId: 'p_22',
          prefectureCode: '22',
        },
        ...{ parentId: 'p_22', bbox: [139, 35, 139.5, 35.5], citygmlId: 'cg_22' },
      },
    ]);
  });
});

test('items come by format, scale, LOD and texture, in whatever order they were published', async () => {
  const all = [
    tilePackage({ lod: 1 }),
    tilePackage({ lod: 2, texture: true }),
    tilePackage({ lod: 2, texture: false }),
    tilePackage({ lod: 3 }),
    tilePackage({ lod: 1, format: 'MVT' }),
    tilePackage({ lod: 2, format: 'MVT' }),
    ...(['l1', 'l2'] as const).flatMap((scale) =>
      [1, 2].map((lod) => tilePackage({ type: 'fld', sub: flood('a', scale), lod })),
    ),
  ];
  const expected = [
    ...[
      '3dtiles_lod1',
      '3dtiles_lod2',
      '3dtiles_lod2_no_texture',
      '3dtiles_lod3',
      'mvt_lod1',
      'mvt_lod2',
    ].map((end) => `di_13101_bldg_2023_${end}`),
    ...['l1', 'l2'].flatMap((scale) =>
      [1, 2].map((lod) => `di_13101_fld_natl_a_${scale}_2023_3dtiles_lod${lod}`),
    ),
  ];
  for (const step of [1, 3, 7, 9]) {
    const rows = all.map((_, n) => all[(n * step + step) % all.length]!);
    const { data } = await asking(rows);
    const { datasets } = await data('{datasets{...on PlateauDataset{items{id}}}}');
    assert.deepEqual(
      datasets.flatMap(({ items }: Answer) => items.map(({ id }: Answer) => id)),
      expected,
    );
  }
});

test('items say their LOD to a tenth, and that they have no texture where one is to be expected', async () => {
  const namesOf = async (...rows: Parameters<typeof asking>[0]) => {
    const { data } = await asking(rows);
    const { datasets } = await data('{datasets{...on PlateauDataset{items{name}}}}');
    return datasets.flatMap(({ items }: Answer) => items.map(({ name }: Answer) => name));
  };
  const lods = [10, 21, 30, 33].map((lodEx) => tilePackage({ lod: Math.floor(lodEx / 10), lodEx }));
  assert.deepEqual(await namesOf(...lods), ['LOD1.0', 'LOD2.1', 'LOD3.0', 'LOD3.3']);
  // The name of the package says so, or there is another with textures.
  const bare = tilePackage({ lod: 2, texture: false });
  const silent = tilePackage({ lod: 1, texture: false });
  assert.ok(bare.name.includes('_no_texture') && !silent.name.includes('_no_texture'));
  assert.deepEqual(await namesOf(bare), ['LOD2（テクスチャなし）']);
  assert.deepEqual(await namesOf(silent), ['LOD1']);
  assert.deepEqual(await namesOf(silent, tilePackage({ lod: 2 })), ['LOD1（テクスチャなし）', 'LOD2']);
});

test('a part of which only the scale is named is the whole type', async () => {
  const sub = { ...flood('', 'l1'), code: 'l1', name: '計画規模', admin: null, river: null };
  const { data } = await asking([tilePackage({ type: 'fld', sub, lodNamed: false })]);
  const fields = 'id name ...on PlateauDataset{subname subcode suborder river{name} items{name}}';
  assert.deepEqual((await data(`{datasets{${fields}}}`)).datasets, [
    {
      ...{ id: 'd_13101_fld_2023', name: '洪水浸水想定区域モデル（市13101）', subname: null, subcode: null },
      ...{ suborder: null, river: null, items: [{ name: '計画規模' }] },
    },
  ]);
});

test('parts of a type in an area are numbered, map symbols by themselves', async () => {
  const symbols = (code: string): DatasetSub => ({
    ...{ code, name: code, admin: null, river: null, scale: null, scaleSuffix: null },
  });
  const { data } = await asking([
    tilePackage({ type: 'fld', sub: flood('a', 'l1') }),
    tilePackage({ type: 'fld', sub: flood('b', 'l1') }),
    tilePackage({ type: 'fld', sub: flood('c', 'l1') }),
    tilePackage({ type: 'fld', sub: flood('a', 'l1') }, { year: 2020 }),
    tilePackage({ type: 'fld', sub: flood('d', 'l1') }, { cityCode: '13102' }),
    tilePackage({ type: 'urf', sub: symbols('dm_geometric_attributes') }),
    tilePackage({ type: 'bldg' }),
  ]);
  const { datasets } = await data('{datasets(input:{mapSymbols:true}){id ...on PlateauDataset{suborder}}}');
  assert.deepEqual(datasets.map(({ id, suborder }: Answer) => `${id.slice(2)} ${suborder}`).sort(), [
    '13101_bldg_2023 null',
    '13101_fld_natl_a_2020 1',
    '13101_fld_natl_a_2023 1',
    '13101_fld_natl_b_2023 2',
    '13101_fld_natl_c_2023 3',
    '13101_urf_dm_geometric_attributes_2023 1',
    '13102_fld_natl_d_2023 1',
  ]);
});

describe('areas', () => {
  const namesOf = async (rows: Parameters<typeof asking>[0]) => {
    const { graph } = await asking(rows);
    return Object.fromEntries(graph.areas.all.map(({ id, name }) => [id, name]));
  };

  test('have the names of their newest packages, whichever was published last', async () => {
    const named = (year: number, more: object = {}) =>
      cityPackage({ year, cityCode: '28201', city: `市${year}`, pref: `県${year}`, ...more });
    for (const rows of [
      [named(2020), named(2023), named(2021)],
      [named(2023), named(2021), named(2020)],
    ]) {
      assert.deepEqual(await namesOf(rows), { p_28: '県2023', c_28201: '市2023' });
    }
    const other = named(2024, { cityCode: '28202' });
    assert.deepEqual(await namesOf([named(2020), other]), {
      p_28: '県2024',
      c_28201: '市2020',
      c_28202: '市2024',
    });
  });

  test('above a ward that is published as a municipality have the name that the list of areas has', async () => {
    const ward = tilePackage({}, { cityCode: '14101', city: '鶴見区', pref: '神奈川県' });
    const names = await namesOf([ward]);
    assert.deepEqual([names.p_14, names.c_14100, names.w_14101], ['神奈川県', '横浜市', '鶴見区']);
    assert.equal(names.c_14101, undefined);
  });

  test('that are wards and municipalities are not there twice for nothing', async () => {
    const whole = tilePackage({ type: 'tran' }, { cityCode: '13100', city: '東京都23区', pref: '東京都' });
    const own = cityPackage({ cityCode: '13101', city: '千代田区', pref: '東京都' });
    const names = await namesOf([whole, own]);
    assert.deepEqual([names.c_13101, names.w_13101, names.w_13102], ['千代田区', undefined, '中央区']);
  });

  test('are listed where they touch a box, those without an extent where none is asked for', async () => {
    const codes = (...filters: RowFilter[]) =>
      listAreas(catalogue.graph, new Filters(filters)).map(({ code }) => code);
    assert.deepEqual(codes(), ['14', '14100', '14101', '22']);
    const at = (west: number, south: number) =>
      codes(boundsFilter({ west, south, east: west + 0.01, north: south + 0.01 }));
    assert.deepEqual(at(139.1, 35.1), ['22']);
    assert.deepEqual(at(139.66, 35.41), ['14', '14100', '14101']);
    assert.deepEqual(at(130, 30), []);
    const { graph } = await asking([cityPackage({ bounds: null })]);
    assert.equal(listAreas(graph, new Filters<RowFilter>([])).length, 2);
    const anywhere = boundsFilter({ west: -180, south: -90, east: 180, north: 90 });
    assert.deepEqual(listAreas(graph, new Filters([anywhere])), []);
  });

  test('are listed with all that they and the areas below have', () => {
    const rows = listAreas(catalogue.graph, new Filters<RowFilter>([]));
    const [kanagawa, , tsurumi, shizuoka] = rows;
    const { kana, romaji, ...rest } = tsurumi!;
    assert.ok(kana !== null && romaji !== null);
    const types = { feature_types: ['bldg', 'tran'], formats: ['3D Tiles', 'MVT'], citygml: true };
    assert.deepEqual(rest, {
      ...{ ...types, code: '14101', name: '鶴見区', type: 'ward', parent_code: '14100', years: [2023, 2022] },
      ...{ bbox: [139.5, 35.4, 139.7, 35.55], datasets: 1 },
    });
    assert.deepEqual(
      [kanagawa!.feature_types, kanagawa!.datasets, kanagawa!.parent_code, kanagawa!.type],
      [['bldg', 'tran', 'fld'], 2, null, 'prefecture'],
    );
    assert.deepEqual([shizuoka!.citygml, shizuoka!.formats, shizuoka!.datasets], [true, ['3D Tiles'], 1]);
  });
});
