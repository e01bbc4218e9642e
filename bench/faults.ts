/**
 * Three servers and two workers on one PostgreSQL and one bucket of Ceph's gateway, while everything fails in turn:
 *
 *     npm run build && node bench/faults.ts [--kills 200] [--database-restarts 10] [--gateway-losses 5] [--gone-s 30] [--slow-s 60]
 *
 * Callers compare each answer with the one from before; packages are removed and ingested again by jobs, packs are asked for. One
 * server keeps its cache on a disk that is full, one server's and one worker's clock jumps by up to 90 s. After each fault errors
 * have to end by themselves, and at the end everything that was acknowledged has to be there. Exits with 1 when anything was lost or
 * wrong. Needs root (for the small disk) and `radosgw ceph-mon ceph-osd`.
 */
import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, readdir, rm, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, extname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { CEPH_KEYS, Ceph } from '../src/store/testing/ceph.ts';
import { PostgresServer } from '../src/store/testing/postgres-server.ts';
import { runProgram } from '../test/support/program.ts';
import { writeSampleWithTiles } from '../test/support/sample.ts';
import { Member } from './support/fault-cluster.ts';
import { askKnown, type Known, knownOf, type LoadCounts } from './support/fault-load.ts';
import { SlowProxy } from './support/slow-proxy.ts';
import { Results } from './support/table.ts';

const { values } = parseArgs({
  options: {
    kills: { type: 'string', default: '200' },
    'database-restarts': { type: 'string', default: '10' },
    'gateway-losses': { type: 'string', default: '5' },
    'gone-s': { type: 'string', default: '30' },
    'slow-s': { type: 'string', default: '60' },
  },
});
const option = (name: keyof typeof values) => Number(values[name]);
/** Callers at once. */
const CALLERS = 6;
/** Longest time in which jobs and packs may take to end after the last fault, ms. */
const SETTLE_MS = 300_000;
/** Between two kills, ms. */
const KILL_PAUSE_MS = 1_500;
/** After so long without a 503 a fault is over, ms. */
const CALM_MS = 3_000;
/** Longest time that errors may go on after a fault, ms. */
const RECOVERY_MS = 60_000;
/** More resident memory of one process is a leak: a server's unit allows 2 GB. */
const MAX_PEAK_MB = 600;
/** The disk of one server's cache, which less than one package fills. */
const DISK = '256k';

const directory = await mkdtemp(join(tmpdir(), 'bench-faults-'));
const ceph = await Ceph.start();
const postgres = await PostgresServer.start();
const proxy = await SlowProxy.start(ceph.endpoint);
const jump = new URL('support/clock-jump.mjs', import.meta.url).pathname;
const shared = {
  ...CEPH_KEYS,
  AWS_EC2_METADATA_DISABLED: 'true',
  DATABASE_URL: postgres.url('postgres'),
  OBJECT_STORE: ceph.address('faults', proxy.endpoint),
  CATALOGUE_POLL_MS: '200',
  PACK_RATE: '0',
  JOB_ATTEMPTS: '10',
  JOB_RETRY_S: '1',
  JOB_LEASE_S: '10',
};
const full = join(directory, 'full');
await mkdir(full);
execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${DISK}`, 'faults', full]);
const server = (name: string, env: NodeJS.ProcessEnv = {}) =>
  new Member('serve', join(directory, name), { ...shared, PACK_WORKERS: '0', ...env });
const worker = (name: string, env: NodeJS.ProcessEnv = {}) =>
  new Member('worker', join(directory, name), { ...shared, PACK_WORKERS: '1', JOB_WORKERS: '1', ...env });
const clock = { NODE_OPTIONS: `--import=${jump}` };
const servers = [server('a'), server('b', { CACHE_DIR: full }), server('c', clock)];
const workers = [worker('d'), worker('e', clock)];
const members = [...servers, ...workers];

const counts: LoadCounts = { answered: 0, unavailable: 0, unavailableAt: 0, cut: 0, wrong: [] };
const cli = (args: string[]) => runProgram(args, { ...shared, DATA_DIR: join(directory, 'cli') });
let faults = 'none';
/** Longest time from the end of a fault to the last 503, ms. */
let recovery = 0;
const log = (text: string) => console.error(`${new Date().toISOString().slice(11, 19)} ${text}`);

try {
  await mkdir(join(directory, 'cli'), { recursive: true });
  const sample = join(directory, 'sample');
  await writeSampleWithTiles(sample);
  const uploads = (await readdir(sample))
    .filter((name) => name.endsWith('.zip'))
    .map((name) => join(sample, name));
  // The package of the city comes before its tiles.
  const [first, ...later] = uploads.sort();
  const ingested = await cli(['ingest', '--json', first!]);
  if (ingested.code !== 0) throw new Error(ingested.stdout + ingested.stderr);
  for (const member of members) await member.start();
  const known = await knownAnswers(servers[0]!.url!);
  log(`${known.length} answers are known; ${later.length} packages are to be ingested by jobs`);

  let isOver = false;
  const load = Array.from({ length: CALLERS }, () => askKnown(servers, known, () => isOver, counts));
  const jobs: string[] = [];
  const packs = new Set<string>();
  /** Packages whose ingestion was the last thing that was acknowledged about them. */
  const acknowledged = new Set([basename(first!, '.zip')]);
  const work = (async () => {
    for (let i = 0; !isOver; i++) {
      const path = later[i % later.length]!;
      const name = basename(path, extname(path));
      acknowledged.delete(name);
      if (i >= later.length) await cli(['remove', name]);
      const asked = await cli(['ingest', '--queue', '--upload', '--json', path]);
      if (asked.code === 0) {
        jobs.push(...(JSON.parse(asked.stdout) as { id: string }[]).map(({ id }) => id));
        acknowledged.add(name);
      }
      await askForPack(known, packs);
    }
  })();

  faults = 'kills';
  for (let i = 0; i < option('kills'); i++) {
    await members[Math.floor(Math.random() * members.length)]!.crash();
    await pause(Math.random() * KILL_PAUSE_MS);
    if (i % 10 === 9) log(`${i + 1} kills, ${JSON.stringify({ ...counts, wrong: counts.wrong.length })}`);
  }
  faults = 'database';
  for (let i = 0; i < option('database-restarts'); i++) {
    await postgres.restart(i % 2 === 0 ? 'fast' : 'immediate');
    await calm('the database was restarted');
  }
  faults = 'gateway';
  for (let i = 0; i < option('gateway-losses'); i++) {
    await ceph.killGateway();
    await pause(option('gone-s') * 1_000);
    await ceph.startGateway();
    await calm(`the gateway was gone for ${option('gone-s')} s`);
  }
  faults = 'slow gateway';
  proxy.delay = 200;
  await pause(option('slow-s') * 1_000);
  proxy.delay = 0;
  await calm('the gateway was slow');

  faults = 'none any more';
  const before = counts.answered;
  await pause(5_000);
  if (counts.answered === before) counts.wrong.push('nothing is answered after the last fault');
  const used = await statfs(full);
  if (used.bavail * 3 > used.blocks) counts.wrong.push('the small disk was never full');
  isOver = true;
  await Promise.all([...load, work]);
  log('the load is over; what was acknowledged has to be there');
  const lost = await settle(jobs, packs);
  counts.wrong.push(...lost);
  const listed = await cli(['list', '--json']);
  for (const name of acknowledged) {
    if (!listed.stdout.includes(`"${name}"`)) counts.wrong.push(`${name} is not there`);
  }
  const check = await cli(['check', '--json']);
  const { faults: found } = JSON.parse(check.stdout) as { faults: { place: string; fault: string }[] };
  counts.wrong.push(...found.map(({ place, fault }) => `check: ${place}: ${fault}`));

  const results = new Results('Faults: three servers and two workers on PostgreSQL and Ceph', [
    'what',
    'count',
  ]);
  results.add(
    'kills of servers and workers',
    members.reduce((sum, { kills }) => sum + kills, 0),
  );
  results.add(
    'processes that ended by themselves',
    members.reduce((sum, { ends }) => sum + ends, 0),
  );
  results.add('restarts of PostgreSQL', option('database-restarts'));
  results.add(`gateway gone for ${option('gone-s')} s`, option('gateway-losses'));
  results.add('seconds of a gateway with 200 ms a request', option('slow-s'));
  results.add('longest time from the end of a fault to the last 503, ms', String(recovery));
  results.add('answers as before', String(counts.answered));
  results.add('503 with Retry-After', String(counts.unavailable));
  results.add('connections cut, visibly', String(counts.cut));
  results.add('packages acknowledged last, and there', String(acknowledged.size));
  results.add('jobs acknowledged and done', String(jobs.length));
  results.add('packs acknowledged and made', String(packs.size));
  await Promise.all(members.map((member) => member.look()));
  const peak = Math.max(...members.map(({ peakMb }) => peakMb));
  if (peak > MAX_PEAK_MB) counts.wrong.push(`a process took ${peak} MB`);
  results.add('highest memory of a process, MB', peak);
  results.add('lost or wrong', String(counts.wrong.length));
  results.print();
  for (const wrong of counts.wrong.slice(0, 30)) console.log(`- ${wrong}`);
  if (counts.wrong.length > 0) process.exitCode = 1;
} catch (error) {
  log(`failed during: ${faults}`);
  throw error;
} finally {
  await Promise.all(members.map((member) => member.end('SIGKILL')));
  await proxy[Symbol.asyncDispose]();
  await postgres.stop();
  await ceph[Symbol.asyncDispose]();
  execFileSync('umount', [full]);
  if (process.exitCode === undefined) await rm(directory, { recursive: true, force: true });
  else console.error(`logs stay in ${directory}`);
}

/** After a fault that has ended now: waits until no caller gets 503 any more. */
async function calm(what: string): Promise<void> {
  const end = Date.now();
  let last = end;
  while (Date.now() - last < CALM_MS && last - end < RECOVERY_MS) {
    await pause(100);
    last = Math.max(end, counts.unavailableAt);
  }
  recovery = Math.max(recovery, last - end);
  log(`${what}; the last 503 came ${last - end} ms after`);
  if (last - end >= RECOVERY_MS) counts.wrong.push(`errors go on after ${what}`);
}

/** Requests of every kind whose answers do not change while other packages are ingested. */
async function knownAnswers(url: string): Promise<Known[]> {
  const reply = await fetch(`${url}/datacatalog/citygml/47900`);
  const list = (await reply.json()) as { files?: Record<string, { url: string }[]> };
  const files = Object.values(list.files ?? {})
    .flat()
    .slice(0, 6);
  if (files.length === 0) throw new Error('no files of 47900');
  const known: Known[] = [];
  known.push(await knownOf(url, '/datacatalog/citygml/47900'));
  for (const file of files) {
    const path = new URL(file.url).pathname;
    known.push(await knownOf(url, path));
    known.push(await knownOf(url, path, { range: 'bytes=1000-20000' }));
    const query = `url=${encodeURIComponent(file.url)}`;
    known.push(await knownOf(url, `/citygml/features?${query}&sid=0/0/0/0`));
    const listed = await fetch(`${url}/citygml/features?${query}&sid=0/0/0/0`);
    const { featureIds = [] } = (await listed.json()) as { featureIds?: string[] };
    for (const id of featureIds.slice(0, 3)) {
      known.push(await knownOf(url, `/citygml/attributes?${query}&id=${encodeURIComponent(id)}`));
    }
  }
  const zip = await fetch(`${url}/datacatalog/citygml/47900-latest/citygml.zip`, { redirect: 'manual' });
  known.push(await knownOf(url, new URL(zip.headers.get('location')!).pathname));
  return known;
}

/** Asks a server for a pack of one file; notes it when it was accepted. */
async function askForPack(known: readonly Known[], packs: Set<string>): Promise<void> {
  const url = servers[Math.floor(Math.random() * servers.length)]!.url;
  const gmls = known.filter(({ path }) => path.endsWith('.gml'));
  const chosen = gmls.filter(() => Math.random() < 0.5);
  if (url === null || chosen.length === 0) return;
  try {
    const urls = chosen.map(({ path }) => `http://localhost:8080${path}`);
    const reply = await fetch(`${url}/citygml/pack`, {
      method: 'POST',
      body: JSON.stringify({ urls }),
      signal: AbortSignal.timeout(60_000),
    });
    const text = await reply.text();
    if (reply.ok) packs.add((JSON.parse(text) as { id: string }).id);
    else if (reply.status !== 503) counts.wrong.push(`pack: ${reply.status} ${text.slice(0, 200)}`);
  } catch {
    // Not acknowledged.
  }
}

/** Waits until jobs and packs have ended; says which have not, or not well. */
async function settle(jobs: readonly string[], packs: ReadonlySet<string>): Promise<string[]> {
  const until = Date.now() + SETTLE_MS;
  for (;;) {
    const open: string[] = [];
    const shown = await cli(['jobs', '--all', '--limit', '1000', '--json']);
    const rows = JSON.parse(shown.stdout) as { id: string; state: string; reason: string | null }[];
    for (const id of jobs) {
      const row = rows.find((job) => job.id === id);
      if (row?.state !== 'succeeded') open.push(`job ${id}: ${row?.state ?? 'gone'} ${row?.reason ?? ''}`);
    }
    for (const id of packs) {
      const reply = await fetch(`${servers[0]!.url}/citygml/pack/${id}/status`);
      const status = (await reply.json()) as { status?: string; reason?: string };
      if (status.status !== 'succeeded')
        open.push(`pack ${id}: ${status.status ?? reply.status} ${status.reason ?? ''}`);
    }
    if (open.length === 0 || Date.now() > until) return open;
    log(`${open.length} have not ended well yet, such as ${open[0]}`);
    await pause(5_000);
  }
}
