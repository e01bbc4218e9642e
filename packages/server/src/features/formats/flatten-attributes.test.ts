import assert from 'node:assert/strict';
import { test } from 'node:test';
import { flattenAttributes } from './flatten-attributes.ts';

const flat = (attributes: Record<string, unknown>) => Object.fromEntries(flattenAttributes(attributes));

test('values, lists and objects become columns', () => {
  assert.deepEqual(
    flat({
      'gml:id': 'a',
      'bldg:usage': ['住宅'],
      'bldg:usage_code': ['411'],
      'bldg:function': ['1', '2'],
      'bldg:measuredHeight': 9.5,
      'uro:open': false,
      'uro:nothing': null,
      'uro:empty': [],
      _bbox: { min: { lng: 1, lat: 2, alt: 3 } },
    }),
    {
      'gml:id': 'a',
      'bldg:usage': '住宅',
      'bldg:usage_code': '411',
      'bldg:function': '1; 2',
      'bldg:measuredHeight': 9.5,
      'uro:open': false,
      'uro:nothing': null,
      '_bbox.min.lng': 1,
      '_bbox.min.lat': 2,
      '_bbox.min.alt': 3,
    },
  );
});

test('attributes of several objects keep their positions', () => {
  assert.deepEqual(flat({ a: [{ x: 1 }, { y: 2, z: { w: ['p', 'q'] } }, { x: 3 }] }), {
    'a.x': '1; ; 3',
    'a.y': '; 2; ',
    'a.z.w': '; p; q; ',
  });
  assert.deepEqual(flat({ a: [{ x: 1, b: { c: 'd' } }] }), { 'a.x': 1, 'a.b.c': 'd' });
});

test('a list of very many objects with different attributes stays small', () => {
  const columns = flattenAttributes({ a: Array.from({ length: 10_000 }, (_, i) => ({ [`k${i}`]: i })) });
  assert.equal(columns.size, 10_000);
  assert.equal(columns.get('a.k9999'), 9999);
});

test('positions are kept in a list of up to a hundred objects', () => {
  for (const [length, between] of [
    [100, '; '.repeat(99)],
    [101, '; '],
  ] as const) {
    const objects = Array.from({ length }, () => ({}) as Record<string, number>);
    objects[0]!.first = 1;
    objects[0]!.both = 1;
    objects.at(-1)!.both = 2;
    objects.at(-1)!.last = 2;
    const isAligned = length === 100;
    assert.deepEqual(flat({ a: objects }), {
      'a.first': isAligned ? `1${between}` : 1,
      'a.both': `1${between}2`,
      'a.last': isAligned ? `${between}2` : 2,
    });
  }
});

test('generic attributes are columns of their names', () => {
  assert.deepEqual(
    flat({
      'gen:genericAttribute': [
        { type: 'string', name: '延べ面積換算係数', value: 'x' },
        { type: 'measure', name: 'depth', value: 1.5, uom: 'm' },
        { type: 'string', name: 'use', value: '住宅', code: '411' },
        { type: 'int', name: 'rank', value: 1 },
        { type: 'int', name: 'rank', value: 2 },
        { type: 'attributeSet', name: 'flood', value: [{ type: 'double', name: 'depth', value: 2 }] },
      ],
    }),
    {
      'gen:genericAttribute.延べ面積換算係数': 'x',
      'gen:genericAttribute.depth': 1.5,
      'gen:genericAttribute.depth_uom': 'm',
      'gen:genericAttribute.use': '住宅',
      'gen:genericAttribute.use_code': '411',
      'gen:genericAttribute.rank': '1; 2',
      'gen:genericAttribute.flood.depth': 2,
    },
  );
});
