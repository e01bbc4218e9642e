/**
 * Prints which share of the code that reads CityGML is for version 3.0 alone: `node scripts/share-of-3.ts`. Packages of
 * both versions are converted with the coverage of V8 (`NODE_V8_COVERAGE`), those of the sample city and, where
 * `../shared/data` is there, real ones. A line counts when any of its code ran. Files that are about 3.0 alone count as
 * a whole. With `--list` each file with such lines is printed, with their numbers.
 */
import { spawnSync } from 'node:child_process';
import { globSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = resolve(import.meta.dirname, '..');
const MAIN = join(ROOT, 'packages/server/src/cli/main.ts');
const DATA = join(ROOT, '../shared/data/conversion');
/** Where CityGML is read. */
const READING = /^packages\/(?:citygml\/src|tiles\/src\/convert)\//;
/** What only 3.0 has: names of 2.0 for its attributes, rooms at every level of detail, several heights. */
const WHOLE = [
  'packages/citygml/src/attributes/version2-names.ts',
  'packages/citygml/src/geometry/interior.ts',
  'packages/tiles/src/convert/read/interiors.ts',
  'packages/tiles/src/convert/read/measured-height.ts',
  'packages/tiles/src/convert/vector/inside-features.ts',
];

interface Coverage {
  result: Array<{
    url: string;
    functions: Array<{ ranges: Array<{ startOffset: number; endOffset: number; count: number }> }>;
  }>;
}

const work = mkdtempSync(join(tmpdir(), 'citymodel-share-'));
try {
  const real = (pattern: string) => globSync(pattern, { cwd: DATA }).map((path) => join(DATA, path));
  const two = linesRun('2', real('{01-bldg-ward,02-tran-multipolygon,03-frn,07-brid,10-wtr-wtr}/*.zip'));
  const three = linesRun('3', real('v3-*/*.zip'));
  for (const file of WHOLE) {
    two.delete(file);
    three.set(file, linesOf(readFileSync(join(ROOT, file), 'utf8'), null));
  }
  let [all, own] = [0, 0];
  for (const [file, lines] of three) {
    const known = two.get(file) ?? new Set();
    const only = [...lines].filter((line) => !known.has(line)).sort((a, b) => a - b);
    own += only.length;
    if (process.argv.includes('--list') && only.length > 0) console.log(`${file}: ${only.join(' ')}`);
  }
  for (const file of new Set([...two.keys(), ...three.keys()])) {
    all += new Set([...(two.get(file) ?? []), ...(three.get(file) ?? [])]).size;
  }
  console.log(
    `${own} of ${all} lines of code that ran are for CityGML 3.0 alone: ${((100 * own) / all).toFixed(1)} %`,
  );
} finally {
  rmSync(work, { recursive: true, force: true });
}

/** Lines that run while packages of a version are converted, by file. */
function linesRun(version: string, packages: readonly string[]): Map<string, Set<number>> {
  const sample = join(work, `sample-${version}`);
  run(['sample', sample, '--size', '60', '--citygml', version]);
  const cities = globSync('*_citygml_1_op.zip', { cwd: sample })
    .filter((name) => name.includes('_2024_'))
    .map((name) => join(sample, name));
  const coverage = join(work, `coverage-${version}`);
  run(['convert', ...cities, ...packages, '--jobs', '0', '--out', join(work, `out-${version}`)], coverage);
  const lines = new Map<string, Set<number>>();
  for (const name of readdirSync(coverage)) {
    const { result } = JSON.parse(readFileSync(join(coverage, name), 'utf8')) as Coverage;
    for (const { url, functions } of result) {
      const file = url.startsWith('file:') ? relative(ROOT, fileURLToPath(url)) : '';
      if (!READING.test(file)) continue;
      const found = lines.get(file) ?? new Set();
      lines.set(file, found);
      // The types are blanks in what runs, so that places are those of the source.
      for (const line of linesOf(readFileSync(join(ROOT, file), 'utf8'), functions)) found.add(line);
    }
  }
  return lines;
}

function run(args: readonly string[], coverage = ''): void {
  const env = {
    ...process.env,
    DATA_DIR: join(work, 'data'),
    ...(coverage ? { NODE_V8_COVERAGE: coverage } : {}),
  };
  const { status, stderr } = spawnSync(process.execPath, [MAIN, ...args], { env, encoding: 'utf8' });
  if (status !== 0) throw new Error(`${args[0]} ended with ${status}: ${stderr.slice(-500)}`);
}

/** Numbers of the lines with code that ran, or of all with code. Ranges within others come later, and say it better. */
function linesOf(text: string, functions: Coverage['result'][number]['functions'] | null): Set<number> {
  const ran = new Uint8Array(text.length).fill(functions === null ? 1 : 0);
  for (const { ranges } of functions ?? []) {
    for (const { startOffset, endOffset, count } of ranges)
      ran.fill(count > 0 ? 1 : 0, startOffset, endOffset);
  }
  const lines = new Set<number>();
  let [at, isComment] = [0, false];
  for (const [number, line] of text.split('\n').entries()) {
    const code = line.trim();
    isComment ||= code.startsWith('/*');
    const isCode =
      !isComment &&
      !code.startsWith('//') &&
      /[\w$]/.test(code) &&
      !/^(?:import|export \{|type |interface )/.test(code);
    if (code.endsWith('*/')) isComment = false;
    const begin = at + line.length - line.trimStart().length;
    if (isCode && ran.subarray(begin, begin + code.length).some((one) => one === 1)) lines.add(number + 1);
    at += line.length + 1;
  }
  return lines;
}
