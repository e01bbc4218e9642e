/** Reads a table of features: its facts, and columns of one group of rows after the other. */
import { zstdDecompressSync } from 'node:zlib';
import type { Slices } from '@citymodel/base';
import type { RangedSource } from '@citymodel/zip';
import { type AsyncBuffer, type FileMetaData, parquetMetadataAsync, parquetRead } from 'hyparquet';
import { FACTS_KEY, TABLE_VERSION, type TableFacts } from './table-facts.ts';

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
  { metadata, starts }: TableFoot,
  names: readonly string[],
  slices: Slices,
): AsyncGenerator<ColumnGroup, void, void> {
  const file = bufferOf(source);
  for (let n = 0; n + 1 < starts.length; n++) {
    const [rowStart, rowEnd] = [starts[n]!, starts[n + 1]!];
    const columns = new Map<string, ArrayLike<unknown>>();
    for (const name of names) {
      const pieces: Array<ArrayLike<unknown>> = [];
      await parquetRead({
        file,
        metadata,
        columns: [name],
        rowStart,
        rowEnd,
        compressors: COMPRESSORS,
        onChunk: ({ columnData }) => pieces.push(columnData),
      });
      if (pieces.length > 0) columns.set(name, pieces.length === 1 ? pieces[0]! : joined(pieces));
      if (slices.due()) await slices.pause();
    }
    yield { size: rowEnd - rowStart, columns };
  }
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
