/** What Prometheus reads of the service, stores and disks, over figures that a test gives. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTracer, sharedNow, type Tracer } from '@citymodel/base';
import type { DatabaseFigures, JobStore, ObjectStoreFigures } from '@citymodel/store';
import type { DiskWatch } from './disk-checks.ts';
import { Metrics } from './metrics.ts';
import type { WatchedStores } from './store-series.ts';

type JobFigure = Awaited<ReturnType<JobStore['figures']>>[number];

/** Values of our own series by name and labels, as they are written. */
async function valuesOf(metrics: Metrics): Promise<Record<string, number>> {
  const { text, type } = await metrics.exposed();
  assert.match(type, /^text\/plain/);
  const lines = text.split('\n').filter((line) => line.startsWith('citymodel_'));
  return Object.fromEntries(
    lines.map((line) => [
      line.slice('citymodel_'.length, line.lastIndexOf(' ')),
      Number(line.split(' ').at(-1)),
    ]),
  );
}

/** Those whose names begin so, without that. */
function below(values: Record<string, number>, prefix: string): Record<string, number> {
  const found = Object.entries(values).filter(([name]) => name.startsWith(prefix));
  return Object.fromEntries(found.map(([name, value]) => [name.slice(prefix.length), value]));
}

/** A histogram: bounds of the buckets that hold more than those before, bounds of all, sum and count. */
function histogram(values: Record<string, number>, name: string) {
  const buckets = Object.entries(below(values, `${name}_bucket`));
  const bounds = buckets.map(([labels]) => /le="([^"]+)"/.exec(labels)![1]!);
  const counts = buckets.map(([, count]) => count);
  // Each bucket holds those before it, too; the first of a histogram begins anew.
  const filled = bounds.filter((_, i) => counts[i]! > (bounds[i - 1] === '+Inf' ? 0 : (counts[i - 1] ?? 0)));
  return { bounds: bounds.join(' '), filled, sum: Object.values(below(values, `${name}_sum`))[0] };
}

test('answers are counted by route, method and status, their time in seconds by route', async () => {
  const metrics = new Metrics();
  const answer = { method: 'GET', route: '/a', status: 200, ms: 20, bytes: 100 };
  metrics.answered(answer);
  metrics.answered({ ...answer, ms: 2_500, bytes: 11 });
  metrics.answered({ ...answer, status: 304, bytes: 0 });
  metrics.answered({ ...answer, method: 'HEAD', route: '/b', ms: 1, bytes: 0 });
  metrics.answered({ ...answer, route: '/c', bytes: 1 });
  const values = await valuesOf(metrics);
  assert.deepEqual(below(values, 'http_requests_total'), {
    '{route="/a",method="GET",status="200"}': 2,
    '{route="/a",method="GET",status="304"}': 1,
    '{route="/b",method="HEAD",status="200"}': 1,
    '{route="/c",method="GET",status="200"}': 1,
  });
  assert.deepEqual(below(values, 'http_response_bytes_total'), {
    '{route="/a"}': 111,
    '{route="/c"}': 1,
  });
  const { bounds, filled } = histogram(values, 'http_request_duration_seconds');
  const usual = '0.001 0.003 0.01 0.03 0.1 0.3 1 3 10 30 120 +Inf';
  assert.equal(bounds, `${usual} ${usual} ${usual}`);
  assert.deepEqual(filled, ['0.03', '3', '0.001', '0.03']);
  assert.deepEqual(below(values, 'http_request_duration_seconds_sum'), {
    '{route="/a"}': 0.02 + 2.5 + 0.02,
    '{route="/b"}': 0.001,
    '{route="/c"}': 0.02,
  });
});

test('what becomes of catalogues, packs, jobs and reads is counted, times in seconds', async () => {
  const metrics = new Metrics();
  const { catalogue_compared_seconds: unknown, event_loop_longest_delay_seconds: none } =
    await valuesOf(metrics);
  assert.deepEqual([unknown, none], [0, 0]);
  metrics.catalogueBuilt(7, { citygml: 2, mvt: 1 });
  metrics.catalogueBuilt(8, { citygml: 3, mvt: 0 });
  metrics.catalogueFailed();
  metrics.catalogueLate(1_500);
  metrics.catalogueLate(500);
  metrics.packEnded('succeeded', 20);
  metrics.packEnded('succeeded', 1_000_000);
  metrics.packEnded('failed', 5);
  metrics.jobEnded({ kind: 'ingest', outcome: 'succeeded', ms: 2_000 });
  metrics.jobEnded({ kind: 'ingest', outcome: 'failed', ms: 1_000 });
  metrics.unavailable('objects');
  metrics.readDamaged();
  metrics.inflating(true);
  metrics.loopDelayed(30);
  metrics.watchLoop(() => 0.25);
  metrics.watchCatalogue(() => performance.now() - 7_000);
  const values = await valuesOf(metrics);
  const { catalogue_compared_seconds: age, ...own } = below(values, '');
  assert.ok(age! >= 7 && age! < 60, `${age} s`);
  const expected = {
    catalogue_version: 8,
    'catalogue_packages{kind="citygml"}': 3,
    'catalogue_packages{kind="mvt"}': 0,
    'catalogue_builds_total{outcome="built"}': 2,
    'catalogue_builds_total{outcome="failed"}': 1,
    catalogue_late_total: 2,
    catalogue_late_seconds_total: 2,
    'packs_total{outcome="succeeded"}': 2,
    'packs_total{outcome="failed"}': 1,
    'job_attempts_total{kind="ingest",outcome="succeeded"}': 1,
    'job_attempts_total{kind="ingest",outcome="failed"}': 1,
    'job_seconds_total{kind="ingest"}': 3,
    'unavailable_total{cause="objects"}': 1,
    damaged_reads_total: 1,
    fast_inflater: 1,
    event_loop_longest_delay_seconds: 0.25,
  };
  assert.deepEqual(Object.fromEntries(Object.keys(expected).map((name) => [name, own[name]])), expected);
  assert.deepEqual(histogram(values, 'pack_duration_seconds'), {
    bounds: '0.01 0.03 0.1 0.3 1 3 10 30 120 900 +Inf',
    filled: ['0.01', '0.03', '+Inf'],
    sum: 0.02 + 1_000 + 0.005,
  });
  assert.deepEqual(histogram(values, 'event_loop_delay_seconds'), {
    bounds: '0.005 0.01 0.025 0.05 0.1 0.25 0.5 1 3 10 +Inf',
    filled: ['0.05'],
    sum: 0.03,
  });
  metrics.inflating(false);
  assert.equal((await valuesOf(metrics)).fast_inflater, 0);
});

test('the library tells of the process, without the three names that Prometheus refuses', async () => {
  const { text } = await new Metrics().exposed();
  assert.match(text, /^process_cpu_seconds_total /m);
  assert.match(text, /^nodejs_active_handles\b/m);
  assert.doesNotMatch(text, /^nodejs_active_\w+_total /m);
});

test('spans are told where they are wanted, as what has come since', async (t) => {
  const metrics = new Metrics();
  assert.deepEqual(below(await valuesOf(metrics), 'spans'), {});
  const figures = { sent: 3, lost: 1 };
  setTracer({ figures: () => figures } as unknown as Tracer);
  t.after(() => setTracer(null));
  const spans = async () => Object.values(below(await valuesOf(metrics), 'spans_total'));
  assert.deepEqual(await spans(), [3, 1]);
  Object.assign(figures, { sent: 10, lost: 1 });
  assert.deepEqual(await spans(), [10, 1]);
});

test('disks tell what is left on them; one that does not know is left out', async () => {
  const metrics = new Metrics();
  const free: Record<string, number | null> = { disk: 5_000, cache: 0 };
  const look = async (part: string) => {
    if (part === 'cache' && free.cache === null) throw new Error('hangs');
    return { state: 'ok', free: free[part]! };
  };
  metrics.watchDisks({ parts: ['disk', 'cache'], look } as unknown as DiskWatch);
  const rooms = async () => below(await valuesOf(metrics), 'disk_free_bytes');
  assert.deepEqual(await rooms(), { '{part="disk"}': 5_000, '{part="cache"}': 0 });
  Object.assign(free, { disk: null, cache: 9 });
  assert.deepEqual(await rooms(), { '{part="cache"}': 9 });
  Object.assign(free, { disk: 7, cache: null });
  assert.deepEqual(await rooms(), { '{part="disk"}': 7 });
});

/** Stores of which a test says what they tell. */
function watched(stores: {
  jobs?: JobFigure[];
  backup?: [place: string, cutAt: number, faults: number];
  database?: DatabaseFigures;
  objects?: ObjectStoreFigures;
}) {
  const tell = { ...stores };
  const none = () => Promise.reject(new Error('away'));
  const fakes = {
    jobs: { figures: async () => tell.jobs ?? none() },
    database: {
      all: async () => (tell.backup === undefined ? [] : [tell.backup]),
      ...('database' in stores && { figures: async () => tell.database ?? none() }),
    },
    objects: 'objects' in stores ? { figures: async () => tell.objects ?? none() } : {},
  };
  const metrics = new Metrics();
  metrics.watchStores(fakes as unknown as WatchedStores);
  return { metrics, tell };
}

test('jobs are told by kind and state, and for how long the first of a kind waits, in seconds', async () => {
  const now = sharedNow();
  const figure = (kind: string, state: JobFigure['state'], count: number, ago: number): JobFigure => ({
    ...{ kind, state, count, oldestAt: now - ago },
  });
  const { metrics, tell } = watched({
    jobs: [
      figure('ingest', 'queued', 2, 5_000),
      figure('ingest', 'failed', 1, 9_000),
      figure('ingest', 'running', 1, 99_000),
      figure('sweep', 'succeeded', 4, 99_000),
      figure('convert', 'failed', 3, -60_000),
    ],
  });
  const values = await valuesOf(metrics);
  assert.deepEqual(below(values, 'jobs{'), {
    'kind="ingest",state="queued"}': 2,
    'kind="ingest",state="failed"}': 1,
    'kind="ingest",state="running"}': 1,
    'kind="sweep",state="succeeded"}': 4,
    'kind="convert",state="failed"}': 3,
  });
  const waiting = below(values, 'jobs_oldest_waiting_seconds');
  assert.deepEqual(Object.keys(waiting), ['{kind="ingest"}', '{kind="convert"}']);
  assert.ok(waiting['{kind="ingest"}']! >= 9 && waiting['{kind="ingest"}']! < 60);
  assert.equal(waiting['{kind="convert"}'], 0, 'its time comes later');
  assert.equal(values.database_answering, 1);
  tell.jobs = [figure('sweep', 'queued', 1, 0)];
  const later = await valuesOf(metrics);
  assert.deepEqual(Object.keys(below(later, 'jobs{')), ['kind="sweep",state="queued"}'], 'others are gone');
  assert.deepEqual(Object.keys(below(later, 'jobs_oldest')), ['_waiting_seconds{kind="sweep"}']);
  delete tell.jobs;
  const away = await valuesOf(metrics);
  assert.deepEqual([below(away, 'jobs{'), away.database_answering], [{}, 0]);
});

test('stores of this machine have no figures, and backups are told once there is one', async () => {
  const { metrics, tell } = watched({});
  const names = Object.keys(await valuesOf(metrics)).join('\n');
  assert.doesNotMatch(names, /^(database_(?!answering)|object_store|cache|backup)/m);
  tell.backup = ['/backup', 1_700_000_000_000, 2];
  for (let i = 0; i < 2; i++) {
    assert.deepEqual(below(await valuesOf(metrics), 'backup_'), {
      timestamp_seconds: 1_700_000_000,
      faults: 2,
    });
  }
});

test('a database tells of its connections, and keeps what it said while it is away', async () => {
  const connections = { open: 9, idle: 2, waiting: 4 };
  const { metrics, tell } = watched({
    database: { connections, silentConnections: 3, isReadOnly: true },
  });
  const figures = async () => below(await valuesOf(metrics), 'database_');
  const expected = {
    answering: 0,
    'connections{state="used"}': 7,
    'connections{state="idle"}': 2,
    'connections{state="waiting"}': 4,
    silent_connections_total: 3,
    read_only: 1,
  };
  assert.deepEqual(await figures(), expected);
  delete tell.database;
  assert.deepEqual(await figures(), expected);
  tell.database = { connections, silentConnections: 8, isReadOnly: false };
  assert.deepEqual(await figures(), { ...expected, silent_connections_total: 8, read_only: 0 });
  // Another process of the same pool began anew.
  tell.database = { connections, silentConnections: 1, isReadOnly: false };
  assert.deepEqual(await figures(), { ...expected, silent_connections_total: 8, read_only: 0 });
});

test('an object store tells of requests, places and its cache, and when its keys end', async () => {
  const request = { operation: 'get', outcome: 'ok', count: 5, seconds: 0.5 } as const;
  const all: ObjectStoreFigures = {
    requests: [request, { ...request, operation: 'put', count: 1 }] as ObjectStoreFigures['requests'],
    places: { inUse: 3, waiting: 1 },
    isAnswering: false,
    slowStreams: 2,
    credentialsEnd: null,
    cache: null,
  };
  const { metrics, tell } = watched({ objects: all });
  const figures = async () => below(await valuesOf(metrics), 'object_store_');
  const expected = {
    'requests_total{operation="get",outcome="ok"}': 5,
    'requests_total{operation="put",outcome="ok"}': 1,
    'request_seconds_total{operation="get",outcome="ok"}': 0.5,
    'request_seconds_total{operation="put",outcome="ok"}': 0.5,
    'places{state="used"}': 3,
    'places{state="waiting"}': 1,
    answering: 0,
    slow_streams_total: 2,
  };
  assert.deepEqual(await figures(), expected);
  assert.deepEqual(below(await valuesOf(metrics), 'cache_reads'), {});
  const cache = { memoryHits: 6, diskHits: 5, misses: 4, memoryBytes: 1_024 };
  tell.objects = {
    ...all,
    requests: [{ ...request, count: 7, seconds: 0.75 }] as ObjectStoreFigures['requests'],
    isAnswering: true,
    credentialsEnd: 1_700_000_000_500,
    cache,
  };
  const later = { ...expected, answering: 1, credentials_end_timestamp_seconds: 1_700_000_000.5 };
  later['requests_total{operation="get",outcome="ok"}'] = 7;
  later['request_seconds_total{operation="get",outcome="ok"}'] = 0.75;
  for (let i = 0; i < 2; i++) assert.deepEqual(await figures(), later);
  delete tell.objects;
  assert.deepEqual(await figures(), later, 'it is away');
  tell.objects = { ...all, cache: { ...cache, diskHits: 8 } };
  assert.deepEqual(below(await valuesOf(metrics), 'cache_'), {
    'reads_total{found="memory"}': 6,
    'reads_total{found="disk"}': 8,
    'reads_total{found="store"}': 4,
    memory_bytes: 1_024,
  });
});
