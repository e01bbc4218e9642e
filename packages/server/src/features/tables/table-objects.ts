/** Tables of packages as objects: every byte of them is compared with the sum of its page before it is used. */
import type { Archives, CatalogueStore, PackageTable } from '@citymodel/store';
import { ARCHIVE_PAGE_BYTES, CheckedPages, type RangedSource } from '@citymodel/zip';
import { LRUCache } from 'lru-cache';
import { readTableIds, type TableIds } from './table-ids.ts';
import { readFoot, type TableFoot } from './table-reader.ts';

/** Tables whose sums are kept, and their bytes. */
const MAX_TABLES = 2_000;
const MAX_BYTES = 16 << 20;
/** Bytes of the ends of tables that are kept in memory. */
const FOOT_BYTES = 24 << 20;

export class TableObjects {
  readonly #archives: Archives;
  readonly #sums: LRUCache<string, Buffer>;
  readonly #feet: LRUCache<string, TableFoot, PackageTable>;

  constructor(archives: Archives, store: Pick<CatalogueStore, 'tableSums'>) {
    this.#archives = archives;
    this.#sums = new LRUCache({
      max: MAX_TABLES,
      maxSize: MAX_BYTES,
      sizeCalculation: ({ length }) => Math.min(MAX_BYTES, 1 + length),
      ignoreFetchAbort: true,
      fetchMethod: async (key) => Buffer.from((await store.tableSums(key)) ?? '', 'base64'),
    });
    this.#feet = new LRUCache({
      maxSize: FOOT_BYTES,
      sizeCalculation: ({ bytes }) => Math.min(FOOT_BYTES, 1 + bytes),
      ignoreFetchAbort: true,
      fetchMethod: async (_key, _stale, { context: table }) => {
        await using source = await this.open(table);
        return readFoot(source);
      },
    });
  }

  /** The end of a table, which is kept. Throws like `open`, and what its reads throw. */
  foot(table: PackageTable): Promise<TableFoot> {
    return this.#feet.forceFetch(table.key, { context: table });
  }

  /** Which gml:ids a table may have; null where it does not say. Nothing is kept. Throws like `foot`. */
  async ids(table: PackageTable): Promise<TableIds | null> {
    const foot = await this.foot(table);
    await using source = await this.open(table);
    return await readTableIds(source, foot);
  }

  /** For one use. Throws ObjectMissing, and what the store throws; reads throw MemberDamaged. */
  async open({ key, type }: PackageTable): Promise<RangedSource & AsyncDisposable> {
    const handle = await this.#archives.openObject(key);
    const pages = {
      name: `the table of ${type}`,
      pageBytes: ARCHIVE_PAGE_BYTES,
      load: async () => {
        const sums = await this.#sums.forceFetch(key);
        return (page: number) => (page * 4 + 4 <= sums.length ? sums.readUInt32LE(page * 4) : null);
      },
    };
    const checked = new CheckedPages(handle, pages);
    return {
      size: handle.size,
      read: (offset, length) => checked.read(offset, length),
      stream: (offset, length, options) => checked.stream(offset, length, options),
      [Symbol.asyncDispose]: () => handle[Symbol.asyncDispose](),
    };
  }
}
