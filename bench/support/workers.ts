/** Processes of `citymodel worker`. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';

const PROGRAM = new URL('../../bin/citymodel.js', import.meta.url).pathname;

/** A worker that has loaded the program and looks for jobs, one at a time. `core`: the only one that it may use; null for all. */
export async function startWorker(
  kinds: string,
  env: NodeJS.ProcessEnv,
  core: number | null,
): Promise<ChildProcess> {
  const program = [process.execPath, PROGRAM, 'worker', '--kinds', kinds, '--concurrency', '1'];
  // `taskset` becomes the program, under the same process id.
  const [command, ...args] = core === null ? program : ['taskset', '--cpu-list', String(core), ...program];
  const child = spawn(command!, args, { env, stdio: ['ignore', 'pipe', 'inherit'] });
  await new Promise<void>((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`the worker ended with ${code}`)));
    child.stdout!.on('data', (chunk) => {
      if (String(chunk).includes('"working"')) resolve();
    });
  });
  return child;
}

export async function stopWorker(child: ChildProcess): Promise<void> {
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  await ended;
}

/** User and system time of a process, seconds: fields 14 and 15 of its `stat` (proc(5)), in ticks of 1/100 s. */
export async function cpuSeconds({ pid }: ChildProcess): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / 100;
}
