/** What a server goes through during an attack: how long others wait, and how much memory it takes. */
import { readFileSync, writeFileSync } from 'node:fs';
import { Agent, get } from 'node:http';
import { setTimeout } from 'node:timers/promises';
import type { TestServer } from './server.ts';

export interface Beside<T> {
  result: T;
  /** Milliseconds that `/health/live` took, ascending; at least one. */
  live: number[];
  /** By how much the process grew at most, MB; null where the system does not tell. */
  grownMb: number | null;
}

/** Between two times that `/health/live` is asked. */
const PAUSE_MS = 5;

/** Runs the attack while `/health/live` is asked again and again on a connection of its own. */
export async function beside<T>(
  server: Pick<TestServer, 'address'> & { child: { pid?: number | undefined } },
  attack: () => Promise<T>,
): Promise<Beside<T>> {
  const { pid } = server.child;
  const agent = new Agent({ keepAlive: true });
  const live: number[] = [];
  let isRunning = true;
  const ask = () =>
    new Promise<void>((resolve, reject) => {
      const start = performance.now();
      get(`${server.address}/health/live`, { agent }, (response) => {
        response.resume();
        response.once('end', () => {
          live.push(performance.now() - start);
          resolve();
        });
      }).once('error', reject);
    });
  await ask();
  live.length = 0;
  const before = memoryOf(pid, 'VmRSS');
  resetPeak(pid);
  const asking = (async () => {
    do {
      await ask();
      // What holds others up does so for longer.
      await setTimeout(PAUSE_MS);
    } while (isRunning);
  })();
  try {
    const result = await attack();
    isRunning = false;
    await asking;
    const peak = memoryOf(pid, 'VmHWM');
    live.sort((a, b) => a - b);
    return { result, live, grownMb: before === null || peak === null ? null : peak - before };
  } finally {
    isRunning = false;
    await asking.catch(() => {});
    agent.destroy();
  }
}

function memoryOf(pid: number | undefined, name: 'VmRSS' | 'VmHWM'): number | null {
  try {
    const found = new RegExp(`${name}:\\s+(\\d+) kB`).exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
    return found === null ? null : Number(found[1]) / 1_000;
  } catch {
    return null;
  }
}

/** Has the kernel count the peak from now on (Linux, proc(5), clear_refs). */
function resetPeak(pid: number | undefined): void {
  try {
    writeFileSync(`/proc/${pid}/clear_refs`, '5');
  } catch {
    // Elsewhere the growth is not told either.
  }
}
