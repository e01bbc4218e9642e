/** Converts one package: plans, makes the parts that are missing, joins all into packages. */
import { join } from 'node:path';
import { REVISION_NAME } from '@citymodel/geo';
import type { ObjectStore } from '@citymodel/store';
import {
  addTo,
  type ConvertIssue,
  type ConvertOptions,
  type GeoidDatum,
  gridFor,
  type HeightGrid,
  IssueCounter,
  type OutputKey,
} from '@citymodel/tiles';
import { VERSION } from '../base/version.ts';
import type { Overrides } from '../ingest/identify.ts';
import { AccountBook, type ConversionAccount, joinIssues, NOT_ASKED } from './conversion-account.ts';
import { systemFailure } from './conversion-failed.ts';
import { MAKERS, makerOf } from './makers.ts';
import { gmlFilesOf, openSource, type PackageSource, type SourceAddress } from './package-source.ts';
import { partStoreOf } from './part-store.ts';
import {
  type ForeseenOutput,
  foreseeOutputs,
  type MadePart,
  type PlannedJoin,
  planConversion,
  planJoins,
  type WardNames,
} from './plan.ts';
import type { PartTask } from './work.ts';
import { openPool } from './work-pool.ts';

export interface ConvertRequest {
  address: SourceAddress;
  options: ConvertOptions;
  /** Only these feature types; null for all. */
  types: readonly string[] | null;
  /** Directory that packages are written to. */
  out: string;
  /** Directory that keeps parts between conversions. */
  partsDirectory: string;
  /** Setting GEOID. */
  geoid: string;
  /** Setting GEOID_DATUM; absent for JGD2011. */
  geoidDatum?: GeoidDatum;
  /** Threads; 0 works in this one. */
  jobs: number;
  /**
   * Other workers make parts of the same conversion: this is number `index` of `count`. Number 0 joins them, the others make parts
   * only. Null for a conversion by itself.
   */
  share: Share | null;
  /** All workers have this `partsDirectory`: parts need not go through the object store. */
  isOneDisk?: boolean;
  /** Says whether a package is made; others are reported as kept. */
  isWanted: (output: { key: OutputKey; name: string }) => Promise<boolean>;
  wardNames?: WardNames;
}

export interface Share {
  index: number;
  count: number;
}

export interface ConvertEnvironment {
  /** Has the archive of a hosted package; null for uploads. */
  objectStore: ObjectStore | null;
  /** With what threads open that store; JSON. */
  objects: unknown;
  /** Module that calls `serveThread`. */
  threadModule: URL;
  signal: AbortSignal;
  onProgress(progress: ConvertProgress): void;
}

export interface ConvertProgress {
  /** Name of the package. */
  label: string;
  phase: 'reading' | 'converting' | 'joining';
  /** Bytes of GML text. */
  done: number;
  total: number;
}

export interface MadePackage {
  key: OutputKey;
  /** Its name without `.zip`. */
  name: string;
  /** The file; null for one that was not made, because another one was to be kept. */
  path: string | null;
  bytes: number;
  members: number;
  features: number;
}

export interface ConvertReport {
  package: string;
  /** See `PackageSource.said`. */
  said: Overrides;
  packages: MadePackage[];
  issues: ConvertIssue[];
  /** What went in and came out; null for a worker that only makes parts. */
  account: ConversionAccount | null;
  /** Parts in all, and those that were there from before. */
  parts: number;
  reused: number;
  /** Bytes of GML text. */
  bytes: number;
  seconds: number;
}

/** What a conversion would make. */
export interface ConversionPlan {
  package: string;
  parts: number;
  /** By name. */
  outputs: ForeseenOutput[];
}

/** What a conversion would make, by looking through the texts, without making it. Throws PackageRefused, BadGrid, and the reason of the signal. */
export async function planOnly(
  request: Pick<ConvertRequest, 'address' | 'options' | 'types' | 'geoid' | 'geoidDatum' | 'wardNames'>,
  { objectStore, signal, onProgress }: Pick<ConvertEnvironment, 'objectStore' | 'signal' | 'onProgress'>,
): Promise<ConversionPlan> {
  await using source = await openSource(request.address, objectStore);
  const grid = await gridFor(request.options.heights, request.geoid, request.geoidDatum);
  const parts = await planConversion(source, request.options, request.types, grid);
  const sizes = new Map(parts.map(({ gml }) => [gml.path, gml.size]));
  const total = [...sizes.values()].reduce((sum, size) => sum + size, 0);
  let done = 0;
  const outputs = await foreseeOutputs(source, request.options, parts, request.wardNames ?? {}, (bytes) => {
    signal.throwIfAborted();
    done += bytes;
    onProgress({ label: source.package.name, phase: 'reading', done, total });
  });
  return { package: source.package.name, parts: parts.length, outputs };
}

/**
 * Converts a package. What is wrong with its data is in the report. Throws PackageRefused for what is no CityGML package, and BadGrid for
 * a geoid that cannot be read. Throws ConversionFailed when the system fails, and the reason of the signal.
 */
export async function convertPackage(
  request: ConvertRequest,
  environment: ConvertEnvironment,
): Promise<ConvertReport> {
  try {
    return await convert(request, environment);
  } catch (error) {
    environment.signal.throwIfAborted();
    throw systemFailure(error) ?? error;
  }
}

async function convert(request: ConvertRequest, environment: ConvertEnvironment): Promise<ConvertReport> {
  const started = performance.now();
  const { address, options, types, jobs, partsDirectory } = request;
  const { objectStore, objects, threadModule, signal } = environment;
  await using source = await openSource(address, objectStore);
  const grid = await gridFor(options.heights, request.geoid, request.geoidDatum);
  const parts = await planConversion(source, options, types, grid);
  const { share } = request;
  const isShared = share !== null && request.isOneDisk !== true;
  const store = partStoreOf(partsDirectory, source, isShared ? objectStore : null);
  await store.sweep(Date.now());

  const label = source.package.name;
  const total = parts.reduce((sum, { gml }) => sum + gml.size, 0);
  let done = 0;
  let phase: ConvertProgress['phase'] = 'converting';
  const tell = () => environment.onProgress({ label, phase, done: Math.min(done, total), total });
  const onText = (bytes: number) => {
    done += bytes;
    tell();
  };
  const made: MadePart[] = [];
  const book = new AccountBook(options.lods);
  for (const { gml } of parts) book.addFile(gml.path);
  const issues: ConvertIssue[] = [];
  const missing: typeof parts = [];
  for (const task of parts) {
    const record = await store.find(task.hash);
    if (record === null) missing.push(task);
    else {
      await store.touch(task.hash);
      made.push({ task, outputs: record.outputs });
      issues.push(...record.issues);
      book.addPart(task.gml.path, task.maker, record.account);
      done += task.gml.size;
    }
  }
  const reused = made.length;
  tell();
  await using pool = await openPool({
    ...{ address, objects, partsDirectory, isShared, options, grid, jobs, threadModule, objectStore, signal },
    onText,
  });
  // The largest first, so that none is left when the others are done.
  const bySize = missing.toSorted((a, b) => b.gml.size - a.gml.size);
  await pool.run(share === null ? bySize : ownFirst(bySize, share), (task, result) => {
    if (task.kind !== 'part') return;
    if (result === null) issues.push(tooLarge(task.gml.path));
    else {
      issues.push(...result.issues);
      book.addPart(task.gml.path, task.maker, result.account);
      if (result.outputs.length > 0) made.push({ task, outputs: result.outputs });
    }
  });

  const bare = { package: label, said: source.said, parts: parts.length, reused, bytes: total };
  if (share !== null && share.index > 0)
    return { ...bare, packages: [], issues: joinIssues(issues), account: null, seconds: since(started) };
  noteUnplanned(source, options, types, parts, book, issues);

  phase = 'joining';
  if (made.length === 0) issues.push(withoutTiles(label));
  made.sort((a, b) => (a.task.gml.path < b.task.gml.path ? -1 : 1));
  const packages: MadePackage[] = [];
  const joins: PlannedJoin[] = [];
  for (const planned of planJoins(label, made, request.wardNames ?? {})) {
    book.packages.in++;
    if (await request.isWanted(planned)) joins.push(planned);
    else {
      packages.push({ ...facts(planned), path: null, bytes: 0, members: 0 });
      addTo(book.packages.rest, NOT_ASKED, 1);
    }
  }
  const provenance = provenanceOf(label, options, grid);
  const tasks = joins
    .toSorted((a, b) => b.bytes - a.bytes)
    .map((planned) => ({
      ...planned,
      target: join(request.out, `${planned.name}.${makerOf(planned.key.kind).container(options)}`),
      provenance,
    }));
  await pool.run(tasks, (task, result) => {
    if (task.kind !== 'join') return;
    if (result === null) throw new Error(`There is not enough memory to put ${task.name} together.`);
    issues.push(...result.issues);
    if (result.file === null) addTo(book.packages.rest, result.issues.at(-1)?.code ?? 'PACKAGE_FAILED', 1);
    else {
      book.packages.out++;
      packages.push({ ...facts(task as PlannedJoin & typeof task), path: task.target, ...result.file });
    }
  });
  if (isShared) await store.unshare(parts.map(({ hash }) => hash));
  const account = book.finish(issues);
  return {
    ...bare,
    account,
    packages: packages.sort((a, b) => (a.name < b.name ? -1 : 1)),
    issues: joinIssues(issues).sort((a, b) =>
      a.file < b.file ? -1 : a.file > b.file ? 1 : a.code < b.code ? -1 : 1,
    ),
    seconds: since(started),
  };
}

/** Files of the package that no part is made of: not asked for, or of a type without tiles, which is an issue. */
function noteUnplanned(
  source: PackageSource,
  options: ConvertOptions,
  types: readonly string[] | null,
  parts: readonly PartTask[],
  book: AccountBook,
  issues: ConvertIssue[],
): void {
  const planned = new Set(parts.map(({ gml }) => gml.path));
  const byType = new Map<string, IssueCounter>();
  for (const gml of gmlFilesOf(source)) {
    if (planned.has(gml.path)) continue;
    book.files.in++;
    const isAsked = types === null || types.includes(gml.type);
    const hasTiles = MAKERS.some((maker) => maker.plan(gml, { ...options, lods: null }).length > 0);
    addTo(book.files.rest, isAsked && !hasTiles ? 'TYPE_UNCONVERTED' : NOT_ASKED, 1);
    if (!isAsked || hasTiles) continue;
    const counter = byType.get(gml.type) ?? new IssueCounter(gml.path, (issue) => issues.push(issue));
    byType.set(gml.type, counter);
    counter.count('TYPE_UNCONVERTED', null, gml.type);
  }
  for (const counter of byType.values()) counter.tell();
}

function since(started: number): number {
  return (performance.now() - started) / 1_000;
}

/**
 * The parts in the order of one worker among several: those of its own share, the largest first, then those of the others, the smallest
 * first, which these come to last. So two rarely make the same part, and nobody waits for one that was killed.
 */
export function ownFirst<T>(tasks: readonly T[], { index, count }: Share): T[] {
  const isOwn = (_: T, i: number) => i % count === index;
  const others = tasks.filter((task, i) => !isOwn(task, i)).reverse();
  return [...tasks.filter(isOwn), ...others];
}

function facts({ key, name, features }: PlannedJoin): Pick<MadePackage, 'key' | 'name' | 'features'> {
  return { key, name, features };
}

function tooLarge(path: string): ConvertIssue {
  return {
    code: 'PART_TOO_LARGE',
    severity: 'error',
    file: path,
    id: null,
    count: 1,
    message: 'The file needs more memory than a conversion may take, even by itself.',
    remedy: 'It is left out. Divide it, or convert with --jobs 0, which sets no limit.',
  };
}

function withoutTiles(name: string): ConvertIssue {
  return {
    code: 'PACKAGE_EMPTY',
    severity: 'warning',
    file: name,
    id: null,
    count: 1,
    message: 'The package has no geometry that tiles can be made of.',
    remedy:
      'No tiles are made of it. Look at the other issues, and at the types and levels of detail that it has.',
  };
}

/** How a package was made: the same for the same package and options. */
function provenanceOf(source: string, options: ConvertOptions, grid: HeightGrid | null) {
  const { tiles, compression, slim, unlit } = options;
  return {
    generator: `citymodel-server ${VERSION}`,
    source,
    heights: grid?.name ?? options.heights,
    // What heights of the other datum were brought to this one by.
    ...(options.heights !== 'elevation' && {
      height_datum: (grid?.datum ?? 'jgd2011').toUpperCase(),
      height_revision: REVISION_NAME,
    }),
    options: { tiles, compression, slim, unlit },
  };
}
