/** Tables that are counted together: which features count, which names are known, and what reading them is charged. */
import assert from 'node:assert/strict';
import { mkdtemp, open, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { Slices } from '@citymodel/base';
import type { PackageTable } from '@citymodel/store';
import { bufferSource } from '@citymodel/zip';
import { AttributeFilter } from '../attribute-filter.ts';
import { TableMaker } from '../tables/table-maker.ts';
import type { TableObjects } from '../tables/table-objects.ts';
import { readFoot, type TableFoot } from '../tables/table-reader.ts';
import { type CountQuestion, countTables, type TablePart } from './count-tables.ts';
import { firstOfRepeated } from './first-of-repeated.ts';

const slices = new Slices(async () => {}, 1e9);

interface Row {
  attributes: Record<string, unknown>;
  file?: string;
  start?: number;
  isRepeated?: boolean;
  /** Where it stands: rows of a table go from west to east. */
  west?: number;
}

interface Part {
  rows: readonly Row[];
  leftOut?: number;
  files?: readonly string[];
  elements?: readonly string[];
}

/** The bytes of a table of these rows. */
async function tableOf({ rows, leftOut = 0 }: Part): Promise<Buffer> {
  const directory = await mkdtemp(join(tmpdir(), 'count-tables-'));
  try {
    const bounds = { west: 0, east: 10, south: 0, north: 1 };
    const origin = { package: 'p', id: '0'.repeat(8), type: 'bldg', bounds };
    await using maker = await TableMaker.create(origin, join(directory, 'rows'));
    for (const { attributes, file = 'a.gml', start = 0, isRepeated = false, west = 0 } of rows) {
      maker.beginFile(file);
      const box = { xmin: west, xmax: west, ymin: 0, ymax: 0 };
      const fixed = { extent: null, drawn: {}, geometryType: null, box, lods: 0 };
      const row = { ...fixed, attributes, start, end: start + 1 };
      await maker.add({ row, wkb: new Uint8Array(0) }, isRepeated);
    }
    for (let n = 0; n < leftOut; n++) maker.count('leftOut');
    const path = join(directory, 'table');
    await using file = await open(path, 'w');
    await maker.finish(file, slices);
    return await readFile(path);
  } finally {
    await rm(directory, { recursive: true });
  }
}

/** Counts parts of tables; what is found, and how many rows were charged. */
async function counted(parts: readonly Part[], question: Partial<CountQuestion> = {}) {
  const tables = new Map<string, Buffer>();
  for (const [n, part] of parts.entries()) tables.set(`${n}`, await tableOf(part));
  const objects = {
    foot: async ({ key }: PackageTable) => readFoot(bufferSource(tables.get(key)!)),
    open: async ({ key }: PackageTable) => ({
      ...bufferSource(tables.get(key)!),
      async [Symbol.asyncDispose]() {},
    }),
  } as unknown as TableObjects;
  const wanted = parts.map(
    ({ files, elements }, n): TablePart => ({
      table: { key: `${n}` } as PackageTable,
      paths: files === undefined ? null : new Set(files),
      elements: elements === undefined ? null : new Set(elements),
    }),
  );
  let charged = 0;
  const whole: CountQuestion = {
    by: [],
    steps: (question.by ?? []).map(() => 0),
    of: [],
    where: null,
    hasVersion2Names: false,
    ...question,
  };
  const rows = (count: number) => {
    charged += count;
  };
  const found = await countTables(objects, wanted, whole, { slices, rows });
  return { ...found, charged, shown: found.groups.list().map(({ by, count }) => [...by, count]) };
}

const building = (id: string | null, use: string, more: Partial<Row> = {}): Row => ({
  ...more,
  attributes: { _type: 'bldg:Building', ...(id === null ? {} : { 'gml:id': id }), 'bldg:usage': use },
});

/** What is summed: columns alone are counted by their codes, an extent row by row. */
const BY_CODES_AND_BY_ROWS = [['bldg:usage'], ['_bbox.min.lng']];

test('a gml:id counts once over all tables, where it comes first, and a feature without one each time', async () => {
  const parts = [
    { rows: [building('a', 'old'), building(null, 'old')] },
    { rows: [building('a', 'new'), building(null, 'new'), building('b', 'new')], leftOut: 2 },
  ];
  const { shown, leftOut, charged } = await counted(parts, { by: ['bldg:usage'] });
  assert.deepEqual(shown.sort(), [
    ['new', 2],
    ['old', 2],
  ]);
  assert.deepEqual([leftOut, charged], [2, 5]);
});

test('of a gml:id that a table repeats the first counts that is looked at', async () => {
  const rows = [
    building('a', 'third', { file: 'c.gml', west: 1, isRepeated: true }),
    building('a', 'second', { file: 'b.gml', start: 9, west: 2, isRepeated: true }),
    building('a', 'first', { file: 'b.gml', start: 8, west: 3, isRepeated: true }),
    building('a', 'unrepeated', { file: 'a.gml', west: 4 }),
    building('b', 'alone', { file: 'c.gml', west: 5 }),
  ];
  // Rows of a table stand from west to east, so the first one may be at either end.
  const mirrored = rows.map((row) => ({ ...row, west: 6 - row.west! }));
  for (const of of BY_CODES_AND_BY_ROWS) {
    for (const order of [rows, mirrored]) {
      const usesOf = async (part: Partial<Part>) =>
        (await counted([{ rows: order, ...part }], { by: ['bldg:usage'], of })).shown.sort();
      assert.deepEqual(await usesOf({}), [
        ['alone', 1],
        ['unrepeated', 1],
      ]);
      assert.deepEqual(await usesOf({ files: ['b.gml', 'c.gml'] }), [
        ['alone', 1],
        ['first', 1],
      ]);
      assert.deepEqual(await usesOf({ files: ['b.gml'] }), [['first', 1]]);
      assert.deepEqual(await usesOf({ files: ['c.gml'], elements: ['bldg:Building'] }), [
        ['alone', 1],
        ['third', 1],
      ]);
      assert.deepEqual(await usesOf({ elements: ['bldg:BuildingPart'] }), []);
    }
  }
});

test('up to 300,000 repeated features of a part are compared', async () => {
  const foot = (repeated: number) => ({ facts: { repeated }, metadata: { row_groups: [] }, starts: [0] });
  const first = (repeated: number) =>
    firstOfRepeated(
      bufferSource(Buffer.alloc(0)),
      foot(repeated) as unknown as TableFoot,
      () => true,
      slices,
    );
  assert.equal((await first(300_000))('a', 'a.gml', 0), true);
  await assert.rejects(first(300_001), { status: 413 });
});

test('one repeated feature is enough to be told apart', async () => {
  const rows = [
    building('a', 'later', { file: 'b.gml', west: 1, isRepeated: true }),
    building('a', 'first', { file: 'a.gml', west: 2 }),
  ];
  for (const of of BY_CODES_AND_BY_ROWS) {
    for (const part of [{}, { files: ['a.gml', 'b.gml'] }, { elements: ['bldg:Building'] }]) {
      const { shown } = await counted([{ rows, ...part }], { by: ['bldg:usage'], of });
      assert.deepEqual(shown, [['first', 1]]);
    }
  }
});

test('features are counted of the files and elements that are wanted, of one table or several', async () => {
  const rows = [
    building('a', 'house', { file: 'a.gml' }),
    building('b', 'house', { file: 'b.gml' }),
    { attributes: { _type: 'bldg:BuildingPart', 'gml:id': 'c', 'bldg:usage': 'part' }, file: 'b.gml' },
  ];
  const other = { rows: [building('d', 'other')] };
  const all = [
    ['house', 2],
    ['part', 1],
  ];
  for (const of of BY_CODES_AND_BY_ROWS) {
    for (const [part, expected] of [
      [{}, all],
      [{ files: ['a.gml', 'b.gml'] }, all],
      [{ elements: ['bldg:Building', 'bldg:BuildingPart'] }, all],
      [{ files: ['a.gml'] }, [['house', 1]]],
      [{ elements: ['bldg:BuildingPart'] }, [['part', 1]]],
      [{ files: ['b.gml'], elements: ['bldg:Building'] }, [['house', 1]]],
      [{ files: ['a.gml'], elements: ['bldg:BuildingPart'] }, []],
    ] as const) {
      const question = { by: ['bldg:usage'], of };
      assert.deepEqual((await counted([{ rows, ...part }], question)).shown.sort(), expected);
      const both = await counted([{ rows, ...part }, other], question);
      assert.deepEqual(both.shown.sort(), [...expected, ['other', 1]].sort());
      assert.equal(both.charged, 4);
    }
  }
});

test('a name is known where one of the tables has it, and names that they have are listed', async () => {
  const one = { rows: [{ attributes: { 'gml:id': 'a', _type: 'bldg:Building', 'bldg:class': '1' } }] };
  const two = { rows: [{ attributes: { 'gml:id': 'b', _type: 'bldg:Building', 'bldg:usage': '2' } }] };
  const question = { by: ['bldg:class', 'none'], of: ['bldg:usage'] };
  const { known, names, shown } = await counted([one, two], question);
  assert.deepEqual(known, [true, false, true]);
  assert.deepEqual([...names].sort(), ['_type', 'bldg:class', 'bldg:usage', 'gml:id']);
  assert.deepEqual(shown.sort(), [
    [null, null, 1],
    ['1', null, 1],
  ]);
  assert.equal((await counted([one, two], question)).names, names, 'one list for all answers');
  const wide = Object.fromEntries(Array.from({ length: 130 }, (_, n) => [`gen:a${n}`, n]));
  assert.equal((await counted([{ rows: [{ attributes: wide }] }])).names.length, 120);
});

test('a condition on what is not counted is met by those that have it', async () => {
  const rows = [building('a', '1'), building('b', '2'), building('c', '1')];
  for (const parts of [[{ rows }], [{ rows }, { rows: [building('d', '1')] }]]) {
    const { shown, known } = await counted(parts, { where: new AttributeFilter('bldg:usage=1') });
    assert.deepEqual([shown, known], [[[parts.length + 1]], []]);
  }
});

test('names of 2.0 are known where a feature of the table has them', async () => {
  const rows = [
    { attributes: { 'gml:id': 'a', _type: 'bldg:Building', 'con:dateOfConstruction': '1980-01-01' } },
  ];
  const question = {
    by: ['bldg:yearOfConstruction'],
    of: ['tran:yearOfConstruction', 'con:dateOfConstruction'],
  };
  const in2 = await counted([{ rows }], { ...question, hasVersion2Names: true });
  assert.deepEqual(in2.known, [true, false, true]);
  assert.deepEqual([...in2.names].sort(), [
    '_type',
    'bldg:yearOfConstruction',
    'con:dateOfConstruction',
    'gml:id',
  ]);
  assert.equal(in2.shown.length, 1);
  const own = await counted([{ rows }], question);
  assert.deepEqual(own.known, [false, false, true]);
});
