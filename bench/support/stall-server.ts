/**
 * Serves a data directory from the sources, as `serve` does, and watches its own event loop; asked over IPC for what it
 * saw since it was last asked:
 *
 *     node bench/support/stall-server.ts <data directory> threads|loop
 *
 * `threads` is the server as it is; with `loop` the database runs on the event loop, as the alternative.
 */
import { openSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { PerformanceObserver } from 'node:perf_hooks';
import { readSettings } from '../../packages/server/src/base/settings.ts';
import { startServer } from '../../packages/server/src/http/server.ts';
import { DirectoryStore } from '../../packages/store/src/directory/directory-store.ts';
import { SqlCatalogueStore } from '../../packages/store/src/sql/sql-catalogue-store.ts';
import { SqlComparisonStore } from '../../packages/store/src/sql/sql-comparison-store.ts';
import { SqlJobStore } from '../../packages/store/src/sql/sql-job-store.ts';
import { SqlPackStore } from '../../packages/store/src/sql/sql-pack-store.ts';
import { SqliteDriver } from '../../packages/store/src/sqlite/sqlite-driver.ts';
import { SqliteThread } from '../../packages/store/src/sqlite/sqlite-thread.ts';

/** What a loop went through. */
export interface Stalls {
  /** Longest time between two turns, ms; on a busy machine it has the turns of others in it. */
  longestMs: number;
  /** Of the longest time, how long the loop's thread could have run and had no core, ms (Linux; 0 elsewhere). */
  longestWaitedMs: number;
  /** Longest pause for the collection of garbage, ms; threads beside the loop's own help. */
  longestGcMs: number;
  /** Most processor time of the loop's thread between two turns, ms. */
  longestCpuMs: number;
  /** Times between two turns above 20 ms. */
  over20: number;
  /** Processor time of all threads, ms. */
  cpuMs: number;
}

const [dataDir, mode] = process.argv.slice(2) as [string, string];
const Driver = mode === 'loop' ? SqliteDriver : SqliteThread;
const driver = await Driver.open(join(dataDir, 'catalogue.sqlite'));
const catalogue = new SqlCatalogueStore(driver);
await catalogue.migrate();
const objects = await DirectoryStore.open(join(dataDir, 'store'));
const settings = readSettings({
  DATA_DIR: dataDir,
  PORT: '0',
  HOST: '127.0.0.1',
  PACK_RATE: '0',
  PACK_MATERIALISE: 'always',
  LOG_LEVEL: 'error',
});
const server = await startServer(settings, {
  database: driver,
  catalogue,
  objects,
  packs: new SqlPackStore(driver),
  jobs: new SqlJobStore(driver),
  comparisons: new SqlComparisonStore(driver),
  jobMessages: null,
});

// Opened once and read into one buffer: garbage of the watcher would be collected in pauses that it takes for the
// server's.
const schedule = openSchedule();
const scheduleText = Buffer.alloc(128);

let seen: Stalls;
let allCpu: NodeJS.CpuUsage;
const reset = () => {
  seen = { longestMs: 0, longestWaitedMs: 0, longestGcMs: 0, longestCpuMs: 0, over20: 0, cpuMs: 0 };
  allCpu = process.cpuUsage();
};
reset();
let turn = performance.now();
let cpu = process.threadCpuUsage();
let waited = waitedMs();
new PerformanceObserver((list) => {
  for (const { duration } of list.getEntries()) seen.longestGcMs = Math.max(seen.longestGcMs, duration);
}).observe({ entryTypes: ['gc'] });
setInterval(() => {
  const now = performance.now();
  const used = process.threadCpuUsage(cpu);
  const waitedNow = waitedMs();
  const ms = now - turn;
  if (ms > seen.longestMs) {
    seen.longestMs = ms;
    seen.longestWaitedMs = waitedNow - waited;
  }
  seen.longestCpuMs = Math.max(seen.longestCpuMs, (used.user + used.system) / 1_000);
  if (ms > 20) seen.over20++;
  turn = now;
  waited = waitedNow;
  cpu = process.threadCpuUsage();
}, 1);

process.on('message', () => {
  const { user, system } = process.cpuUsage(allCpu);
  process.send!({ ...seen, cpuMs: (user + system) / 1_000 });
  reset();
});
process.once('disconnect', () => process.exit(0));
process.send!(server.address);

/** What the system notes of this thread; null where there is no such file. */
function openSchedule(): number | null {
  try {
    return openSync(`/proc/self/task/${process.pid}/schedstat`, 'r');
  } catch {
    return null;
  }
}

/** How long this thread could have run so far while others had the cores, ms. */
function waitedMs(): number {
  if (schedule === null) return 0;
  const length = readSync(schedule, scheduleText, 0, scheduleText.length, 0);
  return Number(scheduleText.toString('latin1', 0, length).split(' ')[1]) / 1e6;
}
