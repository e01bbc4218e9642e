import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { DATA } from '../testing/published.ts';
import type { SchemaFacts } from '../testing/slow-features.ts';
import { isFeatureType, propertyOf } from './property-table.ts';

const kind = (owner: string, name: string) => {
  const property = propertyOf(owner, name);
  return property.kind + (property.repeats ? '*' : '');
};

test('what the schemas say, by owner', () => {
  assert.equal(kind('bldg:Building', 'bldg:usage'), 'code*');
  assert.equal(kind('bldg:Building', 'bldg:class'), 'code');
  assert.equal(kind('bldg:Building', 'bldg:measuredHeight'), 'measure');
  assert.equal(kind('bldg:Building', 'bldg:yearOfConstruction'), 'year');
  assert.equal(kind('bldg:Building', 'bldg:address'), 'address*');
  assert.equal(kind('bldg:Building', 'bldg:boundedBy'), 'child*');
  assert.equal(kind('uro:HarborFacility', 'uro:note'), 'string*');
  assert.equal(kind('uro:DamAttribute', 'uro:note'), 'string');
  assert.equal(kind('dem:ReliefFeature', 'dem:lod'), 'integer');
  assert.equal(kind('wtr:WaterBody', 'gml:name'), 'string');
});

test('what i-UR 3.1 added', () => {
  assert.equal(kind('urf:UseDistrict', 'urf:keyValuePairAttribute'), 'object*');
  assert.equal(kind('bldg:Building', 'uro:bldgKeyValuePairAttribute'), 'object*');
  assert.equal(kind('uro:BuildingUsecaseAttribute', 'uro:isGroundFloorOpen'), 'boolean');
  assert.equal(kind('uro:BuildingUsecaseAttribute', 'uro:floorHeight'), 'measure');
  assert.ok(isFeatureType('urf:Boundary'));
});

test('properties that the table does not have', () => {
  assert.equal(kind('bldg:Building', 'uro:ofTomorrow'), 'unknown*');
  assert.equal(kind('uro:BuildingDetailAttribute', 'uro:ofTomorrow'), 'unknown');
  assert.equal(kind('bldg:Building', 'bldg:ofTomorrow'), 'unknown');
  assert.equal(kind('bldg:Building', 'core:ofTomorrow'), 'unknown');
  assert.equal(kind('con:Tower', 'core:lod3MultiSurface'), 'geometry');
  assert.equal(kind('urf:UseDistrict', 'urf:lod-2MultiPoint'), 'geometry');
  assert.equal(kind('uro:X', 'uro:lod1HeightType'), 'code');
  assert.equal(kind('uro:X', 'uro:lod5HeightType'), 'unknown');
  assert.ok(isFeatureType('bldg:WallSurface'));
  assert.ok(!isFeatureType('uro:BuildingDetailAttribute'));
});

test('every fact of the schemas is in the table', (t) => {
  if (!existsSync(DATA)) return t.skip('needs ../shared/data');
  const facts = JSON.parse(
    readFileSync(`${DATA}schema/citygml2-iur3-properties.json`, 'utf8'),
  ) as SchemaFacts;
  const codes = new Map<string, string>([
    ['gml:CodeType', 'code'],
    ['gml:MeasureType', 'measure'],
    ['gml:LengthType', 'measure'],
    ['xs:double', 'number'],
    ['xs:integer', 'integer'],
    ['xs:boolean', 'boolean'],
    ['xs:string', 'string'],
    ['xs:date', 'date'],
    ['xs:gYear', 'year'],
    ['xs:anyURI', 'uri'],
  ]);
  let checked = 0;
  for (const [owner, properties] of [
    ...Object.entries(facts.features),
    ...Object.entries(facts.complexTypes),
  ]) {
    for (const { name, type, maxOccurs, flag } of properties) {
      const property = propertyOf(owner, name);
      assert.equal(property.repeats, maxOccurs !== '1', `${owner} ${name}`);
      const expected = codes.get(type);
      if (expected !== undefined) assert.equal(property.kind, expected, `${owner} ${name}`);
      if (flag === 'feature') assert.equal(property.kind, 'child', `${owner} ${name}`);
      checked++;
    }
  }
  assert.equal(checked, 8448);
});
