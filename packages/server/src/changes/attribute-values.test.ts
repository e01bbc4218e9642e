import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { canonical, valuesByPath } from './attribute-values.ts';

test('codes, nested objects, lists and generic attributes have one path each', () => {
  const values = valuesByPath({
    'gml:id': 'a',
    _type: 'bldg:Building',
    _bbox: {},
    'bldg:measuredHeight': 9.5,
    'bldg:measuredHeight_uom': 'm',
    'bldg:usage': ['住宅', '商業施設'],
    'bldg:usage_code': ['411', '402'],
    'bldg:class_code': '3001',
    'uro:buildingDetails': [{ 'uro:surveyYear': 2020 }],
    'uro:detail': [{ 'uro:area': 12, 'uro:use': '店', 'uro:use_code': '4' }],
    'uro:risk': [{ rank: 2 }, { rank: 1 }],
    'gen:genericAttribute': [
      { type: 'string', name: '町', value: '見本町' },
      { type: 'measure', name: '高さ', value: 3, uom: 'm' },
      { type: 'attributeSet', name: '組', value: [{ type: 'int', name: '数', value: 1 }] },
    ],
  });
  assert.deepEqual(Object.fromEntries(values), {
    'bldg:measuredHeight': { value: 9.5 },
    'bldg:measuredHeight_uom': { value: 'm' },
    'bldg:usage': { value: ['402', '411'], label: '住宅, 商業施設' },
    'bldg:class': { value: '3001' },
    'uro:buildingDetailAttribute/uro:surveyYear': { value: 2020 },
    'uro:detail/uro:area': { value: 12 },
    'uro:detail/uro:use': { value: '4', label: '店' },
    'uro:risk': { value: [{ rank: 1 }, { rank: 2 }] },
    'gen:genericAttribute/町': { value: '見本町' },
    'gen:genericAttribute/高さ': { value: 3 },
    'gen:genericAttribute/高さ_uom': { value: 'm' },
    'gen:genericAttribute/組/数': { value: 1 },
  });
});

test('a code stands before its label, whichever of them comes first', () => {
  const both = { value: '411', label: '住宅' };
  for (const properties of [
    { 'bldg:usage_code': '411', 'bldg:usage': '住宅' },
    { 'bldg:usage': '住宅', 'bldg:usage_code': '411' },
  ])
    assert.deepEqual(Object.fromEntries(valuesByPath(properties)), { 'bldg:usage': both });
  assert.deepEqual(Object.fromEntries(valuesByPath({ _code: 'x', 'a:name': 'y' })), {
    _code: { value: 'x' },
    'a:name': { value: 'y' },
  });
});

test('a list is one value unless all of it has names of its own', () => {
  const valuesOf = (list: unknown) => Object.fromEntries(valuesByPath({ 'a:list': list }));
  const whole = (value: unknown) => ({ 'a:list': { value } });
  assert.deepEqual(valuesOf([]), whole([]));
  assert.deepEqual(valuesOf(['c', 'a', 'b', 'a']), whole(['a', 'a', 'b', 'c']));
  assert.deepEqual(valuesOf([3, null, 'x', { a: 1 }]), whole(['x', 3, null, { a: 1 }]));
  assert.deepEqual(valuesOf([{ name: 'b' }, { name: 'a' }]), whole([{ name: 'a' }, { name: 'b' }]));
  assert.deepEqual(valuesOf([{ value: 2 }, { value: 1 }]), whole([{ value: 1 }, { value: 2 }]));
  const twice = [
    { name: 'a', value: 2 },
    { name: 'a', value: 1 },
  ];
  assert.deepEqual(valuesOf(twice), whole(twice.toReversed()));
  const numbered = [
    { name: 1, value: 1 },
    { name: 2, value: 2 },
  ];
  assert.deepEqual(valuesOf(numbered), whole(numbered));
  assert.deepEqual(valuesOf([null]), whole(null));
  assert.deepEqual(valuesOf([{ b: 2, a: { c: 1 } }]), {
    'a:list/b': { value: 2 },
    'a:list/a/c': { value: 1 },
  });
});

test('one code of a list is that code, and words that say nothing are no label', () => {
  const namedBy = (code: unknown, words: unknown) =>
    valuesByPath({ 'a:use': words, 'a:use_code': code }).get('a:use');
  assert.deepEqual(namedBy(['411'], ['住宅']), { value: '411', label: '住宅' });
  for (const words of ['', [], 5, null, undefined]) assert.deepEqual(namedBy('411', words), { value: '411' });
});

test('the order of objects and their keys counts for nothing, every value counts', () => {
  const shuffled = (value: unknown): unknown => {
    if (typeof value !== 'object' || value === null) return value;
    if (Array.isArray(value)) return value.map(shuffled);
    return Object.fromEntries(
      Object.entries(value)
        .reverse()
        .map(([name, one]) => [name, shuffled(one)]),
    );
  };
  fc.assert(
    fc.property(fc.jsonValue(), fc.jsonValue(), (one, other) => {
      assert.equal(canonical(shuffled(one)), canonical(one));
      assert.deepEqual(JSON.parse(canonical(one)), JSON.parse(JSON.stringify(one)));
      assert.equal(
        canonical(one) === canonical(other),
        fc.stringify(JSON.parse(canonical(one))) === fc.stringify(JSON.parse(canonical(other))),
      );
    }),
  );
});

test('what is no value is null', () => {
  assert.equal(canonical(undefined), 'null');
  assert.equal(canonical({ a: undefined, b: [undefined] }), '{"a":null,"b":[null]}');
});
