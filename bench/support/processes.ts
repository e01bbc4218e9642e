/** Programs that a benchmark starts, measures and ends. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, open, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';

export interface Run {
  seconds: number;
  /** Highest resident memory, MB; null where the system does not tell. */
  peakMb: number | null;
}

/** Runs a command to its end. Throws when it fails. */
export async function timed(
  command: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv = {},
): Promise<Run> {
  const start = performance.now();
  const child = spawn(command, args, {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...process.env, ...env },
  });
  let peakMb: number | null = null;
  const timer = setInterval(() => {
    peakMb = Math.max(peakMb ?? 0, peakOf(child.pid!) ?? 0) || peakMb;
  }, 50);
  const [code] = (await once(child, 'exit')) as [number | null];
  clearInterval(timer);
  if (code !== 0) throw new Error(`${command} ${args.join(' ')} ended with ${code}`);
  return { seconds: (performance.now() - start) / 1_000, peakMb };
}

/** Highest resident memory of a running process so far, MB (Linux); null elsewhere. */
export function peakOf(pid: number): number | null {
  try {
    const match = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
    return match === null ? null : Number(match[1]) / 1_024;
  } catch {
    return null;
  }
}

/**
 * Memory of a running process now, MB, with its share of pages that others have too: `Pss` of proc_pid_smaps(5). 0
 * where unknown.
 */
export function shareOf(pid: number): number {
  try {
    const match = /^Pss:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'));
    return match === null ? 0 : Number(match[1]) / 1_024;
  } catch {
    return 0;
  }
}

/** Processor time of a process so far, ms (Linux); NaN elsewhere. The kernel counts in hundredths of a second. */
export function cpuOf(pid: number): number {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /, '')
      .split(' ');
    return (Number(fields[11]) + Number(fields[12])) * 10;
  } catch {
    return Number.NaN;
  }
}

export interface Service extends AsyncDisposable {
  url: string;
  pid: number;
  /** Milliseconds from the start of the process to its first answer. */
  startMs: number;
}

/** Starts the built server on a free port over a data directory. */
export async function startService(dataDir: string, env: NodeJS.ProcessEnv = {}): Promise<Service> {
  return startListening(
    [new URL('../../packages/server/bin/citymodel.js', import.meta.url).pathname, 'serve'],
    { DATA_DIR: dataDir, PORT: '0', HOST: '127.0.0.1', ...env },
    (line) => /"address":"(http:[^"]+)"/.exec(line)?.[1],
  );
}

/**
 * Starts a Node.js program that prints where it listens. What it prints goes to a file, as under a service manager:
 * reading a line for each request would slow the one who asks.
 */
export async function startListening(
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  addressIn: (line: string) => string | undefined,
): Promise<Service> {
  const directory = await mkdtemp(join(tmpdir(), 'citymodel-bench-log-'));
  const path = join(directory, 'log');
  const output = await open(path, 'w');
  const start = performance.now();
  const child = spawn(process.execPath, args, {
    stdio: ['ignore', output.fd, 'inherit'],
    env: { ...process.env, ...env },
  });
  let url: string | undefined;
  let startMs = 0;
  while (url === undefined) {
    if (child.exitCode !== null || child.signalCode !== null) {
      throw new Error(`the server ended with ${child.exitCode ?? child.signalCode}`);
    }
    await setTimeout(2);
    startMs = performance.now() - start;
    url = addressIn(await readFile(path, 'utf8'));
  }
  await output.close();
  return {
    url,
    pid: child.pid!,
    startMs,
    async [Symbol.asyncDispose]() {
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      await ended;
      await rm(directory, { recursive: true });
    },
  };
}
