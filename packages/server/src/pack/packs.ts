/** Operations 8 to 10 without HTTP: asking for a pack, its status, its bytes. */

import { sharedNow } from '@citymodel/base';
import {
  type Archives,
  CatalogueConflict,
  ObjectMissing,
  type ObjectStore,
  type PackRow,
  type PackStore,
  packSumsKey,
} from '@citymodel/store';
import { CheckedPages, readTwice, type ZipLayout } from '@citymodel/zip';
import { LRUCache } from 'lru-cache';
import { ServiceError } from '../base/errors.ts';
import type { AssetUrls } from '../catalogue/names/asset-urls.ts';
import type { FileQuestion, FileSearch } from '../catalogue/search/file-search.ts';
import type { Snapshot } from '../catalogue/snapshot/snapshot.ts';
import { type ChosenFiles, chooseFiles } from './choose-files.ts';
import { KnownPages } from './known-pages.ts';
import { decodeLayout } from './layout-file.ts';
import { tooLarge, zipBytes } from './make-pack.ts';
import { isPackId, packId } from './pack-id.ts';
import { keepWithin } from './pack-retention.ts';
import type { PackWatch } from './pack-watch.ts';
import { type PackArchive, planPack } from './plan-pack.ts';

export interface PacksOptions {
  packs: PackStore;
  objects: ObjectStore;
  archives: Archives;
  urls: AssetUrls;
  catalogue: { current(): Snapshot; refresh(): Promise<Snapshot> };
  search: Pick<FileSearch, 'search' | 'searchFiles'>;
  watch: PackWatch;
  /** Different URLs that one pack may have. */
  maxUrls: number;
  /** Largest zip, bytes. */
  maxBytes: number;
  /** Bytes that all packs together may take of the stores. */
  quotaBytes: number;
  retentionMs: number;
  /** Called when a pack has been accepted, for a worker to begin at once. */
  onAccepted(): void;
}

/** The status object of the specification, and more. */
export interface PackStatusObject {
  id: string;
  status: PackRow['status'];
  /** 0 to 1; 1 exactly when it succeeded. */
  progress: number;
  /** ISO 8601, like the other times. When processing started; when it was accepted, until then. */
  startedAt: string;
  /** Where the zip is asked for. */
  url: string;
  /** When a finished pack is forgotten. */
  expiresAt?: string;
  /** Bytes of the zip, and its members, when it succeeded. */
  size?: number;
  files?: number;
  /** Paths in the zip that its files refer to and their packages lack; the first 1,000 of `missingCount`. */
  missing?: string[];
  missingCount?: number;
  /** Why it failed. */
  reason?: string;
}

/** A finished pack's zip. */
export interface PackZip {
  size: number;
  /** What decides its bytes, hex. */
  digest: string;
  finishedAt: Date;
  /** The object that is the zip; null where there is none. */
  objectKey: string | null;
  /** Bytes `[start, end)`; a chunk may be overwritten once the next one is asked for. */
  range(start: number, end: number): AsyncIterable<Uint8Array>;
}

/** Layouts and sums in memory: of so many packs, and so many bytes together. */
const MAX_PACKS = 1_000;
const MAX_LAYOUT_BYTES = 65_000_000;
const MAX_SUMS_BYTES = 16_000_000;
/** What a member of a layout takes, bytes. */
const MEMBER_BYTES = 130;

export class Packs {
  readonly #options: PacksOptions;
  readonly #layouts = new LRUCache<string, ZipLayout<PackArchive>, string>({
    max: MAX_PACKS,
    maxSize: MAX_LAYOUT_BYTES,
    sizeCalculation: (layout) => Math.min(MAX_LAYOUT_BYTES, layoutBytes(layout)),
    // A caller who waits for a layout gets it, also when the cache has no place for it any more.
    ignoreFetchAbort: true,
    fetchMethod: async (_key, _stale, { context: objectKey }) => {
      await using handle = await this.#options.archives.openObject(objectKey);
      return readTwice(handle, 0, handle.size, decodeLayout);
    },
  });
  /** Of packs whose zip was written out. */
  readonly #sums = new LRUCache<string, { pages: KnownPages | null }, string>({
    max: MAX_PACKS,
    maxSize: MAX_SUMS_BYTES,
    sizeCalculation: ({ pages }) => Math.min(MAX_SUMS_BYTES, 1 + (pages?.byteLength ?? 0)),
    ignoreFetchAbort: true,
    fetchMethod: async (_key, _stale, { context: objectKey }) => {
      try {
        await using handle = await this.#options.archives.openObject(packSumsKey(objectKey));
        return {
          pages: await readTwice(handle, 0, handle.size, (bytes) => KnownPages.decode(bytes, objectKey)),
        };
      } catch (error) {
        // A program of before there were sums has made it.
        if (error instanceof ObjectMissing) return { pages: null };
        throw error;
      }
    },
  });

  constructor(options: PacksOptions) {
    this.#options = options;
  }

  /**
   * Operation 8: asks for the pack of these URLs and gives its id. Throws ServiceError 400 `no urls provided`,
   * `invalid url`, `invalid domain`, `not found`, or `invalid request` beyond a limit.
   */
  async accept(urls: readonly string[]): Promise<string> {
    const { packs, maxUrls, maxBytes, retentionMs, onAccepted } = this.#options;
    const distinctUrls = [...new Set(urls)];
    if (distinctUrls.length === 0) {
      throw new ServiceError(400, 'no urls provided', {
        reason: 'Expected "urls", a list of at least one file URL, or "conditions".',
      });
    }
    if (distinctUrls.length > maxUrls) throw beyond(tooMany(distinctUrls.length, maxUrls));
    const { sources, urls: chosen, mostBytes } = await this.#choose(distinctUrls);
    // Mostly the packages as a whole are below the limit, and then nothing has to be read to know.
    if (mostBytes > maxBytes) {
      const { layout } = await planPack(sources, { archives: this.#options.archives, measures: true });
      if (layout.size > maxBytes) throw beyond(tooLarge(layout.size, maxBytes));
    }
    const now = sharedNow();
    try {
      await this.#makeRoom(now);
      const times = { now, expiresAt: now + retentionMs };
      const request = { id: packId(chosen), sources };
      let pack = await packs.accept(request, times);
      // Somebody has deleted it by hand, or it was not in the backup that was restored.
      const isLost = pack.objectKey !== null && (await this.#options.objects.head(pack.objectKey)) === null;
      if (isLost) pack = await packs.accept(request, { ...times, lost: pack.run });
      if (pack.status === 'accepted') onAccepted();
      return pack.id;
    } catch (error) {
      if (!(error instanceof CatalogueConflict)) throw error;
      throw new ServiceError(400, 'not found', {
        reason: 'A package of these files has just been removed.',
        cause: error,
      });
    }
  }

  /**
   * The same for all files that operation 7 finds. Throws what the search throws too, ServiceError 404 when it finds
   * nothing.
   */
  async acceptConditions(question: FileQuestion, signal: AbortSignal): Promise<string> {
    const { search, urls, maxUrls } = this.#options;
    const { files, packages } = await search.searchFiles(question, { signal, maxFiles: maxUrls });
    // Tells why, too.
    if (files === 0) await search.search(question, signal);
    if (files > maxUrls) {
      throw beyond(`The conditions find ${files} files; at most ${maxUrls} are accepted in one pack.`);
    }
    const groups = packages.flatMap(({ types }) => [...types.values()]);
    return this.accept(
      groups.flatMap(({ package: pkg, rows }) => rows.map(({ path }) => urls.member(pkg, path))),
    );
  }

  /**
   * Operation 9; waits up to `waitMs` for another state unless the pack is finished. Throws ServiceError 404 for what
   * is no pack.
   */
  async status(id: string, waitMs: number, signal: AbortSignal): Promise<PackStatusObject> {
    let pack = await this.#find(id);
    if (waitMs > 0 && (pack.status === 'accepted' || pack.status === 'processing')) {
      await this.#options.watch.wait(id, pack.status, waitMs, signal);
      pack = await this.#find(id);
    }
    return statusObject(pack, this.#options.urls.pack(id));
  }

  /** The packs that were accepted last, newest first, for the one who runs the service. */
  recent(limit: number): Promise<PackRow[]> {
    return this.#options.packs.recent(limit, sharedNow());
  }

  /**
   * Operation 10: the zip. Throws ServiceError 404 for what is no pack, 400 `invalid status` with the `status` for one
   * that has not succeeded.
   */
  async zip(id: string): Promise<PackZip> {
    const pack = await this.#find(id, { quiet: true });
    const { status, size, digest, finishedAt, objectKey } = pack;
    if (
      status !== 'succeeded' ||
      size === null ||
      digest === null ||
      finishedAt === null ||
      objectKey === null
    ) {
      throw new ServiceError(400, 'invalid status', {
        reason:
          status === 'failed'
            ? `The pack failed: ${pack.reason} Posting its URLs again starts it again.`
            : 'The pack is not done yet; ask for its status until that is succeeded.',
        extra: { status },
      });
    }
    const found = {
      size,
      digest,
      finishedAt: new Date(finishedAt),
      objectKey: pack.materialised ? objectKey : null,
    };
    if (pack.materialised) {
      const kept = { key: objectKey, finishedAt };
      return { ...found, range: (start, end) => this.#zipRange(kept, start, end) };
    }
    const layout = await this.#layout(objectKey, finishedAt);
    return { ...found, range: (start, end) => zipBytes(layout, start, end, this.#options.archives) };
  }

  /** Bytes `[start, end)` of a zip that was written out, compared page by page. */
  async *#zipRange(
    { key, finishedAt }: { key: string; finishedAt: number },
    start: number,
    end: number,
  ): AsyncGenerator<Uint8Array, void, void> {
    const [{ pages }, handle] = await Promise.all([
      this.#sums.forceFetch(`${key} ${finishedAt}`, { context: key }),
      this.#options.archives.openObject(key),
    ]);
    try {
      const source = pages === null ? handle : new CheckedPages(handle, pages.of(key));
      yield* source.stream(start, end - start, { lent: true });
    } finally {
      await handle[Symbol.asyncDispose]();
    }
  }

  /**
   * Lets the oldest packs go until those that are left are within the quota. Throws ServiceError 503 when packs in work
   * fill it.
   */
  async #makeRoom(now: number): Promise<void> {
    const { quotaBytes } = this.#options;
    if (await keepWithin(quotaBytes, this.#options, now)) return;
    throw new ServiceError(503, 'unavailable', {
      reason: 'The packs that are being made take all the room there is for packs; ask again in a minute.',
      retryAfter: 60,
    });
  }

  async #choose(urls: readonly string[]): Promise<ChosenFiles> {
    const { catalogue } = this.#options;
    const snapshot = catalogue.current();
    try {
      return await chooseFiles(urls, { ...this.#options, snapshot });
    } catch (error) {
      if (!(error instanceof ServiceError) || error.message !== 'not found') throw error;
      // Another process may have published the package a moment ago.
      const newer = await catalogue.refresh();
      if (newer === snapshot) throw error;
      return chooseFiles(urls, { ...this.#options, snapshot: newer });
    }
  }

  /** The specification gives the zip's 404 no `reason`: `quiet`. */
  async #find(id: string, { quiet = false } = {}): Promise<PackRow> {
    const [pack] = isPackId(id) ? await this.#options.packs.find([id], sharedNow()) : [];
    if (pack !== undefined) return pack;
    throw new ServiceError(
      404,
      'not found',
      quiet ? {} : { reason: 'There is no such pack; it may have expired. Post its URLs again.' },
    );
  }

  /**
   * A pack that was forgotten and asked for again begins its runs, and so its keys, anew; its time of finishing is
   * another.
   */
  #layout(key: string, finishedAt: number): Promise<ZipLayout<PackArchive>> {
    return this.#layouts.forceFetch(`${key} ${finishedAt}`, { context: key });
  }
}

function layoutBytes(layout: ZipLayout<PackArchive>): number {
  let bytes = 1 + MEMBER_BYTES * layout.count;
  for (const { pages } of layout.sources) bytes += pages?.byteLength ?? 0;
  return bytes;
}

function statusObject(pack: PackRow, url: string): PackStatusObject {
  const { id, status, progress, size, files, reason } = pack;
  return {
    id,
    status,
    progress,
    startedAt: new Date(pack.startedAt ?? pack.acceptedAt).toISOString(),
    url,
    ...(pack.expiresAt === null ? {} : { expiresAt: new Date(pack.expiresAt).toISOString() }),
    ...(size === null ? {} : { size }),
    ...(files === null ? {} : { files, missing: pack.missing, missingCount: pack.missingCount }),
    ...(reason === null ? {} : { reason }),
  };
}

function tooMany(count: number, maxUrls: number): string {
  return `${count} different URLs were given; at most ${maxUrls} are accepted in one pack.`;
}

function beyond(reason: string): ServiceError {
  return new ServiceError(400, 'invalid request', { reason });
}
