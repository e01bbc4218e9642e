import assert from 'node:assert/strict';
import { test } from 'node:test';
import { schemaImports } from './schema-imports.ts';

test('finds relative locations of every kind, and none on the web', () => {
  const text = `<?xml version="1.0"?>
    <xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema">
      <xs:import namespace="http://www.opengis.net/gml"
                 schemaLocation="http://schemas.opengis.net/gml/3.1.1/base/gml.xsd"/>
      <xs:import schemaLocation='../../common/1.0/types.xsd' namespace="urn:x"/>
      <xs:include schemaLocation=" part.xsd "/><xs:include schemaLocation="part.xsd"/>
      <redefine schemaLocation = "other.xsd"/>
      <xs:import namespace="urn:without"/>
      <xs:element name="schemaLocation" default="no.xsd"/>
    </xs:schema>`;
  assert.deepEqual(schemaImports(text), ['../../common/1.0/types.xsd', 'part.xsd', 'other.xsd']);
  assert.deepEqual(schemaImports(''), []);
});

test('takes time by the length of a text, whatever is in it', () => {
  for (const part of ['<import ', '<x:import schemaLocation="', " schemaLocation = '", '<a:', 'import']) {
    assert.deepEqual(schemaImports(part.repeat(500_000)), []);
  }
  const many = Array.from({ length: 10_001 }, (_, i) => `<import schemaLocation="${i}.xsd"/>`).join('');
  assert.equal(schemaImports(many).length, 10_000);
  assert.deepEqual(schemaImports(`<import schemaLocation="${'a'.repeat(2_001)}"/>`), []);
});

test('ten thousand locations of two thousand characters are followed', () => {
  const many = Array.from({ length: 10_000 }, (_, i) => `<import schemaLocation="${i}.xsd"/>`).join('');
  assert.equal(schemaImports(many).at(-1), '9999.xsd');
  const longest = 'a'.repeat(2_000);
  assert.deepEqual(schemaImports(`<import schemaLocation="${longest}"/>`), [longest]);
  assert.deepEqual(schemaImports('<import schemaLocation="  "/><import schemaLocation=""/>'), []);
});
