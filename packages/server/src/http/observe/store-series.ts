/** What stores and jobs tell Prometheus; they are asked when the figures are. */

import { sharedNow, waitPatiently, withPatience } from '@citymodel/base';
import {
  type BackupNote,
  type DatabaseFigures,
  type JobStore,
  newestBackup,
  type ObjectStore,
  type ObjectStoreFigures,
  type SqlDriver,
} from '@citymodel/store';
import { Counter, Gauge, type Registry } from 'prom-client';

/** How long a store may take to tell its figures, ms; those of one that takes longer are left out. */
const ASK_MS = 2_000;

export interface WatchedStores {
  database: SqlDriver;
  objects: ObjectStore;
  jobs: JobStore;
}

/** Series of the stores; `ask` brings them up to date, and never rejects. */
export function storeSeries(
  registry: Registry,
  { database, objects, jobs }: WatchedStores,
): () => Promise<void> {
  const ofJobs = jobSeries(registry);
  const answering = answeringSeries(registry);
  const ofBackup = backupSeries(registry);
  // Of stores that are files of this machine there is nothing to tell.
  const ofDatabase = database.figures === undefined ? null : databaseSeries(registry);
  const ofObjects = objects.figures === undefined ? null : objectSeries(registry);
  const ofCache = objects.figures === undefined ? null : cacheSeries(registry);
  const now = async <T>(ask: () => Promise<T>): Promise<T | null> =>
    withPatience(() => waitPatiently(ask), ASK_MS).catch(() => null);
  return async () => {
    const [found, backup, ofPool, ofStore] = await Promise.all([
      now(() => jobs.figures()),
      now(() => newestBackup(database)),
      now(async () => database.figures?.() ?? null),
      now(async () => objects.figures?.() ?? null),
    ]);
    ofJobs(found ?? []);
    answering(found !== null);
    ofBackup(backup);
    if (ofPool !== null) ofDatabase?.(ofPool);
    if (ofStore === null) return;
    ofObjects?.(ofStore);
    ofCache?.(ofStore);
  };
}

function jobSeries(registry: Registry) {
  const registers = [registry];
  const count = new Gauge({
    name: 'citymodel_jobs',
    help: 'Jobs by kind and state; the same at every process over one database.',
    labelNames: ['kind', 'state'],
    registers,
  });
  const waiting = new Gauge({
    name: 'citymodel_jobs_oldest_waiting_seconds',
    help: 'For how long the first job of a kind that may be worked on has waited for a worker.',
    labelNames: ['kind'],
    registers,
  });
  return (figures: Awaited<ReturnType<JobStore['figures']>>) => {
    count.reset();
    waiting.reset();
    const oldest = new Map<string, number>();
    for (const { kind, state, count: jobs, oldestAt } of figures) {
      count.set({ kind, state }, jobs);
      if (state !== 'queued' && state !== 'failed') continue;
      oldest.set(kind, Math.min(oldestAt, oldest.get(kind) ?? Number.POSITIVE_INFINITY));
    }
    for (const [kind, at] of oldest) waiting.set({ kind }, Math.max(0, sharedNow() - at) / 1_000);
  };
}

function answeringSeries(registry: Registry) {
  const answers = new Gauge({
    name: 'citymodel_database_answering',
    help: '1 when the database told its jobs within 2 s.',
    registers: [registry],
  });
  return (isAnswering: boolean) => answers.set(isAnswering ? 1 : 0);
}

function backupSeries(registry: Registry) {
  // Registered only once there is one: 0 would be the year 1970.
  const at = new Gauge({
    name: BACKUP,
    help:
      'The moment of the newest backup, seconds since 1970; absent where there was none. The same at every ' +
      'process.',
    registers: [],
  });
  const faults = new Gauge({
    name: 'citymodel_backup_faults',
    help: 'Objects of packages that the newest backup lacks, because they are missing or damaged.',
    registers: [],
  });
  return (backup: BackupNote | null) => {
    if (backup === null) return;
    at.set(backup.cutAt / 1_000);
    faults.set(backup.faults);
    if (registry.getSingleMetric(BACKUP) !== undefined) return;
    registry.registerMetric(at);
    registry.registerMetric(faults);
  };
}

const BACKUP = 'citymodel_backup_timestamp_seconds';

function databaseSeries(registry: Registry) {
  const registers = [registry];
  const connections = new Gauge({
    name: 'citymodel_database_connections',
    help: 'Connections of this process to the database: used, idle, and callers that wait for one.',
    labelNames: ['state'],
    registers,
  });
  const silent = new Counter({
    name: 'citymodel_database_silent_connections_total',
    help: 'Connections that were given up because nothing came over them any more.',
    registers,
  });
  const readOnly = new Gauge({
    name: 'citymodel_database_read_only',
    help: '1 when the database takes no changes, as a standby.',
    registers,
  });
  return ({ connections: { open, idle, waiting }, silentConnections, isReadOnly }: DatabaseFigures) => {
    connections.set({ state: 'used' }, open - idle);
    connections.set({ state: 'idle' }, idle);
    connections.set({ state: 'waiting' }, waiting);
    setTotal(silent, {}, silentConnections);
    readOnly.set(isReadOnly ? 1 : 0);
  };
}

function objectSeries(registry: Registry) {
  const registers = [registry];
  const requests = new Counter({
    name: 'citymodel_object_store_requests_total',
    help: 'Tries of requests to the object store by operation and outcome.',
    labelNames: ['operation', 'outcome'],
    registers,
  });
  const seconds = new Counter({
    name: 'citymodel_object_store_request_seconds_total',
    help: 'Time until the answers to them began, all together.',
    labelNames: ['operation', 'outcome'],
    registers,
  });
  const places = new Gauge({
    name: 'citymodel_object_store_places',
    help: 'Requests to the object store that are under way, and those that wait for a place.',
    labelNames: ['state'],
    registers,
  });
  const answering = new Gauge({
    name: 'citymodel_object_store_answering',
    help: '0 while callers are refused at once because the object store does not answer.',
    registers,
  });
  const slow = new Counter({
    name: 'citymodel_object_store_slow_streams_total',
    help: 'Streams that took the slower way to the object store because the faster one failed.',
    registers,
  });
  // Registered only once there is such a time: 0 would be the year 1970.
  const credentials = new Gauge({
    name: CREDENTIALS,
    help: 'When the keys of the object store end, seconds since 1970; absent where they do not.',
    registers: [],
  });
  return (figures: ObjectStoreFigures) => {
    for (const { operation, outcome, count, seconds: time } of figures.requests) {
      setTotal(requests, { operation, outcome }, count);
      setTotal(seconds, { operation, outcome }, time);
    }
    places.set({ state: 'used' }, figures.places.inUse);
    places.set({ state: 'waiting' }, figures.places.waiting);
    answering.set(figures.isAnswering ? 1 : 0);
    setTotal(slow, {}, figures.slowStreams);
    if (figures.credentialsEnd === null) return;
    credentials.set(figures.credentialsEnd / 1_000);
    if (registry.getSingleMetric(CREDENTIALS) === undefined) registry.registerMetric(credentials);
  };
}

const CREDENTIALS = 'citymodel_object_store_credentials_end_timestamp_seconds';

function cacheSeries(registry: Registry) {
  const registers = [registry];
  const reads = new Counter({
    name: 'citymodel_cache_reads_total',
    help: 'Blocks of objects that were wanted, by where they were found.',
    labelNames: ['found'],
    registers,
  });
  const bytes = new Gauge({
    name: 'citymodel_cache_memory_bytes',
    help: 'Bytes of blocks that are kept in memory.',
    registers,
  });
  return ({ cache }: ObjectStoreFigures) => {
    if (cache === null) return;
    setTotal(reads, { found: 'memory' }, cache.memoryHits);
    setTotal(reads, { found: 'disk' }, cache.diskHits);
    setTotal(reads, { found: 'store' }, cache.misses);
    bytes.set(cache.memoryBytes);
  };
}

/** Brings a counter up to a total that is counted elsewhere. */
function setTotal<L extends string>(
  counter: Counter<L>,
  labels: Partial<Record<L, string>>,
  total: number,
): void {
  const series = counter.labels(labels);
  const known = totals.get(counter) ?? new Map<string, number>();
  totals.set(counter, known);
  const name = Object.values(labels).join(' ');
  series.inc(Math.max(0, total - (known.get(name) ?? 0)));
  known.set(name, total);
}

/** What counters have been told, by the values of their labels. */
const totals = new WeakMap<object, Map<string, number>>();
