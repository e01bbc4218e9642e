/** Starts and stops the service on a socket. */

import type { AddressInfo } from 'node:net';
import { join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { EVERY_OUTPUT_KIND, type PackageKind } from '@citymodel/base';
import { Archives, filesOfAnyState, type JobMessageQueue, type SqlDriver } from '@citymodel/store';
import type { Logger } from 'pino';
import type { Settings } from '../base/settings.ts';
import { VERSION } from '../base/version.ts';
import { CoverageCache } from '../catalogue/coverage/package-coverage.ts';
import { AssetUrls } from '../catalogue/names/asset-urls.ts';
import { prepareComposites } from '../catalogue/resolve/composite-tilesets.ts';
import { FileSearch } from '../catalogue/search/file-search.ts';
import { Gazetteer } from '../catalogue/search/gazetteer.ts';
import { createGeocoder } from '../catalogue/search/geocoder.ts';
import { CatalogueWatch } from '../catalogue/snapshot/catalogue-watch.ts';
import { FeatureService } from '../features/feature-service.ts';
import { SpoolSpace } from '../features/formats/record-spool.ts';
import { TableObjects } from '../features/tables/table-objects.ts';
import type { JobStores } from '../jobs/job-kind.ts';
import { createPackService } from '../service/pack-service.ts';
import { buildApp } from './app.ts';
import { Drain } from './connections/drain.ts';
import { DiskWatch, disksOf } from './observe/disk-checks.ts';
import { createLog } from './observe/log.ts';
import { LoopWatch } from './observe/loop-watch.ts';
import { Metrics } from './observe/metrics.ts';
import { tellDamage } from './observe/tell-damage.ts';
import { tellUnchecked } from './observe/tell-unchecked.ts';
import { prepareGraphql } from './operations/graphql.ts';
import { summaryFor } from './operations/summary.ts';
import { warmUp } from './warm-up.ts';

/** Archives that are kept open. */
const MAX_OPEN_ARCHIVES = 256;

/** What is left to do when all are answered may take so long, where the object store is silent, ms. */
const LAST_MS = 2_000;

export interface RunningServer {
  /** Where it listens, e.g. `http://127.0.0.1:41873`. */
  address: string;
  log: Logger;
  /**
   * Says for DRAIN_S that it stops, takes no new requests then, lets running ones end for SHUTDOWN_GRACE_S, and closes.
   */
  stop(): Promise<void>;
}

/** Starts the service over open stores; the stores stay open when it stops. */
export async function startServer(
  settings: Settings,
  stores: JobStores & { jobMessages: JobMessageQueue | null; database: SqlDriver },
): Promise<RunningServer> {
  const { log, flush } = createLog(settings.LOG_LEVEL);
  const started = performance.now();
  const metrics = new Metrics();
  const urls = new AssetUrls({
    publicUrl: settings.PUBLIC_URL,
    assetUrl: settings.ASSET_URL,
    cmsHosts: settings.CMS_HOSTS.split(','),
  });
  // Servers that share a database agree when they show a change; one that has its own waits for nobody.
  const leadMs = settings.DATABASE_URL === '' ? 0 : settings.CATALOGUE_SWITCH_MS;
  const files = leadMs === 0 ? stores.catalogue : filesOfAnyState(stores.catalogue);
  const watch = new CatalogueWatch({
    store: stores.catalogue,
    urls,
    pollMs: settings.CATALOGUE_POLL_MS,
    quietMs: settings.CATALOGUE_QUIET_MS,
    gatherMs: settings.CATALOGUE_GATHER_MS,
    leadMs,
    onLate: (snapshot, ms) => {
      metrics.catalogueLate(ms);
      log.info(
        { version: snapshot.version, ms: Math.round(ms) },
        'the catalogue is shown after the time that servers agree on',
      );
    },
    onSwap: (snapshot, ms) => {
      const kinds: readonly PackageKind[] = ['citygml', ...EVERY_OUTPUT_KIND];
      const countOf = (kind: PackageKind) => snapshot.packages.filter((row) => row.kind === kind).length;
      metrics.catalogueBuilt(
        snapshot.version,
        Object.fromEntries(kinds.map((kind) => [kind, countOf(kind)])),
      );
      log.info(
        { version: snapshot.version, packages: snapshot.packages.length, ms: Math.round(ms) },
        'catalogue built',
      );
    },
    onOtherHistory: (shown, now) =>
      log.warn(
        { shown, now },
        'the database has another history than the catalogue that was shown, as after a fail-over or a restore; all ' +
          'of it is read again',
      ),
    onError: (error) => {
      metrics.catalogueFailed();
      log.error({ err: error }, 'rebuilding the catalogue failed; the old one stays');
    },
  });
  // The rows of the catalogue are read while the app is built.
  const reading = watch.refresh();
  const archives = new Archives(stores.objects, {
    maxOpen: MAX_OPEN_ARCHIVES,
    onDamage: tellDamage(metrics, log),
  });
  const gazetteer = new Gazetteer(() => watch.current(), files);
  const geocoder =
    settings.GEOCODER_URL === ''
      ? null
      : createGeocoder(settings.GEOCODER_URL, {
          timeout: settings.GEOCODER_TIMEOUT_MS,
          maxAtOnce: settings.GEOCODER_AT_ONCE,
          maxPerMinute: settings.GEOCODER_RATE,
        });
  const search = new FileSearch({
    store: files,
    catalogue: watch,
    urls,
    gazetteer,
    geocoder,
    cacheBytes: settings.FILE_LIST_CACHE_MB * 1_000_000,
  });
  const tables = new TableObjects(archives, stores.catalogue);
  const features = new FeatureService({
    archives,
    catalogue: watch,
    store: files,
    tables,
    urls,
    limits: {
      maxBounds: settings.MAX_BOUNDS,
      maxIds: settings.FEATURE_MAX_IDS,
      maxGeometryBytes: settings.FEATURE_GEOMETRY_MB * 1_000_000,
      maxItems: settings.FEATURE_MAX_ITEMS,
      maxReadBytes: settings.FEATURE_MAX_READ_MB * 1_000_000,
    },
    tableRoom: {
      memoryBytes: settings.FEATURE_TABLE_MB * 2 ** 20,
      space: new SpoolSpace(join(resolve(settings.DATA_DIR), 'spool'), settings.FEATURE_SPOOL_MB * 2 ** 20),
    },
    indexCacheBytes: settings.FEATURE_INDEX_CACHE_MB * 1_000_000,
    blockCacheBytes: settings.FEATURE_BLOCK_CACHE_MB * 1_000_000,
    recordCacheBytes: settings.FEATURE_RECORD_CACHE_MB * 1_000_000,
  });
  metrics.watchStores(stores);
  metrics.watchCatalogue(() => watch.comparedAt);
  metrics.inflating(features.inflatesFast);
  const coverage = new CoverageCache(files);
  const drain = new Drain();
  const disks = new DiskWatch(disksOf(settings));
  metrics.watchDisks(disks);
  const parts = {
    settings,
    urls,
    ...stores,
    archives,
    watch,
    search,
    coverage,
    features,
    tables,
    metrics,
    disks,
    drain,
  };
  const packing = createPackService(parts, stores, log, (end) => {
    metrics.jobEnded(end);
    metrics.packEnded(end.outcome === 'refused' ? 'failed' : end.outcome, end.ms);
  });
  const loopWatch = new LoopWatch({ log, metrics, warnMs: settings.LOOP_WARN_MS });
  const building = buildApp({ ...parts, packs: packing.packs }, log, loopWatch);
  building.catch(() => {});
  await reading;
  const app = await building;
  watch.start();
  await watch.prepare();
  await app.listen({ port: settings.PORT, host: settings.HOST });
  // A server that cannot listen must end, and work on packs keeps a process alive.
  packing.start();
  const { address, port } = app.server.address() as AddressInfo;
  // At the start only: what a publication makes stale is made again when somebody asks for it.
  const preparation = warmUp(
    [
      async () => void (await watch.current().document.gzip()),
      (signal) => prepareComposites(watch.current(), urls, signal),
      async () => void (await summaryFor(parts, watch.current())).gzip(),
      () => prepareGraphql(watch.current(), urls),
    ],
    (error) => log.error({ err: error }, 'making the answers of the catalogue in advance failed'),
  );
  const host = address.includes(':') ? `[${address}]` : address;
  log.info(
    {
      address: `http://${host}:${port}`,
      publicUrl: settings.PUBLIC_URL,
      version: VERSION,
      ms: Math.round(performance.now() - started),
    },
    'listening',
  );
  tellUnchecked(watch.current().packages, log);
  flush();
  return {
    address: `http://${host}:${port}`,
    log,
    async stop() {
      drain.begin();
      await pause(settings.DRAIN_S * 1_000);
      const late = setTimeout(() => {
        app.server.closeAllConnections();
        stores.objects.giveUp?.();
      }, settings.SHUTDOWN_GRACE_S * 1_000);
      await packing.wakeWaiting();
      await app.close();
      loopWatch.stop();
      clearTimeout(late);
      // Nobody waits for an answer any more: packs are given back, and a bucket that is silent does not hold that up.
      const impatient = setTimeout(() => stores.objects.giveUp?.(), LAST_MS);
      await packing.stop();
      await watch.stop();
      await preparation.stop();
      await archives.close();
      clearTimeout(impatient);
      flush();
    },
  };
}
