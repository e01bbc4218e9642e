/**
 * A real S3 for tests and benches: Ceph's object gateway on free ports of 127.0.0.1, with one monitor and one store
 * that keeps everything in memory. Debian has it as `radosgw ceph-mon ceph-osd`. It is ready after some ten seconds.
 * Run as a program it prints the setting OBJECT_STORE for a new prefix, and ends with its input or by a signal.
 */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { access, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3';
import { freePort } from './free-port.ts';

const run = promisify(execFile);

/** Keys of the only user. */
export const CEPH_KEYS = { AWS_ACCESS_KEY_ID: 'test', AWS_SECRET_ACCESS_KEY: 'testtest' };

/** Tries to reach the gateway, and the pause between them, ms. */
const TRIES = 240;
const PAUSE = 250;

/** Why there is no gateway on this machine; null when there is. */
export async function cephIsMissing(): Promise<string | null> {
  for (const program of ['radosgw', 'ceph-mon', 'ceph-osd']) {
    const found = await Promise.any(
      ['/usr/bin', '/usr/local/bin'].map((at) => access(join(at, program))),
    ).then(
      () => true,
      () => false,
    );
    if (!found) return `${program} is not installed (apt-get install radosgw ceph-mon ceph-osd)`;
  }
  return null;
}

export class Ceph implements AsyncDisposable {
  readonly endpoint: string;
  readonly bucket = 'bucket';
  readonly #directory: string;
  readonly #configuration: string[];
  readonly #daemons: ChildProcess[] = [];
  #gateway: ChildProcess | null = null;

  private constructor(directory: string, port: number) {
    this.#directory = directory;
    this.#configuration = ['-c', join(directory, 'ceph.conf')];
    this.endpoint = `http://127.0.0.1:${port}`;
  }

  /** Starts everything and makes the bucket. Throws when a program fails. */
  static async start(): Promise<Ceph> {
    const directory = await mkdtemp(join(tmpdir(), 'ceph-'));
    const [monitorPort, gatewayPort] = [await freePort(), await freePort()];
    const ceph = new Ceph(directory, gatewayPort);
    try {
      await ceph.#configure(monitorPort, gatewayPort);
      await ceph.#startCluster(monitorPort);
      await ceph.startGateway();
      await ceph.#tool(
        'radosgw-admin',
        'user',
        'create',
        '--uid=test',
        '--display-name=test',
        '--access-key=test',
        '--secret-key=testtest',
      );
      await ceph.#makeBucket();
      return ceph;
    } catch (error) {
      await ceph[Symbol.asyncDispose]();
      throw error;
    }
  }

  /** The setting OBJECT_STORE for a prefix in the bucket; another `endpoint` is that of a proxy. */
  address(prefix = '', endpoint = this.endpoint): string {
    return `s3://${this.bucket}/${prefix}?endpoint=${endpoint}&region=us-east-1&pathStyle=true`;
  }

  /** Starts the gateway, at first or again, and resolves when it answers. */
  async startGateway(): Promise<void> {
    this.#gateway = this.#spawn('radosgw', '-f', '-n', 'client.admin');
    for (let left = TRIES; ; left--) {
      const answers = await fetch(this.endpoint).then(
        (response) => response.text().then(() => true),
        () => false,
      );
      if (answers) return;
      if (left === 0 || this.#gateway.exitCode !== null) throw new Error('radosgw does not answer');
      await pause(PAUSE);
    }
  }

  /** Kills the gateway; what it stores stays. */
  async killGateway(): Promise<void> {
    const gateway = this.#gateway;
    this.#gateway = null;
    if (gateway !== null) await killed(gateway);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.killGateway();
    await Promise.all(this.#daemons.map(killed));
    await rm(this.#directory, { recursive: true, force: true });
  }

  async #configure(monitorPort: number, gatewayPort: number): Promise<void> {
    const at = (...names: string[]) => join(this.#directory, ...names);
    for (const name of ['mon', 'osd', 'rgw', 'run']) await mkdir(at(name));
    const options: Record<string, Record<string, string | number>> = {
      global: {
        fsid: randomUUID(),
        keyring: at('keyring'),
        'mon host': `[v2:127.0.0.1:${monitorPort}]`,
        'public addr': '127.0.0.1',
        'cluster addr': '127.0.0.1',
        'ms bind msgr1': 'false',
        // One copy of everything, on one store.
        'osd pool default size': 1,
        'osd pool default min size': 1,
        'osd pool default pg num': 1,
        'osd pool default pg autoscale mode': 'off',
        'osd crush chooseleaf type': 0,
        'mon allow pool size one': 'true',
        'mon data': at('mon'),
        'osd data': at('osd'),
        'osd objectstore': 'memstore',
        'memstore device bytes': 4 * 2 ** 30,
        'run dir': at('run'),
        'admin socket': `${at('run')}/$name.$pid.asok`,
        'log file': at('$name.log'),
      },
      'client.admin': {
        'rgw data': at('rgw'),
        // Without tcp_nodelay each read waits 40 ms for an acknowledgement.
        'rgw frontends': `beast endpoint=127.0.0.1:${gatewayPort} tcp_nodelay=1`,
        'rgw thread pool size': 32,
        'rgw run sync thread': 'false',
      },
    };
    const sections = Object.entries(options).map(
      ([name, values]) =>
        `[${name}]\n${Object.entries(values)
          .map(([option, value]) => `${option} = ${value}\n`)
          .join('')}`,
    );
    await writeFile(at('ceph.conf'), sections.join(''));
  }

  async #startCluster(monitorPort: number): Promise<void> {
    const at = (name: string) => join(this.#directory, name);
    const keyring = at('keyring');
    const every = ['--cap', 'mon', 'allow *'];
    await run('ceph-authtool', ['--create-keyring', keyring, '--gen-key', '-n', 'mon.', ...every]);
    const admin = ['--cap', 'osd', 'allow *', '--cap', 'mgr', 'allow *'];
    await run('ceph-authtool', [keyring, '--gen-key', '-n', 'client.admin', ...every, ...admin]);
    const osd = ['--cap', 'mon', 'allow profile osd', '--cap', 'osd', 'allow *'];
    await run('ceph-authtool', [keyring, '--gen-key', '-n', 'osd.0', ...osd]);
    const { stdout } = await this.#tool('ceph-conf', '--lookup', 'fsid');
    const monitor = ['--addv', 'a', `[v2:127.0.0.1:${monitorPort}]`];
    await run('monmaptool', ['--create', '--fsid', stdout.trim(), ...monitor, at('monmap')]);
    await this.#tool('ceph-mon', '--mkfs', '-i', 'a', '--monmap', at('monmap'), '--keyring', keyring);
    this.#daemons.push(this.#spawn('ceph-mon', '-f', '-i', 'a'));
    await this.#tool('ceph', 'auth', 'import', '-i', keyring);
    const id = randomUUID();
    await this.#tool('ceph', 'osd', 'new', id);
    await this.#tool('ceph-osd', '-i', '0', '--mkfs', '--osd-uuid', id);
    this.#daemons.push(this.#spawn('ceph-osd', '-f', '-i', '0'));
  }

  #tool(program: string, ...args: string[]): Promise<{ stdout: string }> {
    return run(program, [...this.#configuration, ...args], { timeout: 60_000 });
  }

  #spawn(program: string, ...args: string[]): ChildProcess {
    return spawn(program, [...this.#configuration, ...args], { stdio: 'ignore' });
  }

  async #makeBucket(): Promise<void> {
    const credentials = { accessKeyId: 'test', secretAccessKey: 'testtest' };
    const client = new S3Client({
      endpoint: this.endpoint,
      region: 'us-east-1',
      forcePathStyle: true,
      credentials,
    });
    try {
      await client.send(new CreateBucketCommand({ Bucket: this.bucket }));
    } finally {
      client.destroy();
    }
  }
}

async function killed(process: ChildProcess): Promise<void> {
  if (process.exitCode !== null || process.signalCode !== null) return;
  const ended = once(process, 'exit');
  process.kill('SIGKILL');
  await ended;
}

if (import.meta.main) {
  const ceph = await Ceph.start();
  console.log(ceph.address(randomUUID()));
  process.stdin.resume();
  await Promise.race([once(process.stdin, 'end'), once(process, 'SIGINT'), once(process, 'SIGTERM')]);
  await ceph[Symbol.asyncDispose]();
  process.exit();
}
