import assert from 'node:assert/strict';
import { test } from 'node:test';
import { boxSides, feature, multiSurface, polygon, solid } from '../testing/fixtures.ts';
import { attributesOf, codeSpacesOf, skipAllButAttributes } from './attributes.ts';
import type { CodeLabels } from './code-list.ts';

const LISTS: Record<string, Record<string, string>> = {
  '../../codelists/usage.xml': { '401': '業務施設', '411': '住宅' },
};
const labels: CodeLabels = (codeSpace, code) => LISTS[codeSpace]?.[code];

function attributes(xml: string, lookUp: CodeLabels | null = labels): Record<string, unknown> {
  return attributesOf(feature(xml, skipAllButAttributes), { labels: lookUp, extent: null });
}

function building(content: string, lookUp?: CodeLabels | null): Record<string, unknown> {
  const {
    'gml:id': id,
    _type: type,
    ...rest
  } = attributes(`<bldg:Building gml:id="b1">${content}</bldg:Building>`, lookUp);
  assert.equal(id, 'b1');
  assert.equal(type, 'bldg:Building');
  return rest;
}

const USAGE = 'codeSpace="../../codelists/usage.xml"';

test('id, type and bounding box come first', () => {
  const tree = feature(
    '<bldg:Building gml:id="b1"><bldg:measuredHeight>3</bldg:measuredHeight></bldg:Building>',
  );
  const extent = { west: 139, south: 35, east: 141, north: 36, minAlt: -2, maxAlt: 4 };
  const result = attributesOf(tree, { labels: null, extent });
  assert.deepEqual(Object.keys(result), ['gml:id', '_type', '_bbox', 'bldg:measuredHeight']);
  assert.deepEqual(result._bbox, {
    min: { lng: 139, lat: 35, alt: -2 },
    max: { lng: 141, lat: 36, alt: 4 },
    center: { lng: 140, lat: 35.5, alt: 1 },
  });
  assert.deepEqual(attributesOf(feature('<bldg:Building/>'), { labels: null, extent: null }), {
    _type: 'bldg:Building',
  });
});

test('an id is what a list of ids says: without blanks around it, and none when it is empty', () => {
  assert.equal(attributes('<bldg:Building gml:id=" b1\n"/>')['gml:id'], 'b1');
  assert.deepEqual(Object.keys(attributes('<bldg:Building gml:id=" "/>')), ['_type']);
});

test('numbers are numbers where the schema says so, and text elsewhere', () => {
  assert.deepEqual(
    building(`<bldg:measuredHeight uom="m"> -9999 </bldg:measuredHeight>\
<bldg:storeysAboveGround>09</bldg:storeysAboveGround>
      <bldg:yearOfConstruction>1987</bldg:yearOfConstruction><core:creationDate>2023-03-22</core:creationDate>
      <bldg:storeyHeightsAboveGround uom="m">3.5 3 unknown</bldg:storeyHeightsAboveGround>
      <uro:buildingDetailAttribute><uro:BuildingDetailAttribute>
        <uro:serialNumberOfBuildingCertification>0012</uro:serialNumberOfBuildingCertification>
        <uro:floorAreaRate>1.50</uro:floorAreaRate><uro:buildingCoverageRate>Null</uro:buildingCoverageRate>
        <uro:surveyYear>2016</uro:surveyYear></uro:BuildingDetailAttribute></uro:buildingDetailAttribute>`),
    {
      'bldg:measuredHeight': -9999,
      'bldg:measuredHeight_uom': 'm',
      'bldg:storeysAboveGround': 9,
      'bldg:yearOfConstruction': '1987',
      'core:creationDate': '2023-03-22',
      'bldg:storeyHeightsAboveGround': [3.5, 3, 'unknown'],
      'bldg:storeyHeightsAboveGround_uom': 'm',
      'uro:buildingDetailAttribute': [
        {
          'uro:serialNumberOfBuildingCertification': '0012',
          'uro:floorAreaRate': 1.5,
          'uro:buildingCoverageRate': 'Null',
          'uro:surveyYear': '2016',
        },
      ],
    },
  );
});

test('numbers that JSON cannot hold stay text; empty ones are null', () => {
  assert.deepEqual(
    building(`<bldg:measuredHeight>INF</bldg:measuredHeight><bldg:storeysAboveGround>90071992547409931<\
/bldg:storeysAboveGround>
      <bldg:storeysBelowGround/><bldg:roofType xsi:nil="true"/><gml:description/>`),
    {
      'bldg:measuredHeight': 'INF',
      'bldg:storeysAboveGround': '90071992547409931',
      'bldg:storeysBelowGround': null,
      'bldg:roofType': null,
      'gml:description': '',
    },
  );
  assert.deepEqual(building('<bldg:measuredHeight>1e-2</bldg:measuredHeight>'), {
    'bldg:measuredHeight': 0.01,
  });
});

test('digits without end are read once, and stay text', () => {
  const long = `${'1'.repeat(500_000)}x`;
  assert.deepEqual(building(`<bldg:measuredHeight>${long}</bldg:measuredHeight>`), {
    'bldg:measuredHeight': long,
  });
});

test('booleans are booleans', () => {
  const { _type, ...rest } = attributes(
    '<brid:Bridge xmlns:brid="http://www.opengis.net/citygml/bridge/2.0"><brid:isMovable>1</brid:isMovable>' +
      '</brid:Bridge>',
  );
  assert.equal(_type, 'brid:Bridge');
  assert.deepEqual(rest, { 'brid:isMovable': true });
});

test('a coded value has its description and its code', () => {
  assert.deepEqual(building(`<bldg:class ${USAGE}> 401 </bldg:class>`), {
    'bldg:class': '業務施設',
    'bldg:class_code': '401',
  });
  assert.deepEqual(building(`<bldg:class ${USAGE}>999</bldg:class>`), { 'bldg:class_code': '999' });
  assert.deepEqual(building('<bldg:class codeSpace="missing.xml">401</bldg:class>'), {
    'bldg:class_code': '401',
  });
  assert.deepEqual(building('<bldg:class>401</bldg:class>'), { 'bldg:class': '401' });
  assert.deepEqual(building(`<bldg:class ${USAGE}>401</bldg:class>`, null), {
    'bldg:class': '401',
    'bldg:class_code': '401',
  });
});

test('coded values that repeat are parallel arrays, also when there is one', () => {
  assert.deepEqual(building(`<bldg:usage ${USAGE}>411</bldg:usage>`), {
    'bldg:usage': ['住宅'],
    'bldg:usage_code': ['411'],
  });
  assert.deepEqual(building(`<bldg:usage ${USAGE}>411</bldg:usage><bldg:usage ${USAGE}>999</bldg:usage>`), {
    'bldg:usage': ['住宅', '999'],
    'bldg:usage_code': ['411', '999'],
  });
  assert.deepEqual(building(`<bldg:usage ${USAGE}>998</bldg:usage><bldg:usage ${USAGE}>999</bldg:usage>`), {
    'bldg:usage_code': ['998', '999'],
  });
  assert.deepEqual(
    building(`<bldg:usage ${USAGE}>411</bldg:usage><bldg:usage ${USAGE}>999</bldg:usage>`, null),
    {
      'bldg:usage': ['411', '999'],
      'bldg:usage_code': ['411', '999'],
    },
  );
});

test('whether a name repeats depends on the type that has it', () => {
  const names = (type: string) =>
    attributes(
      `<frn:CityFurniture><uro:frnFacilityAttribute><uro:${type}><uro:note>a</uro:note></uro:${type}>` +
        `</uro:frnFacilityAttribute></frn:CityFurniture>`,
    )['uro:frnFacilityAttribute'];
  assert.deepEqual(names('HarborFacility'), [{ 'uro:note': ['a'] }]);
  assert.deepEqual(names('MooringFacility'), [{ 'uro:note': 'a' }]);
});

test('what occurs twice is an array whatever the schema says', () => {
  assert.deepEqual(
    building(
      '<bldg:measuredHeight uom="m">1</bldg:measuredHeight><bldg:measuredHeight>2</bldg:measuredHeight>',
    ),
    {
      'bldg:measuredHeight': [1, 2],
      'bldg:measuredHeight_uom': ['m', null],
    },
  );
});

test('attribute objects nest without the name of their type, several levels deep', () => {
  const quality = (lod: string) =>
    `<uro:bldgDataQualityAttribute><uro:DataQualityAttribute><uro:geometrySrcDescLod1 ${USAGE}>${lod}\
</uro:geometrySrcDescLod1>
     <uro:publicSurveyDataQualityAttribute><uro:PublicSurveyDataQualityAttribute><uro:srcScaleLod1 ${USAGE}\
>401</uro:srcScaleLod1>
     </uro:PublicSurveyDataQualityAttribute></uro:publicSurveyDataQualityAttribute></uro:DataQualityAttribute>\
</uro:bldgDataQualityAttribute>`;
  const expected = (code: string, label: string) => ({
    'uro:geometrySrcDescLod1': [label],
    'uro:geometrySrcDescLod1_code': [code],
    'uro:publicSurveyDataQualityAttribute': {
      'uro:srcScaleLod1': '業務施設',
      'uro:srcScaleLod1_code': '401',
    },
  });
  assert.deepEqual(building(quality('401') + quality('411')), {
    'uro:bldgDataQualityAttribute': [expected('401', '業務施設'), expected('411', '住宅')],
  });
});

test('i-UR 3.1 and 3.2: one key-value pair is a list, booleans and numbers are such', () => {
  const pair = (value: string) =>
    `<urf:keyValuePairAttribute><uro:KeyValuePairAttribute><uro:key ${USAGE}>401</uro:key>${value}` +
    `</uro:KeyValuePairAttribute></urf:keyValuePairAttribute>`;
  for (const version of ['3.1', '3.2']) {
    const namespaces =
      `xmlns:urf="https://www.geospatial.jp/iur/urf/${version}" ` +
      `xmlns:uro="https://www.geospatial.jp/iur/uro/${version}"`;
    const district = (content: string) => {
      const { _type, ...rest } = attributes(`<urf:UseDistrict ${namespaces}>${content}</urf:UseDistrict>`);
      return rest;
    };
    const key = { 'uro:key': '業務施設', 'uro:key_code': '401' };
    assert.deepEqual(district(pair('<uro:intValue>3</uro:intValue>')), {
      'urf:keyValuePairAttribute': [{ ...key, 'uro:intValue': 3 }],
    });
    assert.deepEqual(district(pair('<uro:doubleValue>0.5</uro:doubleValue>') + pair('')), {
      'urf:keyValuePairAttribute': [{ ...key, 'uro:doubleValue': 0.5 }, key],
    });
    assert.deepEqual(
      district(
        `<urf:dataQualityAttribute><uro:DataQualityAttribute><uro:lodType ${USAGE}>401</uro:lodType>` +
          `</uro:DataQualityAttribute></urf:dataQualityAttribute>`,
      ),
      { 'urf:dataQualityAttribute': { 'uro:lodType': ['業務施設'], 'uro:lodType_code': ['401'] } },
    );
  }
  assert.deepEqual(
    building(`<uro:bldgUsecaseAttribute><uro:BuildingUsecaseAttribute><uro:floorHeight uom="m">0.45</uro:floorHeight>
      <uro:isGroundFloorOpen>false</uro:isGroundFloorOpen></uro:BuildingUsecaseAttribute></uro:bldgUsecaseAttribute>`),
    {
      'uro:bldgUsecaseAttribute': [
        { 'uro:floorHeight': 0.45, 'uro:floorHeight_uom': 'm', 'uro:isGroundFloorOpen': false },
      ],
    },
  );
});

test('i-UR 1.4: application properties on the feature itself repeat, those of its details do not', () => {
  const { _type, ...rest } = attributes(
    `<luse:LandUse xmlns:luse="http://www.opengis.net/citygml/landuse/2.0" xmlns:uro="http://www.kantei.go.jp/jp\
/singi/tiiki/toshisaisei/itoshisaisei/iur/uro/1.4">
     <uro:areaInSquareMeter uom="m2">12.5</uro:areaInSquareMeter><uro:landUsePlanType ${USAGE}\
>401</uro:landUsePlanType></luse:LandUse>`,
  );
  assert.deepEqual(rest, {
    'uro:areaInSquareMeter': [12.5],
    'uro:areaInSquareMeter_uom': ['m2'],
    'uro:landUsePlanType': ['業務施設'],
    'uro:landUsePlanType_code': ['401'],
  });
  assert.deepEqual(
    building(`<uro:largeCustomerFacilities><uro:LargeCustomerFacilities><uro:capacity>300</uro:capacity>
      <uro:availability>true</uro:availability></uro:LargeCustomerFacilities></uro:largeCustomerFacilities>`),
    { 'uro:largeCustomerFacilities': [{ 'uro:capacity': 300, 'uro:availability': true }] },
  );
});

test('older and unknown application properties are arrays of objects too', () => {
  assert.deepEqual(
    building(`<uro:buildingDetails><uro:BuildingDetails><uro:surveyYear>2016</uro:surveyYear></uro:BuildingDetails>\
</uro:buildingDetails>
      <uro:extendedAttribute><uro:KeyValuePair><uro:key ${USAGE}>401</uro:key></uro:KeyValuePair>\
</uro:extendedAttribute>
      <uro:ofTomorrow><uro:Tomorrow><uro:width uom="m">2</uro:width><uro:size uom="m">x</uro:size>\
<uro:fresh>07</uro:fresh>
        <uro:twice>a</uro:twice><uro:twice>b</uro:twice></uro:Tomorrow></uro:ofTomorrow>
      <uro:plain>7</uro:plain>`),
    {
      'uro:buildingDetails': [{ 'uro:surveyYear': '2016' }],
      'uro:extendedAttribute': [{ 'uro:key': '業務施設', 'uro:key_code': '401' }],
      'uro:ofTomorrow': [
        {
          'uro:width': 2,
          'uro:width_uom': 'm',
          'uro:size': 'x',
          'uro:size_uom': 'm',
          'uro:fresh': '07',
          'uro:twice': ['a', 'b'],
        },
      ],
      'uro:plain': ['7'],
    },
  );
});

test('an object is told by the first letter of its name: a capital, or the line of an abstract type', () => {
  const held = (name: string) =>
    building(`<uro:ofTomorrow><uro:${name}><uro:fresh>07</uro:fresh></uro:${name}></uro:ofTomorrow>`)[
      'uro:ofTomorrow'
    ];
  for (const name of ['A', 'Annex', 'Z', 'Zone', '_Annex']) {
    assert.deepEqual(held(name), [{ 'uro:fresh': '07' }], name);
  }
  for (const name of ['a', 'annex', 'z', 'あ', '\u{c0}']) {
    assert.deepEqual(held(name), [{ [`uro:${name}`]: { 'uro:fresh': '07' } }], name);
  }
});

test('properties without a typed object, and names', () => {
  assert.deepEqual(
    building(`<gml:name codeSpace="http://example.com/authority">一</gml:name><gml:name>二</gml:name>\
<gml:description>三</gml:description>
      <core:externalReference><core:informationSystem>http://a</core:informationSystem>
      <core:externalObject><core:uri>http://b</core:uri></core:externalObject></core:externalReference>`),
    {
      'gml:name': '一',
      'gml:description': '三',
      'core:externalReference': [
        { 'core:informationSystem': 'http://a', 'core:externalObject': { 'core:uri': 'http://b' } },
      ],
    },
  );
  assert.deepEqual(building(`<gml:name ${USAGE}>401</gml:name>`), {
    'gml:name': '業務施設',
    'gml:name_code': '401',
  });
});

test('elements that only refer are left out, others of their name stay', () => {
  const { _type, ...group } = attributes(
    `<grp:CityObjectGroup><grp:class>1</grp:class><grp:groupMember xlink:href="#a"/><grp:groupMember role="x" \
xlink:href="#b">
     </grp:groupMember><grp:parent xlink:href="#c"/></grp:CityObjectGroup>`,
  );
  assert.deepEqual(group, { 'grp:class': '1' });
  assert.deepEqual(
    building(
      '<uro:ofTomorrow xlink:href="#x"/><uro:ofTomorrow xlink:href="#y">7</uro:ofTomorrow>' +
        '<uro:ofTomorrow>8</uro:ofTomorrow>',
    ),
    { 'uro:ofTomorrow': ['7', '8'] },
  );
  const { _type: _, ...square } = attributes(
    `<tran:Square gml:id="s"><tran:class ${USAGE}>401</tran:class><tran:trafficArea xlink:href="../tran/x.gml#a"/>
     <uro:tranDataQualityAttribute xlink:href="#q"/></tran:Square>`,
  );
  assert.deepEqual(square, { 'gml:id': 's', 'tran:class': '業務施設', 'tran:class_code': '401' });
});

test('geometry, appearance and features inside are left out, with or without being skipped while reading', () => {
  const xml = `<bldg:Building gml:id="b1"><gml:boundedBy><gml:Envelope><gml:lowerCorner>1 2 3</gml:lowerCorner>\
</gml:Envelope></gml:boundedBy>
    <app:appearance><app:Appearance><app:theme>x</app:theme></app:Appearance></app:appearance>
    <bldg:class>1</bldg:class>
    <bldg:lod1Solid>${solid(boxSides([139, 35, 0], [140, 36, 9]).map((side) => polygon([side])))}</bldg:lod1Solid>
    <bldg:boundedBy><bldg:WallSurface gml:id="w"><gml:name>wall</gml:name><bldg:lod2MultiSurface>\
${multiSurface([polygon([boxSides([139, 35, 0], [140, 36, 9])[0]!])])}</bldg:lod2MultiSurface></bldg:WallSurface>\
</bldg:boundedBy>
    <bldg:consistsOfBuildingPart><bldg:BuildingPart gml:id="p"><bldg:class>2</bldg:class></bldg:BuildingPart>\
</bldg:consistsOfBuildingPart>
    <bldg:outerBuildingInstallation><bldg:BuildingInstallation/></bldg:outerBuildingInstallation>
    <uro:bldgDmAttribute><uro:DmGeometricAttribute><uro:dmCode>3001</uro:dmCode><uro:lod0Geometry><gml:Point>\
<gml:pos>35 139 0</gml:pos></gml:Point></uro:lod0Geometry></uro:DmGeometricAttribute></uro:bldgDmAttribute>
    <uro:newGeometry><gml:Point><gml:pos>35 139 0</gml:pos></gml:Point></uro:newGeometry>
    <bldg:address><core:Address><core:multiPoint><gml:MultiPoint/></core:multiPoint></core:Address></bldg:address>
  </bldg:Building>`;
  const expected = {
    'gml:id': 'b1',
    _type: 'bldg:Building',
    'bldg:class': '1',
    'uro:bldgDmAttribute': [{ 'uro:dmCode': '3001' }],
  };
  assert.deepEqual(attributes(xml), expected);
  assert.deepEqual(attributesOf(feature(xml), { labels, extent: null }), expected);
});

test('addresses are texts of localities and districts', () => {
  const address = (content: string) =>
    `<bldg:address><core:Address><core:xalAddress><xAL:AddressDetails><xAL:Country>` +
    `<xAL:CountryName>日本</xAL:CountryName>${content}</xAL:Country></xAL:AddressDetails></core:xalAddress>` +
    `</core:Address></bldg:address>`;
  assert.deepEqual(
    building(
      address(
        '<xAL:Locality><xAL:LocalityName Type="Town">東京都大田区</xAL:LocalityName>' +
          '<xAL:DependentLocality Type="district"><xAL:DependentLocalityName>羽田空港三丁目</xAL:DependentLocalityName>' +
          '</xAL:DependentLocality></xAL:Locality>',
      ) +
        address(
          '<xAL:AdministrativeArea><xAL:AdministrativeAreaName>静岡県</xAL:AdministrativeAreaName>' +
            '</xAL:AdministrativeArea>',
        ) +
        address(''),
    ),
    { 'bldg:address': ['東京都大田区羽田空港三丁目', '静岡県'] },
  );
  assert.deepEqual(building(address('')), {});
});

test('generic attributes are one list in the order of the file, sets nested', () => {
  assert.deepEqual(
    building(`<gen:stringAttribute name="a"><gen:value>01</gen:value></gen:stringAttribute>
      <bldg:class>1</bldg:class>
      <gen:intAttribute name="b"><gen:value>2</gen:value></gen:intAttribute>
      <gen:doubleAttribute name="c"><gen:value>2.50</gen:value></gen:doubleAttribute>
      <gen:dateAttribute name="d"><gen:value>2020-01-01</gen:value></gen:dateAttribute>
      <gen:uriAttribute name="e"><gen:value>http://x</gen:value></gen:uriAttribute>
      <gen:measureAttribute name="f"><gen:value uom="m2">42</gen:value></gen:measureAttribute>
      <gen:genericAttributeSet name="g" codeSpace="z"><gen:stringAttribute name="h"><gen:value>x</gen:value>\
</gen:stringAttribute>
        <gen:genericAttributeSet name="i"><gen:intAttribute name="j"><gen:value/></gen:intAttribute>\
</gen:genericAttributeSet></gen:genericAttributeSet>`),
    {
      'gen:genericAttribute': [
        { type: 'string', name: 'a', value: '01' },
        { type: 'int', name: 'b', value: 2 },
        { type: 'double', name: 'c', value: 2.5 },
        { type: 'date', name: 'd', value: '2020-01-01' },
        { type: 'uri', name: 'e', value: 'http://x' },
        { type: 'measure', name: 'f', value: 42, uom: 'm2' },
        {
          type: 'attributeSet',
          name: 'g',
          value: [
            { type: 'string', name: 'h', value: 'x' },
            { type: 'attributeSet', name: 'i', value: [{ type: 'int', name: 'j', value: null }] },
          ],
        },
      ],
      'bldg:class': '1',
    },
  );
});

test('CityGML 3.0: a generic attribute with a code list has its description as value, and the code beside it', () => {
  const code = (name: string, value: string, list = USAGE) =>
    `<core:genericAttribute><gen:CodeAttribute><gen:name>${name}</gen:name><gen:value ${list}>${value}</gen:value>\
</gen:CodeAttribute></core:genericAttribute>`;
  const content = `${code('a', ' 411 ')}${code('b', '999')}${code('c', '411', '')}\
<core:genericAttribute><gen:GenericAttributeSet><gen:name>d</gen:name>${code('e', '401')}</gen:GenericAttributeSet>\
</core:genericAttribute>`;
  const [a, b, c, d] = building(content)['gen:genericAttribute'] as unknown[];
  assert.deepEqual(a, { type: 'string', name: 'a', value: '住宅', code: '411' });
  assert.deepEqual(b, { type: 'string', name: 'b', value: '999', code: '999' });
  assert.deepEqual(c, { type: 'string', name: 'c', value: '411' });
  const inSet = { type: 'string', name: 'e', value: '業務施設', code: '401' };
  assert.deepEqual(d, { type: 'attributeSet', name: 'd', value: [inSet] });
  const [raw] = building(content, null)['gen:genericAttribute'] as unknown[];
  assert.deepEqual(raw, { type: 'string', name: 'a', value: '411', code: '411' });
});

test('CityGML 3.0: generic attributes as objects, heights as objects, spaces and boundaries left out', () => {
  const root = `<CityModel xmlns="http://www.opengis.net/citygml/3.0" xmlns:bldg="http://www.opengis.net/citygml\
/building/3.0" xmlns:con="http://www.opengis.net/citygml/construction/3.0"
    xmlns:gen="http://www.opengis.net/citygml/generics/3.0" xmlns:gml="http://www.opengis.net/gml/3.2" \
xmlns:uro="https://www.geospatial.jp/iur/uro/4.0" xmlns:urc="https://www.geospatial.jp/iur/urc/4.0">`;
  const xml = `<bldg:Building gml:id="b1"><genericAttribute><gen:StringAttribute><gen:name>a</gen:name>\
<gen:value>1</gen:value></gen:StringAttribute></genericAttribute>
    <boundary><con:GroundSurface/></boundary><lod1Solid><gml:Solid/></lod1Solid>
    <con:height><con:Height><con:highReference>x</con:highReference><con:value uom="m">7.5</con:value></con:Height>\
</con:height>
    <bldg:class>3001</bldg:class><bldg:usage>411</bldg:usage><bldg:storeysAboveGround>2</bldg:storeysAboveGround>
    <bldg:adeOfAbstractBuilding><uro:BuildingDetailAttribute><uro:surveyYear>2020</uro:surveyYear>\
</uro:BuildingDetailAttribute></bldg:adeOfAbstractBuilding>
    ${[
      '<urc:DataQualityAttribute><urc:note>a</urc:note></urc:DataQualityAttribute>',
      ...['1', '2'].map(
        (key) => `<urc:KeyValuePairAttribute><urc:key>${key}</urc:key></urc:KeyValuePairAttribute>`,
      ),
    ]
      .map((object) => `<adeOfAbstractCityObject>${object}</adeOfAbstractCityObject>`)
      .join('')}</bldg:Building>`;
  assert.deepEqual(attributesOf(feature(xml, skipAllButAttributes, root), { labels, extent: null }), {
    'gml:id': 'b1',
    _type: 'bldg:Building',
    'gen:genericAttribute': [{ type: 'string', name: 'a', value: '1' }],
    'con:height': [{ 'con:highReference': 'x', 'con:value': 7.5, 'con:value_uom': 'm' }],
    'bldg:class': '3001',
    'bldg:usage': ['411'],
    'bldg:storeysAboveGround': 2,
    'uro:BuildingDetailAttribute': [{ 'uro:surveyYear': '2020' }],
    'urc:DataQualityAttribute': [{ 'urc:note': 'a' }],
    'urc:KeyValuePairAttribute': [{ 'urc:key': '1' }, { 'urc:key': '2' }],
  });
});

test('CityGML 3.0: what hooks hold has its place in the order of the file', () => {
  const root = `<CityModel xmlns="http://www.opengis.net/citygml/3.0" xmlns:bldg="http://www.opengis.net/citygml\
/building/3.0" xmlns:gml="http://www.opengis.net/gml/3.2" xmlns:urc="https://www.geospatial.jp/iur/urc/4.0">`;
  const pair = '<adeOfAbstractCityObject><urc:KeyValuePairAttribute/></adeOfAbstractCityObject>';
  const xml = `<bldg:Building><gml:name>a</gml:name>${pair}<bldg:class>1</bldg:class>${pair}</bldg:Building>`;
  const found = attributesOf(feature(xml, skipAllButAttributes, root), { labels: null, extent: null });
  assert.deepEqual(Object.keys(found), ['_type', 'gml:name', 'urc:KeyValuePairAttribute', 'bldg:class']);
  assert.deepEqual(found['urc:KeyValuePairAttribute'], [{}, {}]);
});

test('CityGML 3.0: areas and volumes are numbers with units, and an identifier is no code of its authority', () => {
  const root = `<CityModel xmlns="http://www.opengis.net/citygml/3.0" xmlns:bldg="http://www.opengis.net/citygml\
/building/3.0" xmlns:gml="http://www.opengis.net/gml/3.2">`;
  const xml = `<bldg:Building><gml:identifier codeSpace="urn:x">urn:x:1</gml:identifier><volume><QualifiedVolume>\
<volume uom="m3">500</volume></QualifiedVolume></volume><area><QualifiedArea><area uom="m2">99.5</area></QualifiedArea>\
</area></bldg:Building>`;
  assert.deepEqual(attributesOf(feature(xml, skipAllButAttributes, root), { labels: null, extent: null }), {
    _type: 'bldg:Building',
    'gml:identifier': 'urn:x:1',
    'core:volume': [{ 'core:volume': 500, 'core:volume_uom': 'm3' }],
    'core:area': [{ 'core:area': 99.5, 'core:area_uom': 'm2' }],
  });
});

test('code spaces are found wherever they are', () => {
  const tree = feature(
    `<bldg:Building><bldg:class codeSpace="a.xml">1</bldg:class><bldg:usage codeSpace="">1</bldg:usage><uro:x>` +
      `<uro:X><uro:y codeSpace="b.xml">1</uro:y><uro:z codeSpace="a.xml">1</uro:z></uro:X></uro:x></bldg:Building>`,
  );
  assert.deepEqual([...codeSpacesOf(tree)], ['a.xml', 'b.xml']);
});

/** What is told of an element's properties: owner, property and count. */
function toldOf(xml: string): Array<[owner: string, property: string, count: number]> {
  const calls: Array<[string, string, number]> = [];
  attributesOf(feature(xml, skipAllButAttributes), {
    labels,
    extent: null,
    told: (...call) => calls.push(call),
  });
  return calls;
}

test('what the answer has is told with its owner, and how often', () => {
  const B = 'bldg:Building';
  const counts = (content: string) => toldOf(`<${B}>${content}</${B}>`);
  const height = '<bldg:measuredHeight>3</bldg:measuredHeight>';
  const usage = `<bldg:usage ${USAGE}>401</bldg:usage>`;
  const locality =
    '<bldg:address><core:Address><core:xalAddress><xAL:LocalityName>一</xAL:LocalityName></core:xalAddress>' +
    '</core:Address></bldg:address>';
  assert.deepEqual(counts(height), [[B, 'bldg:measuredHeight', 1]]);
  assert.deepEqual(counts(`<bldg:class ${USAGE}>401</bldg:class>${usage}${usage}`), [
    [B, 'bldg:class', 1],
    [B, 'bldg:usage', 2],
  ]);
  assert.deepEqual(counts(locality + locality), [[B, 'bldg:address', 2]]);
  assert.deepEqual(counts('<uro:fresh>1</uro:fresh><uro:fresh>2</uro:fresh><uro:fresh xlink:href="#a"/>'), [
    [B, 'uro:fresh', 2],
  ]);
});

test('an object is not told, but its properties are', () => {
  const rate = '<uro:floorAreaRate>1</uro:floorAreaRate>';
  const object = `<uro:BuildingDetailAttribute>${rate}</uro:BuildingDetailAttribute>`;
  const detail = `<uro:buildingDetailAttribute>${object}</uro:buildingDetailAttribute>`;
  assert.deepEqual(toldOf(`<bldg:Building>${detail}</bldg:Building>`), [
    ['uro:BuildingDetailAttribute', 'uro:floorAreaRate', 1],
  ]);
  const held = `<uro:fresh>7</uro:fresh><uro:fresh><uro:A>${rate}</uro:A></uro:fresh>`;
  assert.deepEqual(toldOf(`<bldg:Building>${held}</bldg:Building>`), [
    ['uro:A', 'uro:floorAreaRate', 1],
    ['bldg:Building', 'uro:fresh', 1],
  ]);
});

test('generic attributes are told by type, those of a set one by one', () => {
  const one = (type: string, name: string) =>
    `<gen:${type}Attribute name="${name}"><gen:value>1</gen:value></gen:${type}Attribute>`;
  const set = `<gen:genericAttributeSet name="s">${one('string', 'b')}${one('int', 'c')}</gen:genericAttributeSet>`;
  assert.deepEqual(toldOf(`<bldg:Building>${one('double', 'a')}${set}</bldg:Building>`), [
    ['gen:genericAttribute', 'double', 1],
    ['gen:genericAttribute', 'string', 1],
    ['gen:genericAttribute', 'int', 1],
  ]);
});

test('one generic attribute is a list of one; what holds none makes no list', () => {
  assert.deepEqual(building('<gen:intAttribute name="b"><gen:value>2</gen:value></gen:intAttribute>'), {
    'gen:genericAttribute': [{ type: 'int', name: 'b', value: 2 }],
  });
  assert.deepEqual(building('<core:genericAttribute/>'), {});
});

test('units of several values stand beside them, null where one has none', () => {
  assert.deepEqual(building('<uro:fresh uom="m">1</uro:fresh><uro:fresh>2</uro:fresh>'), {
    'uro:fresh': [1, '2'],
    'uro:fresh_uom': ['m', null],
  });
  assert.deepEqual(building('<bldg:fresh uom="m"><bldg:A><bldg:b>1</bldg:b></bldg:A></bldg:fresh>'), {
    'bldg:fresh': { 'bldg:b': '1' },
    'bldg:fresh_uom': 'm',
  });
});

test('features and geometry below a hook of version 3.0 are no attributes', () => {
  const hook = (content: string) =>
    building(`<core:adeOfAbstractCityObject>${content}</core:adeOfAbstractCityObject>`);
  const own = '<uro:Own><uro:fresh>1</uro:fresh></uro:Own>';
  assert.deepEqual(hook(`${own}<bldg:BuildingPart/><gml:Point/>`), { 'uro:Own': [{ 'uro:fresh': '1' }] });
});

test('a codeSpace that is empty, or of an element that holds others, makes no code', () => {
  assert.deepEqual(building('<bldg:fresh codeSpace="">401</bldg:fresh>'), { 'bldg:fresh': '401' });
  assert.deepEqual(building(`<bldg:fresh ${USAGE}><uro:A><uro:b>1</uro:b></uro:A></bldg:fresh>`), {
    'bldg:fresh': { 'uro:b': '1' },
  });
});

test('one address is an array of one, as several are', () => {
  const address = '<xAL:LocalityName>一</xAL:LocalityName>';
  assert.deepEqual(building(`<bldg:address><core:Address>${address}</core:Address></bldg:address>`), {
    'bldg:address': ['一'],
  });
});

test('one element with two objects has two values', () => {
  const object = (value: number) => `<bldg:A><bldg:b>${value}</bldg:b></bldg:A>`;
  assert.deepEqual(building(`<bldg:fresh>${object(1)}${object(2)}</bldg:fresh>`), {
    'bldg:fresh': [{ 'bldg:b': '1' }, { 'bldg:b': '2' }],
  });
});

test('geometry, other features and implicit geometries are skipped, and nothing else', () => {
  const skipped = (name: string) => skipAllButAttributes(name, 'bldg:Building');
  const left = ['bldg:lod1Solid', 'bldg:boundedBy', 'bldg:consistsOfBuildingPart', 'core:ImplicitGeometry'];
  for (const name of left) assert.equal(skipped(name), true, name);
  for (const name of ['bldg:usage', 'bldg:address', 'uro:fresh']) assert.equal(skipped(name), false, name);
});

test('a feature inside that has no content is left out as one that has', () => {
  const part = '<bldg:consistsOfBuildingPart>';
  assert.deepEqual(building(`${part}</bldg:consistsOfBuildingPart>`), {});
  const usage = `<bldg:BuildingPart><bldg:usage>1</bldg:usage></bldg:BuildingPart>`;
  const whole = `<bldg:Building gml:id="b1">${part}${usage}</bldg:consistsOfBuildingPart></bldg:Building>`;
  assert.deepEqual(attributesOf(feature(whole), { labels, extent: null }), {
    'gml:id': 'b1',
    _type: 'bldg:Building',
  });
});
