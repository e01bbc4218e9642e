/**
 * A server on PostgreSQL beside one on SQLite, with the national catalogue in both: answers from memory, and files by condition.
 *
 *     npm run build && node bench/databases.ts [data directory filled by bench/national/generate.ts]
 */
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PostgresServer } from '../src/store/testing/postgres-server.ts';
import { fillDataDir } from './national/generate.ts';
import { boxAround, conditionsOf } from './support/conditions.ts';
import { copyCatalogue } from './support/copy-catalogue.ts';
import { load } from './support/load.ts';
import { OneCaller } from './support/one-caller.ts';
import { peakOf, type Service, startService } from './support/processes.ts';
import { quantile, Results } from './support/table.ts';

/** Times that each condition is asked for, on each server in turn. */
const ROUNDS = 20;
const gzip = { 'accept-encoding': 'gzip' };

const work = await mkdtemp(join(tmpdir(), 'citymodel-bench-'));
const database = await PostgresServer.start(['shared_buffers=256MB']);
try {
  const dataDir = join(work, 'data');
  if (process.argv[2] === undefined) await fillDataDir(dataDir);
  else await cp(process.argv[2], dataDir, { recursive: true });
  await copyCatalogue(dataDir, database.url());
  // Without answers that are kept, so that every request asks the database.
  const env = { FILE_LIST_CACHE_MB: '0' };
  await using embedded = await startService(dataDir, env);
  await using postgres = await startService(join(work, 'other'), { ...env, DATABASE_URL: database.url() });
  const pair: readonly [Service, Service] = [postgres, embedded];
  await compareMemory(pair);
  await compareSearches(pair);
  const ends = new Results('Servers', ['what', 'PostgreSQL', 'SQLite']);
  ends.add('process start to listening, ms', postgres.startMs, embedded.startMs);
  ends.add('highest memory, MB', peakOf(postgres.pid) ?? '', peakOf(embedded.pid) ?? '');
  ends.print();
} finally {
  await database.stop();
  await rm(work, { recursive: true, force: true });
}

async function compareMemory([postgres, embedded]: readonly [Service, Service]): Promise<void> {
  const results = new Results('Answers from memory', ['answer', 'PostgreSQL req/s', 'SQLite req/s', 'ratio']);
  for (const [what, path, headers] of [
    ['full document, gzip', '/datacatalog/citymodel-datasets', gzip],
    ['one city, gzip', '/datacatalog/citymodel-datasets?city_code=27100&fields=datasets', gzip],
    ['composite tileset', '/datacatalog/3dtiles/all-bldg-maxlod2-latest/tileset.json?empty=ok', gzip],
    ['areas', '/datacatalog/areas', gzip],
  ] as const) {
    const pairs: Array<[number, number]> = [];
    for (let i = 0; i < 3; i++) {
      const theirs = await load(embedded.url + path, { headers, seconds: 3 });
      pairs.push([(await load(postgres.url + path, { headers, seconds: 3 })).rps, theirs.rps]);
    }
    const ratio = quantile(
      pairs.map(([a, b]) => a / b),
      0.5,
    );
    const [a, b] = pairs.find(([x, y]) => x / y === ratio)!;
    results.add(what, a, b, ratio);
  }
  results.print();
}

async function compareSearches(pair: readonly [Service, Service]): Promise<void> {
  const results = new Results('Files by condition on 300,000 files, none of them kept', [
    'condition',
    'PostgreSQL p50 ms',
    'p99 ms',
    'SQLite p50 ms',
    'p99 ms',
    'ratio of p50',
  ]);
  const [postgres] = pair;
  const { meshes, municipalities } = await conditionsOf(
    `${postgres.url}/datacatalog/citymodel-datasets`,
    postgres.url,
  );
  const conditions: Array<[string, string[]]> = [
    ['one municipality', municipalities],
    ['one mesh', meshes.map((mesh) => `m:${mesh}`)],
    ['box of a ward (0.06° × 0.05°)', meshes.map((mesh) => boxAround(mesh, 0.03, 0.025))],
    ['box of all Tokyo', ['r:139.56,35.52,139.92,35.82']],
  ];
  const caller = new OneCaller();
  for (const [what, list] of conditions) {
    const times: [number[], number[]] = [[], []];
    for (let round = 0; round < ROUNDS; round++) {
      for (const condition of list) {
        for (const [i, service] of pair.entries()) {
          const answer = await caller.ask(`${service.url}/datacatalog/citygml/${condition}`, gzip);
          // The first round warms both up.
          if (round > 0) times[i]!.push(answer.ms);
        }
      }
    }
    const [ours, theirs] = times;
    const [p50, other] = [quantile(ours, 0.5), quantile(theirs, 0.5)];
    results.add(what, p50, quantile(ours, 0.99), other, quantile(theirs, 0.99), p50 / other);
  }
  caller.close();
  results.print();
}
