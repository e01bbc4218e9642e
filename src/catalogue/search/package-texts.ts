import { setTimeout } from 'node:timers/promises';
import { PromiseLru } from '../../base/lru.ts';
import type { ListedFileRow, PackageRow } from '../../store/rows.ts';
import { type FileListUrls, type ListedFiles, type ListedPackage, listFiles } from './file-list.ts';

/** Bytes that are kept; the compressed lists of a country of 300,000 files take less than half of it. */
const MAX_BYTES = 64 * 1024 * 1024;
/** What an entry takes besides its texts, as an estimate. */
const ENTRY_BYTES = 2_000;
/** Shorter texts are kept as they are. */
const COMPRESS_FROM = 512;
/** zlib level: a list is compressed once and sent often, but the first to ask waits for it. */
const LEVEL = 4;

interface Kept {
  types: ReadonlyMap<string, ListedFiles>;
  bytes: number;
}

export interface PackageTextsOptions {
  urls: Pick<FileListUrls, 'member'>;
  /** All files of packages by package number, in the order of their types and paths. */
  load: (packages: readonly PackageRow[]) => Promise<ReadonlyMap<number, ListedFileRow[]>>;
}

/**
 * The file lists of whole packages, compressed: who asks for a municipality asks for whole packages. The files of a
 * package never change under its number, so what is kept stays right; what else is said of it may: its municipality may
 * get another name with another package.
 */
export class PackageTexts {
  readonly #options: PackageTextsOptions;
  readonly #kept = new PromiseLru<Kept>({ max: 10_000, weigh: ({ bytes }) => bytes, maxWeight: MAX_BYTES });

  constructor(options: PackageTextsOptions) {
    this.#options = options;
  }

  /** The lists of packages, in their order; null for one of which the database has no files (any more). */
  async list(packages: readonly PackageRow[]): Promise<Array<ListedPackage | null>> {
    const kept = packages.map((of) => this.#kept.find(String(of.no)));
    const missing = packages.filter((_, i) => kept[i] === undefined);
    const rows = missing.length > 0 ? await this.#options.load(missing) : null;
    const lists = packages.map(async (of, i) => {
      const files = rows?.get(of.no);
      const entry =
        kept[i] ?? (files && this.#kept.get(String(of.no), () => this.#make({ package: of, files })));
      const types = (await entry)?.types;
      return types === undefined ? null : { package: of, types };
    });
    return Promise.all(lists);
  }

  /**
   * Makes the lists of packages before somebody asks, as many as fit in half of what is kept. It works half of the time
   * only, so that requests meanwhile hardly notice. Ends early, without an error, when `signal` aborts; throws what `load`
   * throws.
   */
  async prepare(packages: Iterable<PackageRow>, signal: AbortSignal): Promise<void> {
    for (const of of packages) {
      if (this.#kept.has(String(of.no))) continue;
      if (signal.aborted || this.#kept.weight > MAX_BYTES / 2) return;
      const start = performance.now();
      await this.list([of]);
      await setTimeout(performance.now() - start, undefined, { signal }).catch(() => {});
    }
  }

  async #make(found: { package: PackageRow; files: ListedFileRow[] }): Promise<Kept> {
    const { types } = listFiles(found, this.#options.urls);
    let bytes = ENTRY_BYTES;
    // One after the other: each takes a quarter of a megabyte for its window meanwhile.
    for (const { json } of types.values()) {
      bytes += json.size < COMPRESS_FROM ? json.size : await json.pack(LEVEL);
    }
    return { types, bytes };
  }
}
