/** The run of all tests: what fails, hangs or dies is told, and the longest begin first. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, globSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { type Outcome, runWork } from '../scripts/testing/outcome.ts';
import { temporaryInMemory } from '../scripts/testing/temporary.ts';
import { changesItsProcess, readSeconds, type Work, workOf } from '../scripts/testing/work.ts';

const directory = mkdtempSync(join(tmpdir(), 'run-of-tests-'));
process.once('exit', () => rmSync(directory, { recursive: true, force: true }));

const IMPORT = `import { test } from 'node:test';\n`;
const FILES = {
  passing: `${IMPORT}test('one', () => {}); test('two', (t) => t.skip());`,
  second: `${IMPORT}test('one', () => {}); test('two', (t) => t.skip());`,
  failing: `${IMPORT}test('good', () => {}); test('bad', () => { throw new Error('a fault'); });`,
  hanging: `${IMPORT}test('endless', () => new Promise(() => {})); setInterval(() => {}, 1_000);`,
  leaving: `${IMPORT}test('ends all', () => process.exit(0)); test('bad', () => { throw new Error('a fault'); });`,
  dying: `${IMPORT}test('is killed', () => process.kill(process.pid, 'SIGKILL'));`,
  unwatched: `${IMPORT}import { setTimeout } from 'node:timers/promises';
    async function fails() { await setTimeout(1); throw new Error('nobody waits'); }
    test('goes on', async () => { await setTimeout(1); void fails(); await setTimeout(20); });`,
  broken: `${IMPORT}throw new Error('while it was loaded');`,
};
for (const [name, text] of Object.entries(FILES)) writeFileSync(join(directory, `${name}.test.ts`), text);

/** Tests of this run must not report to the runner of this file. */
const env = { ...process.env, NODE_TEST_CONTEXT: undefined, FORCE_COLOR: '0' };

function run(names: Array<keyof typeof FILES>, limit = 60): Promise<Outcome> {
  const files = names.map((name) => join(directory, `${name}.test.ts`));
  return runWork({ files, seconds: 1, limit, isBrowser: false }, env);
}

describe('a process of tests', () => {
  test('has passed when all of its tests have, and its sums are taken out of what it printed', async () => {
    for (const names of [['passing'], ['passing', 'second']] as const) {
      const { code, sums, output, work, seconds } = await run([...names]);
      assert.equal(code, 0, output);
      assert.deepEqual(
        ['tests', 'pass', 'fail', 'skipped'].map((name) => sums.get(name)),
        [2, 1, 0, 1].map((count) => count * names.length),
      );
      assert.match(output, /✔ one/);
      assert.doesNotMatch(output, /^ℹ/m);
      assert.equal(work.files.length, names.length);
      assert.ok(seconds > 0);
    }
  });

  for (const [name, words] of [
    ['failing', /✖ bad[\s\S]*a fault/],
    ['broken', /while it was loaded/],
    ['dying', /^/],
    ['unwatched', /Error: nobody waits\n.*unwatched\.test\.ts/],
    ['leaving', /leaving\.test\.ts.* ended before its tests had/],
  ] as const) {
    test(`has failed when a file is ${name}, alone and beside one that passes, and says so`, async () => {
      for (const names of [[name], ['passing', name], [name, 'passing']] as const) {
        const { code, output } = await run([...names]);
        assert.notEqual(code, 0, `${names}`);
        assert.match(output, words);
      }
    });
  }

  test('counts those that passed beside one that failed', async () => {
    const { sums } = await run(['failing', 'passing']);
    assert.deepEqual([sums.get('tests'), sums.get('pass'), sums.get('fail')], [4, 2, 1]);
  });

  test('is ended when its time is over, and names its files', async () => {
    for (const names of [['hanging'], ['passing', 'hanging']] as const) {
      const { code, output } = await run([...names], 1);
      assert.notEqual(code, 0);
      assert.match(output, /hanging\.test\.ts did not end within 1 seconds/);
    }
  });
});

describe('the work of a run', () => {
  const files = globSync('{packages,bench,test}/**/*.test.ts', {
    exclude: ['**/node_modules/**', '**/dist/**'],
  }).sort();
  const all = workOf(files);

  test('is every file once, the longest first', () => {
    assert.deepEqual(all.flatMap((work) => work.files).sort(), files);
    const seconds = all.map((work) => work.seconds);
    assert.deepEqual(
      seconds,
      seconds.toSorted((a, b) => b - a),
    );
    const known = readSeconds();
    const [longest] = [...known].filter(([file]) => files.includes(file)).sort((a, b) => b[1] - a[1])[0]!;
    const shared = all.filter(({ files }) => files.length > 1).map(({ seconds }) => seconds);
    if (known.get(longest)! > Math.max(...shared)) assert.deepEqual(all[0]!.files, [longest]);
    for (const work of all)
      if (known.has(work.files[0]!)) assert.equal(work.seconds, known.get(work.files[0]!));
  });

  test('shares processes among short units that leave theirs as it is, forty at most', () => {
    const known = readSeconds();
    for (const { files, limit } of all.filter(({ files }) => files.length > 1)) {
      assert.ok(files.length <= 40);
      assert.equal(limit, 400);
      for (const file of files) assert.match(file, /^(?:packages|bench)\/|^test\/portal-/);
      assert.ok(files.every((file) => !known.has(file)));
    }
    const beside = (file: string) => all.find(({ files }) => files.includes(file))!.files.length;
    // Of the portal its logic is units; what starts the program or a browser is none, nor what sets a clock.
    for (const file of ['portal-house', 'portal-terrain'])
      assert.ok(beside(`test/${file}.test.ts`) > 1, file);
    for (const file of ['portal', 'portal-browser', 'portal-poll', 'qgis', 'zip'])
      if (files.includes(`test/${file}.test.ts`)) assert.equal(beside(`test/${file}.test.ts`), 1, file);
    const small = workOf([
      'test/run-of-tests.test.ts',
      ...files.filter((file) => /packages\/geo\//.test(file)),
    ]);
    const own = small.find(({ files }) => files[0] === 'test/run-of-tests.test.ts') as Work;
    assert.deepEqual([own.files.length, own.limit, own.isBrowser], [1, 600, false]);
  });

  test('tells browsers from the rest', () => {
    const browsers = all.filter(({ isBrowser }) => isBrowser).flatMap(({ files }) => files);
    assert.ok(browsers.length > 0);
    for (const file of browsers) assert.match(file, /^test\/.*(browser|portal-real)/);
  });
});

test('temporary files lie in memory where there is room, for everybody, as long as the process lives', () => {
  const code = `import { temporaryInMemory } from './scripts/testing/temporary.ts';
    console.log(temporaryInMemory('${directory}', 1));`;
  const gone = execFileSync(process.execPath, ['--input-type=module', '-e', code], {
    encoding: 'utf8',
  }).trim();
  assert.ok(gone.startsWith(join(directory, 'tests-')), gone);
  assert.equal(existsSync(gone), false, 'it goes away with its process');
  const here = temporaryInMemory(directory, 1)!;
  assert.equal(statSync(here).mode & 0o7777, 0o1777);
  assert.equal(temporaryInMemory(directory, Number.POSITIVE_INFINITY), null);
  assert.equal(temporaryInMemory(join(directory, 'gone'), 1), null);
});

test('a file that changes or measures its process has one of its own', () => {
  for (const line of [
    'before(() => {});',
    'afterEach(() => {});',
    "process.env.PORT = '1';",
    "t.mock.timers.enable({ apis: ['Date'] });",
    "mock.method(performance, 'now', () => 1);",
    'globalThis.fetch = fake;',
    'new Worker(url);',
    "spawn('node');",
    "import { execFile } from 'node:child_process';",
    'process.on("exit", () => {});',
    'setTracer(null);',
    "import { testPostgres } from '../testing/postgres.ts';",
  ]) {
    assert.equal(changesItsProcess(`${IMPORT}${line}\n`), true, line);
  }
  for (const line of [
    '  before(() => {});',
    'const before = 1;',
    'process.pid;',
    'performance.now();',
    "import fc from 'fast-check';",
  ]) {
    assert.equal(changesItsProcess(`${IMPORT}${line}\n`), false, line);
  }
});
