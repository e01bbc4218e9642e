/** Packages in a store of their own, with the feature service over them, for tests without a socket. */
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  Archives,
  type ObjectHandle,
  type ObjectStore,
  openStores,
  type PackageRow,
  type Stores,
} from '@citymodel/store';
import type { OpenHint } from '@citymodel/store/testing';
import { AssetUrls } from '../../catalogue/names/asset-urls.ts';
import { CatalogueWatch } from '../../catalogue/snapshot/catalogue-watch.ts';
import type { Snapshot } from '../../catalogue/snapshot/snapshot.ts';
import { type RawQuery, readQuery } from '../../http/describe/query-parameters.ts';
import { FEATURE_PARAMETERS } from '../../http/operations/features.ts';
import { ingest } from '../../ingest/ingest.ts';
import { findUploads } from '../../ingest/open-upload.ts';
import type { FeatureAnswer } from '../answer.ts';
import { FeatureService, type FeatureServiceOptions } from '../feature-service.ts';
import { SpoolSpace } from '../formats/record-spool.ts';

/** A read of an object: bytes `[offset, offset + length)`. */
export interface Read {
  key: string;
  offset: number;
  length: number;
}

export interface Hosted extends AsyncDisposable {
  service: FeatureService;
  urls: AssetUrls;
  archives: Archives;
  rows: PackageRow[];
  stores: Stores;
  /** Every read since the list was emptied last. */
  reads: Read[];
  /** The catalogue as it is now. */
  snapshot(): Snapshot;
  /** Publishes further uploads. */
  add(uploads: readonly string[]): Promise<void>;
  /** URL of a member of a package by the beginning of the package's name. */
  url(packageName: string, path: string): string;
  /** Shows what the catalogue has now. */
  refresh(): Promise<void>;
  /** A service with caches of its own. */
  another(options?: Partial<FeatureServiceOptions>): FeatureService;
}

const NEVER = new AbortController().signal;

/**
 * Ingests the uploads (zips or directories) into a new store, which goes away when this is disposed of; into the one
 * that `objectStore` names as OBJECT_STORE does, where it is given.
 */
export async function host(uploads: readonly string[], objectStore = ''): Promise<Hosted> {
  const directory = await mkdtemp(join(tmpdir(), 'citymodel-features-'));
  const stores = await openStores({ dataDir: directory, databaseUrl: '', objectStore });
  const stagingDir = join(directory, 'staging');
  await mkdir(stagingDir);
  const publish = async (paths: readonly string[]) => {
    for (const path of await findUploads([...paths])) {
      const report = await ingest(path, { ...stores, stagingDir, now: () => new Date() });
      if (report.refusal !== null) throw new Error(`${report.upload}: ${report.refusal.reason}`);
    }
  };
  await publish(uploads);
  const urls = new AssetUrls({
    publicUrl: 'https://city.example.jp',
    assetUrl: 'https://cms.example.jp/assets',
  });
  const watch = new CatalogueWatch({ store: stores.catalogue, urls });
  await watch.refresh();
  const reads: Read[] = [];
  const archives = new Archives(counting(stores.objects, reads), { maxOpen: 20 });
  const rows = [...watch.current().packages];
  const another = (options: Partial<FeatureServiceOptions> = {}) =>
    new FeatureService({
      archives,
      catalogue: watch,
      store: stores.catalogue,
      tables: null,
      urls,
      limits: {
        maxBounds: 1_000,
        maxIds: 20_000,
        maxGeometryBytes: 3e6,
        maxItems: 1e8,
        maxReadBytes: 16e9,
      },
      tableRoom: { memoryBytes: 2 ** 20, space: new SpoolSpace(join(directory, 'spool'), 2 ** 30) },
      indexCacheBytes: 96e6,
      blockCacheBytes: 32e6,
      recordCacheBytes: 0,
      ...options,
    });
  return {
    service: another(),
    urls,
    archives,
    rows,
    stores,
    reads,
    another,
    async refresh() {
      await watch.refresh();
    },
    snapshot: () => watch.current(),
    async add(more) {
      await publish(more);
      await watch.refresh();
    },
    url(packageName, path) {
      const row = rows.find(({ name }) => name.startsWith(packageName));
      if (row === undefined) throw new Error(`no package ${packageName}`);
      return urls.member(row, path);
    },
    async [Symbol.asyncDispose]() {
      await archives.close();
      await watch.stop();
      await stores.close();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

/** The whole body of an answer. */
export async function bytesOf(answer: Promise<FeatureAnswer>): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  for await (const piece of (await answer).pieces) pieces.push(piece);
  return Buffer.concat(pieces);
}

/** The whole body of an answer that is text. */
export async function bodyOf(answer: Promise<FeatureAnswer>): Promise<string> {
  return (await bytesOf(answer)).toString();
}

export type FeatureOperation = keyof typeof FEATURE_PARAMETERS;

/** The answer of operation 11, 12 or 13 to a query as callers write it. */
export async function answerOf(
  service: FeatureService,
  operation: FeatureOperation,
  query: RawQuery,
): Promise<FeatureAnswer> {
  return service[operation](readQuery(FEATURE_PARAMETERS[operation], query), NEVER);
}

/** The JSON of an answer of operation 11, 12 or 13. */
export async function ask<T>(
  service: FeatureService,
  operation: FeatureOperation,
  query: RawQuery,
): Promise<T> {
  return JSON.parse(await bodyOf(answerOf(service, operation, query)));
}

function counting(objects: ObjectStore, reads: Read[]): ObjectStore {
  return new Proxy(objects, {
    get(target, name) {
      if (name !== 'open') {
        const value = Reflect.get(target, name);
        return typeof value === 'function' ? value.bind(target) : value;
      }
      return async (key: string, hint?: OpenHint): Promise<ObjectHandle> => {
        const handle = await target.open(key, hint);
        return {
          size: handle.size,
          read(offset, length) {
            reads.push({ key, offset, length });
            return handle.read(offset, length);
          },
          stream(offset, length) {
            reads.push({ key, offset, length });
            return handle.stream(offset, length);
          },
          [Symbol.asyncDispose]: () => handle[Symbol.asyncDispose](),
        };
      };
    },
  });
}
