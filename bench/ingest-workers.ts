/**
 * Twelve packages that are ingested as jobs by one worker, and by two:
 *
 *     npm run build && node bench/ingest-workers.ts [megabytes of GML in each package, 60 when absent] [--postgres]
 *
 * The time is from the start of the workers, which have loaded the program by then, until the last job has succeeded. With
 * `--postgres` jobs are handed out by messages of a PostgreSQL server that is started for it, else found in SQLite.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { writeBenchmarkGml } from '../src/sample/benchmark-gml.ts';
import { writeZipFile } from '../src/sample/zip-file.ts';
import type { JobRow } from '../src/store/job-store.ts';
import { openStores } from '../src/store/open-stores.ts';
import { PostgresServer } from '../src/store/testing/postgres-server.ts';
import { Results } from './support/table.ts';

const PROGRAM = new URL('../bin/citymodel.js', import.meta.url).pathname;
const PACKAGES = 12;
const POLL_MS = 50;

const megabytes = Number(process.argv.slice(2).find((text) => /^\d+$/.test(text)) ?? 60);
const postgres = process.argv.includes('--postgres') ? await PostgresServer.start() : null;
const directory = await mkdtemp(join(tmpdir(), 'bench-workers-'));
try {
  const uploads = await writeUploads(join(directory, 'uploads'));
  const results = new Results(
    `${PACKAGES} packages of ${megabytes} MB of GML, by workers, ${postgres === null ? 'SQLite' : 'PostgreSQL'}`,
    ['workers', 'seconds', 'MB/s of GML', 'times one worker', 'CPU of workers, s', '% of the machine'],
  );
  let alone = 0;
  // The first run warms the disk.
  for (const workers of [1, 1, 2]) {
    const { seconds, cpu } = await measure(workers, uploads);
    if (workers === 1) alone = seconds;
    const rate = (PACKAGES * megabytes) / seconds;
    results.add(workers, seconds, rate, alone / seconds, cpu, (100 * cpu) / seconds / cpus().length);
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

async function measure(
  workers: number,
  uploads: readonly string[],
): Promise<{ seconds: number; cpu: number }> {
  const dataDir = join(directory, `data-${Math.random()}`);
  const databaseUrl = postgres === null ? '' : await emptyDatabase();
  const env = { PATH: process.env.PATH, DATA_DIR: dataDir, DATABASE_URL: databaseUrl, JOB_POLL_MS: '50' };
  const stores = await openStores({ dataDir, databaseUrl, objectStore: '' });
  try {
    const running = await Promise.all(Array.from({ length: workers }, () => startWorker(env)));
    const begun = performance.now();
    const queued = spawn(process.execPath, [PROGRAM, 'ingest', '--queue', ...uploads], {
      env,
      stdio: 'ignore',
    });
    await once(queued, 'exit');
    for (;;) {
      const { succeeded, dead } = await stores.jobs.counts();
      if (dead > 0) throw new Error(JSON.stringify(await deadJobs()));
      if (succeeded === uploads.length) break;
      await setTimeout(POLL_MS);
    }
    const seconds = (performance.now() - begun) / 1_000;
    const cpu = (await Promise.all(running.map(cpuSeconds))).reduce((sum, one) => sum + one, 0);
    for (const child of running) {
      child.kill('SIGTERM');
      await once(child, 'exit');
    }
    return { seconds, cpu };
  } finally {
    await stores.close();
    await rm(dataDir, { recursive: true });
  }

  function deadJobs(): Promise<JobRow[]> {
    return stores.jobs.list({ states: ['dead'] }, { limit: 1, offset: 0 });
  }
}

/** A worker that has loaded the program and looks for jobs. */
async function startWorker(env: NodeJS.ProcessEnv): Promise<ChildProcess> {
  const child = spawn(process.execPath, [PROGRAM, 'worker', '--kinds', 'ingest', '--concurrency', '1'], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await new Promise<void>((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`the worker ended with ${code}`)));
    child.stdout!.on('data', (chunk) => {
      if (String(chunk).includes('"working"')) resolve();
    });
  });
  return child;
}

/** User and system time of a process, seconds: fields 14 and 15 of its `stat` (proc(5)), in ticks of 1/100 s. */
async function cpuSeconds({ pid }: ChildProcess): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

async function emptyDatabase(): Promise<string> {
  process.env.TEST_DATABASE_URL = postgres!.url();
  const { freshDatabase } = await import('../src/store/testing/postgres.ts');
  return (await freshDatabase()).url;
}
