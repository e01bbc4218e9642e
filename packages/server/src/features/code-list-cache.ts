import { setImmediate } from 'node:timers/promises';
import { inSlices, Slices } from '@citymodel/base';
import { type CodeList, CodeLists, codeListInSteps } from '@citymodel/citygml';
import type { Archives, PackageRow } from '@citymodel/store';
import { readWhole } from '@citymodel/zip';
import { LRUCache } from 'lru-cache';

/** Text of lists that are kept, bytes; in memory they take some three times as much. */
const MAX_BYTES = 16 << 20;
/** What a list, or knowing that there is none, takes besides its text, bytes. */
const ENTRY_BYTES = 300;
/** The largest real list, all municipalities, has 0.6 MB. A larger member than this is no code list. */
const MAX_LIST_BYTES = 2 << 20;

interface Kept {
  /** Null for a path that the package lacks. */
  list: CodeList | null;
  bytes: number;
}

/** The code lists of all packages, read out of their archives when a feature names them. */
export class CodeListCache {
  readonly #archives: Archives;
  readonly #lists = new LRUCache<string, Kept, PackageRow>({
    maxSize: MAX_BYTES,
    sizeCalculation: ({ bytes }) => ENTRY_BYTES + bytes,
    // A list that cannot be read is not kept; one that does not fit any more is still answered.
    ignoreFetchAbort: true,
    fetchMethod: (key, _, { context: row }) => this.#read(row, key.slice(key.indexOf('\n') + 1)),
  });

  constructor(archives: Archives) {
    this.#archives = archives;
  }

  of(row: PackageRow): CodeLists {
    return new CodeLists(async (path) => {
      const cached = await this.#lists.forceFetch(`${row.archiveKey}\n${path}`, { context: row });
      return cached.list;
    });
  }

  /** Begins to read lists that will be asked for. */
  prefetch(row: PackageRow, paths: Iterable<string>): void {
    for (const path of paths) {
      // A caller who asks for it will be told what is wrong with it.
      this.#lists.forceFetch(`${row.archiveKey}\n${path}`, { context: row }).catch(() => {});
    }
  }

  async #read(row: PackageRow, path: string): Promise<Kept> {
    await using archive = await this.#archives.open(row);
    const member = archive.index.findLoosely(path);
    if (member === undefined || member.size > MAX_LIST_BYTES) return { list: null, bytes: 0 };
    const bytes = await readWhole(archive.archive, member);
    const list = await inSlices(codeListInSteps(bytes), new Slices(setImmediate));
    return { list, bytes: bytes.length };
  }
}
