import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { AttributeColumns, joinAttributes, type Remainder } from './attribute-columns.ts';

/** Through columns, and through the JSON that columns and remainders are written as. */
function throughColumns(features: ReadonlyArray<Record<string, unknown>>) {
  const split = new AttributeColumns();
  for (const feature of features) split.see(feature);
  const columns = split.columns(['geometry']);
  assert.equal(new Set(columns.map(({ name }) => name)).size, columns.length, 'names are unlike');
  assert.equal(split.columns([]), columns);
  const joined = features.map((feature) => {
    const row = new Map<number, unknown>();
    const rest = split.split(feature, (column, value) => {
      assert.ok(!row.has(column));
      row.set(column, value);
    });
    for (const [number, value] of row) assertKind(columns[number]!.kind, value);
    return joinAttributes(columns, (n) => row.get(n), JSON.parse(JSON.stringify(rest)) as Remainder[]);
  });
  return { columns, joined };
}

function assertKind(kind: string, value: unknown): void {
  if (kind === 'strings') assert.ok((value as unknown[]).every((one) => typeof one === 'string'));
  else if (kind === 'numbers') assert.ok((value as unknown[]).every((one) => typeof one === 'number'));
  else if (kind !== 'json') assert.equal(typeof value, kind);
}

const name = fc.constantFrom(
  'bldg:a',
  'uro:b',
  'uro:b_code',
  'a.b',
  'a',
  'gen:genericAttribute',
  '__proto__',
);
const scalar = fc.oneof(fc.string(), fc.double({ noNaN: true, noDefaultInfinity: true }), fc.boolean());
const attributes = fc.letrec<{ value: unknown; object: Record<string, unknown> }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    scalar,
    fc.constant(null),
    fc.array(fc.string(), { maxLength: 3 }),
    fc.array(fc.double({ noNaN: true, noDefaultInfinity: true }), { maxLength: 3 }),
    tie('object'),
    fc.array(tie('object'), { maxLength: 2 }),
    fc.array(fc.oneof(scalar, fc.constant(null)), { maxLength: 3 }),
  ),
  object: fc.dictionary(name, tie('value'), { maxKeys: 4 }),
})).object;

describe('attributes as columns', () => {
  test('come back value for value, whatever features have', () => {
    fc.assert(
      fc.property(fc.array(attributes, { maxLength: 6 }), (features) => {
        // As JSON has them: -0 is 0.
        const plain = JSON.parse(JSON.stringify(features)) as typeof features;
        assert.deepEqual(throughColumns(plain).joined.map(sorted), plain.map(sorted));
      }),
      { numRuns: 500 },
    );
  });

  test('an object alone in its list is a column for each attribute, several are JSON', () => {
    const { columns } = throughColumns([
      { 'bldg:usage': '住宅', 'bldg:name': ['a', 'b'], 'uro:d': [{ 'uro:x': 1 }], 'uro:r': [{ 'uro:y': 1 }] },
      {
        'bldg:usage': '店',
        'uro:d': [{ 'uro:x': 2 }],
        'uro:r': [{ 'uro:y': 1 }, { 'uro:z': { 'uro:w': 2 } }],
      },
    ]);
    assert.deepEqual(
      columns.map(({ name: of, kind, names }) => [of, kind, ...(names ?? [])]),
      [
        ['bldg:usage', 'string'],
        ['bldg:name', 'strings'],
        ['uro:d.uro:x', 'number'],
        ['uro:r', 'json', 'uro:y', 'uro:z.uro:w'],
      ],
    );
  });

  test('an object is a column for each attribute, at any level', () => {
    const { columns } = throughColumns([{ 'uro:o': { 'uro:x': 1, 'uro:i': { 'uro:y': 'a' } } }, {}]);
    assert.deepEqual(
      columns.map(({ name: of, kind }) => [of, kind]),
      [
        ['uro:o.uro:x', 'number'],
        ['uro:o.uro:i.uro:y', 'string'],
      ],
    );
  });

  test('thousands of names stay a table', () => {
    const many = Object.fromEntries(Array.from({ length: 5_000 }, (_, n) => [`uro:n${n}`, n]));
    const nested = Object.fromEntries(Array.from({ length: 5_000 }, (_, n) => [`uro:m${n}`, n]));
    const features = [{ 'uro:o': [nested] }, many, { 'uro:o': [{ 'uro:m4999': 3 }] }];
    const { columns, joined } = throughColumns(features);
    assert.ok(columns.length <= 1_500);
    assert.deepEqual(joined.map(sorted), features.map(sorted));
    assert.equal(columns.find(({ name: of }) => of === 'uro:o')!.names, null);
  });
});

/** Keys have no order. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.entries(value)
    .map(([key, one]) => [key, sorted(one)])
    .sort(([a], [b]) => (String(a) < String(b) ? -1 : 1));
}

test('a name that the table or another column has gets as many underlines as it needs', () => {
  for (const [feature, wanted] of [
    [{ geometry_: 'x', geometry: 'y' }, ['geometry_', 'geometry__']],
    [{ a: { b: 1 }, 'a.b': 2 }, ['a.b', 'a.b_']],
  ] as const) {
    const { columns, joined } = throughColumns([feature]);
    assert.deepEqual(
      columns.map(({ name }) => name),
      wanted,
    );
    assert.deepEqual(joined, [feature]);
  }
});

test('a column of one kind says no names; one of JSON says those within it', () => {
  const { columns } = throughColumns([
    { text: 'a', number: 1, mixed: 1, all: ['a'], some: [1] },
    { text: 'b', number: 2.5, mixed: { inner: 1, other: { deep: 'x' } }, all: ['b', 'c'], some: [2, 3] },
  ]);
  assert.deepEqual(
    columns.map(({ name, kind, names }) => [name, kind, names !== undefined]),
    [
      ['text', 'string', false],
      ['number', 'number', false],
      ['mixed', 'json', true],
      ['all', 'strings', false],
      ['some', 'numbers', false],
    ],
  );
  assert.deepEqual([...columns[2]!.names!].sort(), ['inner', 'other.deep']);
});

test('a column of generic attributes says their names, and those of codes', () => {
  const { columns } = throughColumns([
    { 'gen:genericAttribute': [{ type: 'string', name: '用途', value: '住宅', code: '411' }] },
    {
      'gen:genericAttribute': [
        { type: 'int', name: '数', value: 2 },
        { type: 'int', name: '階', value: 2 },
        { type: 'set', name: '組', value: [{ type: 'int', name: '内', value: 3 }] },
      ],
    },
  ]);
  assert.deepEqual([...columns[0]!.names!].sort(), ['数', '用途', '用途_code', '組.内', '階']);
});

test('a column of JSON says up to 300 names, whether lists or objects have them', () => {
  const values = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, n) => [`n${n}`, n]));
  for (const [count, expected] of [
    [300, 300],
    [301, undefined],
  ] as const) {
    const list = throughColumns([{ a: [values(count), { n0: 1 }] }]);
    const object = throughColumns([{ a: values(count) }, { a: 'text' }]);
    for (const { columns } of [list, object]) {
      assert.deepEqual(
        columns.map(({ kind, names }) => [kind, names?.length]),
        [['json', expected]],
        `${count}`,
      );
    }
  }
});

test('objects within others are columns down to the fifth level, and JSON below', () => {
  const nested = (levels: number): unknown =>
    levels === 0 ? 1 : { in: nested(levels - 1), [`n${levels}`]: 2 };
  const { columns, joined } = throughColumns([{ a: nested(7) }]);
  assert.deepEqual(
    columns.map(({ name, kind }) => `${name} ${kind}`),
    ['a.in.in.in.in json', 'a.in.in.in.n4 number', 'a.in.in.n5 number', 'a.in.n6 number', 'a.n7 number'],
  );
  assert.deepEqual(joined.map(sorted), [{ a: nested(7) }].map(sorted));
});
