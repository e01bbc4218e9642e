/**
 * Which files of a package may have a gml:id. The feature index of every file has the hashes of its ids in order; they
 * are read once and kept, 4 bytes a feature, so that an id is looked for in one file in place of a thousand. A filter
 * of some 10 bits a feature comes before: of a whole country's packages all but a few are passed over. It is that of
 * the table of features, or made of the hashes where there is no table yet, and stays when these go.
 */
import { firstWhere, type Slices } from '@citymodel/base';
import { hashOf } from '@citymodel/citygml';
import type { Archives, PackageRow, PackageTable } from '@citymodel/store';
import { LRUCache } from 'lru-cache';
import type { GmlFile } from './gml-files.ts';
import type { GmlIndexes } from './gml-indexes.ts';
import { IdFilter } from './id-filter.ts';
import { TABLE_VERSION } from './tables/table-facts.ts';

/** Bytes of hashes that are kept: those of some eight million features. */
const MAX_BYTES = 32 << 20;
/** Bytes of filters that are kept: those of some 30 million features. */
const MAX_FILTER_BYTES = 40 << 20;
/** Files or tables that are read at once; those of a store that is far away wait for each other otherwise. */
const AT_ONCE = 16;

interface FileHashes {
  readonly file: GmlFile;
  readonly hashes: Uint32Array;
}

interface Source {
  readonly row: PackageRow;
  readonly files: readonly GmlFile[];
}

/** Tells ids that nothing has from those that something may have. */
interface Filter {
  readonly byteLength: number;
  mayHave(id: string): boolean;
}

/** Reads the filters of tables. */
export interface FilterTables {
  ids(table: PackageTable): Promise<Filter | null>;
}

export class IdDirectory {
  readonly #archives: Archives;
  readonly #indexes: GmlIndexes;
  readonly #kept: LRUCache<string, FileHashes[], Source>;
  readonly #filters: LRUCache<string, Filter, PackageTable>;

  /** `tables`: null where none are read; `maxBytes` of hashes are kept. */
  constructor(archives: Archives, indexes: GmlIndexes, tables: FilterTables | null, maxBytes = MAX_BYTES) {
    this.#filters = new LRUCache({
      maxSize: MAX_FILTER_BYTES,
      sizeCalculation: ({ byteLength }) => byteLength + 64,
      // What cannot be read says nothing, and the indexes are asked; the store has noted the damage.
      fetchMethod: async (_key, _stale, { context }) =>
        (await tables?.ids(context).catch(() => null)) ?? undefined,
      ignoreFetchAbort: true,
    });
    this.#archives = archives;
    this.#indexes = indexes;
    this.#kept = new LRUCache({
      maxSize: maxBytes,
      sizeCalculation: (list) => list.reduce((sum, { hashes }) => sum + hashes.byteLength + 64, 64),
      fetchMethod: async (key, _stale, { context }) => {
        const list = await this.#read(context);
        if (!this.#filters.has(key)) this.#filters.set(key, filterOf(list));
        return list;
      },
      ignoreFetchAbort: true,
    });
  }

  /** Packages of which a feature of the type may have the id, as far as filters tell. */
  async packagesWith(
    id: string,
    rows: readonly PackageRow[],
    type: string,
    slices: Slices,
  ): Promise<Set<PackageRow>> {
    const found = new Set<PackageRow>();
    const waiting = rows.values();
    const lookAtSome = async () => {
      for (const row of waiting) {
        if (slices.due()) await slices.pause();
        if (await this.mayHave(id, row, type)) found.add(row);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, lookAtSome));
    return found;
  }

  /** False where no feature of the type of the package has the id, as far as filters tell. */
  async mayHave(id: string, row: PackageRow, type: string): Promise<boolean> {
    const key = keyOf(row, type);
    const table = row.tables?.find((one) => one.type === type && one.version === TABLE_VERSION);
    const filter =
      this.#filters.get(key) ??
      (table === undefined ? undefined : await this.#filters.fetch(key, { context: table }));
    return filter?.mayHave(id) ?? true;
  }

  /** The files of one type of a package of which one may have the id. Throws what reading an index throws. */
  async filesWith(id: string, row: PackageRow, type: string, files: readonly GmlFile[]): Promise<GmlFile[]> {
    if (!(await this.mayHave(id, row, type))) return [];
    const list = await this.#kept.forceFetch(keyOf(row, type), { context: { row, files } });
    const hash = hashOf(Buffer.from(id));
    return list.filter(({ hashes }) => has(hashes, hash)).map(({ file }) => file);
  }

  async #read({ row, files }: Source): Promise<FileHashes[]> {
    await using archive = await this.#archives.open(row);
    const found: FileHashes[] = [];
    for (let from = 0; from < files.length; from += AT_ONCE) {
      const some = files.slice(from, from + AT_ONCE).map(async (file) => {
        const member = archive.index.find(file.path);
        const hashes = member === undefined ? null : await this.#indexes.idHashes(row, member);
        return hashes === null ? [] : [{ file, hashes }];
      });
      found.push(...(await Promise.all(some)).flat());
    }
    return found;
  }
}

function filterOf(list: readonly FileHashes[]): Filter {
  const filter = new IdFilter(list.map(({ hashes }) => hashes));
  return { byteLength: filter.byteLength, mayHave: (id) => filter.mayHave(hashOf(Buffer.from(id))) };
}

function keyOf({ no, id }: PackageRow, type: string): string {
  return `${no} ${id} ${type}`;
}

function has(sorted: Uint32Array, hash: number): boolean {
  return sorted[firstWhere(sorted.length, (i) => sorted[i]! >= hash)] === hash;
}
