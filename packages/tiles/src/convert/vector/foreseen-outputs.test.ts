import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { XmlElement } from '@citymodel/citygml';
import { type GmlContent, type OutputKey, outputSuffix } from '../part-maker.ts';
import { hasSymbols, symbolsOf } from './map-symbols.ts';
import { foreseenOutputs, isVectorType, plannedOutputs, symbolKey } from './vector-features.ts';

const fileOf = (type: string, path = `udx/${type}/53394525_${type}_6697_op.gml`) => ({ type, path });
const NOTHING: GmlContent = {
  ...{ lods: new Map(), reliefs: new Set(), codes: new Map(), cities: new Set() },
  ...{ hasImages: false, symbols: new Map() },
};
const namesOf = (keys: readonly OutputKey[]) => keys.map((key) => outputSuffix(key));
const symbolsOnly = (keys: readonly OutputKey[]) => keys.filter(({ symbols }) => symbols !== null);
const withoutSymbols = (keys: readonly OutputKey[]) => keys.filter(({ symbols }) => symbols === null);

test('a type has an output for each level and class, and two for map symbols, but for terrain and floods', () => {
  const planned = (type: string) =>
    withoutSymbols(plannedOutputs(fileOf(type))).map(({ sub, lod }) => `${sub} ${lod}`);
  assert.deepEqual(planned('bldg'), ['null 0']);
  for (const type of ['tran', 'rwy', 'trk', 'squr', 'wwy'])
    assert.deepEqual(planned(type), ['null 0', 'null 1', 'null 2']);
  for (const type of ['luse', 'lsld']) assert.deepEqual(planned(type), ['null null']);
  for (const type of ['urf', 'area']) assert.deepEqual(planned(type), ['{class} 0', '{class} 1']);
  for (const type of ['cons', 'wtr', 'ubld']) assert.deepEqual(planned(type), ['null 0']);
  assert.deepEqual(planned('gen'), ['null 0', 'null 1']);
  for (const type of ['veg', 'frn', 'dem', 'fld', 'constructor']) {
    assert.deepEqual([planned(type), isVectorType(type)], [[], false], type);
  }
  for (const type of ['dem', 'fld', 'tnm', 'htd', 'ifld', 'rfld'])
    assert.deepEqual(plannedOutputs(fileOf(type)), []);
  for (const [type, sub] of [
    ['frn', null],
    ['bldg', null],
    ['veg', '{class}'],
    ['unf', '{class}'],
    ['urf', '{class}'],
  ] as const) {
    assert.deepEqual(
      symbolsOnly(plannedOutputs(fileOf(type))).map((key) => [key.symbols, key.sub, key.lod]),
      [
        ['dm_annotations', sub, null],
        ['dm_geometric_attributes', sub, null],
      ],
      type,
    );
  }
});

test('what a file will add to follows from its levels, classes, codes and map symbols', () => {
  const foreseen = (type: string, content: Partial<GmlContent>, path?: string) =>
    namesOf(foreseenOutputs(fileOf(type, path), { ...NOTHING, ...content }));
  const lods = (of: Record<string, number[]>) =>
    new Map(Object.entries(of).map(([name, levels]) => [name, new Set(levels)]));
  assert.deepEqual(foreseen('tran', { lods: lods({ Road: [0, 2], Lane: [3] }) }), [
    'tran_mvt_lod0',
    'tran_mvt_lod2',
  ]);
  // Footprints come from any level, and land use says none.
  assert.deepEqual(foreseen('bldg', { lods: lods({ Building: [2] }) }), ['bldg_mvt_lod0']);
  assert.deepEqual(foreseen('bldg', { lods: lods({ Building: [] }) }), []);
  assert.deepEqual(foreseen('luse', { lods: lods({ LandUse: [1] }) }), ['luse_mvt']);
  assert.deepEqual(foreseen('luse', {}), []);
  assert.deepEqual(foreseen('urf', { lods: lods({ UseDistrict: [1], Zone: [0, 1], Other: [3] }) }), [
    'urf_Zone_mvt_lod0',
    'urf_UseDistrict_mvt_lod1',
    'urf_Zone_mvt_lod1',
  ]);
  const codes = new Map([
    ['20', new Set([1])],
    [null, new Set([0, 1])],
  ]);
  assert.deepEqual(foreseen('gen', { codes }), ['gen_mvt_lod0', 'gen_20_mvt_lod1', 'gen_mvt_lod1']);
  const symbols = new Map([
    ['PlantCover', new Set(['dm_annotations'] as const)],
    ['Tree', new Set(['dm_annotations', 'dm_geometric_attributes'] as const)],
  ]);
  assert.deepEqual(foreseen('veg', { symbols }), [
    'veg_PlantCover_dm_annotations',
    'veg_Tree_dm_annotations',
    'veg_Tree_dm_geometric_attributes',
  ]);
  assert.deepEqual(foreseen('frn', { symbols: new Map([['Sign', new Set(['dm_annotations'] as const)]]) }), [
    'frn_dm_annotations',
  ]);
  const generic = { codes, symbols: new Map([['GenericCityObject', new Set(['dm_annotations'] as const)]]) };
  assert.deepEqual(
    foreseen('gen', generic)
      .filter((name) => name.includes('dm_'))
      .sort(),
    ['gen_20_dm_annotations', 'gen_dm_annotations'],
  );
});

const element = (name: string, ...children: XmlElement[]): XmlElement => ({
  ...{ name, children, text: '', attributes: {} },
});

test('a map symbol is an attribute of i-UR, in whatever a feature holds but its geometry', () => {
  assert.equal(symbolsOf('uro:DmAnnotation'), 'dm_annotations');
  assert.equal(symbolsOf('urf:DmGeometricAttribute'), 'dm_geometric_attributes');
  for (const name of ['gml:DmAnnotation', 'uro:DmElement', 'uro:constructor'])
    assert.equal(symbolsOf(name), null);
  const symbol = element('uro:dmAttribute', element('uro:DmAnnotation'));
  assert.equal(hasSymbols(element('frn:CityFurniture', symbol)), true);
  assert.equal(hasSymbols(element('a', element('b', element('c'), symbol))), true);
  assert.equal(hasSymbols(element('a', element('gml:b', symbol))), false);
  assert.equal(hasSymbols(element('a', element('b'))), false);
});

test('the package of a map symbol is that of the class that has it, or of the code of its feature', () => {
  const owner = element('veg:PlantCover');
  const codeSpace = '../../codelists/GenericCityObject_name.xml';
  const name = { ...element('gml:name'), text: '20', attributes: { codeSpace } };
  const named = element('gen:GenericCityObject', name);
  const nameOf = (type: string, feature: XmlElement) =>
    outputSuffix(symbolKey({ symbols: 'dm_annotations', owner }, feature, fileOf(type)));
  assert.equal(nameOf('veg', owner), 'veg_PlantCover_dm_annotations');
  assert.equal(nameOf('frn', owner), 'frn_dm_annotations');
  assert.equal(nameOf('gen', named), 'gen_20_dm_annotations');
});
