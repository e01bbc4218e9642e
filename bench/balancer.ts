/**
 * One server behind nginx and two, on one PostgreSQL and one directory, each server with a core of its own (`taskset`):
 *
 *     npm run build && node bench/balancer.ts
 *
 * On two cores the second server shares its core with nginx, the database and the callers. So the table also has the processor time
 * of each, from which follows what they would do on machines of their own. Needs `nginx`, and two cores.
 */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { writeBenchmarkGml } from '../src/sample/benchmark-gml.ts';
import { Random } from '../src/sample/random.ts';
import { freePort } from '../src/store/testing/free-port.ts';
import { PostgresServer } from '../src/store/testing/postgres-server.ts';
import { load } from './support/load.ts';
import { type Service, startService, timed } from './support/processes.ts';
import { Results } from './support/table.ts';

const PROGRAM = new URL('../bin/citymodel.js', import.meta.url).pathname;
const PACKAGE = '47980_hakari-shi_city_2024_citygml_1_op';
const PATH = 'udx/bldg/38295544_bldg_6697_op.gml';
const SECONDS = 6;
const ROUNDS = 3;
const URLS = 2_000;

const directory = await mkdtemp(join(tmpdir(), 'bench-balancer-'));
const database = await PostgresServer.start();
const results = new Results('Servers behind nginx, each with a core of its own', [
  'answer',
  'servers',
  'requests/s',
  'times one server',
  'ms of a server per request',
  'ms of nginx and the caller',
  'times one server, by processor time of servers',
]);
try {
  const root = join(directory, PACKAGE);
  await mkdir(join(root, 'udx/bldg'), { recursive: true });
  await writeBenchmarkGml(join(root, PATH), { bytes: 40_000_000 });
  const env = { DATABASE_URL: database.url(), OBJECT_STORE: join(directory, 'store') };
  const dataDir = (n: number) => join(directory, `data-${n}`);
  await timed(process.execPath, [PROGRAM, 'ingest', '--json', root], { DATA_DIR: dataDir(0), ...env });
  await using first = await startService(dataDir(0), env);
  await using second = await startService(dataDir(1), env);
  const servers = [first, second];
  for (const [core, { pid }] of servers.entries()) pin(pid, core);
  const asked = await requests(first.url);
  for (const [what, paths] of Object.entries(asked)) {
    for (let round = 0; round < ROUNDS; round++) {
      const one = await measure(servers.slice(0, 1), paths);
      const two = await measure(servers, paths);
      for (const [count, { rps, serverMs, otherMs }] of [one, two].entries()) {
        const byCpu = ((count + 1) * one.serverMs) / serverMs;
        results.add(what, String(count + 1), rps, rps / one.rps, serverMs, otherMs, byCpu);
      }
    }
  }
  results.print();
} finally {
  await database.stop();
  await rm(directory, { recursive: true, force: true });
}

/** Paths of requests that differ from each other. */
async function requests(url: string): Promise<Record<string, string[]>> {
  const found = await fetch(`${url}/citygml/features?sid=0/0/0/0`);
  const { featureIds } = (await found.json()) as { featureIds: string[] };
  const zip = await fetch(`${url}/datacatalog/citygml/47980-latest/citygml.zip`, { redirect: 'manual' });
  const member = `${zip.headers.get('location')!.replace(/\.zip$/, '')}/${PATH}`;
  const random = new Random('balancer');
  const attributes = (ids: number) =>
    Array.from({ length: URLS }, () => {
      const id = Array.from({ length: ids }, () => random.pick(featureIds)).join(',');
      return `/citygml/attributes?url=${encodeURIComponent(member)}&id=${encodeURIComponent(id)}`;
    });
  return { 'attributes of one id': attributes(1), 'attributes of ten ids': attributes(10) };
}

async function measure(
  servers: readonly Service[],
  paths: readonly string[],
): Promise<{ rps: number; serverMs: number; otherMs: number }> {
  const port = await freePort();
  const configuration = join(directory, 'nginx.conf');
  const upstream = servers.map(({ url }) => `server ${new URL(url).host};`).join(' ');
  await writeFile(
    configuration,
    `daemon off; worker_processes 1; pid ${directory}/nginx.pid; error_log ${directory}/nginx.log;
    events { worker_connections 1024; }
    http { access_log off; client_body_temp_path ${directory}; proxy_temp_path ${directory};
      fastcgi_temp_path ${directory}; uwsgi_temp_path ${directory}; scgi_temp_path ${directory};
      upstream servers { least_conn; ${upstream} keepalive 64; }
      server { listen 127.0.0.1:${port}; large_client_header_buffers 4 512k; location / {
        proxy_pass http://servers; proxy_http_version 1.1; proxy_set_header Connection ""; proxy_buffering off; } } }`,
  );
  const nginx = spawn('nginx', ['-c', configuration, '-p', directory], { stdio: 'inherit' });
  try {
    const url = `http://127.0.0.1:${port}`;
    while (
      !(await fetch(`${url}/health/ready`).then(
        ({ ok }) => ok,
        () => false,
      ))
    )
      await setTimeout(20);
    pin(nginx.pid!, 1);
    pin(process.pid, 1);
    const urls = paths.map((path) => url + path);
    await load(urls, { connections: 32, seconds: 1 });
    const worker = Number(execFileSync('pgrep', ['-P', String(nginx.pid)], { encoding: 'utf8' }).trim());
    pin(worker, 1);
    const others = [worker, process.pid];
    const before = [cpuOf(servers.map(({ pid }) => pid)), cpuOf(others)];
    const { rps } = await load(urls, { connections: 32, seconds: SECONDS });
    const requests = rps * SECONDS;
    return {
      rps,
      serverMs: (cpuOf(servers.map(({ pid }) => pid)) - before[0]!) / requests,
      otherMs: (cpuOf(others) - before[1]!) / requests,
    };
  } finally {
    const ended = once(nginx, 'exit');
    nginx.kill('SIGTERM');
    await ended;
  }
}

/** Keeps all threads of a process on one core. */
function pin(pid: number, core: number): void {
  execFileSync('taskset', ['--all-tasks', '--cpu-list', '--pid', String(core), String(pid)], {
    stdio: 'ignore',
  });
}

/** User and system time of processes, ms: fields 14 and 15 of `stat` (proc(5)), in ticks of 1/100 s. */
function cpuOf(pids: readonly number[]): number {
  return pids.reduce((sum, pid) => {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return sum + 10 * (Number(fields[11]) + Number(fields[12]));
  }, 0);
}
