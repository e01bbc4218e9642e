import assert from 'node:assert/strict';
import { test } from 'node:test';
import { feature } from '../testing/fixtures.ts';
import { genericAttributeOf, genericTypeOf, isGenericAttribute } from './generic-attributes.ts';

test('generic attributes are told by their names in both versions', () => {
  for (const [name, isGeneric, type] of [
    ['gen:stringAttribute', true, 'string'],
    ['gen:IntAttribute', true, 'int'],
    ['gen:CodeAttribute', true, 'string'],
    ['gen:genericAttributeSet', true, 'attributeSet'],
    ['gen:genericAttribute', true, null],
    ['core:genericAttribute', true, null],
    ['core:stringAttribute', false, null],
    ['gen:value', false, null],
    ['gen:toString', false, null],
    ['bldg:usage', false, null],
  ] as const) {
    assert.equal(isGenericAttribute(name), isGeneric, name);
    assert.equal(genericTypeOf(name), type, name);
  }
});

test('numbers are such where the type says so, an empty one is null, and other types stay text', () => {
  for (const [type, text, value] of [
    ['int', ' 07 ', 7],
    ['double', '2.5', 2.5],
    ['measure', '', null],
    ['int', 'x', 'x'],
    ['string', ' 07 ', '07'],
    ['string', '', ''],
    ['date', '2020-01-01', '2020-01-01'],
    ['uri', 'a:b', 'a:b'],
  ] as const) {
    const xml = `<gen:${type}Attribute name=" a "><gen:value>${text}</gen:value></gen:${type}Attribute>`;
    assert.deepEqual(genericAttributeOf(feature(xml), null), { type, name: 'a', value });
  }
});

test('what holds no generic attribute is none, and one without name or value has empty ones', () => {
  assert.equal(genericAttributeOf(feature('<core:genericAttribute/>'), null), null);
  const foreign = '<core:genericAttribute><bldg:usage>1</bldg:usage></core:genericAttribute>';
  assert.equal(genericAttributeOf(feature(foreign), null), null);
  const other = '<core:stringAttribute><gen:intAttribute name="a"/></core:stringAttribute>';
  assert.deepEqual(genericAttributeOf(feature(other), null), { type: 'int', name: 'a', value: null });
  assert.deepEqual(genericAttributeOf(feature('<gen:stringAttribute/>'), null), {
    type: 'string',
    name: '',
    value: '',
  });
});
