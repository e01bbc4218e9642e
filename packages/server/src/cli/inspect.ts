import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import {
  CHECKS,
  htmlReport,
  type InspectReport,
  officialFiles,
  placesOf,
  SchemasRefused,
  SheetRefused,
  type Spec,
  type XsdFile,
} from '@citymodel/inspect';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { ProgressLine, type ProgressSink } from '../base/progress.ts';
import { PackageRefused } from '../ingest/upload.ts';
import { inspectPackage } from '../inspection/inspect-package.ts';
import { readSchemaFolder } from '../inspection/schema-folder.ts';
import { wholeNumber } from './arguments.ts';
import { threads } from './convert.ts';
import { printJson } from './print-json.ts';
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
  schemas?: string;
  json: boolean;
  csv?: string;
  geojson?: string;
  html?: string;
  official: boolean;
  likeUpstream: boolean;
  served: boolean;
  queue: boolean;
}

export function addInspect(program: Command): void {
  program
    .command('inspect')
    .description(
      'Check CityGML packages by the official rules of quality. The exit code is 0 for no errors, 1 for errors, 2 ' +
        'for a package that cannot be inspected.',
    )
    .argument('<package...>', 'zips or directories; with --served names of packages')
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
    .option(
      '--schemas <dir>',
      'compare files with the XSDs of this directory (L02) in place of the schemas that the program knows',
    )
    .option('--official', 'leave out our own rules, which warn beyond the official ones', false)
    .option(
      '--like-upstream',
      'repeat what the official program does wrong; docs/inspecting.md lists it',
      false,
    )
    .option('--jobs <n>', 'number of threads', wholeNumber(1, 64), threads())
    .option('--json', 'print the report as JSON', false)
    .option('--csv <dir>', 'write the official tables and summaries to this directory')
    .option('--geojson <file>', 'write all places with findings as GeoJSON')
    .option('--html <file>', 'write a report to read and to print')
    .option('--served', 'inspect packages of the catalogue, and keep what is found with them', false)
    .option('--queue', 'with --served: queue jobs, which a `citymodel worker` does, and print the ids', false)
    .action((packages: string[], flags: InspectFlags) => runInspect(packages, flags));
}

/** Options of inspections of files alone. */
const UNSERVED = ['spec', 'objects', 'plane', 'checks', 'schemas', 'csv', 'geojson', 'html'] as const;

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
  if (flags.queue && !flags.served) {
    console.error('citymodel: --queue is for packages of the catalogue; give --served with it.');
    process.exitCode = 2;
    return;
  }
  if (flags.served) {
    const unused = UNSERVED.filter((key) => flags[key] !== undefined);
    if (unused.length > 0 || !flags.schema) {
      const named = [...unused, ...(flags.schema ? [] : ['no-schema'])].map((key) => `--${key}`).join(', ');
      console.error(`citymodel: ${named} does not work with --served: what is kept is the whole inspection.`);
      process.exitCode = 2;
      return;
    }
    const { inspectServed } = await import('./inspect-served.ts');
    return inspectServed(packages, { queue: flags.queue, json: flags.json, threads: flags.jobs });
  }
  if (flags.schemas !== undefined && !flags.schema) {
    console.error('citymodel: --schemas and --no-schema exclude each other.');
    process.exitCode = 2;
    return;
  }
  const stop = new AbortController();
  const onSignal = () => stop.abort(new Error('stopped'));
  process.once('SIGINT', onSignal).once('SIGTERM', onSignal);
  const line = new ProgressLine(process.stderr);
  const reports: InspectReport[] = [];
  try {
    const schemas = flags.schemas === undefined ? null : await ownSchemas(flags.schemas);
    for (const path of packages) {
      const report = await inspectOne(path, flags, schemas, stop.signal, (now) => line.update(now));
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
    if (flags.json) await printJson(packages.length > 1 ? reports : (reports[0] ?? null), process.stdout);
  }
}

interface NamedSchemas {
  name: string;
  files: XsdFile[];
}

async function ownSchemas(directory: string): Promise<NamedSchemas> {
  return { name: basename(resolve(directory)), files: await readSchemaFolder(directory) };
}

const REFUSALS = [PackageRefused, SheetRefused, SchemasRefused, RangeError];

function isRefusal(error: unknown): error is Error {
  if (REFUSALS.some((kind) => error instanceof kind)) return true;
  return error instanceof Error && 'syscall' in error;
}

async function inspectOne(
  path: string,
  flags: InspectFlags,
  schemas: NamedSchemas | null,
  signal: AbortSignal,
  onProgress: ProgressSink,
): Promise<InspectReport> {
  const isWanted = (code: string) =>
    (flags.checks?.includes(code) ?? true) && (flags.schema || !SCHEMA_CODES.includes(code));
  const report = await inspectPackage(
    { kind: 'upload', path, overrides: {}, isNameless: true },
    {
      checks: CHECKS.filter(({ isOwn }) => !(flags.official && isOwn === true))
        .map(({ code }) => code)
        .filter(isWanted),
      likeUpstream: flags.likeUpstream,
      ...(flags.spec === undefined ? {} : { spec: Number(flags.spec) as Spec }),
      ...(flags.plane === undefined ? {} : { plane: flags.plane }),
      ...(schemas === null ? {} : { schemas }),
      ...(flags.objects === undefined
        ? {}
        : { objects: { name: basename(flags.objects), bytes: await readFile(flags.objects) } }),
      threads: flags.jobs,
      signal,
      onProgress,
    },
  );
  if (!flags.schema) {
    report.skipped.push({ file: null, reason: 'Files were not compared with XML schemas (L02).', count: 1 });
    report.complete = false;
  }
  return report;
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
  const { package: name, spec, plane, objects, schemas, files, skipped, checks } = report;
  console.log(
    `${name}: ${files.length} files, product specification ${spec}, plane EPSG:${plane}, object list ` +
      `${objects ?? 'none'}${schemas === undefined ? '' : `, XSDs of ${schemas}`}`,
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
