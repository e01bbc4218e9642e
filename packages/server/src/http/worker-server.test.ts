import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { parseS3Address } from '@citymodel/store';
import {
  BlockMemory,
  CachedStore,
  chunks,
  FakeS3,
  S3Store,
  SqlCatalogueStore,
  SqliteDriver,
  SqlJobStore,
} from '@citymodel/store/testing';
import { DiskWatch } from './observe/disk-checks.ts';
import { Metrics } from './observe/metrics.ts';
import { startWorkerServer, type WorkerServer } from './worker-server.ts';

process.env.AWS_ACCESS_KEY_ID = 'test';
process.env.AWS_SECRET_ACCESS_KEY = 'testtest';

describe('what a worker tells those who watch over it', () => {
  let directory: string;
  let fake: FakeS3;
  let objects: CachedStore;
  let catalogue: SqlCatalogueStore;
  let jobs: SqlJobStore;
  let server: WorkerServer;
  let isStopping = false;
  const metrics = { current: new Metrics() };
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'citymodel-worker-'));
    isStopping = false;
    fake = await FakeS3.start();
    objects = new CachedStore(new S3Store(parseS3Address(fake.address())), new BlockMemory(1e6, null));
    const database = await SqliteDriver.open(join(directory, 'catalogue.sqlite'));
    catalogue = new SqlCatalogueStore(database);
    await catalogue.migrate();
    jobs = new SqlJobStore(database);
    metrics.current = new Metrics();
    metrics.current.watchStores({ database, objects, jobs });
    server = await startWorkerServer({
      host: '127.0.0.1',
      port: 0,
      metrics: metrics.current,
      stores: { catalogue, objects },
      disks: new DiskWatch({ disk: [directory] }),
      isStopping: () => isStopping,
    });
  });
  afterEach(async () => {
    await server.close();
    await objects.close();
    await catalogue.close();
    await fake[Symbol.asyncDispose]();
    await rm(directory, { recursive: true });
  });
  const get = async (path: string, init?: RequestInit) => {
    const answer = await fetch(server.address + path, { ...init, headers: { connection: 'close' } });
    return { status: answer.status, text: await answer.text() };
  };

  it('is alive, and ready while its stores answer', async () => {
    assert.deepEqual(await get('/health/live'), { status: 200, text: '{"status":"ok"}' });
    assert.equal((await get('/health/ready')).status, 200);
    fake.fault = () => ({ status: 403, code: 'AccessDenied' });
    const unready = await get('/health/ready');
    assert.equal(unready.status, 503);
    assert.match(unready.text, /"objects":"does not answer: the keys do not allow it"/);
    assert.match(unready.text, /"database":"ok"/);
    fake.fault = () => null;
    isStopping = true;
    assert.match((await get('/health/ready')).text, /is stopping/);
    assert.equal((await get('/health/live')).status, 200);
  });

  it('tells of jobs, of requests to the store and of what is kept', async () => {
    const job = { label: 'x', payload: {}, maxAttempts: 3, exclusive: null, unique: null, objectKey: null };
    await jobs.enqueue([{ kind: 'reindex', ...job }], Date.now() - 60_000);
    await jobs.enqueue([{ kind: 'reindex', ...job }], Date.now());
    await objects.put('k', chunks(Buffer.alloc(200_000, 1)));
    await using handle = await objects.open('k');
    for (let time = 0; time < 3; time++) await handle.read(0, 10);
    metrics.current.jobEnded({ kind: 'reindex', outcome: 'failed', ms: 1_500 });
    for (let time = 0; time < 2; time++) {
      const { text } = await get('/metrics');
      assert.match(text, /citymodel_jobs\{kind="reindex",state="queued"\} 2/);
      const waited = Number(/citymodel_jobs_oldest_waiting_seconds\{kind="reindex"\} (\S+)/.exec(text)?.[1]);
      assert.ok(waited >= 60 && waited < 120, `${waited}`);
      assert.match(text, /citymodel_job_attempts_total\{kind="reindex",outcome="failed"\} 1\n/);
      assert.match(text, /citymodel_object_store_requests_total\{operation="PutObject",outcome="ok"\} 1\n/);
      assert.match(text, /citymodel_object_store_requests_total\{operation="GetObject",outcome="ok"\} 1\n/);
      assert.match(text, /citymodel_cache_reads_total\{found="memory"\} 2\n/);
      assert.match(text, /citymodel_cache_reads_total\{found="store"\} 1\n/);
      assert.match(text, /citymodel_object_store_answering 1\n/);
      assert.match(text, /citymodel_database_answering 1\n/);
      assert.doesNotMatch(text, /credentials_end/, 'these keys do not end');
      // Prometheus refuses gauges with names of counters.
      for (const [, name] of text.matchAll(/^# TYPE (\S+) gauge$/gm)) assert.doesNotMatch(name!, /_total$/);
    }
  });

  it('says of which type an answer is, and that it is not kept', async () => {
    const json = 'application/json; charset=utf-8';
    for (const [path, method, status, type, body] of [
      ['/health/live?a', 'GET', 200, json, /^{"status":"ok"}$/],
      ['/health/ready', 'GET', 200, json, /^{"status":"ok","checks":{"database":"ok".*"disk":"ok".*}}$/],
      ['/health/ready', 'HEAD', 200, json, /^$/],
      ['/metrics', 'GET', 200, 'text/plain; version=0.0.4; charset=utf-8', /^# HELP /],
      [
        '/metrics',
        'DELETE',
        405,
        json,
        /"method not allowed","reason":"A worker answers GET \/health\/live, /,
      ],
      ['/metric', 'GET', 404, json, /"not found","reason":"A worker answers GET .*, \/metrics\."/],
    ] as const) {
      const answer = await fetch(server.address + path, { method, headers: { connection: 'close' } });
      const { headers } = answer;
      assert.deepEqual(
        [answer.status, headers.get('content-type'), headers.get('cache-control')],
        [status, type, 'no-store'],
        path,
      );
      assert.match(await answer.text(), body);
    }
    isStopping = true;
    const { status, text } = await get('/health/ready');
    assert.equal(status, 503);
    assert.deepEqual(JSON.parse(text), {
      error: 'unavailable',
      reason: 'worker: is stopping',
      checks: { worker: 'is stopping' },
    });
  });

  it('answers nothing else', async () => {
    for (const path of ['/', '/datacatalog', '/health/__proto__', '/constructor']) {
      assert.equal((await get(path)).status, 404, path);
    }
    assert.equal((await get('/metrics', { method: 'POST' })).status, 405);
  });
});
