import assert from 'node:assert/strict';
import { test } from 'node:test';
import { IUR_VERSIONS, specEdition, specOfIur } from './iur-versions.ts';
import { canonicalPrefix, declarationFault, XML_NAMESPACE } from './namespaces.ts';

const cases: Array<[string, string, string | null]> = [
  ['http://www.opengis.net/citygml/2.0', 'core', '2.0'],
  ['http://www.opengis.net/citygml/1.0', 'core', '1.0'],
  ['http://www.opengis.net/citygml/3.0', 'core', '3.0'],
  ['http://www.opengis.net/citygml/building/2.0', 'bldg', '2.0'],
  ['http://www.opengis.net/citygml/construction/3.0', 'con', '3.0'],
  ['http://www.opengis.net/citygml/bridge/2.0/', 'brid', '2.0'],
  ['http://www.opengis.net/citygml/transportation/2.0', 'tran', '2.0'],
  ['http://www.opengis.net/citygml/cityfurniture/2.0', 'frn', '2.0'],
  ['http://www.opengis.net/citygml/waterbody/2.0', 'wtr', '2.0'],
  ['http://www.opengis.net/citygml/vegetation/2.0', 'veg', '2.0'],
  ['http://www.opengis.net/citygml/landuse/2.0', 'luse', '2.0'],
  ['http://www.opengis.net/citygml/relief/2.0', 'dem', '2.0'],
  ['http://www.opengis.net/citygml/cityobjectgroup/2.0', 'grp', '2.0'],
  ['http://www.opengis.net/citygml/generics/2.0', 'gen', '2.0'],
  ['http://www.opengis.net/citygml/appearance/2.0', 'app', '2.0'],
  ['http://www.opengis.net/citygml/tunnel/2.0', 'tun', '2.0'],
  ['http://www.opengis.net/citygml/profiles/base/2.0', 'pbase', '2.0'],
  ['http://www.opengis.net/gml', 'gml', '3.1'],
  ['http://www.opengis.net/gml/3.2', 'gml', '3.2'],
  ['urn:oasis:names:tc:ciq:xsdschema:xAL:2.0', 'xAL', '2.0'],
  ['urn:oasis:names:tc:ciq:xal:3', 'xAL', '3'],
  ['http://www.w3.org/1999/xlink', 'xlink', null],
  ['http://www.w3.org/2001/XMLSchema-instance', 'xsi', null],
  ['http://www.w3.org/XML/1998/namespace', 'xml', null],
  ['http://www.kantei.go.jp/jp/singi/tiiki/toshisaisei/itoshisaisei/iur/uro/1.4', 'uro', '1.4'],
  ['https://www.chisou.go.jp/tiiki/toshisaisei/itoshisaisei/iur/urf/1.5', 'urf', '1.5'],
  ['https://www.geospatial.jp/iur/uro/3.1', 'uro', '3.1'],
  ['http://www.geospatial.jp/iur/uro/2.0/', 'uro', '2.0'],
  ['https://www.geospatial.jp/iur/urf/17.12', 'urf', '17.12'],
];

test('every spelling of a namespace yields the usual prefix and its version', () => {
  for (const [uri, prefix, version] of cases)
    assert.deepEqual(canonicalPrefix(uri), { prefix, version }, uri);
});

test('what is not of this world is null', () => {
  for (const uri of [
    '',
    'http://example.com/',
    'http://www.opengis.net/citygml/2.0/x',
    'http://www.opengis.net/citygml/constructor/2.0',
    'http://www.opengis.net/citygml/nonsense/2.0',
    'http://www.opengis.net/gmlx',
    'a'.repeat(100_000),
  ]) {
    assert.equal(canonicalPrefix(uri), null, uri.slice(0, 60));
  }
});

test('every listed version of i-UR is recognised by its namespace, and has a product specification', () => {
  for (const { version, namespace, spec } of IUR_VERSIONS) {
    for (const prefix of ['uro', 'urf', 'urg', 'urt']) {
      assert.deepEqual(canonicalPrefix(`${namespace}${prefix}/${version}`), { prefix, version });
    }
    assert.equal(specOfIur(version), spec);
  }
  assert.equal(specOfIur('1.12'), null, 'a version that was never there');
  assert.equal(specOfIur('17.12'), IUR_VERSIONS.at(-1)!.spec, 'a later version is read as the newest one');
});

test('declarations are held to the constraints of Namespaces in XML', () => {
  const xmlns = 'http://www.w3.org/2000/xmlns/';
  for (const [prefix, uri] of [
    ['xml', XML_NAMESPACE],
    ['gml', 'http://www.opengis.net/gml'],
    ['', ''],
    ['', 'urn:a'],
    ['xmlish', 'urn:a'],
  ] as const)
    assert.equal(declarationFault(prefix, uri), null, `${prefix} ${uri}`);
  for (const [prefix, uri, expected] of [
    ['xml', 'x', /prefix xml is bound to another/],
    ['xml', '', /prefix xml/],
    ['xmlns', xmlns, /prefix xmlns/],
    ['a', XML_NAMESPACE, /another prefix than its own/],
    ['', XML_NAMESPACE, /another prefix/],
    ['a', xmlns, /another prefix/],
    ['gml', '', /prefix gml is bound to nothing/],
  ] as const)
    assert.match(declarationFault(prefix, uri) ?? '', expected, `${prefix} ${uri}`);
});

test('editions of the specification have one spelling each', () => {
  for (const { spec } of IUR_VERSIONS) assert.equal(specEdition(spec), spec);
  for (const [text, edition] of [
    ['4', '4.0'],
    ['4.1', '4.1'],
    ['4.10', '4.10'],
    ['6.0', '6'],
    ['6.1', '6.1'],
    ['16', '16.0'],
  ] as const) {
    assert.equal(specEdition(text), edition);
  }
});
