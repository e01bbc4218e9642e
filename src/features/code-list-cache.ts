import { PromiseLru } from '../base/lru.ts';
import { CodeLists } from '../citygml/attributes/code-lists.ts';
import type { Archives } from '../store/archives.ts';
import type { PackageRow } from '../store/rows.ts';
import { readWhole } from '../zip/read/member-stream.ts';

/** Packages whose lists are kept; a package's lists that are in use take about a megabyte. */
const MAX_PACKAGES = 50;
/** The largest real list, all municipalities, has 0.6 MB. A larger member than this is no code list. */
const MAX_LIST_BYTES = 16 << 20;

/** The code lists of all packages, read out of their archives when a feature names them. */
export class CodeListCache {
  readonly #archives: Archives;
  readonly #packages = new PromiseLru<CodeLists>({ max: MAX_PACKAGES });

  constructor(archives: Archives) {
    this.#archives = archives;
  }

  of(row: PackageRow): Promise<CodeLists> {
    return this.#packages.get(row.archiveKey, async () => new CodeLists((path) => this.#load(row, path)));
  }

  async #load(row: PackageRow, path: string): Promise<Uint8Array | null> {
    await using archive = await this.#archives.open(row);
    const member = archive.index.findLoosely(path);
    if (member === undefined || member.size > MAX_LIST_BYTES) return null;
    return await readWhole(archive.archive, member);
  }
}
