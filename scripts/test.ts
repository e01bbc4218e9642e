/**
 * Runs every test with Node's own runner: units beside the code first, then the built program in `test/`. What draws 3D in a
 * browser comes last and alone: without a graphics card it takes both cores. Tests that need PostgreSQL share one server, which
 * is started here; TEST_DATABASE_URL names another one, and POSTGRES_BIN the programs of another version.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { globSync, readFileSync } from 'node:fs';
import { PostgresServer } from '../src/store/testing/postgres-server.ts';

const wanted = process.argv.slice(2);
const files =
  wanted.length > 0
    ? wanted
    : globSync(['src/**/*.test.ts', 'bench/**/*.test.ts', 'test/**/*.test.ts']).sort();
const inBrowser = files.filter((file) => /test[\\/](.*browser|portal-real)\.test\.ts$/.test(file));
const others = files.filter((file) => !inBrowser.includes(file));

const units = others.filter((file) => !/^test[\\/]/.test(file));
const outside = others.filter((file) => !units.includes(file));

const needsDatabase = files.some((file) => readFileSync(file, 'utf8').includes('testing/postgres.ts'));
const server = needsDatabase && !process.env.TEST_DATABASE_URL ? await PostgresServer.start() : null;
const env = { ...process.env, ...(server && { TEST_DATABASE_URL: server.url() }) };
const codes = [await run(units, 2, 120), await run(outside, 2, 600), await run(inBrowser, 1, 600)];
await server?.stop();
process.exit(Math.max(...codes));

/** `limit`: seconds after which a test that does not end has failed. */
async function run(list: readonly string[], concurrency: number, limit: number): Promise<number> {
  if (list.length === 0) return 0;
  const flags = ['--import', './scripts/test-seed.ts', '--test', `--test-timeout=${limit * 1000}`];
  const runner = spawn(process.execPath, [...flags, `--test-concurrency=${concurrency}`, ...list], {
    stdio: 'inherit',
    env,
  });
  const [code] = (await once(runner, 'exit')) as [number | null];
  return code ?? 1;
}
