/**
 * Three servers and two workers on one PostgreSQL and one bucket of Ceph, with ways to both on which everything can go
 * wrong.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { chmod, mkdir, rm, writeFile } from 'node:fs/promises';
import { basename, extname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { CEPH_KEYS, Ceph } from '../../packages/store/src/testing/ceph.ts';
import { PostgresServer } from '../../packages/store/src/testing/postgres-server.ts';
import { SwallowingProxy } from '../../packages/store/src/testing/swallowing-proxy.ts';
import { type RunResult, runProgram, spawnProgram } from '../../test/support/program.ts';
import { BucketProxy } from './bucket-proxy.ts';
import type { Load } from './load.ts';
import { Member } from './member.ts';
import type { Writer } from './writer.ts';

/** The disk of one server's cache, which less than one package fills. */
const CACHE_DISK = '256k';
/** So much of it is taken from the start, bytes: there is room for one block, and for no second one. */
const CACHE_FILLER = 192 * 1024;
/** The disk of the database, with room for two clusters. */
const DATABASE_DISK = '2000m';
/** Nothing is kept. */
const BARE = {
  CACHE_MB: '0',
  CACHE_MEMORY_MB: '0',
  FEATURE_INDEX_CACHE_MB: '0',
  FEATURE_BLOCK_CACHE_MB: '0',
  FEATURE_RECORD_CACHE_MB: '0',
  FILE_LIST_CACHE_MB: '0',
};
/** Longest time in which a program that must not start may take to say so, ms. */
const REFUSAL_MS = 60_000;

export class House implements AsyncDisposable {
  readonly directory: string;
  readonly ceph: Ceph;
  readonly bucketWay: BucketProxy;
  readonly databaseWay: SwallowingProxy;
  postgres: PostgresServer;
  readonly servers: Member[];
  readonly members: Member[];
  /** How far the clocks of one server and one worker are off, ms. */
  readonly clockFile: string;
  load!: Load;
  writer!: Writer;
  /** Uploads that come and go. */
  uploads: string[] = [];
  readonly #mounts: string[];
  readonly #env: Record<string, string>;

  private constructor(
    directory: string,
    ceph: Ceph,
    bucketWay: BucketProxy,
    postgres: PostgresServer,
    databaseWay: SwallowingProxy,
    mounts: string[],
  ) {
    this.directory = directory;
    this.ceph = ceph;
    this.bucketWay = bucketWay;
    this.postgres = postgres;
    this.databaseWay = databaseWay;
    this.#mounts = mounts;
    this.clockFile = join(directory, 'clock');
    const clock = new URL('clock.mjs', import.meta.url).pathname;
    this.#env = {
      ...CEPH_KEYS,
      AWS_EC2_METADATA_DISABLED: 'true',
      OBJECT_STORE: ceph.address('faults', bucketWay.endpoint),
      CATALOGUE_POLL_MS: '200',
      PACK_RATE: '0',
      JOB_ATTEMPTS: '10',
      JOB_RETRY_S: '1',
      JOB_LEASE_S: '10',
    };
    const env = { ...this.#env, DATABASE_URL: databaseUrl(postgres, databaseWay.port) };
    const jumping = { NODE_OPTIONS: `--import=${clock}`, FAULT_CLOCK: this.clockFile };
    const server = (name: string, more: NodeJS.ProcessEnv = {}) =>
      new Member('serve', join(directory, name), { ...env, PACK_WORKERS: '0', ...more });
    const worker = (name: string, more: NodeJS.ProcessEnv = {}) =>
      new Member('worker', join(directory, name), { ...env, PACK_WORKERS: '1', JOB_WORKERS: '1', ...more });
    // One keeps what it can, one has a full disk, and one asks the bucket for everything again.
    this.servers = [server('a'), server('b', { CACHE_DIR: mounts[0] }), server('c', { ...jumping, ...BARE })];
    this.members = [...this.servers, worker('d'), worker('e', jumping)];
  }

  static async start(directory: string): Promise<House> {
    const small = join(directory, 'cache');
    const data = join(directory, 'database');
    for (const [path, size] of [
      [small, CACHE_DISK],
      [data, DATABASE_DISK],
    ] as const) {
      await mkdir(path);
      execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'faults', path]);
    }
    // PostgreSQL runs as another user, and makes its directory where temporary files go.
    await writeFile(join(small, 'filler'), Buffer.alloc(CACHE_FILLER));
    await chmod(directory, 0o755);
    await chmod(data, 0o1777);
    await mkdir(join(directory, 'cli'));
    const ceph = await Ceph.start();
    process.env.TMPDIR = data;
    const postgres = await PostgresServer.start(['max_wal_size=64MB', 'min_wal_size=32MB']);
    const way = await SwallowingProxy.start(Number(new URL(postgres.url()).port));
    return new House(directory, ceph, await BucketProxy.start(ceph.endpoint), postgres, way, [small, data]);
  }

  /** Runs the program beside all faults of the ways: it has a line of its own to both stores. */
  cli(args: string[]): Promise<RunResult> {
    return runProgram(args, { ...this.#direct(), DATA_DIR: join(this.directory, 'cli') });
  }

  /** Runs the program on the ways on which everything goes wrong. */
  cliOnWays(args: string[]): Promise<RunResult> {
    const DATABASE_URL = databaseUrl(this.postgres, this.databaseWay.port);
    return runProgram(args, { ...this.#env, DATABASE_URL, DATA_DIR: join(this.directory, 'cli') });
  }

  #direct(database?: string): Record<string, string> {
    const OBJECT_STORE = this.ceph.address('faults');
    return { ...this.#env, OBJECT_STORE, DATABASE_URL: this.postgres.url(database) };
  }

  /** The directory of the cache that is always full. */
  get smallDisk(): string {
    return this.#mounts[0]!;
  }

  /** Names of live packages, sorted. */
  async live(): Promise<string[]> {
    const { code, stdout, stderr } = await this.cli(['list', '--json']);
    if (code !== 0) throw new Error(`list: ${code} ${stdout}${stderr}`);
    return (JSON.parse(stdout) as { name: string }[]).map(({ name }) => name).sort();
  }

  /** Removes a package that is there, or ingests one that is not. */
  async change(k: number): Promise<void> {
    const path = this.uploads[k % this.uploads.length]!;
    const name = basename(path, extname(path));
    const isLive = (await this.live()).includes(name);
    const { code, stdout, stderr } = await this.cli(isLive ? ['remove', name] : ['ingest', path]);
    if (code !== 0) throw new Error(`${name} was not changed: ${stdout}${stderr}`);
  }

  /** Whether all servers show within so many milliseconds what a server shows that starts now, beside all faults. */
  async agree(withinMs: number): Promise<boolean> {
    const witness = new Member('serve', join(this.directory, 'witness'), this.#direct());
    await witness.start();
    try {
      const until = Date.now() + withinMs;
      for (;;) {
        const [wanted, ...shown] = await Promise.all([witness, ...this.servers].map((one) => shownBy(one)));
        if (shown.every((version) => version === wanted)) return true;
        if (Date.now() > until) return false;
        await pause(200);
      }
    } finally {
      await witness.end('SIGKILL');
    }
  }

  /** Leaves not a byte to the database for a while; one that gave up is started again, as a service manager does. */
  async fillDatabaseDisk(ms: number): Promise<void> {
    const filler = join(this.#mounts[1]!, 'filler');
    try {
      execFileSync('dd', ['if=/dev/zero', `of=${filler}`, 'bs=1M'], { stdio: 'ignore' });
      this.load.wrong('the disk of the database has no end');
    } catch {
      // As meant.
    }
    const until = Date.now() + ms;
    await isRefused(this.postgres, 'CREATE TABLE filler AS SELECT generate_series(1, 1000000)');
    await pause(Math.max(0, until - Date.now()));
    await rm(filler);
    if (!(await isRefused(this.postgres, 'DROP TABLE IF EXISTS filler'))) return;
    await this.postgres.restart('immediate');
    await isRefused(this.postgres, 'DROP TABLE IF EXISTS filler');
  }

  /** Starts the program with an empty database on this bucket: it has to refuse, and nothing may be gone afterwards. */
  async startForeign(database: string, command: 'serve' | 'worker'): Promise<void> {
    if (await isRefused(this.postgres, `CREATE DATABASE ${database}`)) throw new Error('no second database');
    const directory = join(this.directory, database);
    await mkdir(directory);
    const child = spawnProgram([command], {
      ...this.#direct(database),
      DATA_DIR: directory,
      PORT: '0',
    });
    for (const stream of [child.stdout, child.stderr]) stream?.resume();
    const exited = once(child, 'exit') as Promise<[number | null]>;
    const [code] = await Promise.race([exited, pause(REFUSAL_MS, [null] as [null], { ref: false })]);
    child.kill('SIGKILL');
    if (code === null || code === 0) this.load.wrong(`${command} with a foreign database ended with ${code}`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.members.map((member) => member.end('SIGKILL')));
    await this.bucketWay[Symbol.asyncDispose]();
    await this.databaseWay[Symbol.asyncDispose]();
    await this.postgres.stop();
    await this.ceph[Symbol.asyncDispose]();
    for (const mount of this.#mounts) execFileSync('umount', [mount]);
    await writeFile(this.clockFile, '0');
  }
}

function databaseUrl(postgres: PostgresServer, port: number): string {
  const url = new URL(postgres.url());
  url.port = String(port);
  return url.href;
}

/** Whether the database does not do it. */
async function isRefused(postgres: PostgresServer, sql: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: postgres.url(), connectionTimeoutMillis: 5_000 });
  client.on('error', () => {});
  try {
    await client.connect();
    await client.query(sql);
    return false;
  } catch {
    return true;
  } finally {
    await client.end().catch(() => {});
  }
}

/** What a server shows of the catalogue, in short; or why there is nothing. */
async function shownBy({ url }: Member): Promise<string> {
  if (url === null) return 'no server';
  const hash = createHash('sha256');
  try {
    for (const path of ['/datacatalog/plateau-datasets', '/datacatalog/datasets?limit=500']) {
      const reply = await fetch(url + path, { signal: AbortSignal.timeout(20_000) });
      if (!reply.ok) return `${path}: ${reply.status}`;
      hash.update(await reply.text());
    }
    return hash.digest('hex');
  } catch (error) {
    return String(error);
  }
}
