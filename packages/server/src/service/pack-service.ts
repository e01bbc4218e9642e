/** Puts the parts of packs together, for a server. */

import type { Archives, JobMessageQueue } from '@citymodel/store';
import type { Logger } from 'pino';
import type { Settings } from '../base/settings.ts';
import type { AssetUrls } from '../catalogue/names/asset-urls.ts';
import type { FileSearch } from '../catalogue/search/file-search.ts';
import type { CatalogueWatch } from '../catalogue/snapshot/catalogue-watch.ts';
import type { JobStores } from '../jobs/job-kind.ts';
import type { JobEnd } from '../jobs/job-work.ts';
import { packKind } from '../jobs/kinds/pack.ts';
import { quotaOf } from '../pack/pack-limits.ts';
import { PackWatch } from '../pack/pack-watch.ts';
import { Packs } from '../pack/packs.ts';
import { createJobWorker } from './job-service.ts';

/** How often waiting callers' packs are looked at, ms. */
const WATCH_MS = 500;
/** Callers that may wait for a status at once. */
const MAX_WAITING = 10_000;

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

/** Packs of a server, with a worker in the same process. `onEnd` is told of every job that it worked on. */
export function createPackService(
  { settings, urls, archives, watch: catalogue, search }: PackServiceParts,
  stores: JobStores & { jobMessages: JobMessageQueue | null },
  log: Logger,
  onEnd: (end: JobEnd) => void,
): PackService {
  const watch = new PackWatch({ packs: stores.packs, pollMs: WATCH_MS, maxWaiting: MAX_WAITING });
  const worker = createJobWorker({
    settings,
    stores,
    log,
    kinds: [packKind({ archives, onFinished: () => watch.look() })],
    concurrency: settings.PACK_WORKERS,
    onEnd,
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
  let starting = Promise.resolve();
  return {
    packs,
    start() {
      if (settings.PACK_WORKERS === 0) return;
      starting = worker
        .start()
        .catch((error) => log.error({ err: error }, 'this server cannot work on packs'));
    },
    wakeWaiting: () => watch.close(),
    async stop() {
      stopListening();
      await starting;
      await worker.stop();
    },
  };
}
