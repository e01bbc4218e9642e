import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import {
  chownSync,
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
} from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { ROOT } from './support/program.ts';

/** Libraries that browsers get. */
const IN_PAGES = [
  '@cesium/engine',
  'cesium',
  'maplibre-gl',
  'gl-matrix',
  'preact',
  'react',
  'react-dom',
  'graphiql',
  'codemirror',
  'dompurify',
  'tus-js-client',
  'swagger-ui',
];

/** Names of the packages that source maps of a build name. */
function librariesIn(directory: string): Set<string> {
  const names = new Set<string>();
  for (const map of globSync('cli/*.map', { cwd: directory })) {
    const { sources } = JSON.parse(readFileSync(join(directory, map), 'utf8')) as { sources: string[] };
    for (const source of sources) {
      const [, name] = /.*node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(source) ?? [];
      if (name !== undefined) names.add(name);
    }
  }
  assert.ok(names.size > 100, `${names.size} libraries`);
  return names;
}

test('the packed program installs and runs in an empty directory', async (t) => {
  const directory = await mkdtemp(join(tmpdir(), 'citymodel-package-'));
  t.after(() => rm(directory, { recursive: true, force: true }));
  const npm = (...words: string[]) =>
    execFileSync('npm', [...words, '--no-audit', '--no-fund', '--loglevel=error'], {
      cwd: directory,
      encoding: 'utf8',
    });

  // What npm puts beside the program for the archive goes into a copy, not into the checkout.
  const checkout = join(directory, 'checkout');
  const from = join(checkout, 'packages/server');
  mkdirSync(from, { recursive: true });
  symlinkSync(join(ROOT, 'scripts'), join(checkout, 'scripts'));
  // Other tests start the program meanwhile, which keeps compiled modules.
  const filter = (path: string) => !path.includes('.compiled');
  for (const name of ['bin', 'dist', 'README.md', 'package.json'])
    cpSync(join(ROOT, 'packages/server', name), join(from, name), { recursive: true, filter });
  mkdirSync(join(from, 'dist/.compiled'), { recursive: true });
  await writeFile(join(from, 'dist/.compiled/module'), 'compiled');
  npm('pack', from);
  const [archive] = readdirSync(directory).filter((name) => name.endsWith('.tgz'));
  await writeFile(join(directory, 'package.json'), '{"private": true}');
  // Node.js, the only thing that is installed beside it, is optional: nothing is fetched here.
  npm('install', '--offline', '--ignore-scripts', '--omit=optional', `./${archive}`);

  const installed = join(directory, 'node_modules/citymodel-server');
  assert.deepEqual(readdirSync(installed).sort(), [
    'CHANGELOG.md',
    'LICENSE',
    'NOTICE',
    'README.md',
    'bin',
    'dist',
    'docs',
    'package.json',
  ]);
  const licences = readFileSync(join(installed, 'dist/cli/licenses.md'), 'utf8');
  for (const name of ['fastify', ...IN_PAGES]) {
    assert.match(licences, new RegExp(`^## ${name} - \\d\\S* \\(.+\\)$`, 'm'), name);
  }
  assert.match(licences, /^## dompurify .*Apache-2\.0/m);
  assert.match(licences, /^## libxml2-wasm [^#]*Daniel Veillard/m);
  // Every library of which code was put into the program, and whatever text there is of its licence.
  for (const name of librariesIn(join(ROOT, 'packages/server/dist')))
    assert.ok(licences.includes(`\n## ${name} - `), name);
  assert.doesNotMatch(`${licences}\n## a - 1 (b)`, /^## \S+ - \S+ \(.+\)\s+## \S+ - \S+ \(/m);
  const maps = readdirSync(join(installed, 'dist'), { recursive: true }).filter((name) =>
    String(name).endsWith('.map'),
  );
  assert.deepEqual(maps, []);
  const program = join(installed, 'bin/citymodel.js');
  const env = { PATH: process.env.PATH, HOME: directory, DATA_DIR: join(directory, 'data') };
  const compiled = join(installed, 'dist/.compiled');
  assert.ok(!existsSync(compiled), 'no compiled modules are packed');
  if (process.getuid?.() === 0) {
    // The program of another user gets no files of this one.
    chownSync(join(installed, 'dist'), 65_534, 65_534);
    execFileSync(process.execPath, [program, '--version'], { env, stdio: 'pipe' });
    assert.ok(!existsSync(compiled));
    chownSync(join(installed, 'dist'), 0, 0);
  }
  execFileSync(process.execPath, [program, 'sample', 'sample'], { cwd: directory, env, stdio: 'pipe' });
  assert.ok(readdirSync(compiled).length > 0, 'compiled modules are kept for the next start');
  execFileSync(process.execPath, [program, 'ingest', 'sample'], { cwd: directory, env, stdio: 'pipe' });

  const server = spawn(process.execPath, [program, 'serve'], {
    cwd: directory,
    env: { ...env, PORT: '0', HOST: '127.0.0.1' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  t.after(() => server.kill('SIGKILL'));
  const address = await new Promise<string>((resolve, reject) => {
    let log = '';
    server.stdout.on('data', (chunk: Buffer) => {
      log += String(chunk);
      const found = /"address":"(http:[^"]+)"/.exec(log);
      if (found) resolve(found[1]!);
    });
    server.once('exit', () => reject(new Error(log)));
  });
  for (const path of [
    '/health/ready',
    '/datacatalog/citymodel-datasets',
    '/datacatalog/citygml/m:38295545',
    '/citygml/spatialid_attributes?sid=17/112754/55811&type=bldg',
    '/docs',
    '/',
  ]) {
    const answer = await fetch(address + path);
    assert.equal(answer.status, 200, path);
    await answer.arrayBuffer();
  }
  const ended = new Promise((resolve) => server.once('exit', resolve));
  server.kill('SIGTERM');
  assert.equal(await ended, 0);
  assert.ok(!existsSync(join(directory, 'node_modules/fastify')));
});
