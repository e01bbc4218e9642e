/**
 * Serves a data directory from the sources, as `serve` does, and watches its own event loop; asked over IPC for what it
 * saw since it was last asked:
 *
 *     node bench/support/stall-server.ts <data directory>
 */
import { join } from 'node:path';
import { readSettings } from '../../packages/server/src/base/settings.ts';
import { startServer } from '../../packages/server/src/http/server.ts';
import { DirectoryStore } from '../../packages/store/src/directory/directory-store.ts';
import { SqlCatalogueStore } from '../../packages/store/src/sql/sql-catalogue-store.ts';
import { SqlComparisonStore } from '../../packages/store/src/sql/sql-comparison-store.ts';
import { SqlJobStore } from '../../packages/store/src/sql/sql-job-store.ts';
import { SqlPackStore } from '../../packages/store/src/sql/sql-pack-store.ts';
import { SqliteThread } from '../../packages/store/src/sqlite/sqlite-thread.ts';

/** What a loop went through. */
export interface Stalls {
  /** Most processor time of the loop's thread between two turns, ms. */
  longestCpuMs: number;
  /** Processor time of all threads, ms. */
  cpuMs: number;
}

const dataDir = process.argv[2]!;
const driver = await SqliteThread.open(join(dataDir, 'catalogue.sqlite'));
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

let seen: Stalls;
let allCpu: NodeJS.CpuUsage;
const reset = () => {
  seen = { longestCpuMs: 0, cpuMs: 0 };
  allCpu = process.cpuUsage();
};
reset();
let cpu = process.threadCpuUsage();
setInterval(() => {
  const used = process.threadCpuUsage(cpu);
  seen.longestCpuMs = Math.max(seen.longestCpuMs, (used.user + used.system) / 1_000);
  cpu = process.threadCpuUsage();
}, 1);

process.on('message', () => {
  const { user, system } = process.cpuUsage(allCpu);
  process.send!({ ...seen, cpuMs: (user + system) / 1_000 });
  reset();
});
process.once('disconnect', () => process.exit(0));
process.send!(server.address);
