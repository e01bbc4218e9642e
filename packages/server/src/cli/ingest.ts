import { mkdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { packageKindLabel, sharedNow } from '@citymodel/base';
import { specEdition } from '@citymodel/citygml';
import type { JobStore } from '@citymodel/store';
import { type Command, InvalidArgumentError } from 'commander';
import { formatBytes, formatDuration, type Progress, ProgressLine } from '../base/progress.ts';
import { readSettings, type Settings } from '../base/settings.ts';
import { keepYoungSpaceSmall } from '../base/small-heap.ts';
import type { Overrides } from '../ingest/identify.ts';
import { type IngestContext, type IngestOptions, ingest } from '../ingest/ingest.ts';
import { findUploads, type UploadPath } from '../ingest/open-upload.ts';
import type { IngestQuality, IngestReport } from '../ingest/report.ts';
import { queuePictures } from '../jobs/kinds/pictures.ts';
import { sweepStores } from '../jobs/kinds/sweep.ts';
import { tablesJob } from '../jobs/kinds/tables.ts';
import { addAdopt, wholeNumber } from './arguments.ts';
import { languageOf } from './language.ts';
import { countsLine, issueLines, refusalLine } from './print-issues.ts';
import { type QueueFlags, queueUploads, refuseRemote } from './queue.ts';
import { storesOf } from './stores.ts';
import { renderTable } from './table.ts';

/** Entries of directories that are no packages, as they are printed. */
const PRINTED_PASSED_OVER = 20;

interface IngestFlags extends Overrides, QueueFlags {
  assetPath?: string;
  replace: boolean;
  dryRun: boolean;
  namesOnly?: boolean;
  level: number;
  json: boolean;
  /** Only the table at the end is printed. */
  summary?: boolean;
  /** Convert CityGML packages, too. */
  tiles?: boolean;
  adopt?: boolean;
  /** Ask for jobs instead. */
  queue?: boolean;
  inspect?: boolean;
}

export function addIngest(program: Command): void {
  const command = program
    .command('ingest')
    .description('Ingest packages: CityGML, 3D Tiles or MVT, as zips, directories or PMTiles files.')
    .argument('<path...>', 'zips, package directories, PMTiles files, or a directory that holds such uploads')
    .option('--dry-run', 'read everything, report what ingesting it would, and publish nothing', false)
    .option(
      '--names-only',
      'report in a moment what the names of the files say; no file is read, and nothing is published',
    )
    .option(
      '--replace',
      'ingest even if a newer revision, or the same revision with other content, is live',
      false,
    )
    .option('--inspect', 'then inspect CityGML by the official rules of quality, and keep what is found')
    .option('--queue', 'queue a job for each package, which a `citymodel worker` does, and print the ids')
    .option('--wait', 'with --queue: show the jobs until all have ended')
    .option(
      '--upload',
      'with --queue: put the files into the object store, for workers that do not see these paths',
    )
    .option('--tiles', 'also convert CityGML packages to 3D Tiles and vector tiles', false)
    .option('--json', 'print the report as JSON', false)
    .option('--level <1-9>', 'deflate level for text that is compressed here', wholeNumber(1, 9), 6)
    .option('--name <name>', 'name of the package, in place of the file name', directoryName)
    .option(
      '--code <code>',
      'municipality code (5 digits) or prefecture code (2); outside of Japan one that you choose',
    )
    .option('--year <year>', 'fiscal year of production', wholeNumber(1900, 2999))
    .option('--registration-year <year>', 'fiscal year of registration', wholeNumber(1900, 2999))
    .option('--provider <provider>', 'city, pref or another', word)
    .option('--revision <revision>', 'revision of the package', text)
    .option('--spec <version>', 'version of the product specification, such as 4.1', specVersion)
    .option('--license <text>', 'licence of the data', text)
    .option('--pref <name>', 'name of the prefecture; outside of Japan of the state', text)
    .option('--city <name>', 'name of the municipality', text)
    .option('--ward <name>', 'name of the ward', text)
    .option('--ward-code <code>', 'code of the ward', wardCode)
    .option('--type <code>', 'feature type of a tile package', word)
    .option('--lod <n>', 'LOD of a tile package', wholeNumber(0, 4))
    .option('--texture', 'the tiles are textured')
    .option('--no-texture', 'the tiles are not textured')
    .option('--interior', 'the tiles are an indoor model')
    .option('--asset-path <path>', 'asset path of a mirrored package, {2 hex}/{rest of an id}', assetPath);
  addAdopt(command).action((paths: string[], flags: IngestFlags) =>
    runIngest(paths, flags, readSettings(process.env)),
  );
}

/**
 * Ingests what the paths name, each whatever becomes of the others, and prints what came of it; sets the exit code to 1
 * when something was refused or failed.
 */
export async function runIngest(paths: string[], flags: IngestFlags, settings: Settings): Promise<void> {
  if (flags.queue !== true) refuseRemote(paths);
  const passedOver: string[] = [];
  const uploads = await findUploads(paths, (path) => passedOver.push(path));
  if (passedOver.length > 0) console.error(passedOverLine(passedOver));
  if (uploads.length > 1 && (flags.name !== undefined || flags.assetPath !== undefined)) {
    console.error('citymodel: --name and --asset-path are for one package; give one path.');
    process.exitCode = 2;
    return;
  }
  if (flags.queue === true && flags.tiles === true) {
    console.error(
      'citymodel: --tiles does not work with --queue; queue the conversion by `citymodel convert --queue`.',
    );
    process.exitCode = 2;
    return;
  }
  if (flags.queue === true && flags.inspect === true) {
    console.error('citymodel: --inspect does not work with --queue; set INSPECT=published for the workers.');
    process.exitCode = 2;
    return;
  }
  if (flags.queue === true && flags.namesOnly === true) {
    console.error(
      'citymodel: --names-only does not work with --queue; names are looked at here, in a moment.',
    );
    process.exitCode = 2;
    return;
  }
  if (flags.queue === true) return queueUploads(uploads, flags, settings);
  keepYoungSpaceSmall();
  const stagingDir = join(resolve(settings.DATA_DIR), 'staging');
  const stores = await storesOf(settings, flags);
  await mkdir(stagingDir, { recursive: true });
  const line = new ProgressLine(process.stderr);
  const reports: IngestReport[] = [];
  const refused = await refusedBy(settings);
  try {
    await sweepStores(stores, settings);
    for (const upload of uploads) {
      const context = { ...stores, stagingDir, now: () => new Date() };
      const report = await ingestOne(upload, flags, context, line, refused);
      reports.push(report);
      await queueTables(report, stores.jobs, settings);
      await queuePictures([report], stores.jobs, settings);
      line.clear();
      if (!flags.json && flags.summary !== true) printReport(report);
    }
  } finally {
    line.clear();
    if (flags.json) console.log(JSON.stringify(reports, null, 2));
    await stores.close();
  }
  if (!flags.json && reports.length > 1) console.log(`\n${summaryTable(reports)}`);
  if (reports.some(({ outcome }) => outcome === 'refused' || outcome === 'failed')) process.exitCode = 1;
  if (flags.dryRun || flags.namesOnly === true) return;
  const ids = reports.flatMap(({ package: pkg, refusal }) =>
    pkg?.kind === 'citygml' && refusal === null && pkg.id !== null ? [pkg.id] : [],
  );
  const quiet = flags.json || flags.summary === true;
  if (flags.inspect === true) {
    const { inspectPublished } = await import('./inspect-served.ts');
    const code = process.exitCode;
    await inspectPublished(ids, settings, { quiet, threads: 0 });
    // Errors of a package that was published are no failure of its ingestion.
    process.exitCode = code;
  }
  if (flags.tiles !== true) return;
  const { convertServed } = await import('./convert.ts');
  await convertServed(ids, settings, { quiet });
}

/** Queues the tables of what was published, for a server or a worker. */
async function queueTables(
  { outcome, package: pkg }: IngestReport,
  jobs: Pick<JobStore, 'enqueue'>,
  settings: Settings,
): Promise<void> {
  const isNew = outcome === 'published' || outcome === 'replaced';
  if (settings.TABLES === 'off' || !isNew || pkg?.kind !== 'citygml' || pkg.id === null) return;
  await jobs.enqueue([tablesJob({ id: pkg.id, name: pkg.name }, settings.JOB_ATTEMPTS)], sharedNow());
}

/** Names what lies beside packages in a directory and is none, so that nobody takes it for published. */
function passedOverLine(paths: readonly string[]): string {
  const shown = paths.slice(0, PRINTED_PASSED_OVER).join(', ');
  const more = paths.length > PRINTED_PASSED_OVER ? ` and ${paths.length - PRINTED_PASSED_OVER} more` : '';
  return `citymodel: ${paths.length} entries are no packages and were left out: ${shown}${more}.`;
}

/** What the operator refuses of quality; inspections are loaded for those alone who do. */
async function refusedBy({ REFUSE_FINDINGS }: Settings): Promise<Pick<IngestOptions, 'refuses'>> {
  if (REFUSE_FINDINGS === '') return {};
  const { refusedFindings } = await import('../inspection/refused-findings.ts');
  return refusedFindings(REFUSE_FINDINGS);
}

async function ingestOne(
  path: UploadPath,
  flags: IngestFlags,
  context: IngestContext,
  line: ProgressLine,
  refused: Pick<IngestOptions, 'refuses'>,
): Promise<IngestReport> {
  const options = {
    ...refused,
    overrides: flags,
    ...(flags.assetPath === undefined ? {} : { assetPath: flags.assetPath }),
    replace: flags.replace,
    until: flags.namesOnly === true ? 'identify' : flags.dryRun ? 'describe' : 'publish',
    level: flags.level,
    onProgress: (progress: Progress) => line.update(progress),
    onFault: (error: unknown) => console.error(error),
  } as const;
  return ingest(path, context, options);
}

function printReport(report: IngestReport): void {
  const { package: pkg, issueCounts } = report;
  const language = languageOf(process.env);
  if (report.refusal !== null) {
    const outcome = report.outcome === 'failed' ? 'failed' : 'refused';
    console.log(`✗ ${report.upload}\n  ${refusalLine(outcome, report.refusal, language)}`);
  } else if (pkg !== null) {
    const what = {
      published: 'new',
      replaced: 'replaces another revision',
      unchanged: 'is live already, nothing to do',
      understood: 'dry run: all of it was read, nothing was published',
      named: 'names only: no file was read, and nothing is said of what is in them',
      refused: '',
      failed: '',
    };
    console.log(`✓ ${pkg.name}  ${what[report.outcome]}`);
    const where = [pkg.pref, pkg.city, pkg.ward].filter(Boolean).join(' ');
    console.log(
      `  ${where} (${pkg.wardCode ?? pkg.cityCode}), ${pkg.year}, ${packageKindLabel(pkg.kind)}: ` +
        `${pkg.types.join(', ')}` +
        `${pkg.lod === null ? '' : `, LOD ${pkg.lod}`}${pkg.texture === true ? ', textured' : ''}`,
    );
    if (report.outcome === 'named')
      console.log(`  ${pkg.kind === 'citygml' ? `${pkg.files} GML files` : `${pkg.files} files`}`);
    else {
      const features = pkg.kind === 'citygml' ? ` GML files, ${pkg.features} features` : ' tiles';
      console.log(
        `  ${pkg.files}${features}; specification ${pkg.spec}; licence ${pkg.license ?? 'not stated'}; registered ` +
          `${pkg.registrationYear}`,
      );
    }
    if (report.outcome === 'published' || report.outcome === 'replaced') {
      const rate = report.seconds > 0 ? `, ${formatBytes(report.bytes / report.seconds)}/s` : '';
      console.log(
        `  ${formatBytes(report.bytes)} in, archive ${formatBytes(pkg.archiveSize ?? 0)}, ` +
          `${formatDuration(report.seconds)}${rate}`,
      );
    }
    if (report.guessed.length > 0) console.log(`  guessed: ${report.guessed.join(', ')}`);
  }
  if (report.quality != null) printQuality(report.quality);
  if (report.issues.length > 0) {
    console.log(`  ${countsLine(issueCounts, language)}`);
    for (const line of issueLines(report.issues, language)) console.log(`    ${line}`);
  } else if (report.outcome === 'understood') console.log(language === 'ja' ? '  指摘なし' : '  no issues');
}

/** What the checks of quality found while the package was read: sums by check, and the first places of each. */
function printQuality({ spec, errors, warnings, checks }: IngestQuality): void {
  console.log(
    `  quality (specification ${spec}, checks without geometry): ${errors} errors, ${warnings} warnings; ` +
      '`citymodel inspect` looks at all',
  );
  for (const { code, title, severity, errors: found, places } of checks) {
    console.log(`    ${severity} ${code} ${title.en}: ${found}`);
    for (const { file, line, message } of places.slice(0, 1)) {
      console.log(
        `      ${[file, line === null ? null : `line ${line}`].filter(Boolean).join(', ')}: ${message}`,
      );
    }
  }
}

function summaryTable(reports: readonly IngestReport[]): string {
  return renderTable(
    [
      { title: 'package' },
      { title: 'outcome' },
      { title: 'types' },
      { title: 'files', align: 'right' },
      { title: 'features', align: 'right' },
      { title: 'archive', align: 'right' },
      { title: 'errors', align: 'right' },
      { title: 'warnings', align: 'right' },
      { title: 'notes', align: 'right' },
    ],
    reports.map((report) => [
      report.package?.name ?? report.upload,
      report.outcome,
      report.package?.types.join(',') ?? '',
      String(report.package?.files ?? ''),
      String(report.package?.features ?? ''),
      report.package?.archiveSize == null ? '' : formatBytes(report.package.archiveSize),
      String(report.issueCounts.error),
      String(report.issueCounts.warning),
      String(report.issueCounts.info),
    ]),
  );
}

function text(value: string): string {
  if (value.trim() === '') throw new InvalidArgumentError('It must not be empty.');
  return value;
}

/** Part of specs and of identities, which `-` and `/` divide. */
function word(value: string): string {
  if (!/^[a-z][a-z0-9]*$/.test(value)) {
    throw new InvalidArgumentError('It must be a word of small letters and digits, such as pref or bldg.');
  }
  return value;
}

/** One segment of a URL's path, and a directory in every zip. */
function directoryName(value: string): string {
  if (value.trim() === '' || /^\.{1,2}$|[/\\\p{Cc}]/u.test(value)) {
    throw new InvalidArgumentError('It must be the name of one directory, without slashes.');
  }
  return value;
}

function wardCode(value: string): string {
  if (!/^\d{5}$/.test(value)) throw new InvalidArgumentError('It must have 5 digits.');
  return value;
}

/** An edition as packages are listed by, as in metadata. */
function specVersion(value: string): string {
  if (!/^\d+(\.\d+)*$/.test(value)) throw new InvalidArgumentError('It must look like 4.1.');
  return specEdition(value);
}

function assetPath(text: string): string {
  if (!/^[0-9a-f]{2}\/[0-9A-Za-z-]{4,64}$/.test(text)) {
    throw new InvalidArgumentError('It must look like 59/984b81-8516-4e13-a8f5-2ca24e272c3e.');
  }
  return text;
}
