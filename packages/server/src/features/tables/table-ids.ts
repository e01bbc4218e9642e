/**
 * Whether a table may have a gml:id, out of the Bloom filters of its column of ids (Apache Parquet, BloomFilter.md).
 * They are a hundredth of a table, so that of a whole country all but a few tables are passed over.
 */
import type { RangedSource } from '@citymodel/zip';
import { readBloomFilter, sbbfContains } from 'hyparquet/src/bloom.js';
import { xxhash64 } from 'hyparquet/src/xxhash.js';
import { chunkOf, isEmpty } from './coded-column.ts';
import { ID_COLUMN } from './table-columns.ts';
import type { TableFoot } from './table-reader.ts';

/** One group of rows. */
type BloomFilter = NonNullable<ReturnType<typeof readBloomFilter>>;

export class TableIds {
  readonly #filters: readonly BloomFilter[];

  /** `filters`: one for each group of rows with ids. */
  constructor(filters: readonly BloomFilter[]) {
    this.#filters = filters;
  }

  /** Bytes that it takes. */
  get byteLength(): number {
    return this.#filters.reduce((sum, { blocks }) => sum + blocks.byteLength, 0);
  }

  /** False where no row has the id. */
  mayHave(id: string): boolean {
    const hash = xxhash64(Buffer.from(id));
    return this.#filters.some(({ blocks }) => sbbfContains(blocks, hash));
  }
}

/**
 * The filters of a table; null where it has none, as tables of earlier versions, or where it lacks features that cannot
 * be read. Throws what reading throws.
 */
export async function readTableIds(source: RangedSource, foot: TableFoot): Promise<TableIds | null> {
  if (foot.facts.leftOut > 0) return null;
  const places: Array<{ start: number; length: number }> = [];
  for (let group = 0; group + 1 < foot.starts.length; group++) {
    const chunk = chunkOf(foot, group, ID_COLUMN);
    if (chunk === undefined || isEmpty(chunk)) continue;
    const { bloom_filter_offset: start, bloom_filter_length: length } = chunk;
    if (start === undefined || length === undefined) return null;
    places.push({ start: Number(start), length });
  }
  const [first, last] = [places[0], places.at(-1)];
  if (first === undefined || last === undefined) return new TableIds([]);
  // They lie one behind the other.
  const bytes = await source.read(first.start, last.start + last.length - first.start);
  const filters: BloomFilter[] = [];
  for (const { start } of places) {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const filter = readBloomFilter({ view, offset: start - first.start });
    if (filter === undefined) return null;
    filters.push(filter);
  }
  return new TableIds(filters);
}
