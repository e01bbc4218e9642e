/**
 * The national catalogue in GraphQL over HTTP, beside the same data from the REST catalogue.
 *
 *     npm run build && node bench/graphql.ts [data directory filled by bench/national/generate.ts]
 *
 * Requests per second are also given per second of processor time that the server used: on a machine that does other
 * work too, that is what one core would answer.
 */
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import autocannon from 'autocannon';
import { fillDataDir } from './national/generate.ts';
import { AREA, COUNTRY, EVERYTHING } from './support/graphql-queries.ts';
import { peakOf, startService } from './support/processes.ts';
import { quantile, Results } from './support/table.ts';

const work = await mkdtemp(join(tmpdir(), 'citymodel-bench-'));
try {
  const dataDir = process.argv[2] ?? (await filled());
  await using service = await startService(dataDir, { LOG_LEVEL: 'info' });
  const url = `${service.url}/datacatalog/graphql`;
  const rest = `${service.url}/datacatalog/citymodel-datasets`;
  const { data } = (await (await post(url, '{ areas(input: { areaTypes: CITY }) { code } }')).json()) as {
    data: { areas: Array<{ code: string }> };
  };
  const codes = data.areas.map(({ code }) => code);

  const whole = new Results('The whole country: prefectures, cities, datasets, items', [
    'what',
    'first ms',
    'p50 ms of 9 more',
    'MB',
    'highest memory of the server so far, MB',
  ]);
  whole.add('before', '', '', '', peakOf(service.pid) ?? '');
  const country = async (what: string, request: (round: number) => Promise<Response>) => {
    const times: number[] = [];
    let bytes = 0;
    for (let round = 0; round < 10; round++) {
      const start = performance.now();
      const text = await (await request(round)).text();
      times.push(performance.now() - start);
      bytes = Buffer.byteLength(text);
      if (text.includes('"errors"')) throw new Error(text.slice(0, 300));
    }
    whole.add(what, times[0]!, quantile(times.slice(1), 0.5), bytes / 1e6, peakOf(service.pid) ?? '');
  };
  await country('GraphQL, ten fields', (round) => post(url, `${COUNTRY} # ${round}`));
  await country('GraphQL, ten fields, answer kept', () => post(url, COUNTRY));
  await country('GraphQL, every field', (round) => post(url, `${EVERYTHING} # ${round}`));
  await country('REST, whole catalogue', () => fetch(rest));
  await country('REST, datasets alone', () => fetch(`${rest}?fields=datasets`));
  whole.print();

  const many = new Results('One area with its datasets and items', [
    'how',
    'requests/s',
    'per second of processor time',
    'p99 ms',
    'bytes',
  ]);
  let n = 0;
  const next = () => codes[n++ % codes.length]!;
  // A variable that the query does not have makes each request another one, so that no answer is kept from before.
  const fresh = () => ({ query: AREA, variables: { code: next(), n } });
  const measure = async (how: string, request: () => { path: string; body?: string }) => {
    await load(service.url, request, 1);
    const before = processorSeconds(service.pid);
    const result = await load(service.url, request, 6);
    const perCore = result.requests / (processorSeconds(service.pid) - before);
    many.add(how, result.requests / result.seconds, perCore, result.p99, result.bytes / result.requests);
  };
  const path = '/datacatalog/graphql';
  await measure('GraphQL, every answer made anew', () => ({ path, body: JSON.stringify(fresh()) }));
  await measure('GraphQL, every query read anew too', () => {
    const { query, variables } = fresh();
    return { path, body: JSON.stringify({ query: `${query} # ${n}`, variables }) };
  });
  await measure('GraphQL, answers kept', () => ({
    path,
    body: JSON.stringify({ query: AREA, variables: { code: next() } }),
  }));
  await measure('REST, the same municipalities, answers kept', () => ({
    path: `/datacatalog/citymodel-datasets?fields=datasets&city_code=${next()}`,
  }));
  many.print();
} finally {
  await rm(work, { recursive: true, force: true });
}

function post(url: string, query: string): Promise<Response> {
  return fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ query }),
  });
}

/** Sends what `request` gives, over and over, from 16 connections. Throws when an answer is not 200. */
async function load(
  url: string,
  request: () => { path: string; body?: string },
  seconds: number,
): Promise<{ requests: number; seconds: number; p99: number; bytes: number }> {
  const result = await autocannon({
    url,
    connections: 16,
    duration: seconds,
    requests: [
      {
        setupRequest: (empty) => {
          const { path, body } = request();
          if (body === undefined) return { ...empty, method: 'GET', path };
          return { ...empty, method: 'POST', path, body, headers: { 'content-type': 'application/json' } };
        },
      },
    ],
  });
  if (result.errors > 0 || result.non2xx > 0)
    throw new Error(`${result.errors} errors, ${result.non2xx} not 200`);
  return {
    requests: result.requests.total,
    seconds: result.duration,
    p99: result.latency.p99,
    bytes: result.throughput.total,
  };
}

/** Processor time of a process so far, user and system, all threads (Linux: hundredths of a second). */
function processorSeconds(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ');
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

async function filled(): Promise<string> {
  const dataDir = join(work, 'data');
  await fillDataDir(dataDir);
  return dataDir;
}
