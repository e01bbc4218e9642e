import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { factsOfXsds } from '../testing/facts-of-xsds.ts';
import { DATA, unzip } from '../testing/published.ts';
import type { SchemaFacts } from '../testing/slow-features.ts';
import { isFeatureElement, propertyOf } from './property-table.ts';

const kind = (owner: string, name: string) => {
  const property = propertyOf(owner, name);
  return property.kind + (property.repeats ? '*' : '');
};

/** What CityGML 3.0 and i-UR 4.0 say otherwise, for names and types that 2.0 and i-UR 3 have too. */
const KEPT = [
  'dem:grid=object, now child',
  'dem:tin=object, now child',
  'grp:groupMember=object*, now string*',
  'uro:buildingAddress=object, now address',
  'uro:lod2Network=object, now geometry',
  'uro:lod3Network=object, now geometry',
  'uro:parameter=object, now string',
  'uro:siteAddress=object, now address',
  ...[
    'acquisitionYear',
    'assessmentFiscalYear',
    'completionYear',
    'constructionStartYear',
    'expectedRenewalYearWithMeasures',
    'fiscalYearForCountermeasures',
    'installationYear',
    'maintenanceFiscalYear',
    'maintenanceYear',
    'repairFiscalYear',
    'surveyYear',
    'year',
    'yearClosed',
    'yearOfConstruction',
    'yearOpened',
  ].map((name) => `uro:${name}=date, now year`),
].sort();

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
  assert.ok(isFeatureElement('urf:Boundary'));
});

test('what i-UR 1.4 had, on the feature itself or in one object of details', () => {
  assert.equal(kind('bldg:Building', 'uro:buildingDetails'), 'object*');
  assert.equal(kind('uro:BuildingDetails', 'uro:districtsAndZonesType'), 'code');
  assert.equal(kind('luse:LandUse', 'uro:landUsePlanType'), 'code*');
  assert.equal(kind('luse:LandUse', 'uro:areaInSquareMeter'), 'measure*');
  assert.equal(kind('tran:Road', 'uro:trafficVolume'), 'object*');
  assert.equal(kind('uro:TrafficVolume', 'uro:largeVehicleRate'), 'number');
  assert.equal(kind('urf:UrbanPlan', 'urf:legalGrounds'), 'object');
  assert.equal(kind('urf:UrbanPlan', 'urf:validity'), 'boolean');
  for (const name of ['urf:LandUsePlan', 'urf:UrbanPlan', 'urf:CensusBlock', 'urg:Population', 'urt:Stop']) {
    assert.ok(isFeatureElement(name), name);
  }
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
  assert.ok(isFeatureElement('bldg:WallSurface'));
  assert.ok(!isFeatureElement('uro:BuildingDetailAttribute'));
});

test('every name of the schemas in the packages is in the table, as the schemas have it', async (t) => {
  if (!existsSync(DATA)) return t.skip('needs ../shared/data');
  const xsds: string[] = [];
  for (const path of globSync(`${DATA}packages/*.zip`)) {
    for (const [, bytes] of await unzip(path, /\/iur\/.*\.xsd$/)) xsds.push(bytes.toString());
  }
  const { features, groups } = factsOfXsds(xsds);
  assert.ok(features.length > 100);
  for (const name of features) assert.ok(isFeatureElement(name), name);
  const differing = new Set<string>();
  for (const [owners, facts] of groups) {
    for (const owner of owners.split(' ')) {
      for (const fact of facts) {
        const [name, expected] = fact.split('=') as [string, string];
        const found = kind(owner, name);
        if (found !== expected) differing.add(`${fact}, now ${found}`);
      }
    }
  }
  // Where versions differ about one owner, the newest counts.
  assert.deepEqual([...differing].sort(), [
    'urf:boundary=child*, now object*',
    'urf:parkSerialNumber=integer, now string',
    'urf:routeSerialNumber=integer, now string',
    'uro:facilityType=string, now code',
    'uro:lodType=string*, now string',
  ]);
});

/** Names of i-UR elements in the GML of packages. */
async function iurNames(pattern: string): Promise<string[]> {
  const names = new Set<string>();
  for (const path of globSync(`${DATA}${pattern}`)) {
    for (const [, bytes] of await unzip(path, /\.gml$/)) {
      for (const [, name] of bytes.toString('latin1').matchAll(/<(ur[a-z]:[a-z][\w.-]*)/g)) names.add(name!);
    }
  }
  return [...names].sort();
}
const unknownOf = (names: string[]) => names.filter((name) => propertyOf('x:Owner', name).kind === 'unknown');

test('every uro and urf element of the published data is in the table', async (t) => {
  if (!existsSync(DATA)) return t.skip('needs ../shared/data');
  const names = await iurNames('{packages,conversion/[!v]*}/*.zip');
  assert.ok(names.length > 100);
  assert.deepEqual(unknownOf(names), []);
});

test('the table has every name of i-UR 4.0 that the data have', async (t) => {
  if (!existsSync(DATA)) return t.skip('needs ../shared/data');
  const names = await iurNames('conversion/v3-*/*.zip');
  assert.ok(names.length > 20);
  assert.deepEqual(unknownOf(names), []);
});

test(
  'CityGML 3.0 and i-UR 4.0 are in the table as their schemas have them, but for what keeps its shape of ' +
    '2.0',
  (t) => {
    if (!existsSync(DATA)) return t.skip('needs ../shared/data');
    const files = globSync([`${DATA}schema/ogc/citygml/3.0/*.xsd`, `${DATA}schema/iur-4.0/*.xsd`]);
    const { features, groups } = factsOfXsds(files.map((file) => readFileSync(file, 'utf8')));
    assert.ok(features.length > 80);
    for (const name of features) assert.ok(isFeatureElement(name), name);
    const differing = new Set<string>();
    let same = 0;
    for (const [owners, facts] of groups) {
      for (const owner of owners.split(' ')) {
        if (/^(?:app|dyn|pcl|vers):|^core:CityModel$/.test(owner)) continue;
        for (const fact of facts) {
          const [name, expected] = fact.split('=') as [string, string];
          if (name.startsWith('gml:')) continue;
          const found = kind(owner, name);
          if (found === expected) same++;
          else differing.add(`${fact}, now ${found}`);
        }
      }
    }
    assert.ok(same > 2_500, `${same}`);
    // Addresses, appearances and templates have kinds of their own.
    const kinds =
      /^(?:\w+:address=object|core:(?:appearance|dynamizer|pointCloud|relatedTo|generalizesTo|boundary)=|core:lod\dImplicit)/;
    const kept = [...differing].filter((name) => !kinds.test(name)).sort();
    assert.deepEqual(kept, KEPT);
  },
);

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
