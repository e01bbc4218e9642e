/**
 * How long the event loop of a server of the national catalogue stands still under file searches, while packages are
 * ingested beside it, and while it makes packs; with the database in threads and on the loop:
 *
 *     npm run build && node bench/loop-stalls.ts [data directory filled by bench/national/generate.ts]
 *
 * The data directory is copied; packages of the sample city are ingested into the copy.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { writeSampleWithTiles } from '../test/support/sample.ts';
import { fillDataDir } from './national/generate.ts';
import { OneCaller } from './support/one-caller.ts';
import { makeAll, postPack } from './support/pack-faults.ts';
import { peakOf, timed } from './support/processes.ts';
import type { Stalls } from './support/stall-server.ts';
import { quantile, Results } from './support/table.ts';

const PROGRAM = new URL('../bin/citymodel.js', import.meta.url).pathname;
const SERVER = new URL('./support/stall-server.ts', import.meta.url).pathname;
/** As `bin/citymodel.js` starts a server. */
const YOUNG_GENERATION = '--max-semi-space-size=16';
/** Between two requests that only look how long they take, ms: without a pause they would be most of the processor time. */
const PROBE_PAUSE = 10;
const BOXES: Array<[string, string, number]> = [
  ['box of a ward', 'r:139.700000,35.650000,139.760000,35.700000', 100],
  ['box of all Tokyo', 'r:139.56,35.52,139.92,35.82', 5],
  ['box of all Kanto', 'r:138.9,34.9,140.9,37.1', 3],
];

const work = await mkdtemp(join(tmpdir(), 'bench-stalls-'));
const results = new Results('Event loop of a server of the national catalogue', [
  'what',
  'database',
  'longest stall, ms',
  'of which without a core, ms',
  'longest collection, ms',
  'most CPU of a turn, ms',
  'stalls over 20 ms',
  'CPU of all threads, ms',
  'p50 ms',
  'p50 / p99 ms of /health/ready meanwhile',
]);
try {
  const filled = process.argv[2] ?? join(work, 'filled');
  if (process.argv[2] === undefined) await fillDataDir(filled);
  await writeSampleWithTiles(join(work, 'sample'));
  for (const mode of ['loop', 'threads', 'loop', 'threads']) {
    const dataDir = join(work, 'data');
    await cp(filled, dataDir, { recursive: true });
    await measure(mode, dataDir);
    await rm(dataDir, { recursive: true });
  }
} finally {
  await rm(work, { recursive: true, force: true });
}
results.print();

async function measure(mode: string, dataDir: string): Promise<void> {
  const child = fork(SERVER, [dataDir, mode], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    execArgv: [YOUNG_GENERATION],
  });
  const [url] = (await once(child, 'message')) as [string];
  const caller = new OneCaller();
  try {
    // What is made in advance is over when nothing happens any more.
    while ((await report(child, 1_000)).cpuMs > 100);

    for (const [what, box, times] of BOXES) {
      const took: number[] = [];
      const { stalls, probes } = await during(child, url, async () => {
        for (let i = 0; i < times; i++) took.push((await caller.ask(`${url}/datacatalog/citygml/${box}`)).ms);
      });
      add(`${what}, ${times} times`, mode, stalls, quantile(took, 0.5), probes);
    }

    const uploads = (await readdir(join(work, 'sample'))).map((name) => join(work, 'sample', name));
    const ingestion = await during(child, url, async () => {
      await timed(process.execPath, [PROGRAM, 'ingest', '--json', ...uploads], { DATA_DIR: dataDir });
      // Until the server has the new catalogue.
      while ((await fetch(`${url}/datacatalog/citygml/47950`)).status !== 200) await setTimeout(50);
    });
    add(`${uploads.length} packages ingested beside it`, mode, ingestion.stalls, '', ingestion.probes);

    const found = (await (await fetch(`${url}/datacatalog/citygml/47950`)).json()) as {
      files: Record<string, Array<{ url: string }>>;
    };
    const urls = Object.values(found.files).flatMap((each) => each.map((file) => file.url));
    const packs = await during(child, url, async () => {
      const ids: string[] = [];
      for (let i = 0; i < 20; i++) ids.push((await postPack(url, urls.slice(i % urls.length)))!);
      await makeAll(url, ids);
    });
    add('20 packs written out', mode, packs.stalls, '', packs.probes);
    results.add('highest memory, MB', mode, peakOf(child.pid!) ?? '', '', '', '', '', '');
  } finally {
    caller.close();
    const ended = once(child, 'exit');
    child.disconnect();
    await ended;
  }
}

/** What the loop went through while `work` ran, and how long a short request took meanwhile, a hundred times a second at most. */
async function during(
  child: ChildProcess,
  url: string,
  work: () => Promise<void>,
): Promise<{ stalls: Stalls; probes: number[] }> {
  await report(child, 0);
  const probes: number[] = [];
  const prober = new OneCaller();
  let isOver = false;
  const probing = (async () => {
    while (!isOver) {
      probes.push((await prober.ask(`${url}/health/ready`)).ms);
      await setTimeout(PROBE_PAUSE);
    }
  })();
  try {
    await work();
  } finally {
    isOver = true;
    await probing;
    prober.close();
  }
  return { stalls: await report(child, 0), probes };
}

/** What the server saw since the last report, after a pause of so many milliseconds. */
async function report(child: ChildProcess, ms: number): Promise<Stalls> {
  await setTimeout(ms);
  const answered = once(child, 'message');
  child.send('report');
  return ((await answered) as [Stalls])[0];
}

function add(what: string, mode: string, stalls: Stalls, p50: number | string, probes: number[]): void {
  results.add(
    what,
    mode === 'loop' ? 'on the loop' : 'in threads',
    stalls.longestMs,
    stalls.longestWaitedMs,
    stalls.longestGcMs,
    stalls.longestCpuMs,
    stalls.over20,
    stalls.cpuMs,
    p50,
    `${quantile(probes, 0.5).toFixed(1)} / ${quantile(probes, 0.99).toFixed(1)}`,
  );
}
