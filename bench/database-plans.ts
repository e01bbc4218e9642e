/**
 * How PostgreSQL reads the national catalogue: prints the plan of every statement of the stores, and fails when one of them
 * reads a large table from end to end without need.
 *
 *     node bench/database-plans.ts [data directory filled by bench/national/generate.ts]
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PostgresDriver } from '../src/store/postgres/postgres-driver.ts';
import { SqlCatalogueStore } from '../src/store/sql/sql-catalogue-store.ts';
import { SqlJobStore } from '../src/store/sql/sql-job-store.ts';
import { SqlPackStore } from '../src/store/sql/sql-pack-store.ts';
import { exerciseStores } from '../src/store/testing/exercise-stores.ts';
import { fillTables } from '../src/store/testing/fill-tables.ts';
import { PostgresServer } from '../src/store/testing/postgres-server.ts';
import { ExplainingDriver, needlessScans } from '../src/store/testing/query-plans.ts';
import { fillDataDir } from './national/generate.ts';
import { copyCatalogue } from './support/copy-catalogue.ts';

const work = await mkdtemp(join(tmpdir(), 'citymodel-bench-'));
const server = await PostgresServer.start(['shared_buffers=256MB']);
try {
  const dataDir = process.argv[2] ?? join(work, 'data');
  if (process.argv[2] === undefined) await fillDataDir(dataDir);
  await copyCatalogue(dataDir, server.url());
  const driver = await PostgresDriver.open(server.url());
  await fillTables(driver, { packages: 0 });
  const explaining = new ExplainingDriver(driver);
  await exerciseStores({
    catalogue: new SqlCatalogueStore(explaining),
    packs: new SqlPackStore(explaining),
    jobs: new SqlJobStore(explaining),
  });
  const plans = [...explaining.plans.values()].sort((a, b) => b.cost - a.cost);
  for (const { sql, plan } of plans) console.log(`${sql}\n\n${plan.replace(/^/gm, '    ')}\n`);
  const needless = await needlessScans(driver, plans);
  console.log(`${plans.length} statements, ${needless.length} of them read a large table from end to end`);
  for (const { sql, tables } of needless) console.log(`- ${tables.join(', ')}: ${sql}`);
  if (needless.length > 0) process.exitCode = 1;
  await driver.close();
} finally {
  await server.stop();
  await rm(work, { recursive: true, force: true });
}
