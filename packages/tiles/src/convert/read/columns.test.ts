import assert from 'node:assert/strict';
import { existsSync, globSync } from 'node:fs';
import { test } from 'node:test';
import { namespaceContext, parseFeature } from '@citymodel/citygml';
import { DATA } from '@citymodel/citygml/testing';
import { AttributeAccount } from '../account/attribute-account.ts';
import { GmlCodeLabels } from './code-labels.ts';
import type { Column } from './column.ts';
import { columnsOf } from './columns.ts';
import { readGml } from './features.ts';
import { gmlSources } from './testing/gml-source.ts';

const CONTEXT = namespaceContext(
  Buffer.from(
    '<core:CityModel xmlns:core="http://www.opengis.net/citygml/2.0" xmlns:gml="http://www.opengis.net/gml" ' +
      'xmlns:bldg="http://www.opengis.net/citygml/building/2.0" xmlns:wtr="http://www.opengis.net/citygml/waterbody' +
      '/2.0" xmlns:gen="http://www.opengis.net/citygml/generics/2.0" xmlns:uro="https://www.geospatial.jp/iur/uro' +
      '/3.2" xmlns:xlink="http://www.w3.org/1999/xlink">',
  ),
);

const WORDS: Record<string, string> = {
  'd.xml 1': 'X川',
  's.xml 2': 'L2（想定最大規模）',
  'r.xml 3': '3m以上5m未満',
  'u.xml 411': '住宅',
  'c.xml 22203': '静岡県沼津市',
  'k.xml 1': '急傾斜地の崩落',
  'z.xml 2': '土砂災害特別警戒区域（指定済）',
};

function columns(text: string, slim = true, more: object = {}): Record<string, string | number> {
  const options = {
    labels: (codeSpace: string, code: string) => WORDS[`${codeSpace} ${code}`],
    package: { cityCode: '22000', cityName: '静岡県' },
    mesh: '53394525',
    fallbackId: 'a.gml#0',
    extent: null,
    slim,
    ...more,
  };
  return record(columnsOf(parseFeature(Buffer.from(text), CONTEXT), options));
}

function record(list: readonly Column[]): Record<string, string | number> {
  return Object.fromEntries(list.map(({ name, value }) => [name, value]));
}

const FLOOD = `<uro:RiverFloodingRiskAttribute>
  <uro:description codeSpace="d.xml">1</uro:description><uro:rank codeSpace="r.xml">3</uro:rank>
  <uro:depth uom="m">3.5</uro:depth><uro:scale codeSpace="s.xml">2</uro:scale></uro:RiverFloodingRiskAttribute>`;

test('columns have the names of published tiles', () => {
  assert.deepEqual(
    columns(`<bldg:Building gml:id="a">
      <gen:stringAttribute name="備考"><gen:value>あ</gen:value></gen:stringAttribute>
      <bldg:usage codeSpace="u.xml">411</bldg:usage>
      <bldg:measuredHeight uom="m">16.1</bldg:measuredHeight>
      <bldg:storeysAboveGround>9999</bldg:storeysAboveGround>
      <bldg:storeysBelowGround>1</bldg:storeysBelowGround>
      <bldg:lod1Solid/>
      <uro:bldgDataQualityAttribute><uro:DataQualityAttribute><uro:lodType>LOD2.0</uro:lodType>\
<uro:publicSurveyDataQualityAttribute><uro:PublicSurveyDataQualityAttribute><uro:srcScaleLod0>1</uro:srcScaleLod0>\
</uro:PublicSurveyDataQualityAttribute></uro:publicSurveyDataQualityAttribute></uro:DataQualityAttribute>\
</uro:bldgDataQualityAttribute>
      <uro:bldgDisasterRiskAttribute>${FLOOD}</uro:bldgDisasterRiskAttribute>
      <uro:buildingDetailAttribute><uro:BuildingDetailAttribute><uro:surveyYear>0001</uro:surveyYear>\
<uro:specifiedFloorAreaRate>-9999</uro:specifiedFloorAreaRate></uro:BuildingDetailAttribute>\
</uro:buildingDetailAttribute>
      <uro:buildingIDAttribute><uro:BuildingIDAttribute><uro:buildingID>x</uro:buildingID>\
<uro:city codeSpace="c.xml">22203</uro:city></uro:BuildingIDAttribute></uro:buildingIDAttribute>
    </bldg:Building>`),
    {
      meshcode: '53394525',
      feature_type: 'bldg:Building',
      city_code: '22203',
      city_name: '静岡県沼津市',
      gml_id: 'a',
      備考: 'あ',
      'bldg:usage': '住宅',
      'bldg:usage_code': '411',
      'bldg:measuredHeight': 16.1,
      'bldg:storeysBelowGround': 1,
      'uro:lodType': 'LOD2.0',
      'X川_L2（想定最大規模）_浸水ランク': '3m以上5m未満',
      'X川_L2（想定最大規模）_浸水ランクコード': 3,
      'X川_L2（想定最大規模）_浸水深': 3.5,
      'uro:BuildingDetailAttribute_uro:surveyYear': '0001',
      'uro:BuildingIDAttribute_uro:buildingID': 'x',
      'uro:BuildingIDAttribute_uro:city': '静岡県沼津市',
      'uro:BuildingIDAttribute_uro:city_code': '22203',
    },
  );
});

test('a package without a city has no columns of one, and of mesh and sheet the mesh counts where it can be', () => {
  const row = (more: object) => columns('<bldg:Building/>', true, more);
  const own = { feature_type: 'bldg:Building', gml_id: 'a.gml#0' };
  const city = { city_code: '22000', city_name: '静岡県' };
  const sheet = '09LD131';
  assert.deepEqual(row({ package: { cityCode: '', cityName: '' }, mesh: null }), own);
  assert.deepEqual(row({ package: { cityCode: '22000', cityName: '' }, mesh: null, sheet: null }), {
    ...own,
    city_code: '22000',
  });
  assert.deepEqual(row({ sheet }), { meshcode: '53394525', ...own, ...city });
  assert.deepEqual(row({ sheet, mesh: null }), { meshcode: sheet, ...own, ...city });
  const at = (lng: number, lat: number) => ({
    extent: { west: lng, east: lng, south: lat, north: lat, minAlt: 0, maxAlt: 0 },
  });
  assert.deepEqual(row(at(139.7, 35.7)), { meshcode: '53394525', ...own, ...city });
  assert.deepEqual(row(at(8.4, 49)), { ...own, ...city });
  assert.deepEqual(row({ ...at(8.4, 49), sheet }), { meshcode: sheet, ...own, ...city });
});

test('each value is a column of its type, or counts with its reason, where all columns or only some are wanted', () => {
  const generic = (kind: string, name: string, value: string) =>
    `<gen:${kind}Attribute name="${name}"><gen:value>${value}</gen:value></gen:${kind}Attribute>`;
  const set = (name: string, inner: string) =>
    `<gen:genericAttributeSet name="${name}">${inner}</gen:genericAttributeSet>`;
  const slide = (inner: string) =>
    `<uro:risk><uro:LandSlideRiskAttribute>${inner}</uro:LandSlideRiskAttribute></uro:risk>`;
  const kind = (code: string) => `<uro:description codeSpace="k.xml">${code}</uro:description>`;
  const zone = (code: string) => `<uro:areaType codeSpace="z.xml">${code}</uro:areaType>`;
  const inner = '<uro:inner><uro:Inner><uro:x>1</uro:x></uro:Inner></uro:inner>';
  const text = `<bldg:Building gml:id="a">
    <gml:name codeSpace="names of owners">A</gml:name><gml:name codeSpace="u.xml">411</gml:name>
    ${generic('int', 'n', '4')}${generic('double', 'd', '4')}${generic('string', 's', '')}
    ${generic('string', '', 'v')}${set('set', generic('int', 'n', '5'))}${set('', generic('int', 'm', '9999'))}
    <bldg:class codeSpace="u.xml">9</bldg:class>
    <bldg:usage codeSpace="">411</bldg:usage>
    <bldg:measuredHeight uom="m">9999</bldg:measuredHeight>
    <bldg:storeysAboveGround>9999</bldg:storeysAboveGround>
    <bldg:storeysBelowGround>1</bldg:storeysBelowGround>
    <bldg:yearOfConstruction>2001</bldg:yearOfConstruction>
    <bldg:yearOfDemolition xlink:href="#x"/>
    <bldg:address><core:Address/></bldg:address>
    ${slide(`${kind('1')}${zone('2')}<uro:other>x</uro:other>`)}
    ${slide(`${kind('7')}${zone('b')}`)}${slide(kind('1'))}
    <uro:detail><uro:BuildingDetailAttribute><uro:surveyYear>0001</uro:surveyYear>${inner}\
</uro:BuildingDetailAttribute></uro:detail>
    <uro:quality><uro:DataQualityAttribute><uro:lodType>LOD2.0</uro:lodType>${inner}\
</uro:DataQualityAttribute></uro:quality>
  </bldg:Building>`;
  const counted = (only: ReadonlySet<string> | null) => {
    const account = new AttributeAccount();
    const feature = parseFeature(Buffer.from(text), CONTEXT);
    account.read(feature);
    const list = columnsOf(feature, {
      labels: (codeSpace, code) => WORDS[`${codeSpace} ${code}`],
      package: { cityCode: '', cityName: '' },
      ...{ mesh: null, fallbackId: '', extent: null, slim: true, account, only },
    });
    const values = account.finish().values.map((tally) => {
      const rest = Object.entries(tally.rest).map(([why, count]) => `${why} ${count}`);
      return `${tally.type} ${tally.property}: ${[`${tally.out} of ${tally.in}`, ...rest].join(', ')}`;
    });
    return { columns: list.map(({ name, type, value }) => `${name} ${type} ${value}`), values };
  };
  assert.deepEqual(counted(null), {
    columns: [
      'feature_type STRING bldg:Building',
      'gml_id STRING a',
      'gml:name STRING A',
      'n INT32 4',
      'd FLOAT64 4',
      'set_n INT32 5',
      'bldg:class STRING 9',
      'bldg:class_code STRING 9',
      'bldg:usage STRING 411',
      'bldg:measuredHeight FLOAT64 9999',
      'bldg:storeysBelowGround INT32 1',
      'bldg:yearOfConstruction STRING 2001',
      '土砂災害リスク_急傾斜地の崩落_区域区分 STRING 土砂災害特別警戒区域（指定済）',
      '土砂災害リスク_急傾斜地の崩落_区域区分コード INT32 2',
      '土砂災害リスク_7_区域区分 STRING b',
      'uro:BuildingDetailAttribute_uro:surveyYear STRING 0001',
      'uro:lodType STRING LOD2.0',
    ],
    values: [
      'bldg:Building gml:name: 1 of 2, REPEATED 1',
      'bldg:Building bldg:class: 0 of 1, CODE_WITHOUT_WORD 1',
      'bldg:Building bldg:usage: 1 of 1',
      'bldg:Building bldg:measuredHeight: 1 of 1',
      'bldg:Building bldg:storeysAboveGround: 0 of 1, VALUE_UNKNOWN 1',
      'bldg:Building bldg:storeysBelowGround: 1 of 1',
      'bldg:Building bldg:yearOfConstruction: 1 of 1',
      'bldg:Building bldg:yearOfDemolition: 0 of 1, REFERENCE 1',
      'bldg:Building bldg:address: 0 of 1, EMPTY 1',
      'gen:genericAttribute int: 2 of 3, VALUE_UNKNOWN 1',
      'gen:genericAttribute double: 1 of 1',
      'gen:genericAttribute string: 0 of 2, EMPTY 1, NAMELESS 1',
      'uro:LandSlideRiskAttribute uro:description: 2 of 3, LEFT_OUT 1',
      'uro:LandSlideRiskAttribute uro:areaType: 2 of 2',
      'uro:LandSlideRiskAttribute uro:other: 0 of 1, LEFT_OUT 1',
      'uro:BuildingDetailAttribute uro:surveyYear: 1 of 1',
      'uro:Inner uro:x: 0 of 2, LEFT_OUT 2',
      'uro:DataQualityAttribute uro:lodType: 1 of 1',
    ],
  });
  const some = counted(new Set(['bldg:class_code', 'bldg:measuredHeight', 'n']));
  assert.deepEqual(some.columns, [
    'n INT32 4',
    'bldg:class_code STRING 9',
    'bldg:measuredHeight FLOAT64 9999',
  ]);
  const others = some.values.filter((line) => !/: 0 of (\d+), LEFT_OUT \1$/.test(line));
  assert.deepEqual(others, [
    'bldg:Building bldg:measuredHeight: 1 of 1',
    'bldg:Building bldg:yearOfDemolition: 0 of 1, REFERENCE 1',
    'bldg:Building bldg:address: 0 of 1, EMPTY 1',
    'gen:genericAttribute int: 1 of 3, LEFT_OUT 2',
    'gen:genericAttribute string: 0 of 2, EMPTY 1, NAMELESS 1',
  ]);
});

test('geometry and prototypes of a feature are no columns, wherever they stand', () => {
  const found = columns(`<bldg:Building gml:id="a">
      <uro:place><gml:Envelope><gml:lowerCorner>1 2</gml:lowerCorner></gml:Envelope></uro:place>
      <uro:symbol><core:ImplicitGeometry><core:mimeType>model/x</core:mimeType></core:ImplicitGeometry></uro:symbol>
    </bldg:Building>`);
  const values = Object.values(found);
  assert.ok(!values.includes('1 2') && !values.includes('model/x'), JSON.stringify(found));
});

test('a generic attribute with a code list is a column of words and one of codes', () => {
  const code = (name: string, value: string) =>
    `<core:genericAttribute><gen:CodeAttribute><gen:name>${name}</gen:name><gen:value codeSpace="u.xml">${value}\
</gen:value></gen:CodeAttribute></core:genericAttribute>`;
  const found = columns(
    `<bldg:Building gml:id="a">${code('用途', '411')}${code('旧用途', '9')}</bldg:Building>`,
  );
  assert.equal(found.用途, '住宅');
  assert.equal(found.用途_code, '411');
  assert.deepEqual([found.旧用途, found.旧用途_code], ['9', '9']);
});

test('the city of a building that CityGML 3.0 holds in a hook is its city, and other hooks have none', () => {
  const found = columns(
    '<bldg:Building gml:id="a"><core:adeOfAbstractCityObject><urc:DataQualityAttribute><uro:city>1</uro:city>' +
      '</urc:DataQualityAttribute></core:adeOfAbstractCityObject><bldg:adeOfAbstractBuilding>' +
      '<uro:BuildingDetailAttribute/><uro:BuildingIDAttribute><uro:buildingID>x</uro:buildingID>' +
      '<uro:city codeSpace="c.xml">22203</uro:city></uro:BuildingIDAttribute></bldg:adeOfAbstractBuilding>' +
      '</bldg:Building>',
  );
  assert.equal(found.city_code, '22203');
  assert.equal(found['uro:BuildingIDAttribute_uro:buildingID'], 'x');
});

test('water has its risks under their own names, and a feature without a gml:id gets one', () => {
  const found = columns(
    `<wtr:WaterBody><uro:wtrFloodingRiskAttribute>${FLOOD}</uro:wtrFloodingRiskAttribute></wtr:WaterBody>`,
  );
  assert.equal(found.gml_id, 'a.gml#0');
  assert.equal(found.city_code, '22000');
  assert.equal(found['uro:rank'], '3m以上5m未満');
  assert.equal(found['uro:rank_code'], 3);
});

test('columns of 2.0 stand in the order that properties are written in', () => {
  const names = Object.keys(
    columns(
      '<bldg:Building gml:id="a"><bldg:storeysAboveGround>3</bldg:storeysAboveGround>' +
        '<bldg:usage codeSpace="u.xml">411</bldg:usage><gml:name>A</gml:name></bldg:Building>',
    ),
  );
  const own = ['bldg:storeysAboveGround', 'bldg:usage', 'gml:name'];
  assert.deepEqual(
    names.filter((name) => own.includes(name)),
    own,
  );
});

test('all attributes stand in one column, unless they are not wanted', () => {
  const text = '<bldg:Building gml:id="a"><bldg:usage codeSpace="u.xml">411</bldg:usage></bldg:Building>';
  assert.equal(
    columns(text, false).attributes,
    '{"gml:id":"a","_type":"bldg:Building","bldg:usage":["住宅"],"bldg:usage_code":["411"]}',
  );
  assert.ok(!('attributes' in columns(text)));
});

test('published columns are among ours', { skip: !existsSync(DATA) }, async () => {
  const [zip] = globSync(`${DATA}conversion/01-bldg-ward/*.zip`);
  const [gml] = await gmlSources(zip!);
  const labels = new GmlCodeLabels(gml!);
  for await (const item of readGml(gml!, { signal: new AbortController().signal, onText() {}, issue() {} })) {
    if (item.kind !== 'feature') continue;
    const found = record(
      columnsOf(item.element, {
        labels: await labels.of(item.element),
        package: gml!.package,
        mesh: gml!.mesh,
        fallbackId: '',
        extent: null,
        slim: true,
      }),
    );
    // As `13104_…_bldg_3dtiles_lod2.zip` has them.
    assert.equal(found.city_name, '東京都新宿区');
    assert.equal(found['bldg:class'], '堅ろう建物');
    assert.equal(found['bldg:address'], '東京都新宿区霞ヶ丘町');
    assert.equal(found['uro:BuildingDetailAttribute_uro:buildingRoofEdgeArea'], 2513.85514);
    assert.equal(found['uro:BuildingDetailAttribute_uro:districtsAndZonesType'], '第2種中高層住居専用地域');
    assert.equal(found['uro:lodType'], 'LOD2.0');
    assert.equal(found.延べ面積換算係数, '0.85');
    return;
  }
});

test('columns of CityGML 3.0 have the names and values of 2.0', () => {
  const found = columns(
    `<bldg:Building gml:id="a"><core:creationDate>2024-03-22T00:00:00</core:creationDate>
      <core:adeOfAbstractCityObject><urc:DataQualityAttribute>
      <urc:lod1HeightType codeSpace="h.xml">2</urc:lod1HeightType>
      </urc:DataQualityAttribute></core:adeOfAbstractCityObject>
      <con:dateOfConstruction>1998-04-01</con:dateOfConstruction>
      <con:height><con:Height><con:highReference>highestRoofEdge</con:highReference>
      <con:lowReference>lowestGroundPoint</con:lowReference>
      <con:status>measured</con:status>
      <con:value uom="m">6.3</con:value></con:Height></con:height>
      <con:height><con:Height><con:status>estimated</con:status>
      <con:value uom="m">9</con:value></con:Height></con:height>
      <bldg:adeOfAbstractBuilding><uro:BuildingDetailAttribute>
      <uro:surveyYear>2017-01-01</uro:surveyYear></uro:BuildingDetailAttribute>
      </bldg:adeOfAbstractBuilding></bldg:Building>`,
    false,
  );
  const { attributes, ...rest } = found;
  assert.deepEqual(rest, {
    ...{
      meshcode: '53394525',
      feature_type: 'bldg:Building',
      city_code: '22000',
      city_name: '静岡県',
      gml_id: 'a',
    },
    'core:creationDate': '2024-03-22',
    'uro:lod1HeightType': '2',
    'uro:lod1HeightType_code': '2',
    'bldg:yearOfConstruction': '1998',
    'bldg:measuredHeight': 6.3,
    'uro:BuildingDetailAttribute_uro:surveyYear': '2017',
  });
  assert.equal(JSON.parse(String(attributes))['con:height'].length, 2);
});

test('a risk of landslides is the word of its area, and its code where that is a number', () => {
  const risk = (kind: string, area: string) =>
    `<uro:bldgDisasterRiskAttribute><uro:LandSlideRiskAttribute><uro:description codeSpace="k.xml">${kind}\
</uro:description><uro:areaType codeSpace="z.xml">${area}</uro:areaType></uro:LandSlideRiskAttribute>\
</uro:bldgDisasterRiskAttribute>`;
  const of = (...risks: string[]) =>
    Object.fromEntries(
      Object.entries(columns(`<bldg:Building gml:id="a">${risks.join('')}</bldg:Building>`)).filter(
        ([name]) => name.startsWith('土砂災害'),
      ),
    );
  assert.deepEqual(of(risk('1', ' 2 ')), {
    土砂災害リスク_急傾斜地の崩落_区域区分: '土砂災害特別警戒区域（指定済）',
    土砂災害リスク_急傾斜地の崩落_区域区分コード: 2,
  });
  // Codes without words stand for themselves, and a code that is no number has no column of numbers.
  assert.deepEqual(of(risk('1', '7'), risk('9', 'A')), {
    土砂災害リスク_急傾斜地の崩落_区域区分: '7',
    土砂災害リスク_急傾斜地の崩落_区域区分コード: 7,
    土砂災害リスク_9_区域区分: 'A',
  });
  const without = risk('1', '2').replace(/<uro:areaType.*<\/uro:areaType>/s, '');
  assert.deepEqual(of(without), {});
});
