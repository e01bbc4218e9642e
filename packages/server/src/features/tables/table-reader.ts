/** Reads a table of features: its facts, and columns of one group of rows after the other. */
import { zstdDecompressSync } from 'node:zlib';
import type { Slices } from '@citymodel/base';
import type { RangedSource } from '@citymodel/zip';
import { type AsyncBuffer, type FileMetaData, parquetMetadataAsync, parquetRead } from 'hyparquet';
import { DEFAULT_PARSERS } from 'hyparquet/src/convert.js';
import { FACTS_KEY, TABLE_VERSION, type TableFacts } from './table-facts.ts';

/** Geometries stay WKB: an answer without them needs their boxes alone. */
const PARSERS = { ...DEFAULT_PARSERS, geometryFromBytes: (bytes: Uint8Array | undefined) => bytes };
const COMPRESSORS = { ZSTD: (input: Uint8Array) => zstdDecompressSync(input) };
/** Bytes at the end of a file that are read first: mostly they have the whole description. */
const FOOT_BYTES = 64 << 10;

/** What the end of a file says; it is kept, so that a table is opened by it alone. */
export interface TableFoot {
  readonly facts: TableFacts;
  readonly metadata: FileMetaData;
  /** First row of each group, and the number of rows at the end. */
  readonly starts: readonly number[];
  /** About what it takes in memory, bytes. */
  readonly bytes: number;
}

/** Values of some columns for the rows of a group; null where a row has none. */
export interface ColumnGroup {
  readonly size: number;
  readonly columns: ReadonlyMap<string, ArrayLike<unknown>>;
}

/** The end of a table. Throws a RangeError for a file that is none, or of a form that this version does not know. */
export async function readFoot(source: RangedSource): Promise<TableFoot> {
  const metadata = await parquetMetadataAsync(bufferOf(source), { initialFetchSize: FOOT_BYTES });
  const text = metadata.key_value_metadata?.find(({ key }) => key === FACTS_KEY)?.value;
  const facts = text === undefined ? null : (JSON.parse(text) as TableFacts);
  if (facts?.version !== TABLE_VERSION)
    throw new RangeError('The table has a form that this version does not know.');
  const starts = [0];
  for (const { num_rows } of metadata.row_groups) starts.push(starts.at(-1)! + Number(num_rows));
  return { facts, metadata, starts, bytes: 4 * metadata.metadata_length };
}

/** The columns of these names, group by group. Unknown names are left out. */
export async function* readColumns(
  source: RangedSource,
  foot: TableFoot,
  names: readonly string[],
  slices: Slices,
): AsyncGenerator<ColumnGroup, void, void> {
  for (let n = 0; n + 1 < foot.starts.length; n++) yield readGroup(source, foot, n, names, slices);
}

/** The columns of these names in one group. Unknown names are left out. */
export async function readGroup(
  source: RangedSource,
  foot: TableFoot,
  number: number,
  names: readonly string[],
  slices: Slices,
): Promise<ColumnGroup> {
  const columns = new Map<string, ArrayLike<unknown>>();
  for (const name of names) {
    const column = await readColumn(source, foot, number, name);
    if (column !== null) columns.set(name, column);
    if (slices.due()) await slices.pause();
  }
  return { size: foot.starts[number + 1]! - foot.starts[number]!, columns };
}

/** A column in one group of rows; null where the table has none of this name. */
export async function readColumn(
  source: RangedSource,
  { metadata, starts }: TableFoot,
  group: number,
  name: string,
): Promise<ArrayLike<unknown> | null> {
  const pieces: Array<ArrayLike<unknown>> = [];
  await parquetRead({
    file: bufferOf(source),
    metadata,
    columns: [name],
    rowStart: starts[group]!,
    rowEnd: starts[group + 1]!,
    compressors: COMPRESSORS,
    parsers: PARSERS,
    onChunk: ({ columnData }) => pieces.push(columnData),
  });
  if (pieces.length === 0) return null;
  return pieces.length === 1 ? pieces[0]! : joined(pieces);
}

function joined(pieces: ReadonlyArray<ArrayLike<unknown>>): unknown[] {
  const all: unknown[] = [];
  for (const piece of pieces) for (let n = 0; n < piece.length; n++) all.push(piece[n]);
  return all;
}

function bufferOf(source: RangedSource): AsyncBuffer {
  return {
    byteLength: source.size,
    async slice(start, end = source.size) {
      const from = start < 0 ? Math.max(0, source.size + start) : start;
      const bytes = await source.read(from, end - from);
      const { buffer, byteOffset, byteLength } = bytes;
      // Buffers of a pool are parts of longer ones.
      return byteLength === buffer.byteLength
        ? (buffer as ArrayBuffer)
        : (buffer.slice(byteOffset, byteOffset + byteLength) as ArrayBuffer);
    },
  };
}
