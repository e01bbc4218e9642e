/**
 * One package that is converted by one worker, and by two that share it, each with a core of its own (`taskset`):
 *
 *     npm run build && node bench/convert-workers.ts [megabytes of GML, 1000 when absent]
 *
 * Buildings of Osaka again and again, 3D Tiles of LOD 1, one thread in each worker. The time is from the start of the first job to
 * the end of the last one, publication included. It needs `../shared/data`.
 */
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { promisify } from 'node:util';
import { openStores } from '../src/store/open-stores.ts';
import { writeLargeCity } from './support/large-city.ts';
import { peakOf, shareOf } from './support/processes.ts';
import { Results } from './support/table.ts';
import { cpuSeconds, startWorker, stopWorker } from './support/workers.ts';

const PROGRAM = new URL('../bin/citymodel.js', import.meta.url).pathname;
const NAME = '27100_osaka-shi_city_2022_citygml_3_op';
const OSAKA = join(import.meta.dirname, `../../shared/data/packages/${NAME}.zip`);
const MESH = '51357346';
const POLL_MS = 50;
const ROUNDS = 2;

const megabytes = Number(process.argv[2] ?? 1_000);
const directory = await mkdtemp(join(tmpdir(), 'bench-convert-workers-'));
try {
  const zip = join(directory, basename(OSAKA));
  await writeLargeCity(zip, { source: OSAKA, mesh: MESH, bytes: megabytes * 1e6, isOneFile: false });
  const results = new Results(`${megabytes} MB of GML converted, by workers`, [
    'workers',
    'seconds',
    'times faster',
    'CPU of workers, s',
    'memory of all at once, MB',
    'highest of each, together, MB',
  ]);
  // By turns, since the machine is not always as fast.
  for (let round = 0; round < ROUNDS; round++) {
    const alone = await measure(zip, 1);
    const both = await measure(zip, 2);
    for (const [i, { seconds, cpu, atOnce, peak }] of [alone, both].entries())
      results.add(i + 1, seconds, alone.seconds / seconds, cpu, atOnce, peak);
  }
  results.print();
} finally {
  await rm(directory, { recursive: true, force: true });
}

/**
 * `atOnce`: the most memory that all workers have at one time, MB; what they share, such as the engine, counts once. `peak`: the highest
 * resident memory of each worker at whatever time, all together.
 */
async function measure(
  zip: string,
  workers: number,
): Promise<{ seconds: number; cpu: number; atOnce: number; peak: number }> {
  const dataDir = join(directory, `data-${workers}`);
  const env = { PATH: process.env.PATH, DATA_DIR: dataDir, JOB_POLL_MS: String(POLL_MS) };
  const run = (...args: string[]) => promisify(execFile)(process.execPath, [PROGRAM, ...args], { env });
  await run('ingest', zip);
  const cores = Array.from({ length: workers }, (_, i) => i);
  const running = await Promise.all(cores.map((core) => startWorker('convert,convert-parts', env, core)));
  const wanted = ['--types', 'bldg', '--lods', '1', '--jobs', '1', '--helpers', String(workers - 1)];
  await run('convert', NAME, '--queue', ...wanted);
  const stores = await openStores({ dataDir, databaseUrl: '', objectStore: '' });
  try {
    let atOnce = 0;
    for (;;) {
      atOnce = Math.max(atOnce, sum(running.map(({ pid }) => shareOf(pid!))));
      const { succeeded, dead } = await stores.jobs.counts({});
      if (dead > 0) throw new Error('a job was given up');
      if (succeeded === workers) break;
      await setTimeout(POLL_MS);
    }
    const jobs = await stores.jobs.list({}, { limit: workers, offset: 0 });
    const cpu = await Promise.all(running.map(cpuSeconds));
    const peaks = running.map(({ pid }) => peakOf(pid!) ?? 0);
    return {
      seconds:
        (Math.max(...jobs.map((job) => job.finishedAt!)) - Math.min(...jobs.map((job) => job.startedAt!))) /
        1_000,
      cpu: sum(cpu),
      atOnce,
      peak: sum(peaks),
    };
  } finally {
    for (const child of running) await stopWorker(child);
    await stores.close();
    await rm(dataDir, { recursive: true });
  }
}

function sum(values: readonly number[]): number {
  return values.reduce((all, each) => all + each, 0);
}
