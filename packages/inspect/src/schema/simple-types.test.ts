import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { SimpleFacts } from './facts.ts';
import { SimpleTypes } from './simple-types.ts';

const faultOf = (type: SimpleFacts, text: string, others: SimpleFacts[] = []) =>
  new SimpleTypes([type, ...others] as never).fault(0, text);

const VALUES: Record<string, { right: string[]; wrong: string[] }> = {
  boolean: { right: ['true', 'false', '1', '0', ' 1\n'], wrong: ['TRUE', '2', '', 'yes'] },
  decimal: { right: ['1', '-1.', '+.5', '0.50'], wrong: ['.', '1e3', '', '1 2', 'NaN'] },
  double: {
    right: ['1', '-1.5e-3', '.5E+2', 'INF', '-INF', 'NaN', '1.'],
    wrong: ['+INF', 'inf', 'e3', '1e', ''],
  },
  integer: { right: ['0', '-7', '+7', '007'], wrong: ['1.0', '', '-', '1e1'] },
  nonNegativeInteger: { right: ['0', '+7', '-0', '-00'], wrong: ['-1', '1.0', ''] },
  positiveInteger: { right: ['1', '+1', '0010'], wrong: ['0', '-1', '000', ''] },
  date: {
    right: [
      '2024-02-29',
      '2000-02-29',
      '-0001-12-31',
      '2023-01-31Z',
      '2023-01-31+14:00',
      '12023-04-30-13:59',
    ],
    wrong: [
      '2023-02-29',
      '1900-02-29',
      '2023-04-31',
      '2023-13-01',
      '2023-00-10',
      '2023-1-1',
      '2023-01-32',
      '223-01-01',
      '2023-01-31+14:01',
      '02023-01-01',
    ],
  },
  dateTime: {
    right: ['2024-02-29T23:59:59', '2024-01-01T24:00:00', '2024-01-01T00:00:00.5Z'],
    wrong: [
      '2024-01-01',
      '2024-01-01T24:00:01',
      '2023-02-29T00:00:00',
      '2024-01-01T23:60:00',
      '2024-01-01 00:00:00',
    ],
  },
  time: {
    right: ['00:00:00', '23:59:59.25', '24:00:00.0', '12:00:00-05:30'],
    wrong: ['24:00:00.1', '1:00:00', '12:00'],
  },
  gYear: { right: ['2024', '-0044', '12024', '2024Z'], wrong: ['24', '024', '02024', '2024-01'] },
  gYearMonth: { right: ['2024-12', '-0044-03Z'], wrong: ['2024-13', '2024', '2024-1'] },
  duration: {
    right: ['P1Y', 'P1M2D', 'PT1H', 'P1DT1M1.5S', '-P2Y', 'P0D'],
    wrong: ['P', 'PT', 'P1', '1Y', 'P1H', 'PT1D', 'P1YT', 'P1.5Y'],
  },
  language: { right: ['ja', 'en-GB', 'zh-Hant-TW'], wrong: ['', 'ja_JP', 'verylonglanguage', '1a'] },
  NCName: { right: ['a', '_b.c-1', '建物'], wrong: ['', '1a', 'a:b', '-a', 'a b'] },
  ID: { right: ['bldg_1'], wrong: ['1', 'a:b'] },
  IDREF: { right: ['bldg_1'], wrong: ['#a'] },
  QName: { right: ['a', 'gml:id'], wrong: ['a:b:c', ':a', 'a:', '1:a'] },
  Name: { right: ['a:b:c', ':a', '_'], wrong: ['', '1a', '-'] },
  NMTOKEN: { right: ['1a', '-', 'a:b'], wrong: ['', 'a b', 'a,b'] },
};

test('a text has the form of its type, white space around it left out', () => {
  for (const [builtin, { right, wrong }] of Object.entries(VALUES)) {
    for (const text of right) assert.equal(faultOf({ builtin }, text), null, `${builtin} ${text}`);
    for (const text of wrong)
      assert.equal(faultOf({ builtin }, text), `is no ${builtin}`, `${builtin} ${text}`);
  }
  for (const builtin of ['string', 'anySimpleType', 'anyURI'])
    for (const text of ['', ' a\tb ', '%']) assert.equal(faultOf({ builtin }, text), null);
});

const restricted =
  (kind: string, values: string[], builtin = 'string') =>
  (text: string) =>
    faultOf({ base: 1, facets: [{ kind, values }] } as unknown as SimpleFacts, text, [{ builtin }]);

test('a restriction holds its base to its conditions', () => {
  const listed = restricted('enumeration', ['a', 'b c']);
  assert.deepEqual([listed('a'), listed('b c'), listed(' a')], [null, null, 'is none of a, b c']);
  const numbers = restricted('enumeration', ['1.0', '2'], 'double');
  assert.deepEqual([numbers('1'), numbers(' 2.0 '), numbers('3')], [null, null, 'is none of 1.0, 2']);
  assert.equal(numbers('x'), 'is no double', 'its base says so first');
  assert.equal(restricted('enumeration', ['1.0'])('1'), 'is none of 1.0', 'texts are no numbers');
  const pattern = restricted('pattern', ['[0-9]{5}', 'all']);
  assert.deepEqual(
    [pattern('13101'), pattern('all'), pattern('1310')],
    [null, null, 'does not match [0-9]{5}, all'],
  );
  for (const [kind, first, right, wrong, words] of [
    ['length', '3', ['abc', '木木木'], ['ab', 'abcd'], 'has not the length 3'],
    ['minLength', '2', ['ab', 'abc'], ['', 'a'], 'is shorter than 2'],
    ['maxLength', '2', ['', 'ab', '𠮷𠮷'], ['abc'], 'is longer than 2'],
  ] as const) {
    for (const text of right) assert.equal(restricted(kind, [first])(text), null, `${kind} ${text}`);
    for (const text of wrong) assert.equal(restricted(kind, [first])(text), words, `${kind} ${text}`);
  }
  for (const [kind, right, wrong, words] of [
    ['minInclusive', ['5', '6.5'], ['4.9'], 'is less than 5'],
    ['maxInclusive', ['5', '-6'], ['5.1'], 'is more than 5'],
    ['maxExclusive', ['4.9'], ['5', '6'], 'is not less than 5'],
  ] as const) {
    for (const text of right) assert.equal(restricted(kind, ['5'], 'double')(text), null, `${kind} ${text}`);
    for (const text of wrong) assert.equal(restricted(kind, ['5'], 'double')(text), words, `${kind} ${text}`);
  }
  assert.equal(restricted('fractionDigits', ['1'], 'decimal')('1.55'), null, 'what is not looked at');
  const many = Array.from({ length: 11 }, (_, i) => `v${i}`);
  assert.equal(restricted('enumeration', many)('x'), `is none of ${many.slice(0, 10).join(', ')}, …`);
  assert.equal(restricted('enumeration', many.slice(1))('x'), `is none of ${many.slice(1).join(', ')}`);
});

test('lists are held to their items, unions to any of their members', () => {
  const types = new SimpleTypes([
    { list: 1 },
    { builtin: 'double' },
    { base: 0, facets: [{ kind: 'length', values: ['3'] }] },
    { union: [1, 4] },
    { base: 5, facets: [{ kind: 'enumeration', values: ['none'] }] },
    { builtin: 'string' },
    { list: 4 },
    { base: 2, facets: [{ kind: 'minLength', values: ['1'] }] },
  ] as never);
  assert.equal(types.fault(0, ' 1\t2.5\n INF '), null);
  assert.equal(types.fault(0, '1 x 2'), 'has the item x, which is no double');
  assert.deepEqual(types.faults(0, '1 x y'), [
    'has the item x, which is no double',
    'is no list of its type',
  ]);
  assert.deepEqual([types.faults(0, '1'), types.faults(1, 'x')], [[], ['is no double']]);
  assert.equal(types.fault(0, `${'z'.repeat(150)}`), `has the item ${'z'.repeat(100)}, which is no double`);
  assert.deepEqual([types.fault(2, '1 2  3'), types.fault(2, '1 2')], [null, 'has not the length 3']);
  assert.equal(types.fault(7, '1 2 3'), null);
  assert.deepEqual([types.fault(3, '7'), types.fault(3, 'none')], [null, null]);
  assert.equal(types.fault(3, 'some'), 'is of none of the types that it may have');
  assert.equal(types.fault(6, 'none none'), null);
  assert.equal(types.fault(6, 'none x'), 'has the item x, which is none of none');
  assert.deepEqual(
    [0, 1, 2, 3, 6].map((type) => types.areDoubles(type)),
    [true, false, false, false, false],
  );
  assert.equal(types.areDoubles(0), true, 'and the same again');
});

test('white space is kept where it counts, else collapsed', () => {
  const types = new SimpleTypes([
    { builtin: 'string' },
    { builtin: 'double' },
    { base: 0, facets: [{ kind: 'whiteSpace', values: ['collapse'] }] },
    { base: 2 },
    { union: [0, 1] },
    { base: 0, facets: [{ kind: 'whiteSpace', values: ['preserve'] }] },
    { list: 1 },
    { builtin: 'ID' },
    { base: 7 },
    { base: 8 },
    {},
  ] as never);
  const text = ' \t a  b\nc \r';
  const [kept, collapsed] = [text, 'a b c'];
  assert.deepEqual(
    [0, 1, 2, 3, 4, 5, 6].map((type) => types.normalised(type, text)),
    [kept, collapsed, collapsed, collapsed, kept, kept, collapsed],
  );
  assert.equal(types.normalised(1, 'plain text'), 'plain text');
  assert.deepEqual(
    [0, 1, 4, 7, 8, 9, 10].map((type) => types.isId(type)),
    [false, false, false, true, true, true, false],
  );
});
