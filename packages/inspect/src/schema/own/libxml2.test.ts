import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { test } from 'node:test';
import { Libxml2Schemas } from './libxml2.ts';
import { SchemasRefused, type XsdFile } from './own-schemas.ts';

const XS = 'xmlns:xs="http://www.w3.org/2001/XMLSchema"';

const file = (path: string, text: string): XsdFile => ({ path, bytes: Buffer.from(text) });
const schema = (namespace: string, inside: string, more = '') =>
  `<?xml version="1.0"?>\n<xs:schema ${XS} targetNamespace="${namespace}" elementFormDefault="qualified"${more}>` +
  `${inside}</xs:schema>`;

/** A root of a namespace with children of another one. */
const CITY = file(
  'city.xsd',
  schema(
    'urn:city',
    `\n<xs:import namespace="urn:house"\n  schemaLocation="https://houses.example/1.0/house.xsd"/>\n` +
      '<xs:element name="City"><xs:complexType><xs:sequence>' +
      '<xs:element ref="h:House" maxOccurs="unbounded"/></xs:sequence></xs:complexType></xs:element>',
    ' xmlns:h="urn:house"',
  ),
);
const HOUSE = file('parts/house.xsd', schema('urn:house', '<xs:element name="House" type="xs:int"/>'));
const WRONG =
  '<City xmlns="urn:city" xmlns:h="urn:house">\n<h:House>1</h:House>\n<h:House>one</h:House></City>';

const compare = (files: XsdFile[], text: string) => {
  using schemas = new Libxml2Schemas(files);
  return schemas.compare(Buffer.from(text));
};
const refusal = (files: XsdFile[]): string => {
  try {
    compare(files, WRONG);
  } catch (error) {
    assert.ok(error instanceof SchemasRefused, String(error));
    return error.message;
  }
  return assert.fail('the XSDs are used');
};

test('an import leads to the XSD of its namespace, whatever its address; faults have the line of the element', () => {
  const { faults, left, skipped } = compare([CITY, HOUSE], WRONG);
  assert.deepEqual([left, skipped, faults.length], [0, null, 1]);
  assert.equal(faults[0]!.line, 3);
  assert.match(faults[0]!.message, /'one' is not a valid value of the atomic type 'xs:int'/);
});

test('lines beyond 65,535 are told', () => {
  const text = `<City xmlns="urn:city" xmlns:h="urn:house">${'\n'.repeat(70_000)}<h:House>x</h:House></City>`;
  assert.equal(compare([CITY, HOUSE], text).faults[0]!.line, 70_001);
});

test('XSDs of one namespace that nobody includes are used together, and a schemaLocation chooses one', () => {
  const of = (name: string, type: string) =>
    file(name, schema('urn:city', `<xs:element name="City" type="${type}"/>`));
  const versions = [of('1.0/city.xsd', 'xs:int'), of('2.0/city.xsd', 'xs:date')];
  const text = (version: string) =>
    `<City xmlns="urn:city" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" ` +
    `xsi:schemaLocation="urn:city https://city.example/schemas/${version}/city.xsd">7</City>`;
  assert.deepEqual(compare(versions, text('1.0')).faults, []);
  assert.match(compare(versions, text('2.0')).faults[0]!.message, /xs:date/);
  const parts = [
    file('a.xsd', schema('urn:city', '<xs:element name="City" type="c:Kind"/>', ' xmlns:c="urn:city"')),
    file(
      'b.xsd',
      schema('urn:city', '<xs:simpleType name="Kind"><xs:restriction base="xs:int"/></xs:simpleType>'),
    ),
  ];
  assert.deepEqual(compare(parts, '<City xmlns="urn:city">7</City>').faults, []);
  assert.equal(compare(parts, '<City xmlns="urn:city">x</City>').faults.length, 1);
});

test('a root that no XSD knows, and a text with a document type, are not compared', () => {
  assert.match(compare([HOUSE], WRONG).skipped!, /namespace of the root element \{urn:city\}City/);
  const bomb = '<!DOCTYPE City [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;">]><City xmlns="urn:city" x="&b;"/>';
  assert.match(compare([CITY, HOUSE], bomb).skipped!, /document type/);
  assert.match(
    compare([CITY, HOUSE], Buffer.from(bomb, 'utf16le').toString('latin1')).skipped!,
    /document type/,
  );
  assert.match(compare([CITY, HOUSE], '<City xmlns="urn:city">').skipped!, /cannot read the file: line 1/);
});

test('XSDs that are broken, declare entities, or refer to what is not there are refused with their line', () => {
  assert.match(refusal([file('x/a.xsd', '<xs:schema>')]), /x\/a\.xsd cannot be used: it is not well-formed/);
  assert.match(refusal([file('a.xsd', '<schema/>')]), /a\.xsd cannot be used: its root is no xs:schema/);
  assert.match(refusal([{ path: 'a.xsd', bytes: Buffer.from([0x3c, 0xff]) }]), /it is not UTF-8/);
  assert.match(refusal([file('a.xsd', `<xs:schema ${XS}/>`)]), /target namespace/);
  assert.match(
    refusal([CITY]),
    /city\.xsd imports the namespace urn:house \(https:\/\/houses\.example\/1\.0\/house\.xsd\) in line 4/,
  );
  const wrongType = file(
    'parts/house.xsd',
    schema('urn:house', '\n\n<xs:element name="House" type="xs:integr"/>'),
  );
  assert.match(
    refusal([CITY, wrongType]),
    /libxml2 cannot use the XSDs: parts\/house\.xsd, line 4: .*integr/s,
  );
  const type = '<!DOCTYPE xs:schema [\n<!ENTITY passwords SYSTEM "file:///etc/passwd">]>';
  const entity = `${type}\n<xs:schema ${XS}>&passwords;</xs:schema>`;
  assert.match(refusal([file('a.xsd', entity)]), /a\.xsd cannot be used: it declares entities/);
});

for (const location of [
  'http://127.0.0.1:1/house.xsd',
  '../../etc/house-of-others.xsd',
  '/etc/passwd',
  'file:///etc/passwd',
  'a\\..\\b.xsd',
]) {
  test(`an include of ${location} is refused: nothing outside of the directory is read`, () => {
    const xsd = file('deep/city.xsd', schema('urn:city', `<xs:include schemaLocation="${location}"/>`));
    assert.match(
      refusal([xsd, file('other.xsd', schema('urn:other', ''))]),
      /deep\/city\.xsd includes .* in line 2/,
    );
  });
}

test('an include that leaves the directory and comes back finds the XSD by the end of its path', () => {
  const xsd = file('city.xsd', schema('urn:city', '<xs:include schemaLocation="../schemas/part.xsd"/>'));
  const part = file('part.xsd', schema('urn:city', '<xs:element name="City" type="xs:int"/>'));
  assert.equal(compare([xsd, part], '<City xmlns="urn:city">x</City>').faults.length, 1);
});

const DATA = resolve(import.meta.dirname, '../../../../../../shared/data/schema');
const published = globSync('{ogc,iur-3.1}/**/*.xsd', { cwd: DATA });
test('the published XSDs are used as they are', {
  skip: published.length === 0 && 'the XSDs are not here',
}, () => {
  const files = published.map((path) => ({ path, bytes: readFileSync(join(DATA, path)) }));
  const text =
    '<core:CityModel xmlns:core="http://www.opengis.net/citygml/2.0" xmlns:gml="http://www.opengis.net/gml">\n' +
    '<core:cityObjectMember><b:Building xmlns:b="http://www.opengis.net/citygml/building/2.0" gml:id="b">\n' +
    '<b:storeysAboveGround>many</b:storeysAboveGround></b:Building></core:cityObjectMember></core:CityModel>';
  const { faults, skipped } = compare(files, text);
  assert.equal(skipped, null);
  assert.deepEqual(
    faults.map(({ line }) => line),
    [3],
  );
});
