/** Converts one package: plans, makes the parts that are missing, joins all into packages. */

import { join } from 'node:path';
import { compareTexts } from '@citymodel/base';
import { REVISION_NAME } from '@citymodel/geo';
import type { ObjectStore } from '@citymodel/store';
import {
  addTo,
  type ConvertIssue,
  type ConvertOptions,
  type GeoidDatum,
  gridFor,
  type HeightGrid,
  type OutputKey,
} from '@citymodel/tiles';
import { missingParts, ownFirst, runUntil, type Share, type TaskRun } from '../base/long-task.ts';
import type { ProgressSink } from '../base/progress.ts';
import { VERSION } from '../base/version.ts';
import type { Overrides } from '../ingest/identify.ts';
import { AccountBook, type ConversionAccount, joinIssues, NOT_ASKED } from './conversion-account.ts';
import { systemFailure } from './conversion-failed.ts';
import { noteUnplanned, tooLarge, withoutTiles } from './left-out.ts';
import { makerOf } from './makers.ts';
import { openSource, type PackageSource, type SourceAddress } from './package-source.ts';
import { type PartStore, partStoreOf } from './part-store.ts';
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
import { openPool, type WorkPool } from './work-pool.ts';

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
   * Other workers make parts of the same conversion: this is number `index` of `count`. Number 0 joins them, the others
   * make parts only. Null for a conversion by itself.
   */
  share: Share | null;
  /** All workers have this `partsDirectory`: parts need not go through the object store. */
  isOneDisk?: boolean;
  /** Says whether a package is made; others are reported as kept. */
  isWanted: (output: { key: OutputKey; name: string }) => Promise<boolean>;
  wardNames?: WardNames;
}

export interface ConvertEnvironment {
  /** Has the archive of a hosted package; null for uploads. */
  objectStore: ObjectStore | null;
  /** With what threads open that store; JSON. */
  objects: unknown;
  /** Module that calls `serveThread`. */
  threadModule: URL;
  signal: AbortSignal;
  onProgress: ProgressSink;
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

/**
 * What a conversion would make, by looking through the texts, without making it. Throws PackageRefused, BadGrid, and
 * the reason of the signal.
 */
export async function planOnly(
  request: PlanRequest,
  { objectStore, signal, onProgress }: Pick<ConvertEnvironment, 'objectStore' | 'signal' | 'onProgress'>,
): Promise<ConversionPlan> {
  await using source = await openSource(request.address, objectStore);
  const label = source.package.name;
  const { tasks } = await planOf(request, source);
  const total = [...new Map(tasks.map(({ gml }) => [gml.path, gml.size])).values()].reduce(
    (a, b) => a + b,
    0,
  );
  let done = 0;
  const outputs = await foreseeOutputs(source, request.options, tasks, request.wardNames ?? {}, (bytes) => {
    signal.throwIfAborted();
    done += bytes;
    onProgress({ label, phase: 'reading', done, total, member: null });
  });
  return { package: label, parts: tasks.length, outputs };
}

/**
 * Converts a package into files; a worker that is not number 0 of its share makes parts only. What is wrong with its
 * data is in the report. Throws PackageRefused for what is no CityGML package, and BadGrid for a geoid that cannot be
 * read. Throws ConversionFailed when the system fails, and the reason of the signal.
 */
export async function convertPackage(
  request: ConvertRequest,
  environment: ConvertEnvironment,
): Promise<ConvertReport> {
  const { share } = request;
  const started = performance.now();
  // Files are joined, and that is all: nobody else is told of them.
  const task = { ...conversion(request, environment), publish: async (report: ConvertReport) => report };
  const end = await runUntil(task, share !== null && share.index > 0 ? 'parts' : 'join', environment);
  if (end.step !== 'parts') return end.found as ConvertReport;
  const { source, tasks, reused, issues } = end.found;
  const facts = { package: task.label(), said: source.said, parts: tasks.length, reused };
  return {
    ...facts,
    bytes: bytesOf(tasks),
    packages: [],
    issues: joinIssues(issues),
    account: null,
    seconds: since(started),
  };
}

interface Planned {
  source: PackageSource;
  grid: HeightGrid | null;
  tasks: PartTask[];
}

interface MadeParts extends Planned {
  store: PartStore;
  pool: WorkPool;
  madeParts: MadePart[];
  reused: number;
  book: AccountBook;
  issues: ConvertIssue[];
}

/** The steps of a long task before its last. */
interface ConversionSteps {
  label(): string;
  plan(run: TaskRun): Promise<Planned>;
  parts(planned: Planned, run: TaskRun): Promise<MadeParts>;
  join(parts: MadeParts, run: TaskRun): Promise<ConvertReport>;
  failed(error: unknown): Promise<never>;
}

/**
 * A conversion as a long task, all but how it is published. A run that was killed has left its complete parts, which
 * the next one finds. Joined are packages in files of `request.out`.
 */
export function conversion(
  request: ConvertRequest,
  { objectStore, objects, threadModule, signal: outer }: Omit<ConvertEnvironment, 'onProgress'>,
): ConversionSteps {
  const started = performance.now();
  const { address, options, jobs, partsDirectory, share } = request;
  const isShared = share !== null && request.isOneDisk !== true;
  let label = '';
  let phase: 'converting' | 'joining' = 'converting';
  return {
    label: () => label,

    async plan({ keep }) {
      const source = keep(await openSource(address, objectStore));
      label = source.package.name;
      return { source, ...(await planOf(request, source)) };
    },

    async parts({ source, grid, tasks }, { keep, signal, tell }) {
      const store = partStoreOf(partsDirectory, source, isShared ? objectStore : null);
      await store.sweep(Date.now());
      const total = bytesOf(tasks);
      let done = 0;
      const onText = (bytes: number) => {
        done += bytes;
        tell({ phase, done: Math.min(done, total), total, member: null });
      };
      const madeParts: MadePart[] = [];
      const book = new AccountBook(options.lods);
      for (const { gml } of tasks) book.addFile(gml.path);
      const issues: ConvertIssue[] = [];
      const missing = await missingParts(
        tasks,
        async ({ hash }) => {
          const record = await store.find(hash);
          if (record !== null) await store.touch(hash);
          return record;
        },
        (task, record) => {
          madeParts.push({ task, outputs: record.outputs });
          issues.push(...record.issues);
          book.addPart(task.gml.path, task.maker, record.account);
          done += task.gml.size;
        },
      );
      const reused = madeParts.length;
      onText(0);
      const work = { address, objects, partsDirectory, isShared, options, grid, jobs, threadModule };
      const pool = keep(await openPool({ ...work, objectStore, signal, onText }));
      // The largest first, so that none is left when the others are done.
      const bySize = missing.toSorted((a, b) => b.gml.size - a.gml.size);
      await pool.run(share === null ? bySize : ownFirst(bySize, share), (task, result) => {
        if (task.kind !== 'part') return;
        if (result === null) issues.push(tooLarge(task.gml.path));
        else {
          issues.push(...result.issues);
          book.addPart(task.gml.path, task.maker, result.account);
          if (result.outputs.length > 0) madeParts.push({ task, outputs: result.outputs });
        }
      });
      return { source, grid, tasks, store, pool, madeParts, reused, book, issues };
    },

    async join({ source, grid, tasks: parts, store, pool, madeParts, reused, book, issues }, { tell }) {
      noteUnplanned(source, parts, book);
      const total = bytesOf(parts);
      phase = 'joining';
      tell({ phase, done: total, total, member: null });
      if (madeParts.length === 0) issues.push(withoutTiles(label));
      madeParts.sort((a, b) => compareTexts(a.task.gml.path, b.task.gml.path));
      const packages: MadePackage[] = [];
      const joins: PlannedJoin[] = [];
      for (const planned of planJoins(label, madeParts, request.wardNames ?? {})) {
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
        if (result.file === null)
          addTo(book.packages.rest, result.issues.at(-1)?.code ?? 'PACKAGE_FAILED', 1);
        else {
          book.packages.out++;
          packages.push({ ...facts(task as PlannedJoin & typeof task), path: task.target, ...result.file });
        }
      });
      // Who publishes needs the memory of the threads.
      await pool[Symbol.asyncDispose]();
      if (isShared) await store.unshare(parts.map(({ hash }) => hash));
      const account = book.finish(issues);
      return {
        package: label,
        said: source.said,
        parts: parts.length,
        reused,
        bytes: total,
        account,
        packages: packages.sort((a, b) => compareTexts(a.name, b.name)),
        issues: joinIssues(issues).sort(
          (a, b) => compareTexts(a.file, b.file) || compareTexts(a.code, b.code),
        ),
        seconds: since(started),
      };
    },

    async failed(error) {
      outer.throwIfAborted();
      throw systemFailure(error) ?? error;
    },
  };
}

type PlanRequest = Pick<
  ConvertRequest,
  'address' | 'options' | 'types' | 'geoid' | 'geoidDatum' | 'wardNames'
>;

async function planOf(request: PlanRequest, source: PackageSource): Promise<Omit<Planned, 'source'>> {
  const { options, types, geoid, geoidDatum } = request;
  const grid = await gridFor(options.heights, geoid, geoidDatum);
  return { grid, tasks: await planConversion(source, options, types, grid) };
}

function bytesOf(tasks: readonly PartTask[]): number {
  return tasks.reduce((sum, { gml }) => sum + gml.size, 0);
}

function since(started: number): number {
  return (performance.now() - started) / 1_000;
}

function facts({ key, name, features }: PlannedJoin): Pick<MadePackage, 'key' | 'name' | 'features'> {
  return { key, name, features };
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
