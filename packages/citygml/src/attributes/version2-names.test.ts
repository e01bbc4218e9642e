import assert from 'node:assert/strict';
import { test } from 'node:test';
import { textIn2, version2Names, yearIn2 } from './version2-names.ts';

const building = (attributes: Record<string, unknown>) =>
  version2Names({ _type: 'bldg:Building', ...attributes });

test('what hooks of CityGML 3.0 hold has the names of properties of 2.0, and all of it is there', () => {
  assert.deepEqual(
    building({
      'urc:RiverFloodingRiskAttribute': [{ 'urc:rank': '1', 'urc:depth': 0.4, 'urc:depth_uom': 'm' }],
      'urc:TsunamiRiskAttribute': [{ 'urc:rank': '2' }],
      'urc:KeyValuePairAttribute': [{ 'urc:key': '100' }, { 'urc:key': '101' }],
      'urc:DataQualityAttribute': [
        {
          'urc:publicSurveyDataQualityAttribute': { 'urc:srcScaleLod1': '1' },
          'urc:thematicSrcDesc': ['0', '1'],
        },
      ],
      'uro:BuildingIDAttribute': [{ 'uro:buildingID': 'x' }],
    }),
    {
      _type: 'bldg:Building',
      'uro:bldgDisasterRiskAttribute': [
        { 'uro:rank': '1', 'uro:depth': 0.4, 'uro:depth_uom': 'm' },
        { 'uro:rank': '2' },
      ],
      'uro:bldgKeyValuePairAttribute': [{ 'uro:key': '100' }, { 'uro:key': '101' }],
      'uro:bldgDataQualityAttribute': [
        {
          'uro:publicSurveyDataQualityAttribute': { 'uro:srcScaleLod1': '1' },
          'uro:thematicSrcDesc': ['0', '1'],
        },
      ],
      'uro:buildingIDAttribute': [{ 'uro:buildingID': 'x' }],
    },
  );
  const road = version2Names({
    _type: 'tran:Road',
    'urc:DataQualityAttribute': [{}],
    'urc:NewAttribute': [{}],
  });
  assert.deepEqual(Object.keys(road), ['_type', 'uro:tranDataQualityAttribute', 'urc:NewAttribute']);
});

test('types that shared a property of 2.0, or were called otherwise there, have its name', () => {
  const names: ReadonlyArray<readonly [type: string, hooked: string, name: string]> = [
    ['bldg:Building', 'urc:DmAnnotation', 'uro:bldgDmAttribute'],
    ['uro:UndergroundBuilding', 'urc:DmGeometricAttribute', 'uro:bldgDmAttribute'],
    ['uro:WaterPipe', 'urc:DmGeometricAttribute', 'uro:frnDmAttribute'],
    ['bldg:Building', 'uro:BuildingUsecaseAttribute', 'uro:bldgUsecaseAttribute'],
    ['bldg:Building', 'urc:ExteriorDataQualityAttribute', 'uro:bldgDataQualityAttribute'],
    ['bldg:Building', 'uro:IfcProject', 'uro:ifcBuildingAttribute'],
    ['bldg:Building', 'uro:IndoorFacilityAttribute', 'uro:indoorBuildingAttribute'],
    ['luse:LandUse', 'uro:IfcSite', 'uro:ifcLandUseAttribute'],
    ['brid:Bridge', 'uro:BridgeStructureAttribute', 'uro:bridStructureAttribute'],
    ['brid:Bridge', 'uro:ConstructionBaseAttribute', 'uro:bridBaseAttribute'],
    ['tun:Tunnel', 'uro:TunnelFunctionalAttribute', 'uro:tunFunctionalAttribute'],
    ['tun:Tunnel', 'uro:ConstructionRiskAssessmentAttribute', 'uro:tunRiskAssessmentAttribute'],
    ['wtr:WaterBody', 'urc:RiverFloodingRiskAttribute', 'uro:floodingRiskAttribute'],
    ['wtr:WaterBody', 'urc:TsunamiRiskAttribute', 'uro:floodingRiskAttribute'],
    ['wtr:WaterBody', 'uro:RiverFacilityIdAttribute', 'uro:wtrFacilityIdAttribute'],
    ['tran:Road', 'uro:HarborFacility', 'uro:tranFacilityAttribute'],
    ['tran:Road', 'uro:RoadType', 'uro:roadStatus'],
    ['tran:Square', 'uro:TerminalAttribute', 'uro:squareUrbanPlanAttribute'],
    ['con:OtherConstruction', 'urc:KeyValuePairAttribute', 'uro:consKeyValuePairAttribute'],
  ];
  for (const [_type, hooked, name] of names) {
    assert.deepEqual(version2Names({ _type, [hooked]: [{ 'uro:a': 1 }] }), {
      _type,
      [name]: [{ 'uro:a': 1 }],
    });
  }
  // What had one object in 2.0 has it without a list, as there.
  const dam = { _type: 'con:OtherConstruction', 'uro:ConstructionStructureAttribute': [{ 'uro:a': 1 }] };
  assert.deepEqual(version2Names(dam)['uro:consStructureAttribute'], { 'uro:a': 1 });
  const symbols = version2Names({
    _type: 'bldg:Building',
    'urc:DmAnnotation': [{ 'urc:label': 'a' }],
    'urc:DmGeometricAttribute': [{ 'urc:dmCode': 'b' }],
  });
  assert.deepEqual(symbols['uro:bldgDmAttribute'], [{ 'uro:label': 'a' }, { 'uro:dmCode': 'b' }]);
  // No risk of a water body was among those of floods but floods.
  assert.ok(
    'urc:LandSlideRiskAttribute' in
      version2Names({ _type: 'wtr:WaterBody', 'urc:LandSlideRiskAttribute': [] }),
  );
});

test('the height of a building is the measured one over the ground, else the first; heights stay beside it', () => {
  const height = (value: unknown, status: string, lowReference: string) => ({
    'con:value': value,
    'con:value_uom': 'm',
    'con:status': status,
    'con:lowReference': lowReference,
  });
  const of = (...heights: unknown[]) => {
    const found = building({ 'con:height': heights });
    assert.deepEqual(found['con:height'], heights);
    return [found['bldg:measuredHeight'], found['bldg:measuredHeight_uom']];
  };
  const [guess, roof, ground] = [
    height(9, 'estimated', 'lowestGroundPoint'),
    height(5, 'measured', 'lowestRoofEdge'),
    height(7, 'measured', 'lowestGroundPoint'),
  ];
  assert.deepEqual(of(guess, roof, ground), [7, 'm']);
  assert.deepEqual(of(guess, roof), [5, 'm']);
  assert.deepEqual(of(guess), [9, 'm']);
  assert.deepEqual(of(height('', 'measured', 'x')), [undefined, undefined]);
  assert.deepEqual(of(), [undefined, undefined]);
  const bridge = version2Names({ _type: 'brid:Bridge', 'con:height': [ground] });
  assert.ok(!('bldg:measuredHeight' in bridge));
});

test('years of construction are those of the dates, and only where 2.0 had them', () => {
  const found = building({ 'con:dateOfConstruction': '1999-04-01', 'con:dateOfDemolition': 'soon' });
  assert.equal(found['bldg:yearOfConstruction'], '1999');
  assert.equal(found['con:dateOfConstruction'], '1999-04-01');
  assert.ok(!('bldg:yearOfDemolition' in found));
  assert.deepEqual(Object.keys(version2Names({ _type: 'tran:Road', 'con:dateOfConstruction': '1999' })), [
    '_type',
    'con:dateOfConstruction',
  ]);
});

test('a feature of 2.0 stays as it is', () => {
  const attributes = {
    'gml:id': 'a',
    _type: 'bldg:Building',
    'bldg:measuredHeight': 3,
    'uro:buildingIDAttribute': [{ 'uro:buildingID': 'x' }],
    'gen:genericAttribute': [{ type: 'string', name: 'a', value: 'urc:b' }],
  };
  assert.deepEqual(version2Names(attributes), attributes);
});

test('years and days inside of objects have the form of 2.0, and what is no text stays', () => {
  assert.equal(textIn2('year', '2010-04-01'), '2010');
  assert.equal(textIn2('year', '2010-04-01T00:00:00'), '2010');
  assert.equal(textIn2('year', '-0010-04-01'), '-0010');
  for (const text of ['2010', '2010-04', 'soon', '2010-04-01x']) assert.equal(textIn2('year', text), text);
  for (const midnight of ['T00:00:00', 'T00:00:00Z', 'T00:00:00.000Z']) {
    assert.equal(textIn2('date', `2010-04-01${midnight}`), '2010-04-01');
    assert.equal(textIn2('string', `2010-04-01${midnight}`), `2010-04-01${midnight}`);
  }
  assert.equal(textIn2('date', '2010-04-01T12:00:00'), '2010-04-01T12:00:00');
  const found = building({
    'core:creationDate': '2020-01-02T00:00:00',
    'bldg:yearOfConstruction': ['1999-04-01', 7, null],
    'urc:KeyValuePairAttribute': [null, 5, 'text', { 'urc:key': [{ 'urc:b': 1 }, null] }],
  });
  assert.equal(found['core:creationDate'], '2020-01-02');
  assert.deepEqual(found['bldg:yearOfConstruction'], ['1999', 7, null]);
  assert.deepEqual(found['uro:bldgKeyValuePairAttribute'], [
    null,
    5,
    'text',
    { 'uro:key': [{ 'urc:b': 1 }, null] },
  ]);
});

test('a date that is no text has no year, and heights that are no objects no measured height', () => {
  assert.ok(!('bldg:yearOfConstruction' in building({ 'con:dateOfConstruction': 1999 })));
  assert.ok(!('bldg:yearOfConstruction' in building({ 'con:dateOfConstruction': null })));
  const heights = { 'con:value': 3, 'con:status': 'measured' };
  assert.deepEqual(building({ 'con:height': [null, 'x', heights] })['bldg:measuredHeight'], 3);
  const bare = building({ 'con:height': [heights] });
  assert.ok(!('bldg:measuredHeight_uom' in bare));
  assert.ok(!('bldg:measuredHeight' in building({ 'con:height': heights })));
  assert.ok(!('bldg:measuredHeight' in building({ 'con:other': [heights] })));
});

test('a property has a year of 2.0 where its type had one', () => {
  assert.equal(yearIn2('bldg:Building', 'con:dateOfConstruction'), 'bldg:yearOfConstruction');
  assert.equal(yearIn2('bldg:Building', 'con:dateOfDemolition'), 'bldg:yearOfDemolition');
  assert.equal(yearIn2('bldg:Building', 'con:dateOfRenovation'), null);
  assert.equal(yearIn2('tran:Road', 'con:dateOfConstruction'), null);
});
