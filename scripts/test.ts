/**
 * Runs every test with Node's own runner: units beside the code first, then the built program in `test/`, with browsers
 * beside it. What is needed often is made once: a PostgreSQL (TEST_DATABASE_URL names another one, and POSTGRES_BIN the
 * programs of another version), the sample city, and compiled modules in `node_modules`.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { globSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { PostgresServer } from '../packages/store/src/testing/postgres-server.ts';
import { tempDirectory } from '../test/support/program.ts';
import { ingestSample } from '../test/support/store.ts';

process.chdir(join(import.meta.dirname, '..'));
/** Files, or directories such as `packages/zip`; tests of the portal run over what it is built of, from `test/`. */
const wanted = process.argv.slice(2);
const files = globSync(
  (wanted.length > 0 ? wanted : ['packages', 'bench', 'test']).flatMap((path) =>
    path.endsWith('.ts')
      ? [path]
      : path.endsWith('packages/portal')
        ? ['test/portal-*.test.ts']
        : [`${path}/**/*.test.ts`],
  ),
  { exclude: ['**/node_modules/**', '**/dist/**'] },
).sort();
if (files.length === 0) throw new Error(`There are no tests in ${wanted.join(', ')}.`);
const inBrowser = files.filter((file) => /test[\\/](.*browser|portal-real)\.test\.ts$/.test(file));
const others = files.filter((file) => !inBrowser.includes(file));

const units = others.filter((file) => !/^test[\\/]/.test(file));
const outside = others.filter((file) => !units.includes(file));

const env: NodeJS.ProcessEnv = {
  NODE_COMPILE_CACHE: join(import.meta.dirname, '../node_modules/.cache/tests'),
  ...process.env,
};
const using = (words: RegExp) => files.filter((file) => words.test(readFileSync(file, 'utf8'))).length;
const needsDatabase = using(/testing\/postgres\.ts/) > 0;
const server = needsDatabase && !process.env.TEST_DATABASE_URL ? await PostgresServer.start() : null;
if (server !== null) env.TEST_DATABASE_URL = server.url();
const codes = [await run(units, 3, 120)];
if (using(/ingestSample|useSamplePortal/) > 1) {
  const directory = await tempDirectory();
  process.once('exit', () => rmSync(directory, { recursive: true, force: true }));
  await ingestSample(directory);
  env.SAMPLE_CITY = directory;
}
const blackBox = run(outside, 2, 600);
codes.push(...(await Promise.all([blackBox, run(inBrowser, 1, 600, outside.length > 0 ? blackBox : null)])));
await server?.stop();
process.exit(Math.max(...codes));

/** `limit`: seconds after which a test that does not end has failed; `before`: the run that prints first. */
async function run(
  list: readonly string[],
  concurrency: number,
  limit: number,
  before: Promise<unknown> | null = null,
): Promise<number> {
  if (list.length === 0) return 0;
  const flags = ['--import', './scripts/test-setup.ts', '--test', `--test-timeout=${limit * 1000}`];
  const runner = spawn(process.execPath, [...flags, `--test-concurrency=${concurrency}`, ...list], {
    stdio: ['inherit', before === null ? 'inherit' : 'pipe', 'inherit'],
    env,
  });
  const exited = once(runner, 'exit') as Promise<[number | null]>;
  if (runner.stdout !== null) {
    const output = await buffer(runner.stdout);
    await before;
    process.stdout.write(output);
  }
  const [code] = await exited;
  return code ?? 1;
}
