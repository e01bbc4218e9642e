/** Both encodings of CQL2 against an evaluation that is slow and obvious, and filters of strangers. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FeatureEntry } from '@citymodel/citygml';
import fc from 'fast-check';
import { Cql2Condition, type Expression, planOf } from './cql2.ts';
import { parseCql2Json } from './cql2-json.ts';
import { parseCql2Text } from './cql2-text.ts';
import { CRS_LIST, crsNamed } from './crs.ts';
import { readItemRequest } from './item-request.ts';
import { likePattern, matchesLike } from './like.ts';

const CRS84 = CRS_LIST[0]!;
const ENTRY = { index: 0, extent: null } as FeatureEntry;
const accepts = (expression: Expression, attributes: Record<string, unknown>) =>
  new Cql2Condition(expression).accepts(attributes, ENTRY);
const text = (filter: string) => parseCql2Text(filter, CRS84);

/** A condition in both encodings, with what it says of an object. */
interface Written {
  text: string;
  json: unknown;
  truth(attributes: Record<string, unknown>): boolean | null;
}

const NAMES = ['a', 'uro:b', 'c.d', '高さ'];
const name = fc.constantFrom(...NAMES);
const scalar = fc.oneof(
  fc.integer({ min: -3, max: 3 }),
  fc.constantFrom('x', "it's", '', '木造', '2'),
  fc.boolean(),
);
const quotedScalar = (value: unknown) =>
  typeof value === 'string' ? `'${value.replaceAll("'", "''")}'` : String(value);
const same = (a: unknown, b: unknown) => String(a) === String(b);

const comparison: fc.Arbitrary<Written> = fc
  .record({ name, op: fc.constantFrom('=', '<>'), value: scalar, isExchanged: fc.boolean() })
  .map(({ name, op, value, isExchanged }) => {
    const sides = [`"${name}"`, quotedScalar(value)];
    const args = [{ property: name }, value];
    return {
      text: (isExchanged ? sides.reverse() : sides).join(` ${op} `),
      json: { op, args: isExchanged ? args.reverse() : args },
      truth: (attributes) =>
        attributes[name] === undefined ? null : same(attributes[name], value) === (op === '='),
    };
  });
const order: fc.Arbitrary<Written> = fc
  .record({ name, op: fc.constantFrom('<', '<=', '>', '>='), value: fc.integer({ min: -3, max: 3 }) })
  .map(({ name, op, value }) => ({
    text: `${name}${op}${value}`,
    json: { op, args: [{ property: name }, value] },
    truth(attributes) {
      const found = attributes[name];
      if (found === undefined) return null;
      if (typeof found === 'boolean' || (typeof found === 'string' && !/^-?\d+$/.test(found))) return false;
      const [left, right] = [Number(found), value];
      return op === '<'
        ? left < right
        : op === '<='
          ? left <= right
          : op === '>'
            ? left > right
            : left >= right;
    },
  }));
const others: fc.Arbitrary<Written> = fc.oneof(
  name.map((name) => ({
    text: `${name} is NULL`,
    json: { op: 'isNull', args: [{ property: name }] },
    truth: (attributes: Record<string, unknown>) => attributes[name] === undefined,
  })),
  fc.tuple(name, fc.array(scalar, { minLength: 1, maxLength: 3 })).map(([name, values]) => ({
    text: `${name} in (${values.map(quotedScalar).join(',')})`,
    json: { op: 'in', args: [{ property: name }, values] },
    truth: (attributes: Record<string, unknown>) =>
      attributes[name] === undefined ? null : values.some((value) => same(attributes[name], value)),
  })),
  fc.constantFrom(true, false).map((value) => ({ text: String(value), json: value, truth: () => value })),
);

const { filter } = fc.letrec<{ filter: Written }>((tie) => ({
  filter: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    comparison,
    order,
    others,
    tie('filter').map((inner) => ({
      text: `NOT (${inner.text})`,
      json: { op: 'not', args: [inner.json] },
      truth(attributes: Record<string, unknown>) {
        const truth = inner.truth(attributes);
        return truth === null ? null : !truth;
      },
    })),
    fc
      .tuple(fc.constantFrom('and', 'or'), fc.array(tie('filter'), { minLength: 2, maxLength: 3 }))
      .map(([op, parts]) => ({
        text: parts.map((part) => `(${part.text})`).join(` ${op} `),
        json: { op, args: parts.map((part) => part.json) },
        truth(attributes: Record<string, unknown>) {
          const truths = parts.map((part) => part.truth(attributes));
          if (truths.includes(op === 'or')) return op === 'or';
          return truths.includes(null) ? null : op === 'and';
        },
      })),
  ),
}));

test('both encodings mean what a slow evaluation says', () => {
  fc.assert(
    fc.property(filter, fc.dictionary(name, scalar), (written, attributes) => {
      const expected = written.truth(attributes) === true;
      assert.equal(accepts(text(written.text), attributes), expected, written.text);
      const json = parseCql2Json(JSON.stringify(written.json), CRS84);
      assert.equal(accepts(json, attributes), expected, JSON.stringify(written.json));
    }),
    { numRuns: 500 },
  );
});

test('values of lists and objects are found by their names, and the unknown is neither more nor less', () => {
  const attributes = {
    'bldg:usage': ['住宅', '店舗'],
    'uro:detail': { 'uro:area': 12.5, 'uro:year': '2019-04-01' },
    'bldg:height': -9999,
  };
  for (const [filter, expected] of [
    ["bldg:usage = '店舗'", true],
    ["bldg:usage <> '店舗'", false],
    ['uro:area between 12 and 13', true],
    ['uro:area not between 12 and 13', false],
    ['uro:detail.uro:area > 12', true],
    ["uro:year < DATE('2020-01-01')", true],
    ["uro:year = DATE('2019-04-01')", true],
    ["uro:year >= TIMESTAMP('2019-04-01T00:00:01Z')", false],
    ["uro:year > DATE('2019-03-31')", true],
    ["uro:year > DATE('2019-04-01')", false],
    ["uro:year >= DATE('2019-04-01')", true],
    ["uro:year >= DATE('2019-04-02')", false],
    ["uro:year <= DATE('2019-04-01')", true],
    ["uro:year <= DATE('2019-03-31')", false],
    ["uro:year < DATE('2019-04-01')", false],
    ['bldg:height < 5', false],
    ['NOT bldg:height < 5', false],
    ['bldg:height IS NOT NULL', true],
    ["bldg:usage LIKE '住%'", true],
    ["bldg:usage NOT LIKE '住_'", false],
    ["bldg:usage IN ('x', '店舗') AND TRUE", true],
    ['nothing = 1 OR uro:area = 12.5', true],
    ['a = 1 AND b = 2 OR uro:area = 12.5', true],
  ] as const)
    assert.equal(accepts(text(filter), attributes), expected, filter);
});

test('LIKE is what a backtracking search finds', () => {
  const slow = (pattern: string, value: string): boolean => {
    if (pattern === '') return value === '';
    if (pattern[0] === '%')
      return slow(pattern.slice(1), value) || (value !== '' && slow(pattern, value.slice(1)));
    return (
      value !== '' &&
      (pattern[0] === '_' || pattern[0] === value[0]) &&
      slow(pattern.slice(1), value.slice(1))
    );
  };
  const letters = (all: string) => fc.string({ unit: fc.constantFrom(...all), maxLength: 8 });
  fc.assert(
    fc.property(letters('ab%_'), letters('ab'), (pattern, value) => {
      assert.equal(matchesLike(likePattern(pattern), value), slow(pattern, value));
    }),
    { numRuns: 1_000 },
  );
  assert.ok(matchesLike(likePattern('50\\%'), '50%') && !matchesLike(likePattern('50\\%'), '50x'));
});

test('places that every feature must meet go to the search', () => {
  const polygon = 'S_INTERSECTS(geometry, POLYGON((139 35, 140 35, 140 36, 139 35)))';
  assert.equal(planOf(text(polygon)).condition, null);
  assert.equal(
    planOf(text(`${polygon} AND a = 1 AND S_INTERSECTS(BBOX(1,2,3,4), geometry)`)).regions.length,
    2,
  );
  assert.equal(planOf(text(`${polygon} OR a = 1`)).regions.length, 0);
  const turned = parseCql2Text('S_INTERSECTS(geometry, POINT(35 139))', crsNamed('EPSG:6697', 'filter-crs'));
  assert.deepEqual(planOf(turned).regions[0]!.searchBoxes, [{ west: 139, south: 35, east: 139, north: 35 }]);
  const json = parseCql2Json(
    '{"op":"s_intersects","args":[{"property":"geometry"},{"bbox":[1,2,3,4]}]}',
    CRS84,
  );
  assert.deepEqual(planOf(json).regions[0]!.searchBoxes, [{ west: 1, south: 2, east: 3, north: 4 }]);
});

test('filters that are none are refused, whatever they are, in a moment', () => {
  const deep = (n: number) => `${'('.repeat(n)}a=1${')'.repeat(n)}`;
  const hostile = [
    '',
    'a',
    'a=',
    "a='x",
    'a=1 b=2',
    'a==1',
    'a=b',
    '1=1',
    'NOT',
    deep(21),
    deep(4_900),
    'NOT '.repeat(2_400) + 'a=1',
    Array.from({ length: 51 }, () => 'a=1').join(' OR '),
    `a IN (${Array.from({ length: 101 }, () => 1)})`,
    `a LIKE '${'%a'.repeat(101)}'`,
    `a = '${'x'.repeat(1_001)}'`,
    'x'.repeat(10_001),
    "a = DATE('2023-13-01')",
    "a = DATE('2023-02-29')",
    "a = DATE('2023-04-31')",
    "a < TIMESTAMP('2023-02-29T00:00:00Z')",
    "a < TIMESTAMP('2023-02-28T00:00:00')",
    'a + 1 = 2',
    "CASEI(a) = 'x'",
    'S_INTERSECTS(geometry, POLYGON EMPTY)',
    'S_INTERSECTS(geometry, BBOX(0,0,1,NaN))',
    'S_INTERSECTS(a, POINT(1 2))',
    'S_INTERSECTS(geometry, LINESTRING(1 2, 3 4))',
    'S_INTERSECTS(geometry, POINT(200 2))',
    'S_INTERSECTS(geometry, POLYGON((1 2, 3 4, 1 2)))',
    'S_CROSSES(geometry, POINT(1 2))',
    'a = 1e999',
    '\u0000',
    'a ; DROP TABLE',
  ];
  for (const filter of hostile) assert.throws(() => text(filter), RangeError, filter.slice(0, 60));
  for (const filter of [
    '{',
    '1',
    '{}',
    'null',
    '{"op":"="}',
    '{"op":"=","args":[]}',
    '{"op":"=","args":[1,2]}',
    '{"op":"=","args":[{"property":"a"},null]}',
    '{"op":"=","args":[{"property":"a"},{"date":"x"}]}',
    '{"op":"=","args":[{"property":"a"},{"date":"2023-02-29"}]}',
    '{"op":"=","args":[{"property":"a"},1e400]}',
    '{"op":"in","args":[{"property":"a"},[1,-1e400]]}',
    '{"op":"=","args":[{"property":"a"},{"op":"+","args":[1,2]}]}',
    '{"op":"and","args":[true]}',
    '{"op":"constructor","args":[]}',
    '{"op":"s_intersects","args":[{"property":"geometry"},{"type":"Point"}]}',
    `${'{"op":"not","args":['.repeat(22)}true${']}'.repeat(22)}`,
    '['.repeat(1e5),
  ])
    assert.throws(() => parseCql2Json(filter, CRS84), RangeError, filter.slice(0, 60));
  // What is too deep is JSON all the same.
  assert.throws(() => parseCql2Json('['.repeat(1e5), CRS84), /^RangeError: filter: /);
  assert.throws(() => parseCql2Json('{', CRS84), /no JSON/);
  fc.assert(
    fc.property(
      fc.string({ unit: fc.constantFrom(...'ab(),\'"=<>.:1 %', ' AND ', ' NOT ', 'POINT', 'IN') }),
      (filter) => {
        try {
          text(filter);
        } catch (error) {
          assert.ok(error instanceof RangeError);
        }
      },
    ),
  );
});

test('a pattern of many parts takes no longer than its length and the text say', () => {
  const value = 'a'.repeat(200_000);
  const start = process.cpuUsage().user;
  assert.equal(matchesLike(likePattern(`${'%a_a'.repeat(49)}%b`), value), false);
  assert.equal(matchesLike(likePattern(`%${'_'.repeat(190)}b%`), value), false);
  assert.ok(process.cpuUsage().user - start < 3e6, 'three seconds of processor time');
});

test('properties are parameters, and nothing else is', () => {
  const { where } = readItemRequest({ 'bldg:usage': '住宅', height: '3' });
  assert.equal(where!.accepts({ 'bldg:usage': '住宅' }, ENTRY), false);
  const withHeight = {
    ...ENTRY,
    extent: { west: 0, south: 0, east: 0, north: 0, minAlt: 1, maxAlt: 4 },
    hasAltitude: true,
  };
  assert.equal(where!.accepts({ 'bldg:usage': '住宅' }, withHeight as FeatureEntry), true);
  for (const query of [{ usage: 'x' }, { 'filter-lang': 'sql' }, { 'filter-crs': 'x' }, { __proto__x: '1' }])
    assert.throws(() => readItemRequest(query), RangeError);
});

test('a point meets the area that it lies in, and no other', () => {
  const shape = {
    polygons: [[Float64Array.of(139, 35, 140, 35, 140, 36, 139, 36)]],
    lines: [],
    points: [],
    altitudes: null,
  };
  const bounds = { west: 139, south: 35, east: 140, north: 36 };
  for (const [place, expected] of [
    ['139.5 35.25', true],
    ['139 35.5', true],
    ['140.001 35.5', false],
  ] as const) {
    const [region] = planOf(text(`S_INTERSECTS(geometry, POINT(${place}))`)).regions;
    assert.equal(region!.meets(shape, bounds), expected, place);
  }
});

test('a quote in a text is written twice, or behind a backslash in single quotes alone', () => {
  const has = (filter: string, value: string) => accepts(text(`a = ${filter}`), { a: value });
  assert.equal(has(String.raw`'it\'s'`, "it's"), true);
  assert.equal(has(`'it''s'`, "it's"), true);
  assert.equal(has(String.raw`'a\b'`, String.raw`a\b`), true);
  assert.equal(has(String.raw`'a"b'`, 'a"b'), true);
  assert.equal(accepts(text(String.raw`"a\" = 1`), { 'a\\': 1 }), true);
  assert.equal(accepts(text(`"it's" = 1`), { "it's": 1 }), true);
  assert.equal(accepts(text(`"a""b" = 1`), { 'a"b': 1 }), true);
  for (const open of [`a = 'x`, `a = 'x''`, `"a = 1`, String.raw`a = 'x\'`])
    assert.throws(() => text(open), /a text that does not end/);
});

test('points of a MULTIPOINT may stand in brackets or without, with a height or without', () => {
  const plain = text('S_INTERSECTS(geometry, MULTIPOINT(1 2, 3 4))');
  for (const points of ['((1 2), (3 4))', '((1 2), 3 4)', '(1 2 9, 3 4)', '((1 2 9), (3 4 9))'])
    assert.deepEqual(text(`S_INTERSECTS(geometry, MULTIPOINT${points})`), plain, points);
  for (const wrong of ['((1 2, 3 4)', '(1, 3 4)', '((1 2 3 4))'])
    assert.throws(() => text(`S_INTERSECTS(geometry, MULTIPOINT${wrong})`), RangeError);
});

test('numbers have a sign at most, and what is found elsewhere is named', () => {
  assert.equal(accepts(text('a = +5'), { a: 5 }), true);
  assert.equal(accepts(text('a = -5.5'), { a: -5.5 }), true);
  assert.equal(accepts(text('a > +4.5'), { a: 5 }), true);
  const faults: Array<[string, RegExp]> = [
    ['a = -+5', /expected/],
    ['a = +-5', /expected/],
    ['a = )', /filter has .?\).? where .* is expected\./],
    ['a = ', /filter has its end where .* is expected\./],
    ['(a = 1', /filter has its end where \) is expected\./],
    ['(a = 1 7', /filter has .?7.? where \) is expected\./],
    ['a between 1 or 3', /filter has .?or.? where/i],
  ];
  for (const [filter, reason] of faults) assert.throws(() => text(filter), reason, filter);
});
