/** The built program as a child process. */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';

/** Root of the project. */
export const ROOT = join(import.meta.dirname, '../..');
/** The built program. */
export const PROGRAM = join(ROOT, 'packages/server/bin/citymodel.js');
/** Real packages, when the checkout lies beside them. */
export const REAL_DATA = join(ROOT, '../shared/data');

export interface RunResult {
  /** Exit code; null when a signal ended it. */
  code: number | null;
  signal: NodeJS.Signals | null;
  stdout: string;
  stderr: string;
}

/** Tables and pictures take jobs and a process of their own; tests that want them say so. */
export const QUIET = { TABLES: 'off', PICTURES: 'off' };

/**
 * Only what a test gives reaches the program, so that the environment of the one who runs the tests does not matter;
 * and where all tests keep compiled modules, since the program starts hundreds of times.
 */
function environment(env: Record<string, string>): NodeJS.ProcessEnv {
  if (!existsSync(join(ROOT, 'packages/server/dist/cli/main.js'))) {
    throw new Error('The program is not built; run npm run build, or the tests through npm test.');
  }
  const { PATH, HOME, NODE_COMPILE_CACHE } = process.env;
  const cache = NODE_COMPILE_CACHE === undefined ? {} : { NODE_COMPILE_CACHE };
  return { PATH, HOME, ...cache, ...QUIET, ...env };
}

/**
 * Commands whose program starts itself again for a setting of the C library, and the flag for which a server does.
 * Tests start them hundreds of times, and give it to them; those of workers and of npm see that the program does.
 */
const WITH_POOLS = new Set(['convert', 'ingest', 'inspect', 'reindex']);
const FLAG_OF_SERVERS = '--max-semi-space-size=16';

/** Starts the program with the arguments. */
export function spawnProgram(
  args: readonly string[],
  env: Record<string, string>,
  nodeOptions: readonly string[] = [],
): ChildProcess {
  const pools = WITH_POOLS.has(args[0] ?? '') ? { MALLOC_ARENA_MAX: '2' } : {};
  const flags = args[0] === 'serve' ? [FLAG_OF_SERVERS, ...nodeOptions] : nodeOptions;
  return spawn(process.execPath, [...flags, PROGRAM, ...args], {
    env: environment({ ...pools, ...env }),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

/** Runs the program to its end. */
export function runProgram(
  args: readonly string[],
  env: Record<string, string>,
  onStart: (child: ChildProcess) => void = () => {},
): Promise<RunResult> {
  const child = spawnProgram(args, env);
  onStart(child);
  return finished(child);
}

/** What a child that was just started printed by its end. */
export async function finished(child: ChildProcess): Promise<RunResult> {
  let stdout = '';
  let stderr = '';
  child.stdout!.setEncoding('utf8').on('data', (text) => {
    stdout += text;
  });
  child.stderr!.setEncoding('utf8').on('data', (text) => {
    stderr += text;
  });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => resolve({ code, signal, stdout, stderr }));
  });
}

/** A directory of its own, which goes away when the test or file ends. */
export async function tempDirectory(t?: TestContext): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'citymodel-test-'));
  t?.after(() => removeDirectory(directory));
  return directory;
}

/** Removes a directory and what is in it. */
export function removeDirectory(directory: string): Promise<void> {
  return rm(directory, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
}
