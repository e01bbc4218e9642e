/**
 * The national catalogue over HTTP, beside a bare server that answers the same bytes from memory; files by condition on
 * 300,000 files.
 *
 *     npm run build && node bench/catalogue.ts [data directory filled by bench/national/generate.ts]
 */
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fillDataDir } from './national/generate.ts';
import { boxAround, conditionsOf } from './support/conditions.ts';
import { keep } from './support/keep.ts';
import { load } from './support/load.ts';
import { OneCaller } from './support/one-caller.ts';
import { peakOf, startListening, startService } from './support/processes.ts';
import { quantile, Results } from './support/table.ts';

const work = await mkdtemp(join(tmpdir(), 'citymodel-bench-'));
try {
  const dataDir = process.argv[2] ?? (await filled());
  await using service = await startService(dataDir, { LOG_LEVEL: 'info' });
  const catalogue = `${service.url}/datacatalog/citymodel-datasets`;
  const gzip = { 'accept-encoding': 'gzip' };

  const bodies = join(work, 'bodies');
  await mkdir(bodies);
  const filteredPath = '?city_code=27100&fields=datasets';
  const full = await keep(bodies, 'full', catalogue, gzip);
  const filtered = await keep(bodies, 'filtered', catalogue + filteredPath, gzip);
  await using bare = await startListening(
    [new URL('./support/bare-server.ts', import.meta.url).pathname, bodies],
    {},
    (line) => /listening on (\S+)/.exec(line)?.[1],
  );

  const http = new Results('National catalogue', [
    'answer',
    'bytes',
    'requests/s',
    'p99 ms',
    'bare requests/s',
    'bare p99 ms',
    'ratio',
  ]);
  const compare = async (
    what: string,
    bytes: number,
    ours: string,
    theirs: string,
    headers: [Record<string, string>, Record<string, string>],
    status = 200,
  ) => {
    const pairs: Array<[Awaited<ReturnType<typeof load>>, Awaited<ReturnType<typeof load>>]> = [];
    for (let i = 0; i < 3; i++) {
      const theirsNow = await load(theirs, { headers: headers[1], status, seconds: 4 });
      pairs.push([await load(ours, { headers: headers[0], status, seconds: 4 }), theirsNow]);
    }
    const ratio = quantile(
      pairs.map(([a, b]) => a.rps / b.rps),
      0.5,
    );
    const [a, b] = pairs.find(([x, y]) => x.rps / y.rps === ratio)!;
    http.add(what, bytes, a.rps, a.p99, b.rps, b.p99, ratio);
  };
  await compare('full document, gzip', full.bytes, catalogue, `${bare.url}/memory/full`, [gzip, gzip]);
  await compare('one city, gzip', filtered.bytes, catalogue + filteredPath, `${bare.url}/memory/filtered`, [
    gzip,
    gzip,
  ]);
  await compare(
    '304',
    0,
    catalogue,
    `${bare.url}/memory/full`,
    [
      { ...gzip, 'if-none-match': full.etag },
      { ...gzip, 'if-none-match': full.etag },
    ],
    304,
  );
  http.print();

  const caller = new OneCaller();
  const start = new Results('Start and composites', ['what', 'value']);
  start.add('process start to listening, ms', service.startMs);
  for (const spec of ['all-bldg-maxlod2-latest', 'all-fld-lod1-latest', 'all-tran-lod1-latest']) {
    const url = `${service.url}/datacatalog/3dtiles/${spec}/tileset.json?empty=ok`;
    const first = (await caller.ask(url)).ms;
    const later: number[] = [];
    for (let i = 0; i < 50; i++) later.push((await caller.ask(url)).ms);
    start.add(`${spec}, first request, ms`, first);
    start.add(`${spec}, further requests, p50 ms`, quantile(later, 0.5));
  }
  start.print();

  const files = new Results('Files by condition on 300,000 files', [
    'condition',
    'files',
    'kB, gzip',
    'first time p50 ms',
    'first time, slowest ms',
    'again p50 ms',
    'again p99 ms',
  ]);
  const { meshes, municipalities } = await conditionsOf(catalogue, service.url);
  const conditions: Array<[string, string[]]> = [
    ['one municipality', municipalities],
    ['one mesh', meshes.map((mesh) => `m:${mesh}`)],
    ['box of a ward (0.06° × 0.05°)', meshes.map((mesh) => boxAround(mesh, 0.03, 0.025))],
    ['box of all Tokyo', ['r:139.56,35.52,139.92,35.82']],
  ];
  for (const [what, list] of conditions) {
    const first: number[] = [];
    // Answers that are kept: a condition is asked for again after all others were.
    const again: number[] = [];
    let bytes = 0;
    for (const condition of list) {
      const answer = await caller.ask(`${service.url}/datacatalog/citygml/${condition}`, gzip);
      first.push(answer.ms);
      bytes += answer.bytes;
    }
    while (again.length < (list.length > 1 ? 400 : 30)) {
      for (const condition of list) {
        again.push((await caller.ask(`${service.url}/datacatalog/citygml/${condition}`, gzip)).ms);
      }
    }
    let found = 0;
    for (const condition of list) {
      const text = await (await fetch(`${service.url}/datacatalog/citygml/${condition}`)).text();
      found += (text.match(/"sha256"/g)?.length ?? 0) / 2;
    }
    files.add(
      what,
      found / list.length,
      bytes / list.length / 1_000,
      quantile(first, 0.5),
      Math.max(...first),
      quantile(again, 0.5),
      quantile(again, 0.99),
    );
  }
  caller.close();
  files.add('highest memory of the server, MB', '', peakOf(service.pid) ?? '', '', '', '', '');
  files.print();
} finally {
  await rm(work, { recursive: true, force: true });
}

async function filled(): Promise<string> {
  const dataDir = join(work, 'data');
  await fillDataDir(dataDir);
  return dataDir;
}
