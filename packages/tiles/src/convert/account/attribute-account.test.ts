import assert from 'node:assert/strict';
import { test } from 'node:test';
import { namespaceContext, parseFeature, type XmlElement } from '@citymodel/citygml';
import { columnsOf } from '../read/columns.ts';
import { DrawnRows } from '../tiles3d/drawn-rows.ts';
import { FeatureTableBuilder } from '../tiles3d/feature-table.ts';
import { AttributeAccount, type PartAttributes } from './attribute-account.ts';

const CONTEXT = namespaceContext(
  Buffer.from(
    '<core:CityModel xmlns:core="http://www.opengis.net/citygml/2.0" xmlns:gml="http://www.opengis.net/gml" ' +
      'xmlns:bldg="http://www.opengis.net/citygml/building/2.0" xmlns:gen="http://www.opengis.net/citygml/generics' +
      '/2.0" xmlns:uro="https://www.geospatial.jp/iur/uro/3.2">',
  ),
);

const BUILDING = `<bldg:Building gml:id="a">
  <gml:name>A</gml:name><gml:name>B</gml:name>
  <bldg:class codeSpace="known.xml">1</bldg:class>
  <bldg:usage codeSpace="other.xml">2</bldg:usage>
  <bldg:measuredHeight uom="m">-9999</bldg:measuredHeight>
  <bldg:yearOfConstruction></bldg:yearOfConstruction>
  <gen:stringAttribute name="k"><gen:value>v</gen:value></gen:stringAttribute>
  <gen:genericAttributeSet name="s"><gen:intAttribute name="n"><gen:value>4</gen:value></gen:intAttribute>\
</gen:genericAttributeSet>
  <bldg:lod1Solid><gml:Solid><gml:pos>1 2 3</gml:pos></gml:Solid></bldg:lod1Solid>
  <bldg:boundedBy><bldg:WallSurface gml:id="w"><gml:name>wall</gml:name></bldg:WallSurface></bldg:boundedBy>
  <uro:buildingDetailAttribute><uro:BuildingDetailAttribute><uro:surveyYear>2020</uro:surveyYear>\
</uro:BuildingDetailAttribute></uro:buildingDetailAttribute>
  <uro:keyValuePairAttribute><uro:KeyValuePairAttribute><uro:key codeSpace="known.xml">1</uro:key>\
</uro:KeyValuePairAttribute></uro:keyValuePairAttribute>
</bldg:Building>`;

/** Counts one building; `change` gives what columns are made of, `isWritten` the columns that its tile has. */
function counted(
  change: (feature: XmlElement) => XmlElement = (feature) => feature,
  isWritten: (name: string) => boolean = () => true,
  slim = false,
  text = BUILDING,
): PartAttributes {
  const account = new AttributeAccount();
  const feature = parseFeature(Buffer.from(text), CONTEXT);
  account.read(feature);
  const columns = columnsOf(change(feature), {
    labels: (codeSpace) => (codeSpace === 'known.xml' ? 'word' : undefined),
    package: { cityCode: '22203', cityName: '沼津市' },
    ...{ mesh: null, fallbackId: '', extent: null, slim, account },
  });
  // Columns of a copy count for the feature itself.
  account.beginRow(feature);
  account.row(columns);
  const table = new FeatureTableBuilder('bldg:Building');
  table.add(columns);
  const stored = table.finish().columns.filter(({ name }) => isWritten(name));
  const shown = { head: { id: 'a', type: 'bldg:Building', columns }, source: 1, lod: 1 };
  new DrawnRows(account).written([shown as never], [[0, 0]], [stored]);
  return account.finish();
}

function gapsOf({ values, missing }: PartAttributes): Record<string, number> {
  const gaps = values.map(({ type, property, in: into, out, rest }): [string, number] => [
    `${type} ${property}`,
    into - out - Object.values(rest).reduce((sum, count) => sum + count, 0),
  ]);
  return Object.fromEntries([...gaps.filter(([, gap]) => gap !== 0), ...Object.entries(missing)]);
}

test('each value is a column, or has a reason', () => {
  const { values, cells, missing } = counted();
  const fates = values.map(({ type, property, in: into, out, rest }) => [
    `${type} ${property}`,
    into,
    out,
    rest,
  ]);
  assert.deepEqual(fates, [
    ['bldg:Building gml:name', 2, 1, { REPEATED: 1 }],
    ['bldg:Building bldg:class', 1, 1, {}],
    ['bldg:Building bldg:usage', 1, 0, { CODE_WITHOUT_WORD: 1 }],
    ['bldg:Building bldg:measuredHeight', 1, 0, { VALUE_UNKNOWN: 1 }],
    ['bldg:Building bldg:yearOfConstruction', 1, 0, { EMPTY: 1 }],
    ['gen:genericAttribute string', 1, 1, {}],
    ['gen:genericAttribute int', 1, 1, {}],
    ['uro:BuildingDetailAttribute uro:surveyYear', 1, 1, {}],
    ['uro:KeyValuePairAttribute uro:key', 1, 0, { IN_JSON: 1 }],
    ['bldg:WallSurface gml:name', 1, 0, { WITHOUT_ROW: 1 }],
  ]);
  assert.equal(cells.in, cells.out);
  assert.deepEqual(missing, {});
  const slim = counted(undefined, undefined, true);
  assert.deepEqual(gapsOf(slim), {});
  const key = slim.values.find(({ property }) => property === 'uro:key');
  assert.deepEqual(key!.rest, { LEFT_OUT: 1 });
});

test('a value that no column is made of is missing', () => {
  for (const [name, key] of [
    ['bldg:usage', 'bldg:Building bldg:usage'],
    ['gen:stringAttribute', 'gen:genericAttribute string'],
    ['uro:buildingDetailAttribute', 'uro:BuildingDetailAttribute uro:surveyYear'],
    ['uro:keyValuePairAttribute', 'uro:KeyValuePairAttribute uro:key'],
  ] as const) {
    const without = ({ children, ...feature }: XmlElement) => ({
      ...feature,
      children: children.filter((child) => child.name !== name),
    });
    assert.deepEqual(gapsOf(counted(without as never)), { [key]: 1 });
  }
});

test('a column that no table has is missing', () => {
  for (const name of ['bldg:usage', 'bldg:usage_code', 'k', 's_n', 'attributes', 'gml_id'])
    assert.deepEqual(gapsOf(counted(undefined, (column) => column !== name)), { [name]: 1 });
});

test('a value that is no column is empty or refers to something, where it has no text', () => {
  const { values } = counted(
    undefined,
    undefined,
    false,
    BUILDING.replace(
      '<uro:key codeSpace="known.xml">1</uro:key>',
      '<uro:key/><uro:key xmlns:xlink="http://www.w3.org/1999/xlink" xlink:href="#b"/><uro:key>1</uro:key>',
    ),
  );
  const key = values.find(({ property }) => property === 'uro:key');
  assert.deepEqual([key!.in, key!.rest], [3, { EMPTY: 1, REFERENCE: 1, IN_JSON: 1 }]);
});

test('a generic code without a word in its list is a column of its own code', () => {
  const generic = (name: string, codeSpace: string) =>
    `<gen:genericAttribute><gen:CodeAttribute><gen:name>${name}</gen:name><gen:value codeSpace="${codeSpace}">7` +
    '</gen:value></gen:CodeAttribute></gen:genericAttribute>';
  const fates = (codeSpace: string) =>
    counted(
      undefined,
      undefined,
      false,
      `<bldg:Building gml:id="a">${generic('c', codeSpace)}</bldg:Building>`,
    ).values.map(({ type, out, rest }) => [type, out, rest]);
  assert.deepEqual(fates('known.xml'), [['gen:genericAttribute', 1, {}]]);
  assert.deepEqual(fates('other.xml'), [['gen:genericAttribute', 0, { CODE_WITHOUT_WORD: 1 }]]);
});

test('the text of all attributes has what it should tell', () => {
  const account = new AttributeAccount();
  const feature = parseFeature(Buffer.from(BUILDING), CONTEXT);
  account.read(feature);
  account.beginRow(feature);
  account.value('uro:KeyValuePairAttribute', 'uro:key', 'IN_JSON', true);
  const { missing } = account.finish();
  assert.deepEqual(missing, { 'attributes: uro:KeyValuePairAttribute uro:key': 1 });
});

test('values of objects within those of quality are left to the text of all attributes, or left out', () => {
  const quality = `<bldg:Building gml:id="a"><uro:bldgDataQualityAttribute><uro:DataQualityAttribute>\
<uro:lodType>LOD2.0</uro:lodType><uro:publicSurveyDataQualityAttribute><uro:PublicSurveyDataQualityAttribute>\
<uro:srcScaleLod0>1</uro:srcScaleLod0></uro:PublicSurveyDataQualityAttribute>\
</uro:publicSurveyDataQualityAttribute></uro:DataQualityAttribute></uro:bldgDataQualityAttribute></bldg:Building>`;
  for (const [slim, fate] of [
    [false, 'IN_JSON'],
    [true, 'LEFT_OUT'],
  ] as const) {
    const account = counted(undefined, undefined, slim, quality);
    assert.deepEqual(gapsOf(account), {});
    assert.deepEqual(
      account.values.map(({ type, property, out, rest }) => [`${type} ${property}`, out, rest]),
      [
        ['uro:DataQualityAttribute uro:lodType', 1, {}],
        ['uro:PublicSurveyDataQualityAttribute uro:srcScaleLod0', 0, { [fate]: 1 }],
      ],
    );
  }
});
