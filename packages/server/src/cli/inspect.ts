import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import {
  CHECKS,
  htmlReport,
  type InspectReport,
  joinFiles,
  officialFiles,
  openPackage,
  placesOf,
  readObjectList,
  reportOf,
  SheetRefused,
  type Spec,
} from '@citymodel/inspect';
import { bufferSource } from '@citymodel/zip';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { type Progress, ProgressLine } from '../base/progress.ts';
import { inspectSourceOf, objectListIn } from '../convert/inspect-source.ts';
import { openSource, type PackageSource, type SourceAddress } from '../convert/package-source.ts';
import { PackageRefused } from '../ingest/upload.ts';
import { type InspectWork, inspectFiles, openWork } from '../service/inspect-work.ts';
import { wholeNumber } from './arguments.ts';
import { threads } from './convert.ts';
import { type Column, renderTable } from './table.ts';

/** Checks that compare files with XML schemas. */
const SCHEMA_CODES: readonly string[] = ['L02', 'L02.order'];

interface InspectFlags {
  spec?: string;
  objects?: string;
  plane?: number;
  checks?: string[];
  jobs: number;
  schema: boolean;
  json: boolean;
  csv?: string;
  geojson?: string;
  html?: string;
}

export function addInspect(program: Command): void {
  program
    .command('inspect')
    .description(
      'Check CityGML packages by the official rules of quality. The exit code is 0 for no errors, 1 for errors, 2 ' +
        'for a package that cannot be inspected.',
    )
    .argument('<package...>', 'zips or directories')
    .addOption(
      new Option('--spec <number>', 'product specification; found from the data unless given').choices([
        '4',
        '6',
      ]),
    )
    .option('--objects <file>', 'object list (xlsx); that in the package unless given')
    .option('--plane <epsg>', 'EPSG code of the plane system; by the municipality unless given', epsgCode)
    .option('--checks <list>', 'only these checks, with commas between: L04,bldg.lod1.closed', checkCodes)
    .option(
      '--no-schema',
      'leave out the comparison with XML schemas (L02), which reads every file once more',
    )
    .option('--jobs <n>', 'number of threads', wholeNumber(1, 64), threads())
    .option('--json', 'print the report as JSON', false)
    .option('--csv <dir>', 'write the official tables and summaries to this directory')
    .option('--geojson <file>', 'write all places with findings as GeoJSON')
    .option('--html <file>', 'write a report to read and to print')
    .action((packages: string[], flags: InspectFlags) => runInspect(packages, flags));
}

function epsgCode(text: string): number {
  const value = Number(text.replace(/^EPSG:/i, ''));
  if (!Number.isInteger(value) || value < 1000) {
    throw new InvalidArgumentError('It must be a code such as 6677 or EPSG:6677.');
  }
  return value;
}

function checkCodes(text: string): string[] {
  const codes = text.split(',').map((code) => code.trim());
  const unknown = codes.filter((code) => !CHECKS.some((check) => check.code === code));
  if (unknown.length > 0) {
    throw new InvalidArgumentError(`There is no check ${unknown.join(', ')}.`);
  }
  return codes;
}

async function runInspect(packages: string[], flags: InspectFlags): Promise<void> {
  const stop = new AbortController();
  const onSignal = () => stop.abort(new Error('stopped'));
  process.once('SIGINT', onSignal).once('SIGTERM', onSignal);
  const line = new ProgressLine(process.stderr);
  const reports: InspectReport[] = [];
  try {
    for (const path of packages) {
      const report = await inspectOne(path, flags, stop.signal, (now) => line.update(now));
      line.clear();
      reports.push(report);
      await writeFiles(report, flags, packages.length > 1);
      if (!flags.json) print(report);
      if (!report.ok) process.exitCode = 1;
    }
  } catch (error) {
    line.clear();
    process.exitCode = stop.signal.aborted ? 130 : 2;
    if (stop.signal.aborted) console.error('citymodel: the inspection was stopped.');
    else if (isRefusal(error)) console.error(`citymodel: ${error.message}`);
    else throw error;
  } finally {
    process.off('SIGINT', onSignal).off('SIGTERM', onSignal);
    if (flags.json)
      console.log(JSON.stringify(packages.length > 1 ? reports : (reports[0] ?? null), null, 2));
  }
}

function isRefusal(error: unknown): error is Error {
  if (error instanceof PackageRefused || error instanceof SheetRefused || error instanceof RangeError)
    return true;
  return error instanceof Error && 'syscall' in error;
}

async function inspectOne(
  path: string,
  flags: InspectFlags,
  signal: AbortSignal,
  onProgress: (now: Progress) => void,
): Promise<InspectReport> {
  const address: SourceAddress = { kind: 'upload', path, overrides: {}, isNameless: true };
  await using opened = await openSource(address, null);
  const { source, outside } = inspectSourceOf(opened);
  const isWanted = (code: string) =>
    (flags.checks?.includes(code) ?? true) && (flags.schema || !SCHEMA_CODES.includes(code));
  const codes = CHECKS.map(({ code }) => code).filter(isWanted);
  const objects = await objectsFor(flags, opened);
  const { spec, plane } = await openPackage(source, {
    ...(flags.spec === undefined ? {} : { spec: Number(flags.spec) as Spec }),
    ...(flags.plane === undefined ? {} : { plane: flags.plane }),
  });
  const work: InspectWork = {
    address,
    spec,
    plane,
    objects: objects?.bytes ?? null,
    checks: codes,
  };
  const { context, checks } = await openWork(work, source);
  const total = source.files.reduce((sum, { bytes }) => sum + bytes, 0);
  let done = 0;
  const files = await inspectFiles(work, source, flags.jobs, signal, (bytes, member) => {
    done += bytes;
    onProgress({ label: source.name, phase: 'reading', done, total, member });
  });
  const ofPackage = await joinFiles(files, source, checks, context, { signal, onText: () => {} });
  const used = objects?.bytes === null ? null : (objects?.name ?? null);
  const objectsRefusal = objects?.refusal == null ? null : `${objects.name} is not used: ${objects.refusal}`;
  const report = reportOf({
    name: source.name,
    context,
    objectsName: used,
    objectsRefusal,
    files,
    ofPackage,
    outside,
    checks,
  });
  if (!flags.schema) {
    report.skipped.push({ file: null, reason: 'Files were not compared with XML schemas (L02).', count: 1 });
    report.complete = false;
  }
  return report;
}

interface ChosenObjects {
  /** Null when the package's own list cannot be used; `refusal` says why. */
  bytes: Uint8Array | null;
  name: string;
  refusal: string | null;
}

/**
 * The object list that is named, else that of the package; null where there is none. Throws SheetRefused for one that
 * is named and cannot be read; one of the package only goes unused, since lists of earlier years have another form.
 */
async function objectsFor({ objects }: InspectFlags, opened: PackageSource): Promise<ChosenObjects | null> {
  if (objects !== undefined)
    return { name: basename(objects), bytes: await readFile(objects), refusal: null };
  const found = await objectListIn(opened);
  if (found === null) return null;
  try {
    await readObjectList(bufferSource(found.bytes));
    return { ...found, refusal: null };
  } catch (error) {
    if (!(error instanceof SheetRefused)) throw error;
    return { name: found.name, bytes: null, refusal: error.message };
  }
}

/** Reports of several packages lie in directories, and files begin with the name, of each. */
async function writeFiles(
  report: InspectReport,
  flags: InspectFlags,
  isOneOfSeveral: boolean,
): Promise<void> {
  if (flags.csv !== undefined) {
    const directory = isOneOfSeveral ? join(flags.csv, report.package) : flags.csv;
    await mkdir(directory, { recursive: true });
    for (const { name, text } of officialFiles(report)) await writeFile(join(directory, name), text);
  }
  const fileFor = (path: string) =>
    isOneOfSeveral ? join(dirname(path), `${report.package}_${basename(path)}`) : path;
  if (flags.geojson !== undefined) await writeFile(fileFor(flags.geojson), JSON.stringify(placesOf(report)));
  if (flags.html !== undefined) await writeFile(fileFor(flags.html), htmlReport(report));
}

const COLUMNS: readonly Column[] = [
  { title: 'check' },
  { title: 'severity' },
  { title: 'found', align: 'right' },
  { title: 'name' },
  { title: 'first in' },
];

function print(report: InspectReport): void {
  const { package: name, spec, plane, objects, files, skipped, checks } = report;
  console.log(
    `${name}: ${files.length} files, product specification ${spec}, plane EPSG:${plane}, object list ` +
      `${objects ?? 'none'}`,
  );
  const found = checks.filter(({ errors }) => errors > 0);
  if (found.length > 0) {
    const rows = found.map(({ code, severity, errors, name: words, items }) => [
      code,
      severity,
      String(errors),
      words,
      items[0]?.file ?? '',
    ]);
    console.log(renderTable(COLUMNS, rows));
  }
  for (const { file, reason, count } of skipped) {
    console.log(
      `not looked at: ${file === null ? '' : `${file}: `}${reason}${count > 1 ? ` (${count} times)` : ''}`,
    );
  }
  const quiet = checks.length - found.length;
  const verdict = report.ok
    ? report.complete
      ? 'No errors'
      : 'No errors in what was looked at'
    : 'There are errors';
  console.log(`${verdict}; ${quiet} checks found nothing.`);
}
