import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AttributeColumn } from '../tables/attribute-columns.ts';
import type { ColumnGroup } from '../tables/table-reader.ts';
import { isAnyNamed, NamedValues } from './named-values.ts';
import { columnNamesIn2, hasNamesOf3, mayHaveIn2, namesIn2 } from './names-of-2.ts';

const column = (
  path: AttributeColumn['path'],
  kind: AttributeColumn['kind'],
  names?: string[],
): AttributeColumn => ({
  ...{ name: path.flat().join('.'), path, kind },
  ...(names !== undefined && { names }),
});
const HEIGHT = column(['bldg:measuredHeight'], 'number');
const USAGE = column(['bldg:usage'], 'strings');
const DETAIL = column(['uro:detail', 'uro:area'], 'number');
const RISK = column(['uro:risk'], 'json', ['uro:rank', 'uro:depth.uro:max']);
const ALL = [HEIGHT, USAGE, DETAIL, RISK];

const groupOf = (columns: Record<string, unknown[]>) =>
  ({ size: 2, columns: new Map(Object.entries(columns)) }) as unknown as ColumnGroup;

test('a value goes by its path, or by the end of it behind a full stop', () => {
  const paths = ['bldg:usage', 'uro:detail.uro:area'];
  for (const [name, isNamed] of [
    ['bldg:usage', true],
    ['uro:area', true],
    ['uro:detail.uro:area', true],
    ['usage', false],
    ['detail.uro:area', false],
    ['uro:detail', false],
  ] as const)
    assert.equal(isAnyNamed(paths, name), isNamed, name);
});

test('only columns that may have a name are read', () => {
  const of = (...names: string[]) => {
    const { columns, known, coded, isIn2 } = new NamedValues(ALL, names);
    return { columns: columns.join(), known, coded, isIn2 };
  };
  assert.deepEqual(of('bldg:usage', 'none'), {
    ...{ columns: 'bldg:usage,remainder', known: [true, false], coded: [['bldg:usage'], []], isIn2: false },
  });
  assert.deepEqual(of('uro:area').coded, [[DETAIL.name]]);
  const inJson = of('uro:max', 'bldg:usage');
  assert.deepEqual(
    [inJson.columns, inJson.known, inJson.coded],
    ['bldg:usage,uro:risk,remainder', [true, true], null],
  );
  assert.deepEqual(of('uro:other').known, [false]);
  const box = of('_bbox.min.lng', 'center.alt');
  assert.deepEqual([box.known, box.coded], [[true, true], null]);
  assert.ok(box.columns.length > 'remainder'.length);
  const unknown = new NamedValues([column(['uro:risk'], 'json')], ['anything']);
  assert.deepEqual([unknown.known, unknown.columns], [[true], ['uro:risk', 'remainder']]);
});

test('values of a row are those of all its columns, lists one by one, and none where it lacks them', () => {
  const values = new NamedValues(ALL, ['bldg:usage', 'bldg:measuredHeight', 'uro:rank']);
  const rows = values.of(
    groupOf({
      'bldg:usage': [['411', '402'], null],
      'bldg:measuredHeight': [0, null],
      'uro:risk': [[{ 'uro:rank': 3 }, { 'uro:rank': 1 }], null],
    }),
  );
  assert.deepEqual(
    [0, 1, 2].map((name) => rows.values(0, name)),
    [['411', '402'], [0], [3, 1]],
  );
  assert.deepEqual(
    [0, 1, 2].map((name) => rows.values(1, name)),
    [[], [], []],
  );
  assert.deepEqual(rows.attributes(0)['bldg:measuredHeight'], 0);
});

test('attributes of 3.0 go by their names of 2.0 where these are asked for', () => {
  const height = column(['con:height'], 'json', ['con:value']);
  const status = column(['con:dateOfConstruction'], 'string');
  assert.deepEqual([hasNamesOf3(ALL), hasNamesOf3([...ALL, height])], [false, true]);
  assert.ok(mayHaveIn2(height, 'bldg:measuredHeight') && mayHaveIn2(height, 'measuredHeight_uom'));
  assert.ok(mayHaveIn2(status, 'bldg:yearOfConstruction') && !mayHaveIn2(status, 'bldg:yearOfDemolition'));
  assert.ok(!mayHaveIn2(USAGE, 'bldg:usage'), 'its own name');
  assert.ok(!mayHaveIn2(height, 'bldg:usage'));
  const values = new NamedValues([USAGE, status], ['bldg:yearOfConstruction'], true);
  assert.deepEqual([values.isIn2, values.known, values.coded], [true, [true], null]);
  assert.equal(new NamedValues(ALL, ['bldg:usage'], true).isIn2, false);
  const names = namesIn2([USAGE, status], ['bldg:Building']);
  assert.ok(names.has('bldg:usage') && names.has('bldg:yearOfConstruction'), [...names].join());
  assert.deepEqual(namesIn2([USAGE], []), new Set());
  assert.ok(columnNamesIn2([RISK], ['bldg:Building']).has('uro:risk'));
  assert.ok(namesIn2([RISK], ['bldg:Building']).has('uro:risk.uro:depth.uro:max'));
});

test('a row without an extent has no box', () => {
  const values = new NamedValues(ALL, ['_bbox.min.lng', 'bldg:measuredHeight']);
  for (const columns of [{ 'bldg:measuredHeight': [3] }, { 'bldg:measuredHeight': [3], extent: [null] }]) {
    const rows = values.of(groupOf(columns));
    assert.deepEqual([rows.values(0, 0), rows.values(0, 1)], [[], [3]]);
    assert.ok(!('_bbox' in rows.attributes(0)));
  }
});

test('rows have the names that are asked for: those of the data, or of 2.0', () => {
  const date = column(['con:dateOfConstruction'], 'string');
  const type = column(['_type'], 'string');
  const rows = groupOf({ _type: ['bldg:Building'], 'con:dateOfConstruction': ['1999-04-01'] });
  for (const [isIn2, own, in2] of [
    [false, ['1999-04-01'], []],
    [true, ['1999-04-01'], ['1999']],
  ] as const) {
    const names = ['con:dateOfConstruction', 'bldg:yearOfConstruction'];
    const found = new NamedValues([type, date], names, isIn2).of(rows);
    assert.deepEqual([found.values(0, 0), found.values(0, 1)], [own, in2]);
    assert.equal('bldg:yearOfConstruction' in found.attributes(0), isIn2);
  }
});

test('a name of the common module goes by that of 2.0 at any level', () => {
  for (const of of [
    column(['urc:Detail', 'urc:area'], 'number'),
    column(['urc:Detail'], 'json', ['urc:area', 'urc:other']),
    column(['urc:Detail'], 'json'),
  ]) {
    assert.ok(mayHaveIn2(of, 'uro:area'), of.name);
    assert.ok(mayHaveIn2(of, 'uro:Detail.uro:area'), of.name);
    assert.equal(mayHaveIn2(of, 'uro:volume'), of.kind === 'json' && of.names === undefined);
  }
});
