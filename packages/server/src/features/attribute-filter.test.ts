import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { ServiceError } from '../base/errors.ts';
import { AttributeFilter } from './attribute-filter.ts';

const HOUSE = {
  'gml:id': 'bldg_1',
  'bldg:usage': ['住宅'],
  'bldg:usage_code': ['411'],
  'bldg:yearOfConstruction': '1975',
  'bldg:measuredHeight': 7.5,
  'bldg:storeysBelowGround': 9999,
  'uro:buildingDetailAttribute': [
    { 'uro:buildingStructureType': '木造・土蔵造', 'uro:surveyYear': '2018' },
    { 'uro:buildingStructureType': '鉄骨造' },
  ],
  'gen:genericAttribute': [
    { type: 'string', name: '風致地区', value: 'A|B' },
    { type: 'string', name: '用途', value: '住宅', code: '411' },
    { type: 'genericAttributeSet', name: '集合', value: [{ type: 'int', name: '数', value: 3 }] },
  ],
};

const accepts = (where: string) => new AttributeFilter(where).accepts(HOUSE);

test('a condition is met by any value under its name, at any level', () => {
  for (const where of [
    'bldg:usage=住宅',
    'bldg:usage_code=411',
    'uro:buildingStructureType=鉄骨造',
    'uro:buildingDetailAttribute.uro:surveyYear>=2018',
    'bldg:yearOfConstruction<1981',
    'bldg:measuredHeight=7.50',
    ' bldg:usage = 官公庁施設 | 住宅 ; bldg:measuredHeight <= 7.5 ;',
    'gen:genericAttribute.集合.数>2',
    '用途=住宅',
    'gen:genericAttribute.用途_code=411',
    '集合.数=3',
  ]) {
    assert.equal(accepts(where), true, where);
  }
  for (const where of [
    'bldg:usage=宅',
    'usage=住宅',
    'bldg:measuredHeight>7.5',
    'bldg:usage=住宅;bldg:measuredHeight>8',
    'bldg:usage<3',
  ]) {
    assert.equal(accepts(where), false, where);
  }
});

test('what stands for unknown is neither more nor less, and an empty value means none', () => {
  assert.equal(accepts('bldg:storeysBelowGround>=3'), false);
  assert.equal(accepts('bldg:storeysBelowGround=9999'), true);
  assert.equal(new AttributeFilter('y<1981').accepts({ y: '0001' }), false);
  assert.equal(accepts('bldg:roofType='), true);
  assert.equal(accepts('bldg:usage='), false);
  assert.equal(accepts('bldg:usage=|住宅'), true);
});

test('no conditions accept everything', () => {
  assert.equal(accepts(''), true);
  assert.equal(accepts(' ; ;'), true);
});

test('what cannot be understood is refused with how to write it', () => {
  for (const [where, reason] of [
    ['bldg:usage', /expected a name/],
    ['=住宅', /expected a name/],
    ['bldg:measuredHeight<high', /needs a decimal number/],
    ['bldg:measuredHeight<0x10', /needs a decimal number/],
    [Array.from({ length: 11 }, () => 'a=1').join(';'), /11 conditions/],
    [`a=${Array.from({ length: 51 }, () => '1').join('|')}`, /51 values/],
    [`a=${'1'.repeat(2_000)}`, /2002 characters/],
  ] as const) {
    assert.throws(
      () => new AttributeFilter(where),
      (error) => error instanceof ServiceError && error.status === 400 && reason.test(error.reason ?? ''),
      where.slice(0, 40),
    );
  }
});

test('ten conditions, fifty values and 2,000 characters are accepted', () => {
  const conditions = (count: number) => Array.from({ length: count }, (_, i) => `a${i}=`).join(';');
  assert.equal(new AttributeFilter(conditions(10)).names.length, 10);
  assert.throws(() => new AttributeFilter(conditions(11)), ServiceError);
  const values = (count: number) => `a=${Array.from({ length: count }, (_, i) => `${i}`).join('|')}`;
  assert.equal(new AttributeFilter(values(50)).accepts({ a: '49' }), true);
  assert.throws(() => new AttributeFilter(values(51)), ServiceError);
  const long = (length: number) => `a=${'1'.repeat(length - 2)}`;
  assert.equal(new AttributeFilter(long(2_000)).accepts({ a: '1'.repeat(1_998) }), true);
  assert.throws(() => new AttributeFilter(long(2_001)), ServiceError);
});

test('values are found by their whole names, and what is no value is not', () => {
  const attributes = { a: { b: [{ c: 1 }, { c: null }] }, d: [null, true], 'gen:genericAttribute': [] };
  const meets = (where: string) => new AttributeFilter(where).accepts(attributes as never);
  for (const where of ['a.b.c=1', 'b.c=1', 'c=1', 'd=true', 'c<=1', 'c>=1', 'x=', 'b='])
    assert.ok(meets(where), where);
  for (const where of ['.c=1', 'a.c=1', 'b.c=2', 'c<1', 'c>1', 'd=false', 'd=', 'c=null', 'd<2', 'x<1'])
    assert.ok(!meets(where), where);
});

test('numbers compare as numbers do', () => {
  const holds: Record<string, (a: number, b: number) => boolean> = {
    '<': (a, b) => a < b,
    '<=': (a, b) => a <= b,
    '>': (a, b) => a > b,
    '>=': (a, b) => a >= b,
    '=': (a, b) => a === b,
  };
  const number = fc.integer({ min: -500, max: 500 }).map((n) => n / 4);
  fc.assert(
    fc.property(
      number,
      number,
      fc.constantFrom(...Object.keys(holds)),
      fc.boolean(),
      (a, b, sign, asText) => {
        const value = asText && sign !== '=' ? String(a) : a;
        assert.equal(new AttributeFilter(`x${sign}${b}`).accepts({ x: value }), holds[sign]!(a, b));
      },
    ),
  );
});

test('a filter that has met millions of values says the same as one that has met none', () => {
  const value = fc.oneof(
    fc.constantFrom('1', 1, '1.0', true, 'true', -9999, '-9999', '', '木造'),
    fc.integer({ min: -3, max: 3 }),
  );
  fc.assert(
    fc.property(
      fc.constantFrom('a=1', 'a=1|true', 'a=', 'a<2', 'a>=1;b=1', 'a>-10000', 'b=木造|;a<=1'),
      fc.array(fc.record({ a: fc.array(value), b: fc.array(value) }), { maxLength: 30 }),
      (where, features) => {
        const used = new AttributeFilter(where);
        for (const feature of features) {
          const fresh = new AttributeFilter(where).accepts(feature);
          assert.equal(used.accepts(feature), fresh);
          assert.equal(
            used.acceptsValues((name) => feature[name as 'a' | 'b']),
            fresh,
          );
        }
      },
    ),
  );
  const full = new AttributeFilter('a<5');
  for (let n = 0; n < 20_000; n++) full.accepts({ a: n });
  assert.deepEqual([full.accepts({ a: 4 }), full.accepts({ a: 19_999 })], [true, false]);
});
