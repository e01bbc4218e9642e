/**
 * Runs every test with Node's own runner: units beside the code first, then the built program in `test/`, with browsers
 * beside it. What is needed often is made once: a PostgreSQL (TEST_DATABASE_URL names another one, and POSTGRES_BIN the
 * programs of another version), the sample city, and compiled modules in `node_modules`. Units that leave their process
 * as it is share one, as many as `TOGETHER`: starting it and loading modules is a third of the time of all.
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

/** Files of units that run in one process. */
const TOGETHER = 40;
/**
 * What leaves other tests of the process with another one, or measures it; clocks that a test sets are set for all. A
 * hook outside of a suite would run for the tests of all files.
 */
const CHANGES_ITS_PROCESS = new RegExp(
  [
    String.raw`^(?:before|after)(?:Each)?\(`,
    String.raw`process\.(?:env|memoryUsage|resourceUsage|on|once|exit|kill|chdir|umask|cpuUsage)\b`,
    String.raw`mock\.(?:timers|method|module)|configureGlobal|globalThis\.\w+ =`,
    String.raw`setFlagsFromString|monitorEventLoopDelay|eventLoopUtilization|new Worker\b|spawn\(|execFile|fork\(`,
    'testing/(?:postgres|kill|ceph|azurite)|setTracer|child_process',
  ].join('|'),
  'm',
);

const env: NodeJS.ProcessEnv = {
  NODE_COMPILE_CACHE: join(import.meta.dirname, '../node_modules/.cache/tests'),
  ...process.env,
};
const using = (words: RegExp) => files.filter((file) => words.test(readFileSync(file, 'utf8'))).length;
const needsDatabase = using(/testing\/postgres\.ts/) > 0;
const server = needsDatabase && !process.env.TEST_DATABASE_URL ? await PostgresServer.start() : null;
if (server !== null) env.TEST_DATABASE_URL = server.url();
const codes = [await runUnits()];
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

/** Those in processes of their own, and beside them one process after the other of the rest. */
async function runUnits(): Promise<number> {
  const alone = units.filter((file) => CHANGES_ITS_PROCESS.test(readFileSync(file, 'utf8')));
  const rest = units.filter((file) => !alone.includes(file));
  const batches: string[][] = [];
  while (rest.length > 0) batches.push(rest.splice(0, TOGETHER));
  // Each prints when it has ended, so that their lines do not mix.
  const now = Promise.resolve();
  const codes = [0];
  const lane = async () => {
    for (let batch = batches.shift(); batch !== undefined; batch = batches.shift()) {
      codes.push(await run(batch, 1, 120, now, ['--test-isolation=none']));
    }
  };
  await Promise.all([run(alone, 2, 120, now).then((code) => codes.push(code)), lane(), lane()]);
  return Math.max(...codes);
}

/** `limit`: seconds after which a test that does not end has failed; `before`: the run that prints first. */
async function run(
  list: readonly string[],
  concurrency: number,
  limit: number,
  before: Promise<unknown> | null = null,
  more: readonly string[] = [],
): Promise<number> {
  if (list.length === 0) return 0;
  const flags = ['--import', './scripts/test-setup.ts', '--test', `--test-timeout=${limit * 1000}`, ...more];
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
