/**
 * Changes the code in small ways, one at a time, and looks whether the nearest unit tests notice. A mutant that no test notices shows a rule that
 * the next change can break in silence. Works in a copy; the checkout stays as it is. A test that never runs the changed place is not tried.
 *
 *   node scripts/mutate.ts [--count 300] [--from 0] [--seed 1] [--workers 1] [--out FILE] [--again FILE] [path prefix…]
 *
 * `--from 30` passes over the first 30 of the sample, so that a long run can be made in pieces.
 * `--again FILE` tries those mutants only that a run before wrote with `--out`, to see which of them are killed now.
 *
 * Without prefixes: geometry, zip, features, packs and specs. Prints the mutants that live, and exits with 1 when fewer than 90 % are killed
 * (those listed in `scripts/mutants-accepted.tsv` with a reason are not tried and count neither way). A test that takes too long kills a
 * mutant only where the same test is in time again without it. Exits with 2 for a path that has no code.
 */
import { spawn } from 'node:child_process';
import {
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, normalize, relative, sep } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { parseAst } from 'vite';

interface Mutant {
  file: string;
  /** Offsets in the file, and what stands there instead. */
  start: number;
  end: number;
  text: string;
}

/** A test file, how long it takes with the code as it is, and the code that it runs. */
interface Trial {
  test: string;
  ms: number;
  runs(file: string, offset: number): boolean;
}

type Outcome = 'passed' | 'failed' | 'late';

/** What V8 writes about one script: the innermost range at a place says how often it ran. */
interface ScriptCoverage {
  url: string;
  functions: Array<{ ranges: Array<{ startOffset: number; endOffset: number; count: number }> }>;
}

interface AstNode {
  type: string;
  start: number;
  end: number;
  [key: string]: unknown;
}

const MODULES = [
  'src/geo',
  'src/zip',
  'src/citygml/geometry',
  'src/citygml/index',
  'src/features',
  'src/pack',
  'src/catalogue/specs',
  'src/catalogue/resolve',
];
const ACCEPTED = 'scripts/mutants-accepted.tsv';
const AIM = 0.9;
/** Test files that a mutant meets, of those that run its place: the nearest. */
const TESTS = 12;
/** A test that takes longer without any mutant is left out. */
const TIMEOUT_MS = 40_000;

const SWAPS: Record<string, string> = {
  '<': '<=',
  '<=': '<',
  '>': '>=',
  '>=': '>',
  '===': '!==',
  '!==': '===',
  '+': '-',
  '-': '+',
  '*': '/',
  '/': '*',
  '%': '*',
  '&&': '||',
  '||': '&&',
  '??': '&&',
  '+=': '-=',
  '-=': '+=',
  '&': '|',
  '|': '&',
  '<<': '>>',
  '>>': '<<',
  '>>>': '<<',
};

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    count: { type: 'string', default: '300' },
    from: { type: 'string', default: '0' },
    seed: { type: 'string', default: '1' },
    workers: { type: 'string', default: '1' },
    out: { type: 'string' },
    again: { type: 'string' },
  },
});
const prefixes = positionals.length > 0 ? positionals : MODULES;
const root = join(import.meta.dirname, '..');
process.chdir(root);

/** The code as it was at the start. */
const texts = new Map<string, string>();
const files = globSync('src/**/*.ts')
  .filter((file) => !/\.test\.ts$|[\\/]testing[\\/]/.test(file))
  .filter((file) => prefixes.some((prefix) => file.startsWith(prefix)))
  .sort();
const empty = prefixes.filter((prefix) => !files.some((file) => file.startsWith(prefix)));
if (empty.length > 0) {
  console.error(`no code begins with ${empty.join(', ')}; a path is like src/geo`);
  process.exit(2);
}
for (const file of files) textOf(file);
const testsOf = nearestTests();
const accepted = readAccepted();
const candidates = files.filter((file) => testsOf.get(file)!.length > 0).flatMap(mutantsOf);
const chosen =
  values.again === undefined
    ? sample(candidates, Number(values.from) + Number(values.count), Number(values.seed)).slice(
        Number(values.from),
      )
    : candidates.filter(listed(readFileSync(values.again, 'utf8')));
// A file of types alone has nothing to test.
const untested = files.filter((file) => testsOf.get(file)!.length === 0 && mutantsOf(file).length > 0);
console.log(`${files.length} files, ${candidates.length} possible mutants, ${chosen.length} chosen`);
if (untested.length > 0) console.log(`no unit test reaches: ${untested.join(', ')}`);

const living: Mutant[] = [];
let late = 0;
/** Ends the test that runs in each worker. */
const ends = new Set<() => void>();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
process.on('exit', () => {
  for (const end of ends) end();
});
const usual = new Map<string, Promise<Trial | null>>();
let done = 0;
const queue = [...chosen];
await Promise.all(Array.from({ length: Number(values.workers) }, work));

const unexpected = living.filter((mutant) => !accepted.has(nameOf(mutant)));
const killed = chosen.length - living.length;
const tried = killed + unexpected.length;
const report = unexpected.map(nameOf).sort().join('\n');
if (values.out !== undefined) writeFileSync(values.out, `${report}\n`);
console.log(`\n${report}\n`);
console.log(
  `${killed} of ${tried} killed (${late} by time), ${chosen.length - tried} more accepted: ${((killed / Math.max(tried, 1)) * 100).toFixed(1)} %`,
);
process.exit(tried === 0 || killed / tried >= AIM ? 0 : 1);

/** One copy of the sources, in which one mutant after the other is tried. The checkout may change meanwhile. */
async function work(): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'citymodel-mutate-'));
  const copy = join(directory, 'checkout');
  const remove = () => rmSync(directory, { recursive: true, force: true, maxRetries: 3 });
  process.once('exit', remove);
  try {
    // Tests over real packages look for them beside the checkout.
    if (existsSync('../shared')) symlinkSync(join(root, '../shared'), join(directory, 'shared'));
    for (const path of ['src', 'scripts', 'bench', 'test', 'package.json', 'tsconfig.json'])
      cpSync(path, join(copy, path), { recursive: true });
    for (const path of ['node_modules', 'docs', 'portal', 'dist'])
      if (existsSync(path)) symlinkSync(join(root, path), join(copy, path));
    for (let mutant = queue.shift(); mutant !== undefined; mutant = queue.shift()) {
      const original = textOf(mutant.file);
      const text = original.slice(0, mutant.start) + mutant.text + original.slice(mutant.end);
      const isKilled = !accepted.has(nameOf(mutant)) && (await isNoticed(copy, mutant, text));
      if (!isKilled) {
        living.push(mutant);
        console.log(`${accepted.has(nameOf(mutant)) ? 'accepted' : 'lives'}\t${nameOf(mutant)}`);
      }
      done++;
      if (done % 25 === 0) console.log(`${done} tried, ${living.length} live`);
    }
  } finally {
    remove();
  }
}

/** Whether a test of the file fails while the file has another text. The first failure is enough. */
async function isNoticed(copy: string, { file, start }: Mutant, text: string): Promise<boolean> {
  for await (const { test, ms } of trialsOf(copy, file, start)) {
    const limit = ms * 4 + 5000;
    writeFileSync(join(copy, file), text);
    const outcome = await run(copy, test, limit);
    writeFileSync(join(copy, file), textOf(file));
    if (outcome === 'failed') return true;
    // On a busy machine the test may be late by itself.
    if (outcome === 'late' && (await run(copy, test, limit)) === 'passed') {
      late++;
      return true;
    }
  }
  return false;
}

/**
 * The tests that run a place: those that another mutant has met, the quickest first, then the others, the nearest first. A worker
 * thread that was ended says nothing about what it ran, so where none runs the place all are tried.
 */
async function* trialsOf(copy: string, file: string, offset: number): AsyncGenerator<Trial> {
  const tests = testsOf.get(file)!;
  const met = tests.filter((test) => usual.has(test));
  const known = await Promise.all(met.map((test) => usual.get(test)!));
  const idle: Trial[] = [];
  let hasRun = false;
  const sorted = known.filter((trial) => trial !== null).sort((a, b) => a.ms - b.ms);
  for (const next of [...sorted, ...tests.filter((test) => !met.includes(test))]) {
    if (typeof next === 'string' && !usual.has(next)) usual.set(next, usualRun(copy, next));
    const trial = typeof next === 'string' ? await usual.get(next)! : next;
    if (trial === null) continue;
    if (!trial.runs(file, offset)) {
      idle.push(trial);
      continue;
    }
    hasRun = true;
    yield trial;
  }
  if (!hasRun) yield* idle;
}

/** Runs a test with the code as it is; null for one that fails, or takes too long, to say anything. */
async function usualRun(copy: string, test: string): Promise<Trial | null> {
  const coverage = join(copy, 'coverage');
  rmSync(coverage, { recursive: true, force: true });
  const start = performance.now();
  // Code that V8 compiled before tells less about what ran.
  const env = { NODE_V8_COVERAGE: coverage, NODE_COMPILE_CACHE: undefined };
  const outcome = await run(copy, test, TIMEOUT_MS, env);
  if (outcome === 'passed')
    return { test, ms: performance.now() - start, runs: readCoverage(copy, coverage) };
  console.log(
    `${test} ${outcome === 'late' ? 'takes too long' : 'fails'} without any mutant, and is left out`,
  );
  return null;
}

/** Whether one of the processes that wrote to a folder ran a place of a file. Types become spaces, so that offsets stay. */
function readCoverage(copy: string, folder: string): Trial['runs'] {
  const scripts = new Map<string, ScriptCoverage[]>();
  for (const name of globSync('*.json', { cwd: folder })) {
    const { result } = JSON.parse(readFileSync(join(folder, name), 'utf8')) as { result: ScriptCoverage[] };
    for (const script of result) {
      if (!script.url.startsWith('file:')) continue;
      const file = relative(copy, fileURLToPath(script.url));
      if (texts.has(file)) scripts.set(file, [...(scripts.get(file) ?? []), script]);
    }
  }
  return (file, offset) => (scripts.get(file) ?? []).some((script) => countAt(script, offset) > 0);
}

function countAt({ functions }: ScriptCoverage, offset: number): number {
  let length = Infinity;
  let times = 0;
  for (const { startOffset, endOffset, count } of functions.flatMap(({ ranges }) => ranges)) {
    if (offset < startOffset || offset >= endOffset || endOffset - startOffset > length) continue;
    length = endOffset - startOffset;
    times = count;
  }
  return times;
}

/** Runs a test file, until it ends or its time is over. It runs in a process group and a folder for temporary files of its own, so that nothing stays. */
function run(
  copy: string,
  test: string,
  limit: number,
  environment: NodeJS.ProcessEnv = {},
): Promise<Outcome> {
  const temporary = join(copy, 'tmp');
  mkdirSync(temporary, { recursive: true });
  return new Promise((resolve) => {
    const flags = ['--import', './scripts/test-setup.ts', '--test-reporter=tap'];
    const child = spawn(process.execPath, [...flags, test], {
      cwd: copy,
      stdio: ['ignore', 'pipe', 'ignore'],
      detached: true,
      env: {
        ...process.env,
        TMPDIR: temporary,
        NODE_COMPILE_CACHE: join(copy, 'compiled'),
        ...environment,
      },
    });
    const end = () => process.kill(-child.pid!, 'SIGKILL');
    ends.add(end);
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      end();
    }, limit);
    createInterface(child.stdout).on('line', (line) => {
      if (/^\s*not ok /.test(line) && child.exitCode === null && child.signalCode === null) end();
    });
    child.once('exit', (code) => {
      clearTimeout(timer);
      ends.delete(end);
      rmSync(temporary, { recursive: true, force: true });
      if (isLate) resolve('late');
      else resolve(code === 0 ? 'passed' : 'failed');
    });
  });
}

/** For each file the unit tests that import it, directly or not, nearest first: the test beside it, then those of its folder. */
function nearestTests(): Map<string, string[]> {
  const all = globSync('src/**/*.ts');
  const importers = new Map<string, string[]>();
  for (const file of all) {
    // Types alone run nothing.
    const text = readFileSync(file, 'utf8').replaceAll(/^(?:im|ex)port type [^;]*;/gm, '');
    for (const [, target] of text.matchAll(/(?:from |import\(|new URL\()'(\.[^']+)'/g)) {
      const path = normalize(join(dirname(file), target!));
      importers.set(path, [...(importers.get(path) ?? []), file]);
    }
  }
  const found = new Map<string, string[]>();
  for (const file of files) {
    const beside = file.replace(/\.ts$/, '.test.ts');
    const tests: string[] = all.includes(beside) ? [beside] : [];
    const seen = new Set([file]);
    for (let ring = [file]; ring.length > 0 && tests.length < TESTS; ) {
      const next: string[] = [];
      const here: string[] = [];
      for (const importer of ring.flatMap((each) => importers.get(each) ?? [])) {
        if (seen.has(importer)) continue;
        seen.add(importer);
        if (!importer.endsWith('.test.ts')) next.push(importer);
        else if (!tests.includes(importer) && !/real|features.agreement/.test(importer)) here.push(importer);
      }
      tests.push(...here.sort((a, b) => foldersApart(a, file) - foldersApart(b, file)));
      ring = next;
    }
    found.set(file, tests.slice(0, TESTS));
  }
  return found;
}

/** Folders on the way from one file to another. */
function foldersApart(a: string, b: string): number {
  return relative(dirname(a), dirname(b)).split(sep).filter(Boolean).length;
}

function textOf(file: string): string {
  const text = texts.get(file) ?? readFileSync(file, 'utf8');
  texts.set(file, text);
  return text;
}

/** Every small change of a file that is a program still: one that is not says nothing about the tests. */
function mutantsOf(file: string): Mutant[] {
  const text = textOf(file);
  const mutants: Mutant[] = [];
  const add = (start: number, end: number, replacement: string) => {
    mutants.push({ file, start, end, text: replacement });
  };
  const visit = (node: AstNode): void => {
    if (/^TS(?!AsExpression|NonNull|Satisfies)/.test(node.type) || node.type === 'ImportDeclaration') return;
    if (node.type === 'ThrowStatement') return;
    const { operator, left, right, test, argument, value } = node as unknown as {
      operator: string;
      left: AstNode;
      right: AstNode;
      test: AstNode | null;
      argument: AstNode;
      value: unknown;
    };
    switch (node.type) {
      case 'BinaryExpression':
      case 'LogicalExpression':
      case 'AssignmentExpression': {
        const swapped = SWAPS[operator];
        // Only brackets and spaces stand before the sign; a comment there may hold the same sign.
        const gap = /^[\s)]*/.exec(text.slice(left.end, right.start))![0].length;
        const at = left.end + gap;
        // Texts are joined by the same sign as numbers; the change would only be a type error.
        const isText = operator === '+' && /['`]/.test(text.slice(node.start, node.end));
        if (swapped !== undefined && text.startsWith(operator, at) && !isText)
          add(at, at + operator.length, swapped);
        break;
      }
      case 'UnaryExpression':
        if (operator === '!') add(node.start, argument.start, '');
        break;
      case 'IfStatement':
      case 'ConditionalExpression':
        if (test !== null) {
          add(test.start, test.end, 'true');
          add(test.start, test.end, 'false');
        }
        break;
      case 'Literal':
        if (typeof value === 'number') add(node.start, node.end, `(${value} + 1)`);
        else if (typeof value === 'boolean') add(node.start, node.end, String(!value));
        break;
    }
    for (const child of Object.values(node)) {
      if (Array.isArray(child)) for (const each of child) visitChild(each);
      else visitChild(child);
    }
  };
  const visitChild = (child: unknown) => {
    if (typeof child === 'object' && child !== null && 'type' in child && 'start' in child)
      visit(child as AstNode);
  };
  visit(parseAst(text, { lang: 'ts' }) as unknown as AstNode);
  return mutants.filter(isProgram);
}

/** For example `a ?? b ?? c` may not become `a && b ?? c`. */
function isProgram({ file, start, end, text }: Mutant): boolean {
  const original = textOf(file);
  try {
    parseAst(original.slice(0, start) + text + original.slice(end), { lang: 'ts' });
    return true;
  } catch {
    return false;
  }
}

/** So many of them, chosen by a generator that a seed starts (mulberry32). */
function sample(mutants: Mutant[], count: number, seed: number): Mutant[] {
  const left = [...mutants];
  const picked: Mutant[] = [];
  let state = seed >>> 0;
  while (picked.length < count && left.length > 0) {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    const at = ((mixed ^ (mixed >>> 14)) >>> 0) % left.length;
    picked.push(...left.splice(at, 1));
  }
  return picked;
}

/** `file:line: before → after` */
function nameOf({ file, start, end, text }: Mutant): string {
  const source = textOf(file);
  const line = source.slice(0, start).split('\n').length;
  const whole = source.split('\n')[line - 1]!.trim();
  return `${file}:${line}\t${source.slice(start, end).replaceAll(/\s+/g, ' ')} → ${text === '' ? '(nothing)' : text}\t${whole}`;
}

/** The name of a mutant without the number of its line, which changes. */
function withoutLine(name: string): string {
  return name.replace(/^([^:\t]+):\d+/, '$1');
}

/** Whether a mutant is one of those in a list that `--out` wrote. */
function listed(list: string): (mutant: Mutant) => boolean {
  const names = new Set(list.split('\n').map(withoutLine));
  return (mutant) => names.has(withoutLine(nameOf(mutant)));
}

/** Mutants that may live, by file, change and line of code, each with the reason; `*` stands for any text. */
function readAccepted(): { has(name: string): boolean } {
  const lines = readFileSync(ACCEPTED, 'utf8').split('\n');
  const patterns = lines
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => line.split('\t').slice(0, 3).join('\t'))
    .map(
      (text) => new RegExp(`^${text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replaceAll('\\*', '.*')}$`, 's'),
    );
  return { has: (name) => patterns.some((pattern) => pattern.test(withoutLine(name))) };
}
