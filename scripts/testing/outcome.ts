/** What a process of tests printed, and how it ended. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import type { Work } from './work.ts';

export interface Outcome {
  work: Work;
  code: number;
  seconds: number;
  /** What it printed but for the sums at its end, which are those of one process. */
  output: string;
  /** Sums at its end by name, such as `tests` and `fail`. */
  sums: Map<string, number>;
}

/** How long a process may take to end itself, in ms. */
const GRACE = 5_000;
const SUM = /^ℹ (tests|suites|pass|fail|cancelled|skipped|todo|duration_ms) ([\d.]+)\n/gm;

/** Runs tests in a process. One that does not end in time is ended, and has failed; so has one that ends too early. */
export async function runWork(work: Work, env: NodeJS.ProcessEnv): Promise<Outcome> {
  const began = performance.now();
  // Without a runner, which would be a process more.
  const words = ['--import', './scripts/test-setup.ts'];
  if (work.files.length > 1) words.push('scripts/testing/together.ts');
  const child = spawn(process.execPath, [...words, ...work.files], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env,
  });
  let late = '';
  const timers = ['SIGTERM', 'SIGKILL'].map((signal, index) =>
    setTimeout(
      () => {
        late = `✖ ${work.files.join(' ')} did not end within ${work.limit} seconds\n`;
        child.kill(signal as NodeJS.Signals);
      },
      work.limit * 1000 + index * GRACE,
    ),
  );
  const exited = once(child, 'exit') as Promise<[number | null]>;
  const [output, errors, [code]] = await Promise.all([text(child.stdout), text(child.stderr), exited]);
  for (const timer of timers) clearTimeout(timer);
  const sums = new Map(Array.from(output.matchAll(SUM), ([, name, value]) => [name!, Number(value)]));
  // `process.exit(0)` in one file ends the tests of all that share its process, which have not been seen to pass.
  const isCut = code === 0 && !sums.has('tests');
  const cut = isCut ? `✖ ${work.files.join(' ')} ended before its tests had\n` : '';
  return {
    work,
    code: isCut ? 1 : (code ?? 1),
    seconds: (performance.now() - began) / 1000,
    output: output.replaceAll(SUM, '') + errors + late + cut,
    sums,
  };
}
