/**
 * How fast packages are converted, and into how many bytes: 3D Tiles of LOD 1 beside scanning and deflating the same
 * GML, one thread beside two, the options beside each other, and vector tiles.
 *
 *   node bench/convert.ts [zip of a CityGML package, Osaka's in ../shared/data by default]
 *   node bench/convert.ts --large MB     a made-up city of so much text: scanning, one thread on a core,
 *                                        two threads on two, one large file;
 *                                        two processes beside each other tell how much of two cores the machine has
 *   node bench/convert.ts --versions N   buildings of the sample city in CityGML 2.0 and in 3.0, N pairs by turns
 *
 * Threads run the built program (`npm run build`). Each conversion runs in a process of its own. `CPU s` is processor
 * time of all its threads; `peak MB` its highest resident memory.
 */
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { writeSample } from '../packages/sample/src/sample.ts';
import { renderTable } from '../packages/server/src/cli/table.ts';
import type { ConvertReport } from '../packages/server/src/convert/convert.ts';
import { gmlFilesOf, openSource, type SourceAddress } from '../packages/server/src/convert/package-source.ts';
import { convertZip } from '../packages/server/src/convert/testing/convert-zip.ts';
import { GmlPassMemory, passGml } from '../packages/server/src/ingest/gml-member.ts';
import type { ConvertOptions } from '../packages/tiles/src/convert/part-maker.ts';
import { writeLargeCity } from './support/large-city.ts';
import { quantile, recordRow } from './support/table.ts';

const SELF = fileURLToPath(import.meta.url);
/** Threads as the built program has them: each would take 0.3 s of processor time to load the sources. */
const BUILT_THREAD = new URL('../packages/server/dist/cli/convert-thread.js', import.meta.url);
const OSAKA = join(
  import.meta.dirname,
  '../../shared/data/packages/27100_osaka-shi_city_2022_citygml_3_op.zip',
);

interface Run {
  what: string;
  types: string[];
  jobs: number;
  options: Partial<ConvertOptions>;
}

interface Measured {
  seconds: number;
  cpu: number;
  peak: number;
  report: Pick<ConvertReport, 'packages' | 'bytes'> | null;
}

const RUNS: Run[] = [
  { what: '3D Tiles, LOD 1, Draco', types: ['bldg'], jobs: 0, options: {} },
  { what: '… meshopt', types: ['bldg'], jobs: 0, options: { compression: 'meshopt' } },
  { what: '… not compressed', types: ['bldg'], jobs: 0, options: { compression: 'none' } },
  { what: '… Draco, slim', types: ['bldg'], jobs: 0, options: { slim: true } },
  { what: '… Draco, 3D Tiles 1.0', types: ['bldg'], jobs: 0, options: { tiles: '1.0' } },
  { what: 'roads as vector tiles, LOD 1', types: ['tran'], jobs: 0, options: {} },
  { what: 'both, one thread', types: ['bldg', 'tran'], jobs: 1, options: {} },
  { what: 'both, two threads', types: ['bldg', 'tran'], jobs: 2, options: {} },
];

const [, , mode, ...rest] = process.argv;
if (mode === 'scan') await scan(rest[0]!);
else if (mode === 'run') await run(rest[0]!, JSON.parse(rest[1]!) as Run);
else if (mode === '--large') await large(1e6 * Number(rest[0]));
else if (mode === '--versions') await versions(Number(rest[0]));
else await main(mode ?? OSAKA);

async function main(zip: string): Promise<void> {
  const rows: string[][] = [];
  const base = await measure(['scan', zip]);
  rows.push(['scan and deflate (as ingestion does)', ...figures(base), '', '', '']);
  let one = 0;
  for (const run of RUNS) {
    const measured = await measure(['run', zip, JSON.stringify(run)]);
    const { packages, bytes } = measured.report!;
    const tileBytes = packages.reduce((sum, { bytes: size }) => sum + size, 0);
    const features = packages.reduce((sum, { features: count }) => sum + count, 0);
    if (run.jobs === 1) one = measured.seconds;
    const ratio =
      run.jobs === 2
        ? `${(one / measured.seconds).toFixed(2)} × faster`
        : (measured.cpu / base.cpu).toFixed(2);
    rows.push([
      run.what,
      ...figures(measured),
      run.types.length === 1 ? Math.round(features / measured.cpu).toLocaleString('en') : '',
      String(Math.round(tileBytes / features)),
      run.jobs !== 1 && run.types.includes('bldg') ? ratio : '',
    ]);
    console.error(`${run.what}: ${(bytes / 1e6).toFixed(0)} MB of text`);
  }
  show('conversion', ['s', 'CPU s', 'peak MB', 'features/CPU s', 'bytes a feature', 'CPU : scan'], rows);
}

/** Prints rows whose first cell says what was measured, and records them when that was asked for. */
function show(title: string, columns: string[], rows: string[][]): void {
  const right = 'right' as const;
  console.log(
    renderTable([{ title: 'what' }, ...columns.map((column) => ({ title: column, align: right }))], rows),
  );
  for (const row of rows) recordRow(title, ['what', ...columns], row);
}

/** Threads with a core each (`taskset`), since one thread alone has helpers of the engine on the other core. */
async function large(bytes: number): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'citymodel-bench-'));
  try {
    const rows: string[][] = [];
    const add = (what: string, measured: Measured, than: number | null) => {
      const features = measured.report?.packages.reduce((sum, pkg) => sum + pkg.features, 0);
      const rate = features === undefined ? '' : Math.round(features / measured.cpu).toLocaleString('en');
      rows.push([
        what,
        ...figures(measured),
        rate,
        than === null ? '' : (than / measured.seconds).toFixed(2),
      ]);
    };
    const name = basename(OSAKA);
    const city = { source: OSAKA, mesh: '51357346', bytes };
    mkdirSync(join(directory, 'one'));
    const [many, one] = [join(directory, name), join(directory, 'one', name)];
    await writeLargeCity(many, { ...city, isOneFile: false });
    const runOf = (jobs: number) => JSON.stringify({ what: '', types: ['bldg'], jobs, options: {} });
    add('scan and deflate', await measure(['scan', many], '0'), null);
    const alone = await measure(['run', many, runOf(1)], '0');
    add('many files, one thread', alone, null);
    add('many files, two threads', await measure(['run', many, runOf(2)], '0,1'), alone.seconds);
    const beside = await Promise.all(['0', '1'].map((core) => measure(['run', many, runOf(1)], core)));
    for (const measured of beside) add('… a process on each core, all files', measured, 2 * alone.seconds);
    await writeLargeCity(one, { ...city, isOneFile: true });
    add('one file, two threads', await measure(['run', one, runOf(2)], '0,1'), null);
    const title = `made-up city, ${(bytes / 1e6).toFixed(0)} MB`;
    show(title, ['s', 'CPU s', 'peak MB', 'features/CPU s', 'times faster'], rows);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/** What CityGML 3.0 costs beside 2.0; the one that begins a pair changes. */
async function versions(pairs: number): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'citymodel-bench-'));
  try {
    const zips = await Promise.all(
      ([2, 3] as const).map(async (citygml) => {
        const at = join(directory, `${citygml}`);
        mkdirSync(at);
        const [city] = await writeSample(at, { size: 4_000, citygml });
        return join(at, city!.name);
      }),
    );
    const run: Run = { what: '', types: ['bldg'], jobs: 0, options: { lods: null } };
    for (const [what, args] of [
      ['scan and deflate', (zip: string) => ['scan', zip]],
      ['convert', (zip: string) => ['run', zip, JSON.stringify(run)]],
    ] as const) {
      const spent: [number[], number[]] = [[], []];
      for (let pair = 0; pair < pairs; pair++) {
        for (const n of pair % 2 === 0 ? [0, 1] : [1, 0]) {
          spent[n]!.push((await measure(args(zips[n]!))).cpu);
        }
      }
      const ratios = spent[0].map((two, pair) => two / spent[1][pair]!);
      const [median2, median3] = spent.map((all) => quantile(all, 0.5).toFixed(2));
      const [low, middle, high] = [0, 0.5, 1].map((part) => quantile(ratios, part).toFixed(2));
      const columns = ['speed of 3.0 beside 2.0', 'single pairs', 'CPU s of 2.0', 'CPU s of 3.0'];
      show(`sample city of 4,000 buildings, ${pairs} pairs by turns`, columns, [
        [what, middle!, `${low} to ${high}`, median2!, median3!],
      ]);
    }
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

function figures({ seconds, cpu, peak }: Measured): string[] {
  return [seconds.toFixed(1), cpu.toFixed(1), String(Math.round(peak))];
}

/** `cores`: those that the process may use, as `taskset` takes them; null for all. */
async function measure(args: string[], cores: string | null = null): Promise<Measured> {
  const node = [process.execPath, SELF, ...args];
  const [program, ...rest] = cores === null ? node : ['taskset', '-c', cores, ...node];
  const { stdout, stderr } = await promisify(execFile)(program!, rest, { maxBuffer: 1 << 28 });
  if (stderr !== '') console.error(stderr);
  return JSON.parse(stdout) as Measured;
}

/** Says what this process has taken since `started`. */
function tell(started: number, before: NodeJS.CpuUsage, report: Measured['report']): void {
  const { user, system } = process.cpuUsage(before);
  // `maxRSS` would be that of the process that started this one, where that is higher.
  const status = readFileSync('/proc/self/status', 'utf8');
  const peak = (1_024 * Number(/VmHWM:\s+(\d+) kB/.exec(status)![1])) / 1e6;
  const measured: Measured = {
    seconds: (performance.now() - started) / 1_000,
    cpu: (user + system) / 1e6,
    peak,
    report,
  };
  process.stdout.write(JSON.stringify(measured));
}

async function scan(zip: string): Promise<void> {
  await using source = await openSource(addressOf(zip), null);
  const [started, before] = [performance.now(), process.cpuUsage()];
  const memory = new GmlPassMemory();
  for (const { path } of gmlFilesOf(source).filter(({ type }) => type === 'bldg')) {
    await passGml(source.read(path), {
      path,
      level: 6,
      crc32: null,
      memory,
      observers: [],
      issue() {},
      onBytes() {},
    });
  }
  tell(started, before, null);
}

async function run(zip: string, { types, jobs, options }: Run): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'citymodel-bench-'));
  try {
    const [started, before] = [performance.now(), process.cpuUsage()];
    const report = await convertZip(zip, directory, {
      options: { lods: [1], ...options },
      request: { types, jobs },
      environment: { threadModule: BUILT_THREAD },
    });
    const out = readdirSync(join(directory, 'out'));
    if (out.some((name) => statSync(join(directory, 'out', name)).size === 0))
      throw new Error('a package is empty');
    tell(started, before, { packages: report.packages, bytes: report.bytes });
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

function addressOf(path: string): SourceAddress {
  return { kind: 'upload', path, overrides: {} };
}
