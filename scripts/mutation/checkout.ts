/** A copy of the checkout in which one change after the other is tried; the checkout stays as it is. */
import { spawn } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  globSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { Coverage, Range } from './coverage.ts';

export type Outcome = 'passed' | 'failed' | 'late';

/** How long tests may take, and how long they may say nothing, ms. */
export interface Limit {
  all: number;
  quiet: number;
}

interface Ran {
  outcome: Outcome;
  /** The longest time without a line, ms. */
  quiet: number;
}

/** What V8 writes about one script. */
interface ScriptCoverage {
  url: string;
  functions: Array<{ ranges: Array<{ startOffset: number; endOffset: number; count: number }> }>;
}

/** Folders and files that tests read, copied; all others are linked. */
const COPIED = ['src', 'scripts', 'bench', 'test', 'portal', 'packages', 'package.json', 'tsconfig.json'];
const LINKED = ['docs', 'packages/server/dist', 'deploy', 'README.md', 'CHANGELOG.md'];
/** The linked folder in which tests keep compiled modules, by their paths from there. */
const COMPILED = 'node_modules/.cache/tests';

export class Checkout {
  readonly #directory = mkdtempSync(join(tmpdir(), 'citymodel-mutate-'));
  readonly #copy = join(this.#directory, 'checkout');
  #end: (() => void) | null = null;

  constructor(root: string) {
    // PostgreSQL, which some tests start in it, runs as somebody else where they run as root.
    chmodSync(this.#directory, 0o755);
    // Tests over real packages look for them beside the checkout.
    const shared = join(root, '../shared');
    if (existsSync(shared)) symlinkSync(shared, join(this.#directory, 'shared'));
    for (const path of COPIED) {
      if (!existsSync(join(root, path))) continue;
      cpSync(join(root, path), join(this.#copy, path), {
        recursive: true,
        filter: (source) => !/[\\/](node_modules|dist)$/.test(source),
      });
    }
    for (const path of LINKED) {
      if (existsSync(join(root, path))) symlinkSync(join(root, path), join(this.#copy, path));
    }
    linkModules(join(root, 'node_modules'), join(this.#copy, 'node_modules'));
  }

  write(file: string, text: string): void {
    writeFileSync(join(this.#copy, file), text);
  }

  /**
   * Runs a test file, or several in one process, until a test fails or their time is over. They run in a process group
   * and a folder for temporary files of their own, so that nothing stays.
   */
  async run(
    tests: string | readonly string[],
    limit: Limit,
    environment: NodeJS.ProcessEnv = {},
  ): Promise<Outcome> {
    return (await this.#run(tests, limit, environment)).outcome;
  }

  #run(tests: string | readonly string[], limit: Limit, environment: NodeJS.ProcessEnv): Promise<Ran> {
    const temporary = join(this.#copy, 'tmp');
    mkdirSync(temporary, { recursive: true });
    return new Promise((resolve) => {
      const setup = './scripts/test-setup.ts';
      const imports = existsSync(join(this.#copy, setup)) ? ['--import', setup] : [];
      const files = typeof tests === 'string' ? [tests] : ['--test', '--test-isolation=none', ...tests];
      const child = spawn(process.execPath, [...imports, '--test-reporter=tap', ...files], {
        cwd: this.#copy,
        stdio: ['ignore', 'pipe', 'ignore'],
        detached: true,
        env: {
          ...process.env,
          TMPDIR: temporary,
          NODE_COMPILE_CACHE: join(this.#copy, COMPILED),
          NODE_COMPILE_CACHE_PORTABLE: '1',
          // Set by a runner around this one: tests would then report to it.
          NODE_TEST_CONTEXT: undefined,
          ...environment,
        },
      });
      const end = () => {
        try {
          process.kill(-child.pid!, 'SIGKILL');
        } catch {
          // It has just ended.
        }
      };
      this.#end = end;
      let isLate = false;
      const late = () => {
        isLate = true;
        end();
      };
      const timers = [setTimeout(late, limit.all), setTimeout(late, limit.quiet)] as const;
      let [last, quiet] = [performance.now(), 0];
      const note = () => {
        quiet = Math.max(quiet, performance.now() - last);
        last = performance.now();
      };
      createInterface(child.stdout).on('line', (line) => {
        note();
        timers[1].refresh();
        if (/^\s*not ok /.test(line) && child.exitCode === null && child.signalCode === null) end();
      });
      child.once('exit', (code) => {
        timers.forEach(clearTimeout);
        note();
        // What the test started in its group would outlive it.
        end();
        this.#end = null;
        rmSync(temporary, { recursive: true, force: true, maxRetries: 3 });
        resolve({ outcome: isLate ? 'late' : code === 0 ? 'passed' : 'failed', quiet });
      });
    });
  }

  /** Runs a test file for `ms` at most, and tells what of the code it runs. */
  async runWatched(
    test: string,
    ms: number,
    environment: NodeJS.ProcessEnv,
  ): Promise<Ran & { coverage: Coverage }> {
    const folder = join(this.#copy, 'coverage');
    rmSync(folder, { recursive: true, force: true });
    // Code that V8 compiled before tells less about what ran.
    const watched = { ...environment, NODE_V8_COVERAGE: folder, NODE_COMPILE_CACHE: undefined };
    const ran = await this.#run(test, { all: ms, quiet: ms }, watched);
    return { ...ran, coverage: this.#readCoverage(folder) };
  }

  /** What the processes that wrote to a folder ran. Types become spaces, so that offsets stay. */
  #readCoverage(folder: string): Coverage {
    const coverage: Coverage = {};
    for (const name of globSync('*.json', { cwd: folder })) {
      const { result } = readScripts(join(folder, name));
      for (const { url, functions } of result) {
        if (!url.startsWith('file:')) continue;
        const file = relative(this.#copy, fileURLToPath(url));
        if (file.startsWith('..') || file.startsWith('node_modules')) continue;
        const ranges = functions.flatMap(({ ranges }) => ranges);
        coverage[file] ??= [];
        coverage[file].push(
          ranges.map(
            ({ startOffset, endOffset, count }): Range => [startOffset, endOffset, Math.min(count, 1)],
          ),
        );
      }
    }
    return coverage;
  }

  /** Ends the test that runs, and removes the copy. */
  remove(): void {
    this.#end?.();
    rmSync(this.#directory, { recursive: true, force: true, maxRetries: 3 });
  }
}

/** Nothing from a process that was killed while it wrote. */
function readScripts(path: string): { result: ScriptCoverage[] } {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as { result: ScriptCoverage[] };
  } catch (error) {
    if (error instanceof SyntaxError) return { result: [] };
    throw error;
  }
}

/** Links every module; packages of the repository are those of the copy. */
function linkModules(from: string, to: string): void {
  if (!existsSync(from)) return;
  mkdirSync(to, { recursive: true });
  for (const name of readdirSync(from)) {
    const [source, target] = [join(from, name), join(to, name)];
    if (lstatSync(source).isSymbolicLink()) symlinkSync(readlinkSync(source), target);
    else if (name.startsWith('@')) linkModules(source, target);
    else symlinkSync(source, target);
  }
}
