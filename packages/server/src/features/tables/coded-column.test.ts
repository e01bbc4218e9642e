/** Codes of columns stand for what the library reads of the same file, whatever its pages and encodings. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { zstdCompressSync } from 'node:zlib';
import { bufferSource } from '@citymodel/zip';
import fc from 'fast-check';
import { type Encoding, parquetMetadata } from 'hyparquet';
import { parquetWriteBuffer, type SchemaElement } from 'hyparquet-writer';
import { emptyColumn, hasValues, joinedColumns, readCoded, unpacked } from './coded-column.ts';
import { readColumn, type TableFoot } from './table-reader.ts';

const OPTIONAL = { repetition_type: 'OPTIONAL' } as const;
const TEXT = { ...OPTIONAL, type: 'BYTE_ARRAY', converted_type: 'UTF8' } as const;
const SCHEMA: SchemaElement[] = [
  { name: 'root', num_children: 4 },
  { name: 'text', ...TEXT },
  { name: 'number', ...OPTIONAL, type: 'DOUBLE' },
  { name: 'list', ...OPTIONAL, num_children: 1, converted_type: 'LIST' },
  { name: 'list', repetition_type: 'REPEATED', num_children: 1 },
  { name: 'element', ...TEXT },
  { name: 'mark', ...OPTIONAL, type: 'BOOLEAN' },
];

const word = fc.constantFrom('', 'a', 'b', '住宅', '#');
const row = fc.record({
  text: fc.option(word, { freq: 3 }),
  number: fc.option(fc.constantFrom(0, 3, -9999, 12.5), { freq: 3 }),
  list: fc.option(fc.array(word, { maxLength: 3 }), { freq: 4 }),
  mark: fc.option(fc.boolean()),
});
const NAMES = ['text', 'number', 'list', 'mark'] as const;

function tableOf(columns: Record<string, unknown[]>, rows: number, pageSize: number, encoding?: Encoding) {
  const buffer = parquetWriteBuffer({
    columnData: NAMES.map((name) => ({
      name,
      data: columns[name]!,
      ...(name === 'number' && encoding !== undefined ? { encoding } : {}),
    })),
    schema: SCHEMA,
    pageSize,
    rowGroupSize: rows,
    codec: 'ZSTD',
    compressors: { ZSTD: (bytes) => zstdCompressSync(bytes) },
  });
  const metadata = parquetMetadata(buffer);
  const starts = [0];
  for (const { num_rows } of metadata.row_groups) starts.push(starts.at(-1)! + Number(num_rows));
  return { source: bufferSource(Buffer.from(buffer)), foot: { metadata, starts } as unknown as TableFoot };
}

function valuesOf(cell: unknown): unknown[] {
  return [cell].flat().filter((value) => value !== null && value !== undefined);
}

test('codes stand for the values of rows', async () => {
  const rows = fc.array(row, { minLength: 1, maxLength: 120 });
  const encodings = fc.constantFrom<Encoding | undefined>(undefined, 'BYTE_STREAM_SPLIT');
  await fc.assert(
    fc.asyncProperty(rows, fc.integer({ min: 20, max: 600 }), encodings, async (all, pageSize, encoding) => {
      const columns = Object.fromEntries(NAMES.map((name) => [name, all.map((one) => one[name])]));
      const { source, foot } = tableOf(columns, 50, pageSize, encoding);
      for (let group = 0; group + 1 < foot.starts.length; group++) {
        for (const name of NAMES) {
          const read = Array.from((await readColumn(source, foot, group, name)) ?? [], valuesOf);
          const { codes, cells } = (await readCoded(source, foot, group, name))!;
          assert.deepEqual(
            Array.from(codes, (code) => valuesOf(cells[code])),
            read,
          );
          assert.equal(
            hasValues(foot, group, name),
            read.some((values) => values.length > 0),
          );
        }
        assert.equal(await readCoded(source, foot, group, 'other'), null);
      }
    }),
    { numRuns: 60 },
  );
});

test('rows have in joined columns what they have in all of them', () => {
  const one = { codes: Uint32Array.of(0, 1, 2, 2), cells: [null, 'a', ['b', 'c']] };
  const two = { codes: Uint32Array.of(1, 1, 0, 1), cells: ['x', null] };
  const joined = joinedColumns([one, emptyColumn(4), two]);
  assert.deepEqual(
    Array.from(joined.codes, (code) => joined.cells[code]),
    [null, ['a'], ['b', 'c', 'x'], ['b', 'c']],
  );
  assert.equal(joinedColumns([emptyColumn(4), two]), two);
});

test('numbers that end too early are refused', () => {
  // Eight numbers of three bits, 0 to 7 (Encodings.md, "RLE/Bit-Packing Hybrid"), then a run of three fives.
  const bytes = Uint8Array.of(3, 0x88, 0xc6, 0xfa, 6, 5);
  assert.deepEqual([...unpacked(bytes, 3, new Uint8Array(11))], [0, 1, 2, 3, 4, 5, 6, 7, 5, 5, 5]);
  for (const [length, count] of [
    [0, 1],
    [3, 8],
    [4, 9],
    [5, 9],
    [6, 12],
  ] as const) {
    assert.throws(() => unpacked(bytes.subarray(0, length), 3, new Uint8Array(count)), RangeError);
  }
  assert.throws(() => unpacked(bytes, 25, new Uint32Array(1)), RangeError);
});

test('numbers of whole bytes may end with the bytes, up to those of 24 bits', () => {
  // A run of three, then eight numbers beside each other.
  assert.deepEqual([...unpacked(Uint8Array.of(6, 5), 8, new Uint8Array(3))], [5, 5, 5]);
  assert.deepEqual([...unpacked(Uint8Array.of(6, 1, 2, 3), 24, new Uint32Array(3))], Array(3).fill(0x030201));
  const eight = Array.from({ length: 8 }, (_, n) => [n, 0, 0x80 | n]).flat();
  assert.deepEqual(
    [...unpacked(Uint8Array.of(3, ...eight), 24, new Uint32Array(8))],
    Array.from({ length: 8 }, (_, n) => 0x80_00_00 + n * 0x01_00_01),
  );
  // A run of so many that its length takes two bytes.
  assert.deepEqual([...unpacked(Uint8Array.of(0x90, 3, 7), 3, new Uint8Array(200))], Array(200).fill(7));
  assert.deepEqual([...unpacked(Uint8Array.of(), 0, new Uint8Array(2))], [0, 0]);
});
