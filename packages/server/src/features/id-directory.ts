/**
 * Which files of a package may have a gml:id. The feature index of every file has the hashes of its ids in order; they
 * are read once and kept, 4 bytes a feature, so that an id is looked for in one file in place of a thousand. A filter
 * of 10 bits a feature stays when they go: of a whole country's packages all but a few are passed over.
 */
import { firstWhere } from '@citymodel/base';
import { hashOf } from '@citymodel/citygml';
import type { Archives, PackageRow } from '@citymodel/store';
import { LRUCache } from 'lru-cache';
import type { GmlFile } from './gml-files.ts';
import type { GmlIndexes } from './gml-indexes.ts';
import { IdFilter } from './id-filter.ts';

/** Bytes of hashes that are kept: those of some eight million features. */
const MAX_BYTES = 32 << 20;
/** Bytes of filters that are kept: those of some 26 million features. */
const MAX_FILTER_BYTES = 32 << 20;
/** Files whose hashes are read at once; those of a store that is far away wait for each other otherwise. */
const AT_ONCE = 16;

interface FileHashes {
  readonly file: GmlFile;
  readonly hashes: Uint32Array;
}

interface Source {
  readonly row: PackageRow;
  readonly files: readonly GmlFile[];
}

export class IdDirectory {
  readonly #archives: Archives;
  readonly #indexes: GmlIndexes;
  readonly #kept: LRUCache<string, FileHashes[], Source>;
  readonly #filters = new LRUCache<string, IdFilter>({
    maxSize: MAX_FILTER_BYTES,
    sizeCalculation: ({ byteLength }) => byteLength + 64,
  });

  /** `maxBytes` of hashes are kept. */
  constructor(archives: Archives, indexes: GmlIndexes, maxBytes = MAX_BYTES) {
    this.#archives = archives;
    this.#indexes = indexes;
    this.#kept = new LRUCache({
      maxSize: maxBytes,
      sizeCalculation: (list) => list.reduce((sum, { hashes }) => sum + hashes.byteLength + 64, 64),
      fetchMethod: async (key, _stale, { context }) => {
        const list = await this.#read(context);
        this.#filters.set(key, new IdFilter(list.map(({ hashes }) => hashes)));
        return list;
      },
      ignoreFetchAbort: true,
    });
  }

  /** False where no feature of the type of the package has the id, as far as that is known without reading. */
  mayHave(id: string, row: PackageRow, type: string): boolean {
    return this.#filters.get(keyOf(row, type))?.mayHave(hashOf(Buffer.from(id))) ?? true;
  }

  /** The files of one type of a package of which one may have the id. Throws what reading an index throws. */
  async filesWith(id: string, row: PackageRow, type: string, files: readonly GmlFile[]): Promise<GmlFile[]> {
    if (!this.mayHave(id, row, type)) return [];
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

function keyOf({ no, id }: PackageRow, type: string): string {
  return `${no} ${id} ${type}`;
}

function has(sorted: Uint32Array, hash: number): boolean {
  return sorted[firstWhere(sorted.length, (i) => sorted[i]! >= hash)] === hash;
}
