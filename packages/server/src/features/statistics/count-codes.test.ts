/** Rows counted by codes are those counted one by one, whatever their columns, conditions and parts. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { zstdCompressSync } from 'node:zlib';
import { Slices } from '@citymodel/base';
import { bufferSource } from '@citymodel/zip';
import fc from 'fast-check';
import { parquetMetadata } from 'hyparquet';
import { parquetWriteBuffer, type SchemaElement } from 'hyparquet-writer';
import { AttributeFilter } from '../attribute-filter.ts';
import type { TableFoot } from '../tables/table-reader.ts';
import { type CodedQuestion, countCodes } from './count-codes.ts';
import { Groups, groupValue } from './groups.ts';
import type { Value } from './named-values.ts';

interface Row {
  a: string | null;
  b: number | null;
  c: string | null;
  gml_file: string;
  _type: string;
  repeated: boolean | null;
}

const OPTIONAL = { repetition_type: 'OPTIONAL' } as const;
const TEXT = { ...OPTIONAL, type: 'BYTE_ARRAY', converted_type: 'UTF8' } as const;
const SCHEMA: SchemaElement[] = [
  { name: 'root', num_children: 6 },
  { name: 'a', ...TEXT },
  { name: 'b', ...OPTIONAL, type: 'DOUBLE' },
  { name: 'c', ...TEXT },
  { name: 'gml_file', ...TEXT },
  { name: '_type', ...TEXT },
  { name: 'repeated', ...OPTIONAL, type: 'BOOLEAN' },
];
const NAMES = ['a', 'b', 'c', 'gml_file', '_type', 'repeated'] as const;
/** What is asked for by name: a column, two that have the same name in other places, and one that no table has. */
const COLUMNS: Record<string, readonly (keyof Row)[]> = { a: ['a'], b: ['b'], ac: ['a', 'c'], none: [] };

const GROUP = 20;

async function counted(
  rows: readonly Row[],
  question: Partial<CodedQuestion>,
  { repeated = 0, rowGroupSize = GROUP } = {},
): Promise<Groups> {
  const buffer = parquetWriteBuffer({
    columnData: NAMES.map((name) => ({ name, data: rows.map((row) => row[name]) })),
    schema: SCHEMA,
    rowGroupSize,
    codec: 'ZSTD',
    compressors: { ZSTD: (bytes) => zstdCompressSync(bytes) },
  });
  const metadata = parquetMetadata(buffer);
  const starts = [0];
  for (const { num_rows } of metadata.row_groups) starts.push(starts.at(-1)! + Number(num_rows));
  const foot = { metadata, starts, facts: { repeated } } as unknown as TableFoot;
  const source = bufferSource(Buffer.from(buffer));
  const groups = new Groups();
  const whole: CodedQuestion = {
    by: [],
    steps: (question.by ?? []).map(() => 0),
    of: [],
    where: null,
    part: { paths: null, elements: null },
    columnsOf: (name) => COLUMNS[name]!,
    ...question,
  };
  for (let number = 0; number + 1 < starts.length; number++) {
    await countCodes(groups, { source, foot, number }, whole, new Slices(async () => {}, 0));
  }
  return groups;
}

const shown = (groups: Groups) => groups.list().map(({ by, count, of }) => [by, count, of]);

const rowsOf = fc.array(
  fc.record<Row>({
    a: fc.constantFrom(null, 'x', 'y', '12'),
    b: fc.constantFrom(null, 0, 7, 12.5, -9999),
    c: fc.constantFrom(null, 'x', '5'),
    gml_file: fc.constantFrom('1.gml', '2.gml'),
    _type: fc.constantFrom('bldg:Building', 'tran:Road'),
    repeated: fc.constantFrom(null, true),
  }),
  { minLength: 1, maxLength: 2 * GROUP + 1 },
);
const namesOf = fc.uniqueArray(fc.constantFrom(...Object.keys(COLUMNS)), { maxLength: 3 });

test('groups are those of rows one by one', async () => {
  const wheres = fc.constantFrom(null, 'a=x', 'a=', 'b>0', 'ac=5|y', 'none=', 'none=1', 'a=12;b<=7');
  const paths = fc.constantFrom(null, new Set(['1.gml']), new Set<string>());
  const elements = fc.constantFrom(null, new Set(['tran:Road']));
  await fc.assert(
    fc.asyncProperty(
      rowsOf,
      namesOf,
      namesOf,
      fc.constantFrom(0, 5),
      wheres,
      fc.record({ paths, elements }),
      fc.boolean(),
      async (rows, by, of, step, condition, part, hasRepeated) => {
        const where = condition === null ? null : new AttributeFilter(condition);
        const steps = by.map(() => step);
        const groups = await counted(rows, { by, steps, of, where, part }, { repeated: Number(hasRepeated) });
        const slow = new Groups();
        for (const row of rows) {
          const valuesOf = (name: string) =>
            COLUMNS[name]!.map((column) => row[column] as Value | null).filter((value) => value !== null);
          if (part.paths !== null && !part.paths.has(row.gml_file)) continue;
          if (part.elements !== null && !part.elements.has(row._type)) continue;
          if (hasRepeated && row.repeated === true) continue;
          if (where?.acceptsValues(valuesOf) === false) continue;
          slow.add(
            by.map((name) => groupValue(valuesOf(name), step)),
            of.map(valuesOf),
          );
        }
        assert.deepEqual(shown(groups), shown(slow));
      },
    ),
    { numRuns: 60 },
  );
});

test('pairs of columns with many values are told apart, also where no list holds all pairs', async () => {
  const of = (n: number, c: string | null): Row => ({
    a: `a${n % 600}`,
    b: n % 599,
    c,
    gml_file: '1.gml',
    _type: 'bldg:Building',
    repeated: null,
  });
  // Each of 600 rows twice, which differ in the third column for some of them.
  const rows = Array.from({ length: 1200 }, (_, n) => of(n % 600, n < 600 || n % 3 > 0 ? 'x' : 'y'));
  const columnsOf = (name: string) => [name as keyof Row];
  const groups = await counted(rows, { by: ['a', 'b', 'c'], columnsOf }, { rowGroupSize: 1200 });
  const counts = groups.list();
  assert.deepEqual([counts.length, groups.features], [800, 1200]);
  assert.ok(counts.every(({ count, by }) => count === (Number(String(by[0]).slice(1)) % 3 > 0 ? 2 : 1)));
});
