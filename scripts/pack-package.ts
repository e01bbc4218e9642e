/**
 * Runs before and after `npm pack` and `npm publish` of a workspace, in its directory. Before, it compiles what is
 * published and puts beside it what lies at the root of the repository. `package.json` says meanwhile where the
 * compiled files are: in the repository its entries are sources, which run without a build.
 *
 *     node ../../scripts/pack-package.ts [--after]
 */
import { execFileSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  globSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { basename, join, relative } from 'node:path';

const ROOT = join(import.meta.dirname, '..');
/** What package.json is in the repository, while it is another one. */
const SOURCE = '.package.json';
const SHARED = ['LICENSE'];
const OF_PROGRAM = ['CHANGELOG.md', 'NOTICE', 'docs'];

if (process.argv[2] === '--after') restore();
else prepare();

function prepare(): void {
  // A run that was stopped in between.
  if (existsSync(SOURCE)) restore();
  const json = JSON.parse(readFileSync('package.json', 'utf8'));
  const isProgram = json.bin !== undefined;
  if (!isProgram) compile(basename(json.name));
  for (const name of isProgram ? [...SHARED, ...OF_PROGRAM] : SHARED) {
    cpSync(join(ROOT, name), name, { recursive: true });
  }
  const { scripts: _, devDependencies: __, exports: ___, ...published } = json;
  if (!isProgram) {
    published.exports = { '.': { types: './dist/index.d.ts', default: './dist/index.js' } };
    published.engines = { node: '>=24' };
  }
  cpSync('package.json', SOURCE);
  replace('package.json', `${JSON.stringify(published, null, 2)}\n`);
}

function restore(): void {
  if (existsSync(SOURCE)) renameSync(SOURCE, 'package.json');
  for (const name of [...SHARED, ...OF_PROGRAM]) rmSync(name, { recursive: true, force: true });
}

/** Compiles the sources of the package that its entry reaches to `dist`, with their types. */
function compile(name: string): void {
  const directory = mkdtempSync(join(ROOT, 'node_modules/.dist-'));
  try {
    const entry = relative(directory, join(ROOT, 'packages', name, 'src', 'index.ts'));
    const config = {
      extends: '../../tsconfig.packages.json',
      files: [entry],
      compilerOptions: { outDir: '.' },
    };
    writeFileSync(join(directory, 'tsconfig.json'), JSON.stringify(config));
    const compiler = join(ROOT, 'node_modules/typescript/bin/tsc');
    execFileSync(process.execPath, [compiler, '-p', directory], { stdio: 'inherit' });
    rmSync('dist', { recursive: true, force: true });
    cpSync(join(directory, name, 'src'), 'dist', { recursive: true });
    const data = globSync('src/**/*.{tsv,geoid,revision}', { exclude: ['src/schema/facts/**'] });
    for (const file of data) cpSync(file, file.replace(/^src/, 'dist'));
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/** Replaces a file in one step, for those who read it meanwhile. */
function replace(path: string, text: string): void {
  writeFileSync(`${path}.new`, text);
  renameSync(`${path}.new`, path);
}
