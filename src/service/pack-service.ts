/** Puts the parts of packs together, for a server and for a process that works on packs alone. */
import type { Logger } from 'pino';
import type { Settings } from '../base/settings.ts';
import type { AssetUrls } from '../catalogue/names/asset-urls.ts';
import type { FileSearch } from '../catalogue/search/file-search.ts';
import type { CatalogueWatch } from '../catalogue/snapshot/catalogue-watch.ts';
import { PackWatch } from '../pack/pack-watch.ts';
import { type PackEnd, PackWorker } from '../pack/pack-worker.ts';
import { Packs } from '../pack/packs.ts';
import type { Archives } from '../store/archives.ts';
import type { ObjectStore } from '../store/object-store.ts';
import type { PackStore } from '../store/pack-store.ts';
import { pidIsAlive } from '../store/pid-is-alive.ts';

/** How often waiting callers' packs are looked at, ms. */
const WATCH_MS = 500;
/** Callers that may wait for a status at once. */
const MAX_WAITING = 10_000;

/** Whether zips are written out: `auto` does so where reading many ranges of archives costs more than writing them once. */
export function materialises(
  { PACK_MATERIALISE }: Pick<Settings, 'PACK_MATERIALISE'>,
  { traits }: Pick<ObjectStore, 'traits'>,
): boolean {
  return PACK_MATERIALISE === 'auto' ? traits.readCost === 'remote' : PACK_MATERIALISE === 'always';
}

export interface PackWorkerParts {
  packs: PackStore;
  objects: ObjectStore;
  archives: Archives;
  log: Logger;
  onEnd?: (end: PackEnd) => void;
}

/** A worker as the settings describe it; not started. */
export function createPackWorker(settings: Settings, parts: PackWorkerParts): PackWorker {
  const { packs, objects, archives, log, onEnd } = parts;
  return new PackWorker({
    packs,
    objects,
    archives,
    materialise: materialises(settings, objects),
    maxBytes: settings.PACK_MAX_BYTES,
    quotaBytes: quotaOf(settings, objects),
    concurrency: settings.PACK_WORKERS,
    pollMs: settings.PACK_POLL_MS,
    leaseMs: settings.PACK_LEASE_S * 1_000,
    timeoutMs: settings.PACK_TIMEOUT_S * 1_000,
    retentionMs: settings.PACK_RETENTION_S * 1_000,
    pidIsAlive,
    onEnd(end) {
      const { outcome, ms, ...rest } = end;
      log.info(
        { pack: rest.id, outcome, ms: Math.round(ms), ...(rest.reason && { reason: rest.reason }) },
        'pack',
      );
      onEnd?.(end);
    },
    onError: (error) => log.error({ err: error }, 'work on packs failed; it goes on'),
  });
}

/** Zips that are written out need room for two of the largest, so that one can be made while another is downloaded. */
function quotaOf(settings: Settings, objects: Pick<ObjectStore, 'traits'>): number {
  const least = materialises(settings, objects) ? 2 * settings.PACK_MAX_BYTES : 0;
  return Math.max(settings.PACK_QUOTA_BYTES, least);
}

export interface PackService {
  packs: Packs;
  /** Begins to work on packs, unless PACK_WORKERS is 0. */
  start(): void;
  /** Answers those that wait, before the server waits for its last answers. */
  wakeWaiting(): Promise<void>;
  /** Gives packs back and ends. */
  stop(): Promise<void>;
}

export interface PackServiceParts {
  settings: Settings;
  urls: AssetUrls;
  archives: Archives;
  /** The catalogue that is current. */
  watch: CatalogueWatch;
  search: FileSearch;
}

/** Packs of a server, with a worker in the same process. `onEnd` is told of every pack that it worked on. */
export function createPackService(
  { settings, urls, archives, watch: catalogue, search }: PackServiceParts,
  stores: { packs: PackStore; objects: ObjectStore },
  log: Logger,
  onEnd: (end: PackEnd) => void,
): PackService {
  const watch = new PackWatch({ packs: stores.packs, pollMs: WATCH_MS, maxWaiting: MAX_WAITING });
  const worker = createPackWorker(settings, {
    ...stores,
    archives,
    log,
    onEnd(end) {
      onEnd(end);
      watch.look();
    },
  });
  const stopListening = stores.packs.listen(() => watch.look());
  const packs = new Packs({
    ...stores,
    archives,
    urls,
    catalogue,
    search,
    watch,
    maxUrls: settings.PACK_MAX_URLS,
    quotaBytes: quotaOf(settings, stores.objects),
    maxBytes: settings.PACK_MAX_BYTES,
    retentionMs: settings.PACK_RETENTION_S * 1_000,
    onAccepted: () => worker.wake(),
  });
  return {
    packs,
    start() {
      if (settings.PACK_WORKERS > 0) worker.start();
    },
    wakeWaiting: () => watch.close(),
    async stop() {
      stopListening();
      await worker.stop();
    },
  };
}
