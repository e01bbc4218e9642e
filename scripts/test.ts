/**
 * Runs tests with Node's own runner, those of the built program and of browsers beside units: a process for each piece
 * of work (`testing/work.ts`), the longest first, and one more of them at once than there are processors, since many
 * wait. What is needed often is made once: a PostgreSQL (TEST_DATABASE_URL names another one, and POSTGRES_BIN the
 * programs of another version), the sample city, and compiled modules in `node_modules`. Temporary files lie in memory
 * where there is room, or in TMPDIR.
 *
 *     node scripts/test.ts [--record] [files or directories]
 *
 * `--record` writes how long the long ones took into `testing/seconds.tsv`.
 */
import { globSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { PostgresServer } from '../packages/store/src/testing/postgres-server.ts';
import { tempDirectory } from '../test/support/program.ts';
import { ingestSample } from '../test/support/store.ts';
import { type Outcome, runWork } from './testing/outcome.ts';
import { temporaryInMemory } from './testing/temporary.ts';
import { readSeconds, SECONDS_FILE, type Work, workOf } from './testing/work.ts';

process.chdir(join(import.meta.dirname, '..'));
const isRecording = process.argv.includes('--record');
/** Files, or directories such as `packages/zip`; tests of the portal run over what it is built of, from `test/`. */
const wanted = process.argv.slice(2).filter((argument) => argument !== '--record');
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

const began = performance.now();
const LANES = availableParallelism() + 1;
const BROWSERS = Math.max(1, Math.floor(availableParallelism() / 2));

// Also for what this process makes; an end by a signal removes it, too.
const temporary = process.env.TMPDIR ?? temporaryInMemory();
if (temporary !== null) process.env.TMPDIR = temporary;
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));

const env: NodeJS.ProcessEnv = {
  NODE_COMPILE_CACHE: join(import.meta.dirname, '../node_modules/.cache/tests'),
  // Copies of the checkout, in which changes are tried, find them too.
  NODE_COMPILE_CACHE_PORTABLE: '1',
  ...process.env,
};
const using = (words: RegExp) => files.filter((file) => words.test(readFileSync(file, 'utf8'))).length;
const [server] = await Promise.all([startDatabase(), prepareSample()]);

const waiting = workOf(files);
let browsers = 0;
const outcomes: Outcome[] = [];
await Promise.all(Array.from({ length: LANES }, lane));
await server?.stop();

const names = [...new Set(outcomes.flatMap(({ sums }) => [...sums.keys()]))];
for (const name of names.filter((name) => name !== 'duration_ms')) {
  console.log(`ℹ ${name} ${outcomes.reduce((sum, { sums }) => sum + (sums.get(name) ?? 0), 0)}`);
}
console.log(`ℹ duration_ms ${(performance.now() - began).toFixed(0)}`);
const failed = outcomes.filter(({ code }) => code !== 0);
for (const { work } of failed) console.log(`✖ failed: ${work.files.join(' ')}`);
if (isRecording) record();
process.exit(failed.length > 0 ? 1 : 0);

/** Runs one piece of work after the other. A lane that finds nothing but browsers, when these have theirs, ends. */
async function lane(): Promise<void> {
  for (let work = next(); work !== undefined; work = next()) {
    if (work.isBrowser) browsers++;
    const outcome = await runWork(work, env);
    if (work.isBrowser) browsers--;
    outcomes.push(outcome);
    const what =
      work.files.length === 1 ? work.files[0] : `${work.files[0]} and ${work.files.length - 1} more`;
    process.stdout.write(`${outcome.output.trimEnd()}\nℹ ${what}: ${outcome.seconds.toFixed(1)} s\n\n`);
  }
}

function next(): Work | undefined {
  const index = waiting.findIndex(({ isBrowser }) => !isBrowser || browsers < BROWSERS);
  return index === -1 ? undefined : waiting.splice(index, 1)[0];
}

async function startDatabase(): Promise<PostgresServer | null> {
  if (using(/testing\/postgres\.ts/) === 0 || process.env.TEST_DATABASE_URL) return null;
  const started = await PostgresServer.start();
  env.TEST_DATABASE_URL = started.url();
  return started;
}

async function prepareSample(): Promise<void> {
  if (using(/ingestSample|use(SamplePortal|SampleCity|FeatureServer)\b/) < 2) return;
  const directory = await tempDirectory();
  process.once('exit', () => rmSync(directory, { recursive: true, force: true }));
  await ingestSample(directory);
  env.SAMPLE_CITY = directory;
}

/** Files of this run that took long replace what is known of them; what a run has not met stays as it is. */
function record(): void {
  const LONG = 4;
  const seconds = readSeconds();
  for (const { work, seconds: taken } of outcomes) {
    if (work.files.length > 1) continue;
    if (taken < LONG) seconds.delete(work.files[0]!);
    else seconds.set(work.files[0]!, Math.round(taken));
  }
  const rows = [...seconds].sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1));
  const lines = rows.map(([file, taken]) => `${taken}\t${file}\n`);
  writeFileSync(SECONDS_FILE, `seconds\tfile\n${lines.join('')}`);
}
