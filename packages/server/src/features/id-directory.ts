/**
 * Which files of a package may have a gml:id. The feature index of every file has the hashes of its ids in order; they
 * are read once and kept, 4 bytes a feature, so that an id is looked for in one file in place of a thousand.
 */
import { firstWhere } from '@citymodel/base';
import { hashOf } from '@citymodel/citygml';
import type { Archives, PackageRow } from '@citymodel/store';
import { LRUCache } from 'lru-cache';
import type { GmlFile } from './gml-files.ts';
import type { GmlIndexes } from './gml-indexes.ts';

/** Bytes of hashes that are kept: those of some eight million features. */
const MAX_BYTES = 32 << 20;
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
  readonly #kept = new LRUCache<string, FileHashes[], Source>({
    maxSize: MAX_BYTES,
    sizeCalculation: (list) => list.reduce((sum, { hashes }) => sum + hashes.byteLength + 64, 64),
    fetchMethod: (_key, _stale, { context }) => this.#read(context),
    ignoreFetchAbort: true,
  });

  constructor(archives: Archives, indexes: GmlIndexes) {
    this.#archives = archives;
    this.#indexes = indexes;
  }

  /** The files of one type of a package of which one may have the id. Throws what reading an index throws. */
  async filesWith(id: string, row: PackageRow, type: string, files: readonly GmlFile[]): Promise<GmlFile[]> {
    const list = await this.#kept.forceFetch(`${row.no} ${row.id} ${type}`, { context: { row, files } });
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

function has(sorted: Uint32Array, hash: number): boolean {
  return sorted[firstWhere(sorted.length, (i) => sorted[i]! >= hash)] === hash;
}
