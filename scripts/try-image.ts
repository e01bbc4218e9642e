/**
 * Runs the steps of deploy/Dockerfile in a plain Debian root, without Docker, and asks the server that comes out of
 * them. It also lets systemd check the units of deploy/. Needs root, `debootstrap` and `npm`; takes some minutes, so CI
 * leaves it out.
 *
 *   node scripts/try-image.ts [DEBIAN_MIRROR]
 *
 * The base image of the Dockerfile is replaced by debootstrap's Debian with this Node.js, npm, and a user `node`.
 */
import { execFileSync, spawn } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

interface Stage {
  root: string;
  directory: string;
  env: Record<string, string>;
  user: string;
  entrypoint: string[];
  command: string[];
}

const ROOT = join(import.meta.dirname, '..');
const mirror = process.argv[2] ?? 'http://deb.debian.org/debian';
const work = mkdtempSync(join(tmpdir(), 'citymodel-image-'));
const stages = new Map<string, Stage>();

try {
  const image = buildStages();
  await askServer(image);
  checkUnits(image);
  console.log('1 passed, 0 failed');
} finally {
  rmSync(work, { recursive: true, force: true });
}

/** Runs the instructions of the Dockerfile; the last stage is the image. */
function buildStages(): Stage {
  const base = join(work, 'base');
  execFileSync('debootstrap', ['--variant=minbase', '--include=ca-certificates', 'bookworm', base, mirror], {
    stdio: 'inherit',
  });
  cpSync(process.execPath, join(base, 'usr/local/bin/node'));
  const npm = dirname(dirname(realpathSync(execFileSync('which', ['npm'], { encoding: 'utf8' }).trim())));
  cpSync(npm, join(base, 'usr/local/lib/node_modules/npm'), { recursive: true });
  run(base, ['ln', '-s', '../lib/node_modules/npm/bin/npm-cli.js', '/usr/local/bin/npm']);
  run(base, ['useradd', '--uid', '1000', '--create-home', 'node']);

  let stage: Stage | undefined;
  const lines = readFileSync(join(ROOT, 'deploy/Dockerfile'), 'utf8').replace(/\\\n/g, ' ').split('\n');
  for (const line of lines.filter((text) => text !== '' && !text.startsWith('#'))) {
    const [instruction, rest] = [line.slice(0, line.indexOf(' ')), line.slice(line.indexOf(' ') + 1)];
    console.log(`- ${line}`);
    if (instruction === 'FROM') stage = startStage(base, rest);
    else if (stage === undefined) throw new Error(`The Dockerfile begins with ${instruction}.`);
    else execute(stage, instruction, rest);
  }
  if (stage === undefined) throw new Error('The Dockerfile has no stage.');
  return stage;
}

function startStage(base: string, rest: string): Stage {
  const name = / AS (\S+)$/.exec(rest)?.[1] ?? `stage${stages.size}`;
  const root = join(work, name);
  execFileSync('cp', ['-a', base, root]);
  const stage: Stage = { root, directory: '/', env: {}, user: 'root', entrypoint: [], command: [] };
  stages.set(name, stage);
  return stage;
}

function execute(stage: Stage, instruction: string, rest: string): void {
  switch (instruction) {
    case 'WORKDIR':
      stage.directory = rest;
      mkdirSync(join(stage.root, rest), { recursive: true });
      return;
    case 'ENV':
      for (const pair of rest.split(' ')) {
        const at = pair.indexOf('=');
        stage.env[pair.slice(0, at)] = pair.slice(at + 1);
      }
      return;
    case 'COPY':
      copy(stage, rest.split(' '));
      return;
    case 'RUN':
      run(stage.root, ['sh', '-c', `cd ${stage.directory} && ${rest}`], stage.env);
      return;
    case 'USER':
      stage.user = rest;
      return;
    case 'ENTRYPOINT':
      stage.entrypoint = JSON.parse(rest) as string[];
      return;
    case 'CMD':
      stage.command = JSON.parse(rest) as string[];
      return;
    case 'VOLUME':
    case 'EXPOSE':
    case 'HEALTHCHECK':
      return;
    default:
      throw new Error(`This script does not know the instruction ${instruction}.`);
  }
}

function copy(stage: Stage, words: string[]): void {
  const from = words[0]!.startsWith('--from=') ? stages.get(words.shift()!.slice('--from='.length))! : null;
  const target = words.pop()!;
  const destination = join(stage.root, target.startsWith('/') ? target : join(stage.directory, target));
  for (const source of words) {
    if (from === null) {
      // What .dockerignore leaves out is what git does not know.
      const files = execFileSync('git', ['-C', ROOT, 'ls-files', '-z'], { encoding: 'utf8' }).split('\0');
      for (const file of files.filter((name) => name !== '' && existsSync(join(ROOT, name))))
        cpSync(join(ROOT, file), join(destination, file), { recursive: true });
    } else {
      const isDirectory = !target.endsWith('./') && target !== './';
      const name = source.slice(source.lastIndexOf('/') + 1);
      cpSync(join(from.root, source), isDirectory ? destination : join(destination, name), {
        recursive: true,
      });
    }
  }
}

/** The words after `unshare` that run a command in a root with a /proc of its own, which goes away with the command. */
function inside(root: string, command: string[], user = 'root'): string[] {
  const namespace = [
    '--mount',
    '--pid',
    '--fork',
    '--kill-child=SIGTERM',
    `--mount-proc=${join(root, 'proc')}`,
  ];
  return [...namespace, 'chroot', '--userspec', user, root, ...command];
}

function run(root: string, command: string[], env: Record<string, string> = {}): void {
  // Packages come over the network of this machine.
  cpSync('/etc/resolv.conf', join(root, 'etc/resolv.conf'), { dereference: true });
  if (existsSync('/etc/ssl/certs/ca-certificates.crt'))
    cpSync('/etc/ssl/certs/ca-certificates.crt', join(root, 'etc/ssl/certs/ca-certificates.crt'));
  execFileSync('unshare', inside(root, command), {
    stdio: 'inherit',
    env: {
      PATH: '/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin',
      HOME: '/root',
      NODE_EXTRA_CA_CERTS: '/etc/ssl/certs/ca-certificates.crt',
      ...env,
    },
  });
}

/** Starts the image as its user on a free port, ingests the sample city, and asks for it. */
async function askServer(image: Stage): Promise<void> {
  const command = (words: string[]) =>
    inside(
      image.root,
      ['sh', '-c', `cd ${image.directory} && exec "$@"`, 'sh', ...image.entrypoint, ...words],
      image.user,
    );
  const env = {
    PATH: '/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin',
    HOME: '/home/node',
    ...image.env,
    PORT: '0',
  };
  execFileSync('unshare', command(['sample', '/data/sample']), { stdio: 'inherit', env });
  execFileSync('unshare', command(['ingest', '/data/sample']), { stdio: 'inherit', env });
  const server = spawn('unshare', command(image.command), {
    stdio: ['ignore', 'pipe', 'inherit'],
    env,
    // A group of its own: the signal has to reach the server itself, as from a container engine.
    detached: true,
  });
  try {
    const address = await new Promise<string>((resolve, reject) => {
      let log = '';
      server.stdout.on('data', (chunk: Buffer) => {
        log += String(chunk);
        const port = /http:\/\/[^"]*?:(\d+)/.exec(log)?.[1];
        if (port !== undefined) resolve(`http://127.0.0.1:${port}`);
      });
      server.once('exit', () => reject(new Error(`The server ended: ${log}`)));
    });
    for (const path of [
      '/health/ready',
      '/datacatalog/citymodel-datasets',
      '/datacatalog/citygml/m:38295545',
      '/',
    ]) {
      const answer = await fetch(address + path);
      console.log(`${answer.status} ${path}`);
      if (answer.status !== 200) throw new Error(`${path} answers ${answer.status}.`);
      await answer.arrayBuffer();
    }
  } finally {
    const ended = new Promise((resolve) => server.once('exit', resolve));
    process.kill(-server.pid!, 'SIGTERM');
    await ended;
  }
}

function checkUnits(image: Stage): void {
  run(image.root, ['sh', '-c', 'apt-get update -q && apt-get install -y -q --no-install-recommends systemd']);
  mkdirSync(join(image.root, 'opt'), { recursive: true });
  run(image.root, ['ln', '-s', '/app', '/opt/citymodel']);
  for (const unit of ['citymodel.service', 'citymodel-worker.service']) {
    cpSync(join(ROOT, 'deploy', unit), join(image.root, 'etc/systemd/system', unit));
    run(image.root, ['systemd-analyze', 'verify', `/etc/systemd/system/${unit}`]);
  }
}
