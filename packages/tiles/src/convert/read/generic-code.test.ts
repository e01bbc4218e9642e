import assert from 'node:assert/strict';
import { test } from 'node:test';
import { namespaceContext, parseFeature } from '@citymodel/citygml';
import { genericCode, nameCodeOf } from './generic-code.ts';

const CONTEXT = namespaceContext(
  Buffer.from(
    '<core:CityModel xmlns:core="http://www.opengis.net/citygml/2.0" xmlns:gml="http://www.opengis.net/gml" ' +
      'xmlns:gen="http://www.opengis.net/citygml/generics/2.0">',
  ),
);

test('generic objects belong to the part that their name or their file says', () => {
  const coded = { path: 'udx/gen/53394525_gen_6697_13_op.gml', type: 'gen' };
  assert.equal(genericCode('20', coded), '20');
  for (const name of [null, '', '道路', 'a_b', 'x'.repeat(33)])
    assert.equal(genericCode(name, coded), '13', String(name));
  assert.equal(genericCode('x'.repeat(32), coded), 'x'.repeat(32));
  assert.equal(genericCode(null, { path: 'udx/gen/53394525_gen_6697_op.gml', type: 'gen' }), null);
  assert.equal(genericCode('20', { path: 'udx/bldg/53394525_bldg_6697_13_op.gml', type: 'bldg' }), null);
});

test('a name is a code where it has a list', () => {
  const code = (content: string) =>
    nameCodeOf(
      parseFeature(Buffer.from(`<gen:GenericCityObject>${content}</gen:GenericCityObject>`), CONTEXT),
    );
  const list = 'codeSpace="../../codelists/GenericCityObject_name.XML"';
  assert.equal(code(`<gml:name>Tower</gml:name><gml:name ${list}> 20 </gml:name>`), '20');
  assert.equal(code('<gml:name>20</gml:name>'), null);
  assert.equal(code('<gml:name codeSpace="names">20</gml:name>'), null);
  assert.equal(code(`<gml:name ${list}> </gml:name>`), null);
  assert.equal(code(`<gml:description ${list}>20</gml:description>`), null);
  assert.equal(code(''), null);
});
