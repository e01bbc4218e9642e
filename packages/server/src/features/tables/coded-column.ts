/**
 * Columns as codes. Where values repeat, a file has the different ones once, and for each row the place of its own
 * among them (Apache Parquet, Encodings.md, "Dictionary Encoding"). Who looks at millions of rows does it by places.
 */
import { zstdDecompressSync } from 'node:zlib';
import type { RangedSource } from '@citymodel/zip';
import type { ColumnMetaData, FileMetaData } from 'hyparquet';
import { parquetHeader, readPage } from 'hyparquet/src/column.js';
import { convert, DEFAULT_PARSERS } from 'hyparquet/src/convert.js';
import { getMaxDefinitionLevel, getMaxRepetitionLevel, getSchemaPath } from 'hyparquet/src/schema.js';
import { readColumn, type TableFoot } from './table-reader.ts';

export interface CodedColumn {
  /** For each row of a group, the place of what it has in `cells`. */
  readonly codes: Uint32Array;
  /** Values, lists of several, and null for rows without any. Equal ones may have several places. */
  readonly cells: readonly unknown[];
}

const COMPRESSORS = { ZSTD: (input: Uint8Array) => zstdDecompressSync(input) };
/** Packed numbers of more bits would not fit into one of 32 beside a whole byte. */
const MAX_WIDTH = 24;
const SHORT = 'The numbers of a table end too early.';

/** A column of a group of rows; null where the table has none of this name. Throws what reading throws. */
export async function readCoded(
  source: RangedSource,
  foot: TableFoot,
  group: number,
  name: string,
): Promise<CodedColumn | null> {
  const chunk = chunkOf(foot, group, name);
  if (chunk === undefined) return null;
  const size = foot.starts[group + 1]! - foot.starts[group]!;
  if (isEmpty(chunk)) return emptyColumn(size);
  return (
    (await readPlaces(source, foot.metadata, chunk, size)) ??
    numbered((await readColumn(source, foot, group, name)) ?? [])
  );
}

/** Whether a row of the group has a value in the column. */
export function hasValues(foot: TableFoot, group: number, name: string): boolean {
  const chunk = chunkOf(foot, group, name);
  return chunk !== undefined && !isEmpty(chunk);
}

/** What rows have in all of these columns, of which there is one at least. */
export function joinedColumns(columns: readonly CodedColumn[]): CodedColumn {
  return columns.reduce((one, two) => {
    if (hasNothing(two)) return one;
    if (hasNothing(one)) return two;
    const cells: unknown[] = [];
    const known = new Map<number, number>();
    const codes = one.codes.map((first, row) => {
      const second = two.codes[row]!;
      const key = first * two.cells.length + second;
      let code = known.get(key);
      if (code === undefined) {
        const all = [one.cells[first] ?? [], two.cells[second] ?? []].flat();
        code = cells.push(all.length === 0 ? null : all) - 1;
        known.set(key, code);
      }
      return code;
    });
    return { codes, cells };
  });
}

/** A column that no row has a value in. */
export function emptyColumn(size: number): CodedColumn {
  return { codes: new Uint32Array(size), cells: [null] };
}

function hasNothing({ cells }: CodedColumn): boolean {
  return cells.length === 1 && cells[0] === null;
}

/** What a table says of a column in a group of rows; undefined where it has none of this name. */
export function chunkOf({ metadata }: TableFoot, group: number, name: string): ColumnMetaData | undefined {
  const isOf = ({ meta_data: data }: { meta_data?: ColumnMetaData }) => data?.path_in_schema[0] === name;
  return metadata.row_groups[group]?.columns.find(isOf)?.meta_data;
}

/** Whether no row of the group has a value. */
export function isEmpty({ statistics, num_values: values }: ColumnMetaData): boolean {
  return statistics?.null_count === values;
}

/** A code for each row. */
function numbered(values: ArrayLike<unknown>): CodedColumn {
  const cells = Array.from(values, (value) => value ?? null);
  return { codes: Uint32Array.from(cells.keys()), cells };
}

/** Null for a column that is not written as places in a list. */
async function readPlaces(
  source: RangedSource,
  { schema }: FileMetaData,
  chunk: ColumnMetaData,
  size: number,
): Promise<CodedColumn | null> {
  const { dictionary_page_offset: start, total_compressed_size: length, path_in_schema: path } = chunk;
  if (start === undefined) return null;
  const schemaPath = getSchemaPath(schema, path);
  const decoder = {
    ...chunk,
    pathInSchema: path,
    schemaPath,
    element: schemaPath.at(-1)!.element,
    parsers: DEFAULT_PARSERS,
    compressors: COMPRESSORS,
  };
  const bytes = await source.read(Number(start), Number(length));
  const reader = { view: new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength), offset: 0 };
  const { data } = readPage(reader, parquetHeader(reader), decoder, undefined, undefined, 0);
  const rows = new RowCodes(convert(data ?? [], decoder), size);
  const most = getMaxDefinitionLevel(schemaPath);
  const hasLists = getMaxRepetitionLevel(schemaPath) > 0;
  while (rows.isOpen) {
    const { data_page_header_v2: head, compressed_page_size: pageSize } = parquetHeader(reader);
    if (head?.encoding !== 'RLE_DICTIONARY') return null;
    const page = bytes.subarray(reader.offset, reader.offset + pageSize);
    reader.offset += pageSize;
    const { num_values: entries, num_nulls: nulls } = head;
    const [repeated, defined] = [head.repetition_levels_byte_length, head.definition_levels_byte_length];
    const packed = page.subarray(repeated + defined);
    const values = head.is_compressed === false ? packed : zstdDecompressSync(packed);
    const places = unpacked(values.subarray(1), values[0] ?? 0, new Uint32Array(entries - nulls));
    const levels = nulls === 0 ? null : unpacked(page.subarray(repeated), widthOf(most), zeros(0, entries));
    const goesOn = hasLists ? unpacked(page.subarray(0, repeated), 1, zeros(1, entries)) : null;
    if (goesOn?.includes(1)) rows.addLists(places, levels, goesOn, most);
    else rows.add(places, levels, most);
  }
  return rows;
}

/** Memory that each page uses again: new buffers for every column of millions of rows are a third of the time. */
const USED_AGAIN = [new Uint8Array(0), new Uint8Array(0)];

/** So many zeros, until somebody asks for the same again. */
function zeros(which: 0 | 1, count: number): Uint8Array {
  if (USED_AGAIN[which]!.length < count) USED_AGAIN[which] = new Uint8Array(count);
  return USED_AGAIN[which]!.subarray(0, count).fill(0);
}

function widthOf(most: number): number {
  return 32 - Math.clz32(most);
}

/** The codes of rows, page after page: places of values, then null, then lists. */
class RowCodes implements CodedColumn {
  readonly cells: unknown[];
  readonly #none: number;
  readonly #size: number;
  readonly #lists = new Map<string, number>();
  #codes: Uint32Array | null = null;
  #row = 0;

  constructor(values: ArrayLike<unknown>, size: number) {
    this.cells = [...Array.from(values), null];
    this.#none = values.length;
    this.#size = size;
  }

  get isOpen(): boolean {
    return this.#row < this.#size;
  }

  get codes(): Uint32Array {
    this.#codes ??= new Uint32Array(this.#size);
    return this.#codes;
  }

  /** Of rows with one value, or none where the level is not `most`; without levels all have one. */
  add(places: Uint32Array, levels: Uint8Array | null, most: number): void {
    if (levels === null && places.length === this.#size) {
      this.#codes = places;
      this.#row = this.#size;
    } else if (levels === null) {
      this.codes.set(places, this.#row);
      this.#row += places.length;
    } else {
      const { codes } = this;
      const none = this.#none;
      let [row, at] = [this.#row, 0];
      for (let n = 0; n < levels.length; n++) codes[row++] = levels[n] === most ? places[at++]! : none;
      this.#row = row;
    }
  }

  /** The same of rows with lists, whose entries after the first have a 1 in `goesOn`. */
  addLists(places: Uint32Array, levels: Uint8Array | null, goesOn: Uint8Array, most: number): void {
    const { codes } = this;
    let at = 0;
    for (let n = 0; n < goesOn.length; ) {
      const first = at;
      do if (levels === null || levels[n] === most) at++;
      while (++n < goesOn.length && goesOn[n] === 1);
      codes[this.#row++] = at === first + 1 ? places[first]! : this.#listOf(places.subarray(first, at));
    }
  }

  #listOf(places: Uint32Array): number {
    if (places.length === 0) return this.#none;
    const key = places.join();
    let code = this.#lists.get(key);
    if (code === undefined) {
      code = this.cells.push(Array.from(places, (place) => this.cells[place])) - 1;
      this.#lists.set(key, code);
    }
    return code;
  }
}

/**
 * Fills a list of zeros with numbers out of runs and packed bits (Encodings.md, "RLE/Bit-Packing Hybrid"). Throws a
 * RangeError where the bytes end too early.
 */
export function unpacked<T extends Uint32Array | Uint8Array>(
  bytes: Uint8Array,
  width: number,
  numbers: T,
): T {
  const count = numbers.length;
  if (width === 0) return numbers;
  if (width > MAX_WIDTH) throw new RangeError(`A table has numbers of ${width} bits.`);
  const mask = 2 ** width - 1;
  let at = 0;
  for (let n = 0; n < count; ) {
    let head = 0;
    let byte = 0x80;
    for (let shift = 0; byte >= 0x80; shift += 7) {
      if (at >= bytes.length) throw new RangeError(SHORT);
      byte = bytes[at++]!;
      head |= (byte & 0x7f) << shift;
    }
    const length = head >>> 1;
    if ((head & 1) === 0) {
      if (at + width / 8 > bytes.length) throw new RangeError(SHORT);
      let value = 0;
      for (let shift = 0; shift < width; shift += 8) value |= bytes[at++]! << shift;
      numbers.fill(value, n, n + length);
      n += length;
      continue;
    }
    const end = at + length * width;
    const last = Math.min(count, n + length * 8);
    if (at + ((last - n) * width) / 8 > bytes.length) throw new RangeError(SHORT);
    let held = 0;
    for (let bits = 0; n < last; n++) {
      for (; bits < width; bits += 8) held |= bytes[at++]! << bits;
      numbers[n] = held & mask;
      held >>>= width;
      bits -= width;
    }
    at = end;
  }
  return numbers;
}
