/**
 * Features out of GML files of 5, 50 and 500 MB inside archives, over HTTP on loopback: what each answer takes warm and
 * without caches, as the first one of a process, with 50 callers at once, and beside the fastest SAX parser that reads
 * the whole file for the same.
 *
 *     npm run build && node bench/features.ts [megabytes of the largest file=500]
 */
import { createReadStream } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { SaxesParser } from 'saxes';
import { spatialIdOf } from '../packages/geo/src/spatial-id.ts';
import { writeBenchmarkGml } from '../packages/sample/src/benchmark-gml.ts';
import { CODE_LISTS, codeListXml } from '../packages/sample/src/code-lists.ts';
import { Random } from '../packages/sample/src/random.ts';
import { cpuOf, peakOf, type Service, startService, timed } from './support/processes.ts';
import { quantile, Results } from './support/table.ts';

const PROGRAM = new URL('../packages/server/bin/citymodel.js', import.meta.url).pathname;
const CALLERS = 50;
/** Processes that are started for their first answer. */
const STARTS = 9;

interface Answer {
  ms: number;
  body: Buffer;
}

/** A caller that keeps one connection, or as many as it has requests open. */
class Caller {
  readonly #agent: Agent;
  readonly #origin: string;

  constructor(origin: string, connections: number) {
    this.#origin = origin;
    this.#agent = new Agent({ keepAlive: true, maxSockets: connections });
  }

  get(path: string, query: Record<string, string>): Promise<Answer> {
    const start = performance.now();
    return new Promise((resolve, reject) => {
      request(`${this.#origin}${path}?${new URLSearchParams(query)}`, { agent: this.#agent }, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.once('error', reject);
        response.once('end', () => {
          const body = Buffer.concat(chunks);
          if (response.statusCode === 200) resolve({ ms: performance.now() - start, body });
          else reject(new Error(`${path}: ${response.statusCode} ${body.toString('utf8', 0, 300)}`));
        });
      })
        .once('error', reject)
        .end();
    });
  }

  close(): void {
    this.#agent.destroy();
  }
}

interface File {
  megabytes: number;
  features: number;
  path: string;
  url: string;
  ids: string[];
}

/** What is asked, as a query that differs each time. */
type Ask = (n: number) => { path: string; query: Record<string, string> };

/** Milliseconds for the caller, and of the server's processor for each answer. */
async function measure(
  caller: Caller,
  pid: number,
  ask: Ask,
  times: number,
  callers = 1,
): Promise<{ p50: number; p99: number; cpu: number; bytes: number }> {
  const before = cpuOf(pid);
  const taken: number[] = [];
  let bytes = 0;
  let next = 0;
  await Promise.all(
    Array.from({ length: callers }, async () => {
      while (next < times) {
        const { path, query } = ask(next++);
        const { ms, body } = await caller.get(path, query);
        taken.push(ms);
        bytes = body.length;
      }
    }),
  );
  return { p50: quantile(taken, 0.5), p99: quantile(taken, 0.99), cpu: (cpuOf(pid) - before) / times, bytes };
}

/**
 * Milliseconds of the first answers that a process gives, over a new connection: at once when it listens, or once it
 * has made itself ready for them.
 */
async function firstAnswers(
  dataDir: string,
  file: File,
  random: Random,
  { answers, afterMs }: { answers: number; afterMs: number },
): Promise<number[]> {
  await using service = await startService(dataDir);
  await setTimeout(afterMs);
  const caller = new Caller(service.url, 1);
  const taken: number[] = [];
  for (let i = 0; i < answers; i++) {
    const { ms } = await caller.get('/citygml/attributes', { url: file.url, id: random.pick(file.ids) });
    taken.push(ms);
  }
  caller.close();
  return taken;
}

function attributesOf(file: File, count: number, random: Random): Ask {
  return () => ({
    path: '/citygml/attributes',
    query: {
      url: file.url,
      id: Array.from({ length: count }, () => random.pick(file.ids)).join(','),
    },
  });
}

function voxels(points: Array<{ lng: number; lat: number }>): Ask {
  return (n) => {
    const { lng, lat } = points[n % points.length]!;
    const { z, x, y } = spatialIdOf(lng, lat, null, 18);
    return { path: '/citygml/spatialid_attributes', query: { sid: `${z}/${x}/${y}`, type: 'bldg' } };
  };
}

/** The attributes of one building by a pass of the parser over the whole file. */
async function parseWhole(path: string, id: string): Promise<number> {
  const start = performance.now();
  const parser = new SaxesParser();
  let inside = false;
  const found: string[] = [];
  parser.on('opentag', (tag) => {
    if (tag.name === 'bldg:Building' && tag.attributes['gml:id'] === id) inside = true;
  });
  parser.on('text', (text) => {
    if (inside && text.trim() !== '') found.push(text);
  });
  parser.on('closetag', (tag) => {
    if (tag.name === 'bldg:Building') inside = false;
  });
  for await (const chunk of createReadStream(path, { encoding: 'utf8', highWaterMark: 1 << 20 })) {
    parser.write(chunk);
  }
  parser.close();
  if (found.length === 0) throw new Error(`${path} has no building ${id}`);
  return performance.now() - start;
}

/** One package of one file of each size, in a directory of its own. */
async function prepare(work: string, largest: number): Promise<Array<Omit<File, 'url' | 'ids'>>> {
  const files: Array<Omit<File, 'url' | 'ids'>> = [];
  for (const [i, megabytes] of [largest / 100, largest / 10, largest].entries()) {
    const root = join(work, `4798${i}_hakari-shi_city_2024_citygml_1_op`);
    await mkdir(join(root, 'udx/bldg'), { recursive: true });
    await mkdir(join(root, 'codelists'));
    for (const [name, entries] of Object.entries(CODE_LISTS)) {
      await writeFile(join(root, 'codelists', `${name}.xml`), codeListXml(name, entries));
    }
    const path = join(root, 'udx/bldg/38295544_bldg_6697_op.gml');
    const { buildings } = await writeBenchmarkGml(path, { bytes: megabytes * 1e6, seed: i + 1 });
    files.push({ megabytes, features: buildings, path });
    console.error(`  ${megabytes} MB, ${buildings} buildings`);
    const { seconds, peakMb } = await timed(process.execPath, [PROGRAM, 'ingest', root], {
      DATA_DIR: join(work, 'data'),
    });
    console.error(`  ingested in ${seconds.toFixed(1)} s, peak ${peakMb?.toFixed(0)} MB`);
  }
  return files;
}

/** Where the service has the files, and what is in them. */
async function found(service: Service, files: Array<Omit<File, 'url' | 'ids'>>): Promise<File[]> {
  const caller = new Caller(service.url, 1);
  const result: File[] = [];
  for (const [i, file] of files.entries()) {
    const answer = await caller.get(`/datacatalog/citygml/4798${i}`, {});
    const { files: byType } = JSON.parse(answer.body.toString());
    const { url } = byType.bldg[0];
    const list = await caller.get('/citygml/features', { url, sid: '0/0/0/0' });
    result.push({ ...file, url, ids: JSON.parse(list.body.toString()).featureIds });
  }
  caller.close();
  return result;
}

const work = await mkdtemp(join(tmpdir(), 'citymodel-bench-'));
try {
  const prepared = await prepare(work, Number(process.argv[2] ?? 500));
  const dataDir = join(work, 'data');
  const random = new Random('features');
  const single = new Results('Features of one file', [
    'file',
    'features',
    'answer',
    'warm p50 ms',
    'warm p99 ms',
    'warm CPU ms',
    'without caches p50 ms',
    'without caches CPU ms',
    'bytes',
  ]);
  const parsed = new Results('One building by reading the whole file', [
    'file',
    'saxes ms',
    'here ms',
    'ratio',
  ]);
  const crowd = new Results(`${CALLERS} callers at once, largest file`, [
    'answer',
    'p50 ms',
    'p99 ms',
    'p99 / p50',
    'CPU ms',
    'server peak MB so far',
  ]);
  const first = new Results(`One id as the first answers of a process, largest file, ${STARTS} processes`, [
    'asked',
    'answer',
    'p50 ms',
    'worst ms',
  ]);
  const memory = new Results('Memory', ['server', 'peak MB']);

  await using warm = await startService(dataDir);
  const files = await found(warm, prepared);
  await using bare = await startService(dataDir, {
    FEATURE_INDEX_CACHE_MB: '0',
    FEATURE_BLOCK_CACHE_MB: '0',
    FEATURE_RECORD_CACHE_MB: '0',
  });
  const caller = new Caller(warm.url, 1);
  const uncached = new Caller(bare.url, 1);
  const many = new Caller(warm.url, CALLERS);
  const largest = files.at(-1)!;

  for (const file of files) {
    const name = `${file.megabytes} MB`;
    const points: Array<{ lng: number; lat: number }> = [];
    for (let i = 0; i < 20; i++) {
      const { body } = await caller.get('/citygml/attributes', { url: file.url, id: random.pick(file.ids) });
      points.push(JSON.parse(body.toString())[0]._bbox.center);
    }
    const answers: Array<[string, Ask, number]> = [
      ['attributes of one id', attributesOf(file, 1, random), 1_000],
      [
        'attributes of the last id',
        () => ({ path: '/citygml/attributes', query: { url: file.url, id: file.ids.at(-1)! } }),
        200,
      ],
      ['attributes of 200 ids', attributesOf(file, 200, random), 50],
      ['a z18 voxel with attributes', voxels(points), 200],
      ['all ids', () => ({ path: '/citygml/features', query: { url: file.url, sid: '0/0/0/0' } }), 20],
    ];
    for (const [what, ask, times] of answers) {
      await measure(caller, warm.pid, ask, Math.ceil(times / 5));
      const kept = await measure(caller, warm.pid, ask, times);
      await measure(uncached, bare.pid, ask, Math.ceil(times / 20));
      const cold = await measure(uncached, bare.pid, ask, Math.ceil(times / 4));
      single.add(name, file.features, what, kept.p50, kept.p99, kept.cpu, cold.p50, cold.cpu, kept.bytes);
    }
  }
  for (const file of files) {
    const id = file.ids.at(-1)!;
    const whole = await parseWhole(file.path, id);
    const here = await measure(
      caller,
      warm.pid,
      () => ({ path: '/citygml/attributes', query: { url: file.url, id } }),
      200,
    );
    parsed.add(`${file.megabytes} MB`, whole, here.p50, whole / here.p50);
  }
  const callers: Array<[string, Ask, number]> = [
    ['attributes of one id', attributesOf(largest, 1, random), 10_000],
    ['attributes of 200 ids', attributesOf(largest, 200, random), 500],
    ['all ids', () => ({ path: '/citygml/features', query: { url: largest.url, sid: '0/0/0/0' } }), 200],
  ];
  for (const [what, ask, times] of callers) {
    const { p50, p99, cpu } = await measure(many, warm.pid, ask, times, CALLERS);
    crowd.add(what, p50, p99, p99 / p50, cpu, peakOf(warm.pid) ?? 'unknown');
  }
  for (const [when, afterMs] of [
    ['at once', 0],
    ['a second after it listens', 1_000],
  ] as const) {
    const starts: number[][] = [];
    for (let i = 0; i < STARTS; i++) {
      starts.push(await firstAnswers(dataDir, largest, random, { answers: 3, afterMs }));
    }
    for (const [n, answer] of ['first', 'second', 'third'].entries()) {
      const taken = starts.map((answers) => answers[n]!);
      first.add(when, answer, quantile(taken, 0.5), Math.max(...taken));
    }
  }
  memory.add('with caches', peakOf(warm.pid) ?? 'unknown');
  memory.add('without caches', peakOf(bare.pid) ?? 'unknown');
  for (const user of [caller, uncached, many]) user.close();
  single.print();
  parsed.print();
  crowd.print();
  first.print();
  memory.print();
} finally {
  await rm(work, { recursive: true, force: true });
}
