import { stat } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join, resolve } from 'node:path';
import { LODS, sharedNow } from '@citymodel/base';
import { isTypeCode } from '@citymodel/citygml';
import { SAMPLE_WARD_NAMES } from '@citymodel/sample';
import type { JobRow, Stores } from '@citymodel/store';
import { BadGrid, type ConvertOptions } from '@citymodel/tiles';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { type Progress, ProgressLine } from '../base/progress.ts';
import { readSettings, type Settings } from '../base/settings.ts';
import { type ConvertReport, convertPackage, planOnly } from '../convert/convert.ts';
import { convertAndIngest } from '../convert/convert-and-ingest.ts';
import type { SourceAddress } from '../convert/package-source.ts';
import { CONVERT_THREAD } from '../convert/thread-module.ts';
import { PackageRefused } from '../ingest/upload.ts';
import { convertJobs } from '../jobs/kinds/convert.ts';
import { queuePictures } from '../jobs/kinds/pictures.ts';
import { wholeNumber } from './arguments.ts';
import { printPlan, printReport } from './print-conversion.ts';
import { type AddressFlags, addressOf, exists, hostedRow } from './source-address.ts';
import { storesOf } from './stores.ts';
import { waitForJobs } from './wait-for-jobs.ts';

/** Threads unless asked for otherwise: more share the memory of all. */
const MAX_THREADS = 4;
/** Bytes of a package below which threads save no time: each loads the converter anew. */
const MIN_BYTES_FOR_THREADS = 1_000_000;

interface ConvertFlags extends AddressFlags {
  types?: string[];
  lods?: number[];
  out?: string;
  replace: boolean;
  jobs: number;
  tiles: ConvertOptions['tiles'];
  compression: ConvertOptions['compression'];
  slim: boolean;
  unlit: boolean;
  pmtiles: boolean;
  heights?: ConvertOptions['heights'];
  dryRun: boolean;
  queue: boolean;
  helpers: number;
  wait: boolean;
  json: boolean;
}

export function addConvert(program: Command): void {
  program
    .command('convert')
    .description(
      'Make 3D Tiles and vector tiles of CityGML packages. The same command continues a conversion that was stopped.',
    )
    .argument(
      '<package...>',
      'zips, directories or files of CityGML (.gml, .xml, .gz), or names of live packages',
    )
    .option('--types <list>', 'only these feature types, with commas between: bldg,tran', types)
    .option('--lods <list>', 'only these levels of detail, with commas between: 1,2', lods)
    .option('--out <dir>', 'write the packages of tiles to this directory')
    .option('--ingest', 'ingest the packages of tiles', false)
    .option('--replace', 'with --ingest: also replace tiles that this program did not make', false)
    .option('--jobs <n>', 'number of threads; 0 uses the main thread', wholeNumber(0, 64), threads())
    .addOption(new Option('--tiles <version>', 'version of 3D Tiles').choices(['1.0', '1.1']).default('1.1'))
    .addOption(
      new Option('--compression <kind>', 'compression of meshes')
        .choices(['draco', 'meshopt', 'none'])
        .default('draco'),
    )
    .option('--slim', 'leave out the column that holds all attributes as JSON', false)
    .option('--unlit', 'show textures as they are, without light and shade', false)
    .option('--pmtiles', 'write vector tiles as PMTiles files', false)
    .addOption(
      new Option(
        '--heights <model>',
        'how elevations become heights above the ellipsoid; the setting HEIGHTS where it is not given',
      ).choices(['geoid', 'egm96', 'elevation']),
    )
    .option('--queue', 'queue jobs in which workers convert live packages and ingest the tiles', false)
    .option(
      '--helpers <n>',
      'with --queue: number of further jobs that make parts of the package',
      wholeNumber(0, 64),
      0,
    )
    .option('--wait', 'with --queue: show the jobs until all have ended', false)
    .option('--dry-run', 'report what it would make of which files, and make nothing', false)
    .option('--json', 'print the report as JSON', false)
    .option('--name <name>', 'name of the package, in place of the file name')
    .option('--code <code>', 'code of the municipality; outside of Japan one that you choose')
    .option('--year <year>', 'fiscal year of production', wholeNumber(1900, 2999))
    .option('--pref <name>', 'name of the prefecture; outside of Japan of the state')
    .option('--city <name>', 'name of the municipality')
    .action((packages: string[], flags: ConvertFlags) =>
      runConvert(packages, flags, readSettings(process.env)),
    );
}

/** Threads of a conversion when nobody says how many. */
export function threads(): number {
  return Math.min(availableParallelism(), MAX_THREADS);
}

/**
 * Converts the packages one after the other; sets the exit code to 1 when one is refused or a file could not be
 * converted.
 */
async function runConvert(packages: string[], flags: ConvertFlags, settings: Settings): Promise<void> {
  const misfit = flags.queue || flags.ingest ? misfitOf(flags, settings) : null;
  if (misfit !== null) {
    console.error(`citymodel: ${misfit}`);
    process.exitCode = 2;
    return;
  }
  if (flags.queue) return queueConversions(packages, flags, settings);
  if (flags.out === undefined && !flags.ingest && !flags.dryRun) {
    console.error('citymodel: say where tiles go: --out DIR, --ingest or both.');
    process.exitCode = 2;
    return;
  }
  if (packages.length > 1 && flags.name !== undefined) {
    console.error('citymodel: --name is for one package; give one package.');
    process.exitCode = 2;
    return;
  }
  const stop = new AbortController();
  const onSignal = () => stop.abort(new Error('stopped'));
  process.once('SIGINT', onSignal).once('SIGTERM', onSignal);
  const line = new ProgressLine(process.stderr);
  const reports: unknown[] = [];
  let stores: Stores | null = null;
  try {
    for (const name of packages) {
      stores ??= flags.ingest || !(await exists(name)) ? await storesOf(settings) : null;
      const report = await convertNamed(name, flags, settings, stores, stop.signal, line).catch((error) => {
        // The next one may be good.
        if (!(error instanceof PackageRefused && refuses(error))) throw error;
        return null;
      });
      line.clear();
      if (report === null) continue;
      reports.push(report);
    }
  } catch (error) {
    line.clear();
    if (stop.signal.aborted) {
      console.error('citymodel: the conversion was stopped; the same command continues it.');
      process.exitCode = 130;
    } else if (!refuses(error)) throw error;
  } finally {
    line.clear();
    process.off('SIGINT', onSignal).off('SIGTERM', onSignal);
    await stores?.close();
    if (flags.json) console.log(JSON.stringify(reports, null, 2));
  }
}

async function convertNamed(
  name: string,
  flags: ConvertFlags,
  settings: Settings,
  stores: Stores | null,
  signal: AbortSignal,
  line: ProgressLine,
): Promise<unknown> {
  const address = await addressOf(name, flags, stores);
  return convertOne(address, flags, settings, stores, signal, (now) => line.update(now));
}

/** Says why a package or a geoid cannot be used, which ends a command with 1; false for any other error. */
function refuses(error: unknown): boolean {
  if (!(error instanceof PackageRefused || error instanceof BadGrid)) return false;
  console.error(`citymodel: ${error.message}`);
  process.exitCode = 1;
  return true;
}

/** Asks for a job per package, with helpers, and prints the ids. */
async function queueConversions(packages: string[], flags: ConvertFlags, settings: Settings): Promise<void> {
  const stores = await storesOf(settings);
  try {
    const jobs: JobRow[] = [];
    for (const name of packages) {
      const row = await hostedRow(name, stores);
      const choices = {
        types: flags.types ?? null,
        options: optionsOf(flags, settings),
        wardNames: SAMPLE_WARD_NAMES,
        replace: flags.replace,
        maxAttempts: settings.JOB_ATTEMPTS,
      };
      const rows = await stores.jobs.enqueue(convertJobs(row, choices, flags.helpers), sharedNow());
      jobs.push(...rows);
      if (!flags.json) for (const { id, label } of rows) console.log(`${id}  ${label}`);
    }
    const ended = flags.wait ? await waitForJobs(stores.jobs, jobs, process.stderr) : jobs;
    if (flags.json) console.log(JSON.stringify(ended, null, 2));
    if (ended.some(({ state }) => state === 'dead' || state === 'cancelled')) process.exitCode = 1;
  } catch (error) {
    if (!refuses(error)) throw error;
  } finally {
    await stores.close();
  }
}

async function convertOne(
  address: SourceAddress,
  flags: ConvertFlags,
  settings: Settings,
  stores: Stores | null,
  signal: AbortSignal,
  onProgress: (progress: Progress) => void,
): Promise<unknown> {
  const options = optionsOf(flags, settings);
  const dataDir = resolve(settings.DATA_DIR);
  const request = {
    address,
    options,
    types: flags.types ?? null,
    partsDirectory: join(dataDir, 'convert'),
    geoid: settings.GEOID,
    geoidDatum: settings.GEOID_DATUM,
    jobs: flags.jobs,
    share: null,
    wardNames: SAMPLE_WARD_NAMES,
  };
  if (flags.dryRun) {
    const plan = await planOnly(request, {
      objectStore: stores?.objects ?? null,
      signal,
      onProgress,
    });
    if (!flags.json) printPlan(plan);
    return plan;
  }
  const environment = {
    objectStore: stores?.objects ?? null,
    objects: { dataDir, databaseUrl: '', objectStore: settings.OBJECT_STORE },
    threadModule: CONVERT_THREAD,
    signal,
  };
  if (flags.out !== undefined) {
    const report = await convertPackage(
      { ...request, out: resolve(flags.out), isWanted: async () => true },
      { ...environment, onProgress },
    );
    if (!flags.ingest) {
      if (!flags.json) printReport(report);
      return report;
    }
  }
  const stagingDir = join(dataDir, 'staging');
  const report = await convertAndIngest(
    { ...request, replace: flags.replace, level: 6 },
    { ...environment, onProgress },
    { ...stores!, stagingDir, now: () => new Date() },
    (error) => console.error(error),
  );
  await queuePictures(report.ingested, stores!.jobs, settings);
  if (!flags.json) printReport(report);
  if (report.ingested.some(({ refusal }) => refusal !== null)) process.exitCode = 1;
  return report;
}

/**
 * Converts packages that are served, by their ids, and ingests the tiles, with the usual options; prints what came of
 * it unless `quiet`. A package that another one has replaced by now is passed over. Sets the exit code to 1 for one
 * that cannot be converted.
 */
export async function convertServed(
  ids: readonly string[],
  settings: Settings,
  { quiet = false, jobs = threads() }: { quiet?: boolean; jobs?: number } = {},
): Promise<void> {
  const stores = await storesOf(settings);
  const line = new ProgressLine(process.stderr);
  try {
    for (const id of ids) {
      const row = (await stores.catalogue.findPackages({ id })).find(({ state }) => state === 'live');
      // A later one of the same command may be its next revision.
      if (row === undefined) continue;
      const flags = { ...USUAL, jobs, json: quiet };
      await convertOne(
        { kind: 'hosted', row },
        flags,
        settings,
        stores,
        new AbortController().signal,
        (now) => line.update(now),
      );
      line.clear();
    }
  } catch (error) {
    line.clear();
    if (!refuses(error)) throw error;
  } finally {
    line.clear();
    await stores.close();
  }
}

/**
 * Converts packages in files to packages in a directory, with the usual options and without a word, small ones without
 * threads; gives the paths of those made.
 */
export async function convertFiles(
  paths: readonly string[],
  out: string,
  settings: Settings,
): Promise<string[]> {
  const line = new ProgressLine(process.stderr);
  const writtenPaths: string[] = [];
  try {
    for (const path of paths) {
      const { size } = await stat(path);
      const jobs = size < MIN_BYTES_FOR_THREADS ? 0 : threads();
      const flags: ConvertFlags = { ...USUAL, ingest: false, jobs, json: true, out };
      const address: SourceAddress = { kind: 'upload', path, overrides: {} };
      const { signal } = new AbortController();
      const report = await convertOne(address, flags, settings, null, signal, (now) => line.update(now));
      for (const { path: file } of (report as ConvertReport).packages)
        if (file !== null) writtenPaths.push(file);
      line.clear();
    }
  } finally {
    line.clear();
  }
  return writtenPaths;
}

/** As the options of the command are when none is given. */
const USUAL = {
  ingest: true,
  replace: false,
  tiles: '1.1',
  compression: 'draco',
  slim: false,
  unlit: false,
  pmtiles: false,
  dryRun: false,
  queue: false,
  helpers: 0,
  wait: false,
} as const satisfies Partial<ConvertFlags>;

function optionsOf(
  { tiles, compression, slim, unlit, pmtiles, lods, heights }: ConvertFlags,
  { HEIGHTS }: Pick<Settings, 'HEIGHTS'>,
): ConvertOptions {
  return { tiles, compression, slim, unlit, pmtiles, lods: lods ?? null, heights: heights ?? HEIGHTS };
}

/** Why tiles with these heights do not fit to those of the server; null where they do. */
function misfitOf({ heights }: ConvertFlags, { HEIGHTS }: Pick<Settings, 'HEIGHTS'>): string | null {
  if (heights === undefined || (heights === 'elevation') === (HEIGHTS === 'elevation')) return null;
  return (
    `--heights ${heights} does not fit to the other tiles of this server, whose setting HEIGHTS is ${HEIGHTS}. ` +
    'Change the setting and convert all packages, or write the tiles to a directory (--out).'
  );
}

function types(text: string): string[] {
  const list = text.split(',').map((type) => type.trim());
  const wrong = list.find((type) => !isTypeCode(type));
  if (wrong !== undefined)
    throw new InvalidArgumentError(`${JSON.stringify(wrong)} is no feature type such as bldg.`);
  return list;
}

function lods(text: string): number[] {
  const list = text.split(',').map(Number);
  if (!list.every((lod) => LODS.some((level) => level === lod))) {
    throw new InvalidArgumentError('It must be numbers from 0 to 4 with commas between.');
  }
  return list;
}
