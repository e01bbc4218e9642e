import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { LodGeometry, XmlElement } from '@citymodel/citygml';
import { outputSuffix } from '../part-maker.ts';
import { Plausibility } from '../read/plausible.ts';
import { containsInside, foreseenInside, insideFeatures, insideKey } from './inside-features.ts';
import { vectorFeatures } from './vector-features.ts';

const element = (name: string, ...children: XmlElement[]): XmlElement => ({
  ...{ name, children, text: '', attributes: {} },
});
const STEP = 1e-4;

/** A level square of some metres, `east` squares from a place; `rise`: metres by which its last corner is higher. */
function square(owner: XmlElement, lod: number | null, east = 0, more: object = {}, rise = 0): LodGeometry {
  const west = 139.77 + east * STEP;
  const ring = Float64Array.of(
    ...[west, 35.68, 5, west + STEP, 35.68, 5],
    ...[west + STEP, 35.68 + STEP, 5, west, 35.68 + STEP, 5 + rise],
  );
  const surface = {
    ...{ rings: [ring], element: element('gml:Polygon') },
    written: [{ id: null, positions: 4, kept: null }],
  };
  return {
    ...{ solids: [], surfaces: [surface], lines: [], points: [], flat: false },
    ...{ property: 'x', lod, owner, role: 'body', ...more },
  } as LodGeometry;
}

/** Names of packages with the layer, the element and the western end of each feature, in squares. */
function shown(type: string, feature: XmlElement, geometries: readonly LodGeometry[]) {
  const gml = { type, mesh: null, path: `udx/${type}/53394525_${type}_6697_op.gml` };
  const plausibility = new Plausibility(gml, false);
  return vectorFeatures(feature, geometries, gml, plausibility, () => {}).map(
    ({ key, layer, element: of, footprint }) => {
      const lngs = footprint.polygons.flat().flatMap((ring) => [...ring].filter((_, i) => i % 2 === 0));
      return [
        outputSuffix(key),
        layer,
        of.name,
        Math.round((Math.min(...lngs) - 139.77) / STEP),
        footprint.polygons.length,
      ].join(' ');
    },
  );
}

test('a road shows itself at each level, at level 2 its lanes, and at level 1 lanes if it has nothing itself', () => {
  const lane = element('tran:TrafficArea');
  const road = element('tran:Road', lane);
  const own = [0, 1, 2].map((lod) => square(road, lod));
  assert.deepEqual(
    shown('tran', road, own),
    [0, 1, 2].map((lod) => `tran_mvt_lod${lod} Road tran:Road 0 1`),
  );
  assert.deepEqual(shown('tran', road, [...own, square(lane, 2, 7)]), [
    'tran_mvt_lod0 Road tran:Road 0 1',
    'tran_mvt_lod1 Road tran:Road 0 1',
    'tran_mvt_lod2 TrafficArea tran:TrafficArea 7 1',
  ]);
  assert.deepEqual(shown('tran', road, [square(road, 1), square(lane, 1, 7)]), [
    'tran_mvt_lod1 Road tran:Road 0 1',
  ]);
  assert.deepEqual(shown('tran', road, [square(lane, 1, 7)]), ['tran_mvt_lod1 Road tran:Road 7 1']);
  assert.deepEqual(shown('tran', road, []), []);
  // Polygons that touch are one.
  assert.deepEqual(shown('tran', road, [square(road, 1), square(road, 1, 1), square(road, 1, 5)]), [
    'tran_mvt_lod1 Road tran:Road 0 2',
  ]);
});

test('plans show each part by its class, land use any level, and generic objects of level 1 what is flat', () => {
  const zone = element('urf:Zone');
  const plan = element('urf:UseDistrict', zone);
  assert.deepEqual(shown('urf', plan, [square(plan, 1), square(zone, 1, 7)]), [
    'urf_UseDistrict_mvt_lod1 UseDistrict urf:UseDistrict 0 1',
    'urf_Zone_mvt_lod1 Zone urf:Zone 7 1',
  ]);
  const use = element('luse:LandUse');
  for (const lod of [0, 1, 3, null])
    assert.deepEqual(shown('luse', use, [square(use, lod)]), ['luse_mvt luse luse:LandUse 0 1']);
  const generic = element('gen:GenericCityObject');
  const flat = square(generic, 1);
  assert.deepEqual(shown('gen', generic, [flat]), ['gen_mvt_lod1 gen gen:GenericCityObject 0 1']);
  assert.deepEqual(shown('gen', generic, [square(generic, 1, 0, {}, 0.009)]).length, 1);
  for (const high of [
    square(generic, 1, 0, {}, 0.02),
    square(generic, 1, 0, {}, -0.02),
    { ...flat, surfaces: [], solids: [[flat.surfaces]] } as LodGeometry,
  ])
    assert.deepEqual(shown('gen', generic, [high]), []);
  assert.deepEqual(shown('gen', generic, [square(generic, 0, 0, {}, 9)]).length, 1);
});

test('neither what is inside nor what is no shape belongs to a footprint, but for the inside of level 4', () => {
  const house = element('bldg:Building');
  const room = element('bldg:Room');
  assert.deepEqual(shown('bldg', house, [square(house, 1)]), ['bldg_mvt_lod0 bldg bldg:Building 0 1']);
  assert.deepEqual(shown('bldg', house, [square(room, 1, 0, { interior: room })]), []);
  assert.equal(shown('bldg', house, [square(room, 4, 0, { interior: room })]).length, 1);
  assert.deepEqual(shown('bldg', house, [square(house, 1, 0, { role: 'terrain' })]), []);
  assert.deepEqual(shown('frn', house, [square(house, 1)]), []);
});

test('each piece inside belongs to the nearest room around it, at levels below 4', () => {
  const floor = element('con:FloorSurface', element('x'));
  const room = element('bldg:BuildingRoom', floor);
  const storey = element('bldg:Storey', element('bldg:buildingRoom', room));
  const house = element('bldg:Building', storey);
  const all = [
    // What is around it at first is the storey.
    square(floor, 0, 0, { interior: storey }),
    square(room, 2, 0, { interior: storey }),
    square(storey, 2, 3, { interior: storey }),
    square(room, 4, 9, { interior: room }),
    square(room, null, 9, { interior: room }),
    square(house, 2, 9),
  ];
  const found = (type: string, geometries: readonly LodGeometry[]) =>
    insideFeatures(house, geometries, type, (some) => some).map(
      ({ element: { name }, layer, isFlat, key }) => `${outputSuffix(key)} ${layer} ${name} ${isFlat}`,
    );
  const name = outputSuffix(insideKey('bldg'));
  assert.deepEqual(found('bldg', all), [
    `${name} BuildingRoom bldg:BuildingRoom true`,
    `${name} Storey bldg:Storey false`,
  ]);
  assert.deepEqual(found('tran', all), []);
  assert.deepEqual(found('bldg', all.slice(3)), []);
  assert.equal(insideFeatures(house, all, 'bldg', () => []).length, 0);
  assert.deepEqual(
    [house, room, element('a', element('gml:b', room)), element('a', element('b', room))].map(containsInside),
    [true, true, false, true],
  );
});

test('floor plans are foreseen where something inside has a level below 4', () => {
  const foreseen = (type: string, ...lods: Array<[string, number[]]>) =>
    foreseenInside(type, { lods: new Map(lods.map(([name, own]) => [name, new Set(own)])) });
  const room = (levels: number[]): [string, number[]] => ['BuildingRoom', levels];
  for (const type of ['bldg', 'brid', 'tun', 'ubld'])
    assert.deepEqual(foreseen(type, room([2])), [insideKey(type)], type);
  assert.deepEqual(foreseen('tran', room([2])), []);
  for (const own of [[], [4], [2, 4]]) assert.deepEqual(foreseen('bldg', room(own)), []);
  assert.deepEqual(foreseen('bldg', ['Building', [2]]), []);
  const { kind, lod, interior, noTexture, symbols } = insideKey('bldg');
  assert.deepEqual([kind, lod, interior, noTexture, symbols], ['mvt', 0, true, false, null]);
});
