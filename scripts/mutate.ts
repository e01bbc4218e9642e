/**
 * Changes the code in small ways, one at a time, and looks whether the nearest unit tests notice. A mutant that no test
 * notices shows a rule that the next change can break in silence. Works in a copy; the checkout stays as it is. A test
 * that never runs the changed place is not tried.
 *
 *   node scripts/mutate.ts [--count 60] [--from 0] [--seed 1] [--workers 1] [--out FILE] \
 *     [--again FILE] [--patience 40] [directory or file…]
 *   node scripts/mutate.ts --fixed [--record]
 *
 * The first form tries a fresh sample for each `--seed`, of all areas or of the directories and files that are named.
 * It prints the mutants that live (`unmet` where no test runs the place), and exits with 1 when fewer than 90 % are
 * killed. A test that takes more than `--patience` seconds is left out. `--from 30` passes over the first
 * 30 of the sample, so that a long run can be made in pieces. `--again FILE` tries those mutants only that a run before
 * wrote with `--out`.
 *
 * `--fixed` tries a small sample of each area of `scripts/mutation/areas.ts`, the same as long as the code is, with
 * tests that are taken to pass. It exits with 1 when any of these mutants lives. `--record` writes which test kills
 * each to `scripts/mutants-fixed.tsv`; that test is then the first to be run. A mutant that only a hanging test shows
 * is left to fresh samples.
 *
 * Mutants of `scripts/mutants-accepted.tsv`, each with a reason, are not tried and count neither way. Exits with 2 for
 * a path that has no code, and for an option that it does not know.
 */
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join, normalize } from 'node:path';
import { parseArgs } from 'node:util';
import { AREAS, type Area } from './mutation/areas.ts';
import { Checkout } from './mutation/checkout.ts';
import { KeptRuns } from './mutation/coverage.ts';
import { Hints } from './mutation/hints.ts';
import { acceptedBy, isProgram, type Mutant, mutantsOf, shuffled, withoutLine } from './mutation/mutant.ts';
import { isCode, nearestTests, sourceFiles } from './mutation/tests-of.ts';
import { CarefulTrials, PATIENCE_MS, quickTrial, rememberedTexts, type Tests } from './mutation/trials.ts';

const ACCEPTED = 'scripts/mutants-accepted.tsv';
const HINTS = 'scripts/mutants-fixed.tsv';
const AIM = 0.9;
/** Of the sample that never changes. */
const FIXED_SEED = 2026;

const options = readOptions();
const root = options.root ?? join(import.meta.dirname, '..');
process.chdir(root);

if (existsSync('packages/portal') && !existsSync('packages/server/dist')) {
  refuse('tests of the router read the built portal: run `npm run build` before');
}
const textOf = rememberedTexts();
const all = sourceFiles().filter(isCode);
const areas = areasOf(options.paths);
const files = areas.flatMap(({ files }) => files);
const { tests: testsOf, inThreads, closureOf } = nearestTests(files);
const accepted = acceptedBy(existsSync(ACCEPTED) ? readFileSync(ACCEPTED, 'utf8') : '');
const hints = new Hints(existsSync(HINTS) ? readFileSync(HINTS, 'utf8') : '');
const databases: Array<Promise<{ url(): string; stop(): Promise<void> }>> = [];
const tests: Tests = {
  patience: options.patience === 0 ? PATIENCE_MS : options.patience * 1000,
  of: (file) => testsOf.get(file)!,
  mayRunInThread: (file) => inThreads.has(file),
  textOf,
  environment: environmentOf,
  kept: new KeptRuns(join(root, 'node_modules/.cache/mutants'), closureOf, textOf),
  onLeftOut: (test, why) => console.log(`${test} ${why} without any mutant, and is left out`),
};
const trials = new CarefulTrials(tests);
const checkouts: Checkout[] = [];
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
process.on('exit', () => {
  for (const checkout of checkouts) checkout.remove();
});

const workers = options.fixed ? availableParallelism() : options.workers;
const chosen = options.fixed ? areas.map(fixedSampleOf) : [freshSample()];
const queue = chosen.flat();
console.log(`${files.length} files, ${queue.length} mutants chosen`);
const untested = files.filter(
  (file) => tests.of(file).length === 0 && mutantsOf(file, textOf(file)).length > 0,
);
if (!options.fixed && untested.length > 0) console.log(`no unit test reaches: ${untested.join(', ')}`);

const living = new Set<Mutant>();
const passedOver = new Set<Mutant>();
const late = new Set<Mutant>();
let done = 0;
await Promise.all(Array.from({ length: Math.max(1, workers) }, work));
for (const database of databases) await (await database).stop();

if (options.fixed) {
  if (options.record) writeFileSync(HINTS, hints.text(chosen.flat()));
  for (const [i, { name }] of areas.entries()) console.log(lineOf(name, chosen[i]!));
  process.exit(living.size === 0 ? 0 : 1);
}
const report = [...living]
  .map(({ name }) => name)
  .sort()
  .join('\n');
if (options.out !== undefined) writeFileSync(options.out, report === '' ? '' : `${report}\n`);
console.log(`\n${report}\n`);
const tried = done - passedOver.size;
console.log(lineOf('all', chosen[0]!));
process.exit(tried === 0 || (tried - living.size) / tried >= AIM ? 0 : 1);

interface ChosenArea extends Pick<Area, 'name' | 'sample'> {
  files: string[];
}

function readOptions() {
  try {
    const { values, positionals } = parseArgs({
      allowPositionals: true,
      options: {
        count: { type: 'string', default: '60' },
        from: { type: 'string', default: '0' },
        seed: { type: 'string', default: '1' },
        workers: { type: 'string', default: '1' },
        patience: { type: 'string', default: '0' },
        out: { type: 'string' },
        again: { type: 'string' },
        fixed: { type: 'boolean', default: false },
        record: { type: 'boolean', default: false },
        root: { type: 'string' },
      },
    });
    const number = (name: 'count' | 'from' | 'seed' | 'workers' | 'patience') => {
      const value = Number(values[name]);
      if (!/^\d+$/.test(values[name])) throw new Error(`--${name} is a whole number, not ${values[name]}`);
      return value;
    };
    return {
      ...values,
      count: number('count'),
      from: number('from'),
      seed: number('seed'),
      workers: number('workers'),
      patience: number('patience'),
      paths: positionals.map((path) => normalize(path).replace(/[\\/]$/, '')),
    };
  } catch (error) {
    return refuse((error as Error).message);
  }
}

function refuse(message: string): never {
  console.error(message);
  process.exit(2);
}

/** The areas of the table, or one of the paths that somebody names. */
function areasOf(paths: readonly string[]): ChosenArea[] {
  const below = (path: string) => all.filter((file) => file === path || file.startsWith(`${path}/`));
  const empty = paths.filter((path) => below(path).length === 0);
  if (empty.length > 0) {
    const known = empty.map((path) => (existsSync(path) && statSync(path).isDirectory() ? `${path}/` : path));
    refuse(`there is no code in ${known.join(', ')}; a path is like packages/geo/src`);
  }
  if (paths.length > 0) return [{ name: 'paths', sample: 0, files: [...new Set(paths.flatMap(below))] }];
  return AREAS.map(({ name, sample, prefixes }) => {
    const own = prefixes.flatMap(below);
    if (own.length === 0 && options.root === undefined) refuse(`the area ${name} has no code`);
    return { name, sample, files: own };
  });
}

function candidatesOf(of: readonly string[]): Mutant[] {
  return of.filter((file) => tests.of(file).length > 0).flatMap((file) => mutantsOf(file, textOf(file)));
}

function fixedSampleOf(area: ChosenArea): Mutant[] {
  const isTried = (mutant: Mutant) => !accepted(mutant) && !hints.isSlow(mutant);
  return programsOf(shuffled(candidatesOf(area.files), FIXED_SEED), area.sample, isTried);
}

function freshSample(): Mutant[] {
  const { again, from, count, seed } = options;
  const candidates = shuffled(candidatesOf(files), seed);
  if (again === undefined) return programsOf(candidates, from + count).slice(from);
  const names = new Set(readFileSync(again, 'utf8').split('\n').map(withoutLine));
  return candidates.filter(({ name }) => names.has(withoutLine(name)));
}

/** The first mutants that are wanted and are programs, so many. */
function programsOf(
  mutants: readonly Mutant[],
  count: number,
  isWanted: (mutant: Mutant) => boolean = () => true,
): Mutant[] {
  const found: Mutant[] = [];
  for (const mutant of mutants) {
    if (found.length === count) break;
    if (isWanted(mutant) && isProgram(mutant, textOf(mutant.file))) found.push(mutant);
  }
  return found;
}

/** One copy of the sources, in which one mutant after the other is tried. */
async function work(): Promise<void> {
  if (queue.length === 0) return;
  const checkout = new Checkout(process.cwd());
  checkouts.push(checkout);
  for (let mutant = queue.shift(); mutant !== undefined; mutant = queue.shift()) {
    if (accepted(mutant)) {
      passedOver.add(mutant);
      console.log(`accepted\t${mutant.name}`);
    } else {
      const start = performance.now();
      const verdict = options.fixed
        ? await quickTrial(checkout, mutant, tests, hints)
        : await trials.try(checkout, mutant);
      if (verdict === 'late') late.add(mutant);
      const isAlive = verdict === 'lives' || verdict === 'unmet';
      if (isAlive) living.add(mutant);
      if (isAlive || process.env.MUTATE_TIMES) {
        console.log(`${verdict}\t${mutant.name}\t${((performance.now() - start) / 1000).toFixed(1)} s`);
      }
    }
    done++;
    if (!options.fixed && done % 25 === 0) console.log(`${done} tried, ${living.size} live`);
  }
}

/** The tests of databases share one server. */
async function environmentOf(test: string): Promise<NodeJS.ProcessEnv> {
  if (process.env.TEST_DATABASE_URL || !/testing\/postgres\.ts/.test(textOf(test))) return {};
  if (databases.length === 0) {
    const { PostgresServer } = await import('../packages/store/src/testing/postgres-server.ts');
    if (databases.length === 0) databases.push(PostgresServer.start());
  }
  return { TEST_DATABASE_URL: (await databases[0]!).url() };
}

function lineOf(name: string, mutants: readonly Mutant[]): string {
  const counted = mutants.filter((mutant) => !passedOver.has(mutant));
  const killed = counted.filter((mutant) => !living.has(mutant)).length;
  const share = ((killed / Math.max(counted.length, 1)) * 100).toFixed(1);
  const lateHere = counted.filter((mutant) => late.has(mutant)).length;
  const byTime = lateHere > 0 ? ` (${lateHere} by time)` : '';
  const more = mutants.length > counted.length ? `, ${mutants.length - counted.length} more accepted` : '';
  return `${name}: ${killed} of ${counted.length} killed${byTime}${more}: ${share} %`;
}
