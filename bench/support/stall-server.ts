/**
 * Serves a data directory by the build, as `serve` does, and watches its own event loop; asked over IPC for what it saw since it was last asked:
 *
 *     node bench/support/stall-server.ts <data directory> threads|loop
 *
 * `threads` is the server as it is; with `loop` the database runs on the event loop, as the alternative.
 */
import { join } from 'node:path';

/** What a loop went through. */
export interface Stalls {
  /** Longest time between two turns, ms; on a busy machine it has the turns of others in it. */
  longestMs: number;
  /** Most processor time of the loop's thread between two turns, ms. */
  longestCpuMs: number;
  /** Times between two turns above 20 ms. */
  over20: number;
  /** Processor time of all threads, ms. */
  cpuMs: number;
}

const { readSettings } = await built<typeof import('../../src/base/settings.ts')>('base/settings');
const { startServer } = await built<typeof import('../../src/http/server.ts')>('http/server');
const { DirectoryStore } = await built<typeof import('../../src/store/directory/directory-store.ts')>(
  'store/directory/directory-store',
);
const { SqlCatalogueStore } = await built<typeof import('../../src/store/sql/sql-catalogue-store.ts')>(
  'store/sql/sql-catalogue-store',
);
const { SqlJobStore } =
  await built<typeof import('../../src/store/sql/sql-job-store.ts')>('store/sql/sql-job-store');
const { SqlPackStore } =
  await built<typeof import('../../src/store/sql/sql-pack-store.ts')>('store/sql/sql-pack-store');

const [dataDir, mode] = process.argv.slice(2) as [string, string];
const { SqliteDriver } = await built<typeof import('../../src/store/sqlite/sqlite-driver.ts')>(
  'store/sqlite/sqlite-driver',
);
const { SqliteThread } = await built<typeof import('../../src/store/sqlite/sqlite-thread.ts')>(
  'store/sqlite/sqlite-thread',
);
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
  catalogue,
  objects,
  packs: new SqlPackStore(driver),
  jobs: new SqlJobStore(driver),
  jobMessages: null,
});

let seen: Stalls;
let allCpu: NodeJS.CpuUsage;
const reset = () => {
  seen = { longestMs: 0, longestCpuMs: 0, over20: 0, cpuMs: 0 };
  allCpu = process.cpuUsage();
};
reset();
let turn = performance.now();
let cpu = process.threadCpuUsage();
setInterval(() => {
  const now = performance.now();
  const used = process.threadCpuUsage(cpu);
  const ms = now - turn;
  seen.longestMs = Math.max(seen.longestMs, ms);
  seen.longestCpuMs = Math.max(seen.longestCpuMs, (used.user + used.system) / 1_000);
  if (ms > 20) seen.over20++;
  turn = now;
  cpu = process.threadCpuUsage();
}, 1);

process.on('message', () => {
  const { user, system } = process.cpuUsage(allCpu);
  process.send!({ ...seen, cpuMs: (user + system) / 1_000 });
  reset();
});
process.once('disconnect', () => process.exit(0));
process.send!(server.address);

/** A module as the build has it: from the sources, each thread would have a compiler of its own in memory. */
function built<T>(module: string): Promise<T> {
  return import(new URL(`../../dist/${module}.js`, import.meta.url).href);
}
