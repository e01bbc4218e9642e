/**
 * What GraphQL requests just below each limit cost a server of the national catalogue: the longest turn of its event loop, the
 * growth of its memory, and how long `/health/live` takes meanwhile:
 *
 *     node bench/graphql-limits.ts [data directory filled by bench/national/generate.ts]
 */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { beside } from '../test/support/beside.ts';
import { fillDataDir } from './national/generate.ts';
import { limitRequests } from './support/graphql-limit-requests.ts';
import type { Stalls } from './support/stall-server.ts';
import { quantile, Results } from './support/table.ts';

const SERVER = new URL('./support/stall-server.ts', import.meta.url).pathname;

const work = await mkdtemp(join(tmpdir(), 'citymodel-bench-'));
const results = new Results('GraphQL requests just below the limits, national catalogue', [
  'what',
  'answer, kB',
  'most CPU of a turn, ms',
  'CPU of all threads, ms',
  'growth of memory, MB',
  'p50 / longest ms of /health/live meanwhile',
]);
try {
  const dataDir = process.argv[2] ?? join(work, 'data');
  if (process.argv[2] === undefined) await fillDataDir(dataDir);
  const child = fork(SERVER, [dataDir, 'threads'], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  const [address] = (await once(child, 'message')) as [string];
  try {
    // What is made in advance is over when nothing happens any more.
    while ((await report(child, 1_000)).cpuMs > 100);
    const ask = async (body: string) => {
      const response = await fetch(`${address}/datacatalog/graphql`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body,
      });
      return response.text();
    };
    await ask('{"query":"{areas{id datasets{id items{id url}}}}"}');
    for (const [what, request] of Object.entries(limitRequests())) {
      const body = JSON.stringify(request);
      await report(child, 0);
      const { result, live, grownMb } = await beside({ address, child }, () => ask(body));
      const { longestCpuMs, cpuMs } = await report(child, 0);
      const error = /"errors":\[\{"message":"([^"]{0,60})/.exec(result.slice(0, 200) + result.slice(-10_000));
      results.add(
        error === null ? what : `${what} (${error[1]})`,
        result.length / 1_000,
        longestCpuMs,
        cpuMs,
        grownMb ?? '',
        `${quantile(live, 0.5).toFixed(1)} / ${live.at(-1)!.toFixed(1)}`,
      );
    }
  } finally {
    const ended = once(child, 'exit');
    child.disconnect();
    await ended;
  }
} finally {
  await rm(work, { recursive: true, force: true });
}
results.print();

/** What the server saw since the last report, after a pause of so many milliseconds. */
async function report(child: ChildProcess, ms: number): Promise<Stalls> {
  await setTimeout(ms);
  const answered = once(child, 'message');
  child.send('report');
  return ((await answered) as [Stalls])[0];
}
