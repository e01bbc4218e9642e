/** The whole service over a small city, asked at its router: no socket, no process. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { Archives, type ArchivesOptions, type ObjectStore } from '@citymodel/store';
import { box, building, convertGml, fixture, solid, writeMvt } from '@citymodel/tiles/testing';
import type { InjectOptions } from 'fastify';
import pino from 'pino';
import { readSettings } from '../../base/settings.ts';
import { CoverageCache } from '../../catalogue/coverage/package-coverage.ts';
import { AssetUrls } from '../../catalogue/names/asset-urls.ts';
import { FileSearch } from '../../catalogue/search/file-search.ts';
import { Gazetteer } from '../../catalogue/search/gazetteer.ts';
import { CatalogueWatch } from '../../catalogue/snapshot/catalogue-watch.ts';
import { type Member, writePackage } from '../../convert/testing/small-package.ts';
import { FeatureService } from '../../features/feature-service.ts';
import { SpoolSpace } from '../../features/formats/record-spool.ts';
import { TableObjects } from '../../features/tables/table-objects.ts';
import { type Ingesting, openIngesting } from '../../ingest/testing/ingesting.ts';
import { createPackService } from '../../service/pack-service.ts';
import { buildApp } from '../app.ts';
import { Drain } from '../connections/drain.ts';
import { DiskWatch, disksOf } from '../observe/disk-checks.ts';
import { LoopWatch } from '../observe/loop-watch.ts';
import { Metrics } from '../observe/metrics.ts';
import type { DescribedReply } from './validate-response.ts';

/** CityGML, 3D Tiles and vector tiles of two buildings. */
export const CITY = '13101_chiyoda-ku_city_2023_citygml_1_op';
export const MEMBER = 'udx/bldg/53394525_bldg_6697_op.gml';
export const BUILDINGS = ['bldg_a', 'bldg_b'] as const;

export interface Answer extends DescribedReply {
  text: string;
}

export interface InjectedService extends AsyncDisposable {
  ask(url: string, options?: Omit<InjectOptions, 'url'>): Promise<Answer>;
  /** Path of an asset of the city, of its CityGML unless another is named. */
  asset(path: string, name?: string): Promise<string>;
  /** The stores behind it. */
  at: Ingesting;
}

/** Opens a service with these settings, and ingests the city. */
export async function injectService(env: Record<string, string> = {}): Promise<InjectedService> {
  const at = await openIngesting();
  try {
    await ingestCity(at);
    return await serve(at, env);
  } catch (error) {
    await at[Symbol.asyncDispose]();
    throw error;
  }
}

async function ingestCity(at: Ingesting): Promise<void> {
  const members = BUILDINGS.map((id, i) => building(id, solid(1, box([i * 30, 10, 3], [9, 8, 12]))));
  const gml = fixture(members);
  const packages: Array<[name: string, members: Member[]]> = [
    [CITY, [{ path: MEMBER, text: await text(gml.text()) }]],
  ];
  const { packages: tiles } = await convertGml([gml], { compression: 'none' });
  for (const [suffix, files] of tiles) {
    packages.push([`${CITY}_${suffix}`, Array.from(files, ([path, bytes]) => ({ path, text: bytes }))]);
  }
  const tile = writeMvt({ luse: { points: [{ x: 9, y: 9, tags: { gml_id: 'a' } }] } });
  packages.push([`${CITY}_luse_mvt_lod1`, [{ path: '14/14552/6451.mvt', text: tile }]]);
  for (const [name, files] of packages) {
    const path = join(at.directory, `${name}.zip`);
    await writePackage(path, files);
    const [report] = await at.ingest(path);
    if (report!.outcome !== 'published') throw new Error(JSON.stringify(report));
  }
}

/** What another service over the same stores reads them with. */
export interface AnotherService {
  objects: ObjectStore;
  onDamage: NonNullable<ArchivesOptions['onDamage']>;
  /** Of feature indexes in memory; 0 reads them by ranges. */
  indexCacheBytes: number;
}

/** Another service over the same stores, with caches of its own. */
export function serveAgain(at: Ingesting, other: AnotherService): Promise<InjectedService> {
  const stores = { ...at.stores, objects: other.objects };
  return serve({ ...at, stores, [Symbol.asyncDispose]: async () => {} }, {}, other);
}

async function serve(
  at: Ingesting,
  env: Record<string, string>,
  other: Partial<AnotherService> = {},
): Promise<InjectedService> {
  const { stores } = at;
  const settings = readSettings({ DATA_DIR: join(at.directory, 'data'), PACK_RATE: '0', ...env });
  const log = pino({ level: 'silent' });
  const metrics = new Metrics();
  const urls = new AssetUrls({ publicUrl: settings.PUBLIC_URL, assetUrl: settings.ASSET_URL, cmsHosts: [] });
  const watch = new CatalogueWatch({
    store: stores.catalogue,
    urls,
    pollMs: settings.CATALOGUE_POLL_MS,
    quietMs: 0,
    gatherMs: 0,
    onError(error) {
      throw error;
    },
  });
  await watch.refresh();
  const archives = new Archives(stores.objects, { maxOpen: 8, onDamage: other.onDamage ?? (() => {}) });
  const search = new FileSearch({
    store: stores.catalogue,
    catalogue: watch,
    urls,
    gazetteer: new Gazetteer(() => watch.current(), stores.catalogue),
    geocoder: null,
    cacheBytes: 1_000_000,
  });
  const spool = join(at.directory, 'spool');
  await mkdir(spool, { recursive: true });
  const features = new FeatureService({
    archives,
    catalogue: watch,
    store: stores.catalogue,
    tables: null,
    urls,
    limits: {
      maxBounds: settings.MAX_BOUNDS,
      maxIds: settings.FEATURE_MAX_IDS,
      maxGeometryBytes: 10_000_000,
      maxItems: settings.FEATURE_MAX_ITEMS,
      maxReadBytes: 10_000_000,
    },
    tableRoom: { memoryBytes: 1_000_000, space: new SpoolSpace(spool, 10_000_000) },
    indexCacheBytes: other.indexCacheBytes ?? 1_000_000,
    blockCacheBytes: 1_000_000,
    recordCacheBytes: 0,
  });
  const coverage = new CoverageCache(stores.catalogue);
  const drain = new Drain();
  const disks = new DiskWatch(disksOf(settings));
  const parts = {
    ...{ settings, urls, ...stores, archives, watch, search, coverage, features, metrics, drain },
    tables: new TableObjects(archives, stores.catalogue),
    disks,
  };
  metrics.watchStores(stores);
  const packing = createPackService(parts, stores, log, () => {});
  const loopWatch = new LoopWatch({ log, metrics, warnMs: 60_000 });
  const app = await buildApp({ ...parts, packs: packing.packs }, log, loopWatch);
  packing.start();
  return {
    at,
    async ask(url, options = {}) {
      const { statusCode, headers, rawPayload, payload } = await app.inject({ ...options, url });
      return {
        status: statusCode,
        headers,
        body: rawPayload,
        text: payload,
        json: <T>() => JSON.parse(payload) as T,
      };
    },
    async asset(path, name = CITY) {
      const [row] = await stores.catalogue.findPackages({ name });
      return new URL(path === '.zip' ? urls.archive(row!) : urls.member(row!, path)).pathname;
    },
    async [Symbol.asyncDispose]() {
      await app.close();
      loopWatch.stop();
      await packing.stop();
      await watch.stop();
      await archives.close();
      await at[Symbol.asyncDispose]();
    },
  };
}
