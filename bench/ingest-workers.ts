/**
 * Twelve packages that are ingested as jobs by one worker, and by two:
 *
 *     npm run build && node bench/ingest-workers.ts [megabytes of GML in each package, 60 when absent] [--postgres]
 *
 * The time is from the asking for the jobs, when the workers have loaded the program, until the last job has succeeded. With
 * `--postgres` jobs are handed out by messages of a PostgreSQL server that is started for it, else found in SQLite.
 *
 * One worker scans on one core and compresses on others, so on two cores a second one finds little left. Workers that have a
 * core each (`taskset`) show what a second machine brings; they share the database and the disk.
 */
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { ingestJob } from '../src/jobs/kinds/ingest.ts';
import { writeBenchmarkGml } from '../src/sample/benchmark-gml.ts';
import { writeZipFile } from '../src/sample/zip-file.ts';
import type { JobRow } from '../src/store/job-store.ts';
import { openStores } from '../src/store/open-stores.ts';
import { PostgresServer } from '../src/store/testing/postgres-server.ts';
import { Results } from './support/table.ts';
import { cpuSeconds, startWorker, stopWorker } from './support/workers.ts';

const PACKAGES = 12;
const POLL_MS = 50;

const megabytes = Number(process.argv.slice(2).find((text) => /^\d+$/.test(text)) ?? 60);
const postgres = process.argv.includes('--postgres') ? await PostgresServer.start() : null;
const directory = await mkdtemp(join(tmpdir(), 'bench-workers-'));
try {
  const uploads = await writeUploads(join(directory, 'uploads'));
  const results = new Results(
    `${PACKAGES} packages of ${megabytes} MB of GML, by workers, ${postgres === null ? 'SQLite' : 'PostgreSQL'}`,
    [
      'workers',
      'cores',
      'seconds',
      'MB/s of GML',
      'times one worker',
      'CPU of workers, s',
      '% of the machine',
    ],
  );
  // The first run warms the disk.
  await measure([null], uploads);
  for (const own of [false, true]) {
    let alone = 0;
    for (const workers of [1, 2]) {
      const cores = Array.from({ length: workers }, (_, i) => (own ? i : null));
      const { seconds, cpu } = await measure(cores, uploads);
      if (workers === 1) alone = seconds;
      const rate = (PACKAGES * megabytes) / seconds;
      const share = (100 * cpu) / seconds / cpus().length;
      results.add(workers, own ? 'one each' : 'all', seconds, rate, alone / seconds, cpu, share);
    }
  }
  results.print();
} finally {
  await rm(directory, { recursive: true, force: true });
  await postgres?.stop();
}

async function writeUploads(target: string): Promise<string[]> {
  await mkdir(target);
  const gml = join(target, 'bldg.gml');
  await writeBenchmarkGml(gml, { bytes: megabytes * 1e6 });
  const bytes = await readFile(gml);
  const uploads: string[] = [];
  for (let i = 0; i < PACKAGES; i++) {
    const name = `${13_101 + i}_bench-ku_city_2025_citygml_1_op`;
    const path = join(target, `${name}.zip`);
    await writeZipFile(path, `${name}/`, [{ path: 'udx/bldg/38295545_bldg_6697_op.gml', bytes }]);
    uploads.push(path);
  }
  return uploads;
}

/** `cores`: of each worker; null for all. */
async function measure(
  cores: ReadonlyArray<number | null>,
  uploads: readonly string[],
): Promise<{ seconds: number; cpu: number }> {
  const dataDir = join(directory, `data-${Math.random()}`);
  const databaseUrl = postgres === null ? '' : await emptyDatabase();
  const env = { PATH: process.env.PATH, DATA_DIR: dataDir, DATABASE_URL: databaseUrl, JOB_POLL_MS: '50' };
  const stores = await openStores({ dataDir, databaseUrl, objectStore: '' });
  try {
    const running = await Promise.all(cores.map((core) => startWorker('ingest', env, core)));
    const begun = performance.now();
    const asked = { overrides: {}, replace: false, dryRun: false, level: 6 };
    const jobs = uploads.map((path) =>
      ingestJob({ ...asked, source: { path } }, { maxAttempts: 1, ownsObject: false }),
    );
    await stores.jobs.enqueue(jobs, Date.now());
    for (;;) {
      const { succeeded, dead } = await stores.jobs.counts({});
      if (dead > 0) throw new Error(JSON.stringify(await deadJobs()));
      if (succeeded === uploads.length) break;
      await setTimeout(POLL_MS);
    }
    const seconds = (performance.now() - begun) / 1_000;
    const cpu = (await Promise.all(running.map(cpuSeconds))).reduce((sum, one) => sum + one, 0);
    for (const child of running) await stopWorker(child);
    return { seconds, cpu };
  } finally {
    await stores.close();
    await rm(dataDir, { recursive: true });
  }

  function deadJobs(): Promise<JobRow[]> {
    return stores.jobs.list({ states: ['dead'] }, { limit: 1, offset: 0 });
  }
}

async function emptyDatabase(): Promise<string> {
  process.env.TEST_DATABASE_URL = postgres!.url();
  const { freshDatabase } = await import('../src/store/testing/postgres.ts');
  return (await freshDatabase()).url;
}
