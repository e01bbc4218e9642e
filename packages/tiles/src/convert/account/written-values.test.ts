import assert from 'node:assert/strict';
import { test } from 'node:test';
import { namespaceContext, parseFeature, type XmlElement } from '@citymodel/citygml';
import { contentOf, eachValue, eachValueOf, isObject } from './written-values.ts';

const CONTEXT = namespaceContext(
  Buffer.from(
    '<core:CityModel xmlns:core="http://www.opengis.net/citygml/2.0" xmlns:gml="http://www.opengis.net/gml" ' +
      'xmlns:bldg="http://www.opengis.net/citygml/building/2.0" xmlns:gen="http://www.opengis.net/citygml/generics' +
      '/2.0" xmlns:uro="https://www.geospatial.jp/iur/uro/3.2" xmlns:app="http://www.opengis.net/citygml/appearance' +
      '/2.0" xmlns:xAL="urn:oasis:names:tc:ciq:xsdschema:xAL:2.0" xmlns:xlink="http://www.w3.org/1999/xlink">',
  ),
);

const building = (content: string) =>
  parseFeature(Buffer.from(`<bldg:Building gml:id="a">${content}</bldg:Building>`), CONTEXT);

/** Owner, property and content of each value, and the names of what is inside. */
function valuesOf(element: XmlElement): { values: string[]; inner: string[] } {
  const values: string[] = [];
  const inner: string[] = [];
  eachValue(
    element,
    (owner, property, value) => values.push(`${owner} ${property}: ${contentOf(owner, value)}`),
    (feature) => inner.push(feature.name),
  );
  return { values, inner };
}

test('bounds, appearances and geometry are no values', () => {
  const { values, inner } = valuesOf(
    building(
      '<gml:boundedBy><gml:Envelope><gml:lowerCorner>1 2 3</gml:lowerCorner></gml:Envelope></gml:boundedBy>' +
        '<app:appearance><app:Appearance><app:theme>rgb</app:theme></app:Appearance></app:appearance>' +
        '<app:appearanceMember><app:Appearance><app:theme>rgb</app:theme></app:Appearance></app:appearanceMember>' +
        '<bldg:lod1Solid><gml:Solid><gml:name>solid</gml:name></gml:Solid></bldg:lod1Solid>' +
        '<bldg:class>1</bldg:class>',
    ),
  );
  assert.deepEqual(values, ['bldg:Building bldg:class: text']);
  assert.deepEqual(inner, []);
});

test('a value has a text, refers to something, or is empty', () => {
  const { values } = valuesOf(
    building(
      '<gml:name>A</gml:name><bldg:usage> </bldg:usage><bldg:function xlink:href="#b"/>' +
        '<bldg:class xlink:href="#b">1</bldg:class>',
    ),
  );
  assert.deepEqual(values, [
    'bldg:Building gml:name: text',
    'bldg:Building bldg:usage: empty',
    'bldg:Building bldg:function: reference',
    'bldg:Building bldg:class: text',
  ]);
});

test('generic attributes count by type, also those of sets; an empty one has its text', () => {
  const value = (type: string, text: string) =>
    `<gen:${type} name="n"><gen:value>${text}</gen:value></gen:${type}>`;
  const { values } = valuesOf(
    building(
      value('stringAttribute', '') +
        `<gen:genericAttributeSet name="s">${value('intAttribute', '1')}<gml:name>no value</gml:name>` +
        `<gen:genericAttributeSet name="t">${value('dateAttribute', '2020-01-01')}</gen:genericAttributeSet>` +
        '</gen:genericAttributeSet>',
    ),
  );
  assert.deepEqual(values, [
    'gen:genericAttribute string: text',
    'gen:genericAttribute int: text',
    'gen:genericAttribute date: text',
  ]);
});

test('values of objects count as theirs, those of features inside are told apart', () => {
  const { values, inner } = valuesOf(
    building(
      '<bldg:boundedBy><bldg:WallSurface><gml:name>wall</gml:name></bldg:WallSurface></bldg:boundedBy>' +
        '<bldg:consistsOfBuildingPart><bldg:BuildingPart/></bldg:consistsOfBuildingPart>' +
        '<uro:buildingIDAttribute><uro:BuildingIDAttribute><uro:buildingID>13101-bldg-1</uro:buildingID>' +
        '</uro:BuildingIDAttribute></uro:buildingIDAttribute>',
    ),
  );
  assert.deepEqual(values, ['uro:BuildingIDAttribute uro:buildingID: text']);
  assert.deepEqual(inner, ['bldg:WallSurface', 'bldg:BuildingPart']);
});

test('an address is one value, whatever it consists of', () => {
  const address = (name: string, content: string) =>
    `<bldg:address><core:Address><core:xalAddress><xAL:AddressDetails><xAL:Country><xAL:${name}>${content}` +
    `</xAL:${name}></xAL:Country></xAL:AddressDetails></core:xalAddress></core:Address></bldg:address>`;
  const valuesWith = (name: string, content: string) => valuesOf(building(address(name, content))).values;
  assert.deepEqual(valuesWith('LocalityName', '那覇市'), ['bldg:Building bldg:address: text']);
  assert.deepEqual(valuesWith('LocalityName', ' '), ['bldg:Building bldg:address: empty']);
  // The country is that of every address.
  assert.deepEqual(valuesWith('CountryName', '日本'), ['bldg:Building bldg:address: empty']);
});

test('values of one property are those that the whole has of it', () => {
  const whole = building('<gml:name>A</gml:name><bldg:usage>1</bldg:usage>');
  const found: string[] = [];
  for (const property of whole.children) {
    eachValueOf(whole.name, property, (owner, name) => found.push(`${owner} ${name}`));
  }
  assert.deepEqual(found, ['bldg:Building gml:name', 'bldg:Building bldg:usage']);
});

test('names of objects begin with a capital or an underscore', () => {
  assert.deepEqual(['bldg:Building', 'core:_CityObject', 'bldg:usage', 'Building', 'usage'].map(isObject), [
    true,
    true,
    false,
    true,
    false,
  ]);
});
