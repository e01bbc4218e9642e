import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type ConvertOptions,
  type GmlContent,
  type GmlFacts,
  outputSuffix,
  type SourcePackage,
} from '../part-maker.ts';
import { floodKey, foreseenOutputs, lodsOf, plannedOutputs, subOf, tiledLods, wardOf } from './outputs.ts';

const gmlOf = (path: string): GmlFacts => ({ path, type: path.split('/')[1]!, mesh: null, size: 1 });
const options = (lods: readonly number[] | null = null) => ({ lods }) as ConvertOptions;
const PACKAGE: SourcePackage = { name: 'a', cityCode: '13101', cityName: '', wards: [], year: 2023 };
const WARDS = { ...PACKAGE, cityCode: '14130', wards: ['14131', '14132'] };
const content = (more: Partial<GmlContent>): GmlContent => ({
  ...{ lods: new Map(), reliefs: new Set(), codes: new Map(), cities: new Set(), hasImages: false },
  symbols: new Map(),
  ...more,
});
const lods = (...own: Array<[string, number[]]>) =>
  new Map(own.map(([name, levels]) => [name, new Set(levels)]));

function foreseen(
  path: string,
  more: Partial<GmlContent>,
  { wanted = null, source = PACKAGE }: { wanted?: readonly number[] | null; source?: SourcePackage } = {},
): string[] {
  return foreseenOutputs(gmlOf(path), options(wanted), content(more), source).map((key) => outputSuffix(key));
}

const BUILDINGS = 'udx/bldg/53394525_bldg_6697_op.gml';

test('a file is planned for all levels that its type has, or those that are wanted', () => {
  const planned = (path: string, wanted: readonly number[] | null = null) =>
    plannedOutputs(gmlOf(path), options(wanted)).map((key) => outputSuffix(key));
  const all = [1, 2, 3, 4].map((lod) => `bldg_3dtiles_lod${lod}`);
  assert.deepEqual(planned(BUILDINGS), all);
  assert.deepEqual(planned(BUILDINGS, [0, 2, 4, 5]), [all[1], all[3]]);
  assert.deepEqual(planned('udx/tran/5339_tran_6697_op.gml'), ['tran_3dtiles_lod3']);
  for (const type of ['luse', 'urf', 'lsld', 'xyz'])
    assert.deepEqual(planned(`udx/${type}/5339_${type}_6697_op.gml`), []);
  assert.deepEqual(planned('udx/gen/5339_gen_6697_f20_op.gml', [1]), ['gen_f20_3dtiles_lod1']);
  assert.deepEqual(tiledLods('fld', options([3])), [1]);
  assert.deepEqual(tiledLods('rwy', options()), [3]);
  assert.deepEqual(lodsOf('dem', options([0, 1])), [1]);
});

test('a file is foreseen for the levels that it has, with twins without textures from level 2 on', () => {
  const own = lods(['Building', [0, 1, 2]], ['BuildingPart', [3]]);
  assert.deepEqual(
    foreseen(BUILDINGS, { lods: own }),
    [1, 2, 3].map((lod) => `bldg_3dtiles_lod${lod}`),
  );
  assert.deepEqual(foreseen(BUILDINGS, { lods: own, hasImages: true }), [
    ...['bldg_3dtiles_lod1', 'bldg_3dtiles_lod2', 'bldg_3dtiles_lod2_no_texture'],
    ...['bldg_3dtiles_lod3', 'bldg_3dtiles_lod3_no_texture'],
  ]);
  assert.deepEqual(foreseen(BUILDINGS, { lods: own }, { wanted: [2] }), ['bldg_3dtiles_lod2']);
  assert.deepEqual(foreseen(BUILDINGS, {}), []);
});

test('rooms of CityGML 3.0 go to the package of the inside, unless they are at level 4', () => {
  const rooms = (levels: number[], wanted: readonly number[] | null = null) =>
    foreseen(BUILDINGS, { lods: lods(['BuildingRoom', levels]) }, { wanted });
  assert.deepEqual(rooms([1, 3]), ['bldg_3dtiles_lod3_interior']);
  assert.deepEqual(rooms([1]), ['bldg_3dtiles_lod3_interior']);
  assert.deepEqual(rooms([2], [4]), ['bldg_3dtiles_lod3_interior']);
  assert.deepEqual(rooms([2], [3]), ['bldg_3dtiles_lod3_interior']);
  assert.deepEqual(rooms([2], [1, 2]), []);
  assert.deepEqual(rooms([0]), []);
  assert.deepEqual(rooms([3, 4]), ['bldg_3dtiles_lod3', 'bldg_3dtiles_lod4']);
  const road = foreseen('udx/tran/5339_tran_6697_op.gml', { lods: lods(['BuildingRoom', [2]]) });
  assert.deepEqual(road, [], 'roads have no level 4');
});

test('buildings of a city with wards have a package for each ward, and none for another city', () => {
  const own = { lods: lods(['Building', [1]]) };
  const cities = (...codes: string[]) =>
    foreseen(BUILDINGS, { ...own, cities: new Set(codes) }, { source: WARDS });
  assert.deepEqual(cities('14131', '14132'), ['bldg_3dtiles_14131_lod1', 'bldg_3dtiles_14132_lod1']);
  assert.deepEqual(cities('14130', '14131'), ['bldg_3dtiles_lod1', 'bldg_3dtiles_14131_lod1']);
  assert.deepEqual(cities('14131', '13101'), ['bldg_3dtiles_14131_lod1']);
  assert.deepEqual(cities('13101'), []);
  assert.deepEqual(cities(), ['bldg_3dtiles_lod1']);
  assert.equal(wardOf('bldg', WARDS, '14132'), '14132');
  assert.equal(wardOf('bldg', WARDS, '14130'), null);
  assert.equal(wardOf('bldg', WARDS, '14133'), undefined);
  assert.equal(wardOf('brid', WARDS, '14133'), null);
  assert.equal(wardOf('bldg', { ...WARDS, cityCode: '', wards: [] }, '14133'), null);
});

test('terrain has the levels of its reliefs, and depths of water one package for each area and scale', () => {
  const dem = 'udx/dem/533945_dem_6697_op.gml';
  assert.deepEqual(foreseen(dem, { reliefs: new Set([1, 3]), hasImages: true }), [
    'dem_3dtiles_lod1',
    'dem_3dtiles_lod3',
  ]);
  assert.deepEqual(foreseen(dem, { reliefs: new Set([1, 3]) }, { wanted: [3] }), ['dem_3dtiles_lod3']);
  assert.deepEqual(foreseen(dem, { lods: lods(['ReliefFeature', [1]]) }), []);
  const flood = 'udx/fld/pref/arakawa_1/53394525_fld_6697_l1_op.gml';
  const [key, ...others] = foreseenOutputs(
    gmlOf(flood),
    options([4]),
    content({ lods: lods(['WaterBody', [1]]) }),
    PACKAGE,
  );
  assert.equal(others.length, 0);
  assert.deepEqual(key, floodKey(gmlOf(flood)));
  assert.deepEqual([key!.lod, key!.noTexture, key!.kind], [null, true, '3dtiles']);
  assert.deepEqual(plannedOutputs(gmlOf(flood), options([4])), [key]);
  assert.deepEqual(foreseen(flood, {}), []);
});

test('the package of a river has its name and its scale, as the path of its file says them', () => {
  const names = (path: string) => {
    const key = floodKey(gmlOf(path));
    return [key.sub, key.scale, outputSuffix(key)];
  };
  assert.deepEqual(names('udx/fld/natl/ogawa/53394525_fld_6697_l1_op.gml'), [
    ...['natl_ogawa', 'l1', 'fld_natl_ogawa_3dtiles_l1_no_texture'],
  ]);
  assert.deepEqual(names('udx/fld/pref/a_b/53394525_fld_6697_l2-c_op.gml'), [
    ...['pref_a_b', 'l2-c', 'fld_pref_a_b_3dtiles_l2-c_no_texture'],
  ]);
  assert.deepEqual(names('udx/tnm/10_1/53394525_tnm_6697_op.gml'), [
    '10_1',
    null,
    'tnm_10_1_3dtiles_no_texture',
  ]);
  assert.deepEqual(names('udx/fld/53394525_fld_6697_op.gml'), [null, null, 'fld_3dtiles_no_texture']);
});

test('plants and pipes have a package for each class, generic objects one for each code', () => {
  const plants = 'udx/veg/5339_veg_6697_op.gml';
  assert.deepEqual(
    foreseen(plants, { lods: lods(['PlantCover', [1]], ['SolitaryVegetationObject', [1, 2]]) }),
    [
      ...['veg_PlantCover_3dtiles_lod1', 'veg_SolitaryVegetationObject_3dtiles_lod1'],
      'veg_SolitaryVegetationObject_3dtiles_lod2',
    ],
  );
  const codes = new Map([
    ['20', new Set([1])],
    [null, new Set([2])],
  ]);
  assert.deepEqual(foreseen('udx/gen/5339_gen_6697_op.gml', { codes }), [
    'gen_20_3dtiles_lod1',
    'gen_3dtiles_lod2',
  ]);
  assert.equal(
    subOf({ path: plants, type: 'veg' }, { type: 'veg:PlantCover', nameCode: '20' }),
    'PlantCover',
  );
  assert.equal(subOf({ path: BUILDINGS, type: 'bldg' }, { type: 'bldg:Building', nameCode: '20' }), null);
});
