import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, before, describe, test } from 'node:test';
import fc from 'fast-check';
import { Checkout } from '../scripts/mutation/checkout.ts';
import { type Coverage, KeptRuns, runsPlace } from '../scripts/mutation/coverage.ts';
import { Hints } from '../scripts/mutation/hints.ts';
import {
  acceptedBy,
  changed,
  isProgram,
  type Mutant,
  mutantsOf,
  shuffled,
  withoutLine,
} from '../scripts/mutation/mutant.ts';

const SOURCE = `import { unused } from './nothing.ts';
export function grade(points: number): string {
  if (points >= 60) return 'passed';
  return points > 50 ? 'again' : 'failed';
}
`;
const CAREFUL = `import assert from 'node:assert/strict';
import { test } from 'node:test';
import { grade } from './grade.ts';
test('grades', () => {
  assert.deepEqual([61, 60, 59, 51, 50].map(grade), ['passed', 'passed', 'again', 'again', 'failed']);
});
`;
const CARELESS = CAREFUL.replace('[61, 60, 59, 51, 50]', '[99, 98, 59, 58, 1]');

describe('mutants', () => {
  const mutants = mutantsOf('lib/grade.ts', SOURCE);

  test('are changes of conditions, signs and numbers, not of imports and types', () => {
    const changes = mutants.map(({ name }) => name.split('\t')[1]);
    assert.deepEqual(changes, [
      'points >= 60 → true',
      'points >= 60 → false',
      '>= → >',
      '60 → (60 + 1)',
      'points > 50 → true',
      'points > 50 → false',
      '> → >=',
      '50 → (50 + 1)',
    ]);
    assert.match(mutants[2]!.name, /^lib\/grade\.ts:3\t/);
    assert.match(changed(mutants[2]!, SOURCE), /if \(points > 60\)/);
    const mixed = mutantsOf('a.ts', 'export const a = (b: any, c: any) => b ?? c ?? 1;\n');
    assert.ok(
      mixed.some((mutant) => !isProgram(mutant, 'export const a = (b: any, c: any) => b ?? c ?? 1;\n')),
    );
  });

  test('of a sign before a side that may never run are met where the other side is', () => {
    const source = 'export const a = (b: any, c: any) => c + (b?.[1] ?? 2);\n';
    const places = mutantsOf('a.ts', source).map(({ name, place }) => [
      name.split('\t')[1],
      source.slice(place, place + 4),
    ]);
    assert.deepEqual(places, [
      ['+ → -', 'c + '],
      ['?? → &&', 'b?.['],
      ['1 → (1 + 1)', '1] ?'],
      ['2 → (2 + 1)', '2);\n'],
    ]);
  });

  test('have an order that only the seed decides, wherever the file lies and whatever code is added', () => {
    const names = (list: readonly Mutant[]) => list.map(({ name }) => withoutLine(name).replace(/^.*\//, ''));
    const moved = mutantsOf('other/grade.ts', `// One line more.\n${SOURCE}`);
    const more = mutantsOf('lib/other.ts', 'export const other = (n: number) => n + 1;\n');
    fc.assert(
      fc.property(fc.nat(), (seed) => {
        const order = names(shuffled(mutants, seed));
        assert.deepEqual(names(shuffled(moved.toReversed(), seed)), order);
        const own = names(shuffled([...more, ...mutants], seed)).filter((name) => order.includes(name));
        assert.deepEqual(own, order);
      }),
    );
    assert.notDeepEqual(names(shuffled(mutants, 1)), names(shuffled(mutants, 2)));
  });

  test('that may live have a reason', () => {
    const accepted = acceptedBy('# words\n\nlib/*\t>= → >\t*points >= 60*\tnobody has 60 points\n');
    assert.deepEqual(mutants.map(accepted), [false, false, true, false, false, false, false, false]);
    assert.throws(() => acceptedBy('lib/*\t>= → >\t*points*\n'), /no reason/);
  });

  test('remember the test that kills them', () => {
    const hints = new Hints('');
    hints.note(mutants[0]!, 'b.test.ts');
    hints.note(mutants[1]!, null);
    const read = new Hints(hints.text(mutants));
    assert.deepEqual(read.ordered(mutants[0]!, ['a.test.ts', 'b.test.ts']), ['b.test.ts', 'a.test.ts']);
    assert.deepEqual(read.ordered(mutants[0]!, ['a.test.ts']), ['a.test.ts']);
    assert.deepEqual([read.isSlow(mutants[0]!), read.isSlow(mutants[1]!)], [false, true]);
    assert.doesNotMatch(hints.text(mutants.slice(2)), /b\.test/);
  });
});

describe('what a test runs', () => {
  const coverage: Coverage = {
    'a.ts': [
      [
        [0, 100, 1],
        [20, 60, 0],
        [30, 40, 1],
      ],
      // Another process.
      [
        [0, 100, 0],
        [70, 80, 1],
      ],
    ],
    'b.ts': [[[0, 10, 0]]],
  };

  test('is told by the innermost range, of any process', () => {
    const runs = [0, 19, 20, 29, 30, 39, 40, 59, 60, 99, 100].map((at) => runsPlace(coverage, 'a.ts', at));
    assert.deepEqual(runs, [true, true, false, false, true, true, false, false, true, true, false]);
    assert.deepEqual([runsPlace(coverage, 'b.ts', 5), runsPlace(coverage, 'c.ts', 5)], [false, false]);
  });

  test('is kept until a file changes that the test imports', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'kept-'));
    try {
      const texts: Record<string, string> = { 'a.test.ts': 'test', 'a.ts': 'code' };
      const kept = new KeptRuns(
        join(directory, 'runs'),
        () => Object.keys(texts),
        (file) => texts[file]!,
      );
      assert.equal(kept.find('a.test.ts'), null);
      kept.keep('a.test.ts', { ms: 12, quiet: 3, coverage });
      assert.deepEqual(kept.find('a.test.ts'), { ms: 12, quiet: 3, coverage });
      texts['a.ts'] = 'other code';
      assert.equal(kept.find('a.test.ts'), null);
      texts['a.ts'] = 'code';
      const [name] = await readdir(join(directory, 'runs'));
      await writeFile(join(directory, 'runs', name!), '{"ms":1');
      assert.equal(kept.find('a.test.ts'), null);
    } finally {
      await rm(directory, { recursive: true });
    }
  });
});

describe('the command', () => {
  let root: string;
  before(async () => {
    root = await mkdtemp(join(tmpdir(), 'mutate-'));
    await mkdir(join(root, 'packages/good/src'), { recursive: true });
    await mkdir(join(root, 'packages/bad/src'), { recursive: true });
    await mkdir(join(root, 'packages/alone/src'), { recursive: true });
    await writeFile(join(root, 'package.json'), '{"type":"module"}');
    for (const [folder, tests] of [
      ['packages/good/src', CAREFUL],
      ['packages/bad/src', CARELESS],
    ]) {
      await writeFile(join(root, `${folder}/grade.ts`), SOURCE.replace(/^import.*\n/, ''));
      await writeFile(join(root, `${folder}/grade.test.ts`), tests!);
    }
    await writeFile(join(root, 'packages/alone/src/alone.ts'), 'export const one = (n: number) => n + 1;\n');
  });
  after(() => rm(root, { recursive: true }));

  async function run(...args: string[]): Promise<{ code: number | null; output: string }> {
    const child = spawn(process.execPath, ['scripts/mutate.ts', '--root', root, ...args], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const closed = new Promise<number | null>((resolve) => child.once('close', resolve));
    const [code, out, errors] = await Promise.all([closed, text(child.stdout), text(child.stderr)]);
    return { code, output: out + errors };
  }

  test('exits with 0 where tests notice what changes, and leaves the checkout as it was', async () => {
    const { code, output } = await run('--count', '3', 'packages/good/src');
    assert.match(output, /all: 3 of 3 killed: 100\.0 %/);
    assert.equal(code, 0);
    assert.equal(
      await readFile(join(root, 'packages/good/src/grade.ts'), 'utf8'),
      SOURCE.replace(/^import.*\n/, ''),
    );
    assert.deepEqual(await readdir(join(root, 'packages/good/src')), ['grade.test.ts', 'grade.ts']);
  });

  test('exits with 1 where too many live, and tries these again', async () => {
    const list = join(root, 'living');
    const { code, output } = await run('--out', list, 'packages/bad/');
    assert.equal(code, 1, output);
    assert.match(output, /lives\tpackages\/bad\/src\/grade\.ts:2\t>= → >\t/);
    assert.match(output, /all: 4 of 8 killed: 50\.0 %/);
    await writeFile(join(root, 'packages/bad/src/grade.test.ts'), CAREFUL);
    const again = await run('--again', list, 'packages/bad');
    assert.match(again.output, /all: 4 of 4 killed/);
    assert.equal(again.code, 0);
  });

  test('runs many tests in few processes, and leaves out what fails since it was seen to pass', async () => {
    const folder = join(root, 'packages/many/src');
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, 'grade.ts'), SOURCE.replace(/^import.*\n/, ''));
    await writeFile(join(folder, 'limit.txt'), '60');
    const reading = `import { readFileSync } from 'node:fs';\n${CARELESS.replace(
      "'grades', () => {",
      "'limit', () => {\n  assert.equal(readFileSync('packages/many/src/limit.txt', 'utf8'), '60');",
    )}`;
    for (let i = 0; i < 8; i++)
      await writeFile(join(folder, `more-${i}.test.ts`), i === 6 ? CAREFUL : reading);
    const before = await run('--count', '3', 'packages/many');
    assert.match(before.output, /all: 3 of 3 killed/);
    await writeFile(join(folder, 'limit.txt'), '61');
    const after = await run('--count', '3', 'packages/many');
    assert.match(after.output, /more-0\.test\.ts fails without any mutant, and is left out/);
    assert.match(after.output, /all: 3 of 3 killed/);
  });

  test('ends a test that says nothing any more long before the time of all is over', async () => {
    const folder = join(root, 'packages/hanging/src');
    await mkdir(folder, { recursive: true });
    const next = "import { test } from 'node:test';\ntest('passes', () => {});\n";
    await writeFile(join(folder, 'passing.test.ts'), next);
    const hang = "test('hangs', () => new Promise((resolve) => setTimeout(resolve, 3_600_000)));\n";
    await writeFile(join(folder, 'hanging.test.ts'), next + hang);
    const checkout = new Checkout(root);
    try {
      const run = (name: string, quiet: number) =>
        checkout.run(`packages/hanging/src/${name}.test.ts`, { all: 3_600_000, quiet });
      assert.equal(await run('hanging', 2_000), 'late');
      assert.equal(await run('passing', 60_000), 'passed');
      const start = performance.now();
      const { outcome, quiet } = await checkout.runWatched(
        'packages/hanging/src/passing.test.ts',
        60_000,
        {},
      );
      assert.equal(outcome, 'passed');
      assert.ok(quiet > 0 && quiet < performance.now() - start);
    } finally {
      checkout.remove();
    }
  });

  test('says what no test reaches', async () => {
    const { code, output } = await run('packages/alone/src');
    assert.match(output, /no unit test reaches: packages\/alone\/src\/alone\.ts/);
    assert.equal(code, 0);
  });

  for (const [args, reason] of [
    [['packages/nowhere'], /there is no code in packages\/nowhere/],
    [['packages/good/src', 'packages/good/s'], /there is no code in packages\/good\/s;/],
    [['--count', 'many'], /--count is a whole number, not many/],
    [['--sead', '1'], /Unknown option '--sead'/],
  ] as const) {
    test(`exits with 2 for ${args.join(' ')}`, async () => {
      const { code, output } = await run(...args);
      assert.match(output, reason);
      assert.equal(code, 2);
    });
  }
});
