/**
 * Rows of a table as the bytes of a Parquet file (Apache Parquet format 2), a group of rows at a time. The library
 * writes all columns of a group in one turn of the event loop; here it writes each by itself, and others may go first
 * in between.
 */
import { constants, zstdCompressSync } from 'node:zlib';
import type { Slices } from '@citymodel/base';
import {
  ByteWriter,
  type ColumnSource,
  type KeyValue,
  ParquetWriter,
  type SchemaElement,
} from 'hyparquet-writer';

/** A column of one group. */
export interface ParquetColumn extends ColumnSource {
  readonly name: string;
  /** Level of zstd; the usual one where it is absent. */
  readonly level?: number;
}

const CREATED_BY = 'citymodel';

/** From here on, levels of zstd search in tables of dozens of megabytes, unless these are limited. */
const LARGE_TABLES = 16;
/** Powers of two. A page has about a megabyte, in which larger tables find nothing more. */
const SMALL_TABLES = {
  [constants.ZSTD_c_windowLog]: 20,
  [constants.ZSTD_c_chainLog]: 18,
  [constants.ZSTD_c_hashLog]: 18,
};

export class ParquetGroups {
  readonly #bytes = new ByteWriter(64 * 1024);
  readonly #writer: ParquetWriter;
  readonly #schema: SchemaElement[];
  #level = constants.ZSTD_CLEVEL_DEFAULT;

  constructor(schema: SchemaElement[]) {
    this.#schema = schema;
    this.#writer = new ParquetWriter({
      writer: this.#bytes,
      schema,
      codec: 'ZSTD',
      compressors: {
        ZSTD: (bytes) => zstdCompressSync(bytes, { params: paramsOf(this.#level) }),
      },
      createdBy: CREATED_BY,
    });
  }

  /** The bytes of a group, column by column. All columns of the schema have to be there, in its order, with equally many rows. */
  async *group(columns: Iterable<ParquetColumn>, slices: Slices): AsyncGenerator<Uint8Array, void, void> {
    const first = this.#writer.row_groups.length;
    for (const { level = constants.ZSTD_CLEVEL_DEFAULT, ...column } of columns) {
      this.#level = level;
      const written = this.#writer.write({ columnData: [column], rowGroupSize: column.data.length });
      if (written !== undefined) await written;
      yield this.#take();
      if (slices.due()) await slices.pause();
    }
    this.#join(first);
  }

  /** The end of the file, with facts about it under their keys. */
  finish(facts: KeyValue[]): Uint8Array {
    // Older readers know JSON by the older word. The library would make JSON of texts that are JSON when it wrote them.
    for (const element of this.#schema) {
      if (element.logical_type?.type === 'JSON') element.converted_type = 'JSON';
    }
    this.#writer.kvMetadata = facts;
    this.#writer.finish();
    return this.#take();
  }

  /** Makes one group of rows of what was written as a group for each column. */
  #join(first: number): void {
    const [head, ...rest] = this.#writer.row_groups.splice(first);
    if (head === undefined) return;
    for (const { columns, num_rows, total_byte_size, total_compressed_size = 0n } of rest) {
      head.columns.push(...columns);
      head.total_byte_size += total_byte_size;
      head.total_compressed_size = (head.total_compressed_size ?? 0n) + total_compressed_size;
      this.#writer.num_rows -= num_rows;
    }
    this.#writer.row_groups.push(head);
  }

  #take(): Uint8Array {
    const taken = Uint8Array.from(this.#bytes.getBytes());
    this.#bytes.index = 0;
    return taken;
  }
}

function paramsOf(level: number): Record<number, number> {
  return {
    [constants.ZSTD_c_compressionLevel]: level,
    ...(level < LARGE_TABLES ? {} : SMALL_TABLES),
  };
}
