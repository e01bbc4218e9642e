/**
 * What the worst requests of anonymous callers cost a server of the national catalogue, which has the bytes of the
 * sample city, with its tiles, tables, pictures and findings, besides: each alone, twenty of each
 * beside each other, and twenty callers with all of them: the longest turn of its event loop, the growth of its memory,
 * and how long `/health/live` takes meanwhile:
 *
 *     npm run build && node bench/worst-requests.ts [data directory filled by bench/national/generate.ts]
 *     WORST=STAC,picture node bench/worst-requests.ts    # those whose name has one of the words
 *
 * Fails when one request takes 100 ms of processor time in one turn or 64 MB, or twenty leave `/health/live` above 250
 * ms (p99).
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { beside } from '../test/support/beside.ts';
import { fillDataDir } from './national/generate.ts';
import type { Stalls } from './support/stall-server.ts';
import { quantile, Results } from './support/table.ts';
import { addRealData, dataRequests } from './support/worst-of-data.ts';
import { type WorstRequest, worstRequests } from './support/worst-requests.ts';

const SERVER = new URL('./support/stall-server.ts', import.meta.url).pathname;
const MOST_TURN_MS = 100;
const MOST_GROWTH_MB = 64;
const MOST_LIVE_MS = 250;
/** Requests beside each other, and how often they are sent. */
const CALLERS = 20;
const ROUNDS = 5;
const WORDS = (process.env.WORST ?? '').split(',');
/** Loads what tools need. */
const TOOLS: Omit<WorstRequest, 'name'> = {
  path: () => '/mcp',
  body: () => JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
};

const work = await mkdtemp(join(tmpdir(), 'citymodel-bench-'));
const table = new Results('The worst requests of anonymous callers, national catalogue', [
  'what',
  'status',
  'answer, kB',
  'most CPU of a turn, ms',
  'CPU of all threads, ms',
  'growth of memory, MB',
  'p50 / p99 / longest ms of /health/live meanwhile',
]);
let number = 0;
try {
  const dataDir = process.argv[2] ?? join(work, 'data');
  if (process.argv[2] === undefined) await fillDataDir(dataDir);
  await addRealData(dataDir, work);
  const child = fork(SERVER, [dataDir], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  const [address] = (await once(child, 'message')) as [string];
  const report = async (ms: number): Promise<Stalls> => {
    await setTimeout(ms);
    const answered = once(child, 'message');
    child.send('report');
    return ((await answered) as [Stalls])[0];
  };
  try {
    // What is made in advance is over when nothing happens any more.
    while ((await report(1_000)).cpuMs > 100);
    const all = [...worstRequests(), ...(await dataRequests(address, dataDir))];
    const requests = all.filter(({ name }) => WORDS.some((word) => name.includes(word)));
    // Here the sources are read one by one; in the program they are one file, which takes a third of the time.
    await send(address, { ...TOOLS, name: 'tools' });
    while ((await report(1_000)).cpuMs > 100);
    for (const request of requests) {
      await report(0);
      const { result, live, grownMb } = await beside({ address, child }, () => send(address, request));
      const { longestCpuMs, cpuMs } = await report(0);
      add(request.name, result.status, result.bytes / 1_000, longestCpuMs, cpuMs, grownMb, live);
      if (longestCpuMs > MOST_TURN_MS || (grownMb ?? 0) > MOST_GROWTH_MB) fail(request.name);
    }
    for (const request of requests) {
      await report(0);
      const all = () => Promise.all(Array.from({ length: CALLERS }, () => send(address, request)));
      const { live, grownMb } = await beside({ address, child }, all);
      const { longestCpuMs, cpuMs } = await report(0);
      const name = `${CALLERS} × ${request.name}`;
      add(name, '', '', longestCpuMs, cpuMs, grownMb, live);
      if (quantile(live, 0.99) > MOST_LIVE_MS) fail(name);
    }
    await report(1_000);
    const many = () =>
      Promise.all(
        Array.from({ length: CALLERS }, async (_, caller) => {
          for (let round = 0; round < ROUNDS; round++) {
            await send(address, requests[(caller + 7 * round) % requests.length]!);
          }
        }),
      );
    const { live, grownMb } = await beside({ address, child }, many);
    const { longestCpuMs, cpuMs } = await report(0);
    const name = `${CALLERS} callers, ${ROUNDS} of these each`;
    add(name, '', '', longestCpuMs, cpuMs, grownMb, live);
    if (quantile(live, 0.99) > MOST_LIVE_MS) fail(name);
  } finally {
    const ended = once(child, 'exit');
    child.disconnect();
    await ended;
  }
} finally {
  await rm(work, { recursive: true, force: true });
}
table.print();

function add(
  name: string,
  status: number | string,
  kilobytes: number | string,
  turnMs: number,
  cpuMs: number,
  grownMb: number | null,
  live: readonly number[],
): void {
  const [p50, p99, longest] = [quantile(live, 0.5), quantile(live, 0.99), live.at(-1) ?? 0];
  const probes = [p50, p99, longest].map((ms) => ms.toFixed(1)).join(' / ');
  table.add(name, status, kilobytes, turnMs, cpuMs, grownMb ?? '', probes);
}

function fail(name: string): void {
  console.error(`${name}: over the limit`);
  process.exitCode = 1;
}

async function send(
  address: string,
  { path, body, gzip = false }: WorstRequest,
): Promise<{ status: number; bytes: number }> {
  const n = ++number;
  const headers = { 'accept-encoding': gzip ? 'gzip' : 'identity', 'content-type': 'application/json' };
  const ask = () =>
    fetch(`${address}${path(n)}`, {
      headers,
      ...(body === undefined ? {} : { method: 'POST', body: body(n) }),
    });
  // The server may end a connection that was idle in the moment in which it is used again.
  const response = await ask().catch((error: Error & { cause?: { code?: string } }) => {
    if (error.cause?.code !== 'UND_ERR_SOCKET') throw error;
    return ask();
  });
  let bytes = 0;
  for await (const chunk of response.body ?? []) bytes += chunk.length;
  return { status: response.status, bytes };
}
