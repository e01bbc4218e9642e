/**
 * Replaces three servers and a worker of an older version by this one, one after the other, under load, on one PostgreSQL whose schema
 * the new version migrates:
 *
 *     git worktree add ../older '30f805b^' && (cd ../older && npm ci && npm run build)
 *     npm run build && node bench/upgrade.ts ../older
 *
 * Old and new servers answer at the same time, an old one is started again beside the new schema, and jobs that either version asks
 * for are done by either. Exits with 1 when a request failed or had other bytes than before, or a job was not done.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import pg from 'pg';
import { PostgresServer } from '../src/store/testing/postgres-server.ts';
import { Balancer } from '../test/support/balancer.ts';
import { type Known, knownOf } from './faults/load.ts';
import { Results } from './support/table.ts';

const CALLERS = 6;
/** Longest time in which jobs may take to end after the load, ms. */
const SETTLE_MS = 60_000;
const older = process.argv[2];
if (older === undefined) throw new Error('Give the directory of a built checkout of the older version.');
const programs = {
  old: resolve(older, 'bin/citymodel.js'),
  new: new URL('../bin/citymodel.js', import.meta.url).pathname,
};
type Version = keyof typeof programs;

const directory = await mkdtemp(join(tmpdir(), 'bench-upgrade-'));
const postgres = await PostgresServer.start();
const children = new Set<ChildProcess>();
const env = {
  PATH: process.env.PATH,
  HOME: process.env.HOME,
  DATABASE_URL: postgres.url(),
  OBJECT_STORE: join(directory, 'store'),
  HOST: '127.0.0.1',
  PORT: '0',
  // Each list is a query.
  FILE_LIST_CACHE_MB: '0',
  DRAIN_S: '1',
  JOB_POLL_MS: '200',
};

interface Running {
  child: ChildProcess;
  /** Where a server listens; empty for a worker. */
  address: string;
}

try {
  const sample = join(directory, 'sample');
  await run('new', ['sample', sample]);
  const [first, ...later] = (await readdir(sample)).sort().map((name) => join(sample, name));
  await run('old', ['ingest', first!]);
  const before = await schemaVersion();
  const servers = await Promise.all([1, 2, 3].map(() => start('old', 'serve')));
  const worker = await start('old', 'worker');
  await using balancer = await Balancer.start();
  for (const { address } of servers) await balancer.add(address);

  const known = await knownAnswers(balancer.address);
  const failures: string[] = [];
  let answered = 0;
  let isOver = false;
  const load = Array.from({ length: CALLERS }, async (_, n) => {
    for (let i = n; !isOver; i++) {
      const one = known[i % known.length]!;
      try {
        const again = await knownOf(balancer.address, one.path, one.headers);
        if (again.sha256 !== one.sha256) failures.push(`${one.path}: other bytes`);
        answered++;
      } catch (error) {
        failures.push(String(error));
      }
    }
  });
  const jobs: string[] = [];
  const askFor = async (version: Version) => {
    const asked = await run(version, ['ingest', '--queue', '--json', later.shift()!]);
    jobs.push(...(JSON.parse(asked) as { id: string }[]).map(({ id }) => id));
  };

  await askFor('old');
  let startMs = 0;
  for (const old of servers) {
    const begun = performance.now();
    const fresh = await start('new', 'serve');
    startMs ||= performance.now() - begun;
    await balancer.add(fresh.address);
    await askFor('old');
    await askFor('new');
    balancer.remove(old.address);
    await stop(old);
  }
  const again = await start('old', 'serve');
  await balancer.add(again.address);
  await start('new', 'worker');
  await askFor('old');
  await stop(worker);
  await askFor('new');
  balancer.remove(again.address);
  await stop(again);
  isOver = true;
  await Promise.all(load);
  const after = await schemaVersion();

  const until = Date.now() + SETTLE_MS;
  let open = jobs;
  while (open.length > 0 && Date.now() < until) {
    const rows = JSON.parse(await run('new', ['jobs', '--all', '--limit', '1000', '--json'])) as {
      id: string;
      state: string;
    }[];
    open = jobs.filter((id) => rows.find((row) => row.id === id)?.state !== 'succeeded');
  }
  failures.push(...open.map((id) => `job ${id} is not done`));
  await run('new', ['check']);
  if (before === after) failures.push(`the schema has version ${after} as before: take an older commit`);

  const results = new Results('An upgrade under load, old and new programs at once', ['what', 'count']);
  results.add('schema before and after', `${before} and ${after}`);
  results.add('start of the first new server, with the migration, ms', startMs);
  results.add('requests answered', String(answered));
  results.add('jobs of both versions, done', String(jobs.length));
  results.add('failed', String(failures.length));
  results.print();
  for (const failure of failures.slice(0, 20)) console.log(`- ${failure}`);
  if (failures.length > 0) process.exitCode = 1;
} finally {
  for (const child of children) child.kill('SIGKILL');
  await postgres.stop();
  await rm(directory, { recursive: true, force: true });
}

/** Answers whose bytes no version changes: members, ranges, the zip. */
async function knownAnswers(url: string): Promise<Known[]> {
  const reply = await fetch(`${url}/datacatalog/citygml/47900`);
  const { files } = (await reply.json()) as { files: Record<string, { url: string }[]> };
  const paths = Object.values(files)
    .flat()
    .slice(0, 6)
    .map((file) => new URL(file.url).pathname);
  const zip = await fetch(`${url}/datacatalog/citygml/47900-latest/citygml.zip`, { redirect: 'manual' });
  const known = [...paths, new URL(zip.headers.get('location')!).pathname].map((path) => knownOf(url, path));
  known.push(knownOf(url, paths[0]!, { range: 'bytes=1000-20000' }));
  known.push(knownOf(url, '/datacatalog/citygml/47900'));
  return Promise.all(known);
}

async function schemaVersion(): Promise<number> {
  const client = new pg.Client({ connectionString: postgres.url() });
  await client.connect();
  try {
    const { rows } = await client.query('SELECT max(version)::int AS version FROM schema_migration');
    return rows[0].version;
  } finally {
    await client.end();
  }
}

function spawned(version: Version, args: string[], data: string): ChildProcess {
  const child = spawn(process.execPath, [programs[version], ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...env, DATA_DIR: data },
  });
  children.add(child);
  child.once('exit', () => children.delete(child));
  return child;
}

/** Runs a command to its end, and gives what it printed. */
async function run(version: Version, args: string[]): Promise<string> {
  const data = join(directory, 'command');
  await mkdir(data, { recursive: true });
  const child = spawned(version, args, data);
  let text = '';
  child.stdout!.on('data', (chunk) => {
    text += chunk;
  });
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`citymodel ${args.join(' ')} (${version}) ended with ${code}: ${text}`);
  return text;
}

/** Starts a server or a worker, and resolves when it is at work. */
async function start(version: Version, command: 'serve' | 'worker'): Promise<Running> {
  const child = spawned(version, [command], await mkdtemp(join(directory, `${version}-`)));
  const address = await new Promise<string>((done, fail) => {
    let log = '';
    child.stdout!.on('data', (chunk) => {
      log = `${log}${chunk}`.slice(-10_000);
      const [, url] = /"address":"(http:[^"]+)"/.exec(log) ?? [];
      if (command === 'serve' ? url !== undefined : log.includes('"working"')) done(url ?? '');
    });
    child.once('exit', () => fail(new Error(`${command} (${version}) ended: ${log}`)));
  });
  return { child, address };
}

async function stop({ child }: Running): Promise<void> {
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  const [code] = await ended;
  if (code !== 0) throw new Error(`a process that was asked to stop ended with ${code}`);
}
